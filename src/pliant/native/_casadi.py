"""Packages of the extra `native`, loaded when first used: only making a program needs them, not running one."""

import functools
import importlib
from typing import Any

from pliant.native._errors import NativeError


@functools.cache
def package(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NativeError(f"this needs {name}, which is not installed: pip install 'pliant[native]'") from error


def casadi() -> Any:
    return package("casadi", "CasADi")
