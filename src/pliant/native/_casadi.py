"""CasADi, loaded when first used: it is an extra, and only making a program needs it, not running one."""

import functools
import importlib
from typing import Any

from pliant.native._errors import NativeError


@functools.cache
def casadi() -> Any:
    try:
        return importlib.import_module("casadi")
    except ImportError as error:
        raise NativeError(
            "native code is made with CasADi, which is not installed: pip install 'pliant[native]'"
        ) from error
