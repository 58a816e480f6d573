"""Where a result came from, as JSON text."""

import json
import platform
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from typing import Any

import jax
import numpy as np


def provenance(settings: dict[str, Any], robot_name: str = "", description_hash: str = "") -> str:
    """JSON text that says which software, robot and settings gave a result.

    ``settings`` are the options of the solve; arrays in it become lists, anything else that JSON lacks its ``str``.
    """
    record = {
        "robot": robot_name,
        "description_hash": description_hash,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "platform": platform.platform(),
        "settings": settings,
    }
    return json.dumps(record, default=_as_json)


@cache
def _versions() -> dict[str, str]:
    try:
        version = metadata.version("pliant")
    except metadata.PackageNotFoundError:
        version = "unknown"
    return {"pliant": version, "jax": jax.__version__, "numpy": np.__version__, "python": platform.python_version()}


def _as_json(value: Any) -> Any:
    return np.asarray(value).tolist() if isinstance(value, np.generic | np.ndarray | jax.Array) else str(value)
