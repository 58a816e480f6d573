"""One offline HTML page: the robot turns under the mouse, plays in time, and shows its numbers.

Geometry travels as float32 in base64; ``page.js`` builds the tubes. Nothing is fetched from anywhere.
"""

import base64
import html
import json
import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from pliant._files import write_bytes
from pliant.results import Modes, Result, Trajectory
from pliant.view._colours import palette
from pliant.view._geometry import SPRING, extent
from pliant.view._mode_shapes import mode_scale
from pliant.view._refine import refine
from pliant.view._render import nice_number
from pliant.view._samples import Samples, samples_of, shown_frames, spread

_MOST_SAMPLES = 1500
_MOST_NUMBERS = 2_000_000  # of one result: 8 MB of float32
_NUMBERS_PER_POSE = 9
_TELLING = 8  # samples in which two ends of lines that are one point lie on each other
_MODE_AMPLITUDE = 0.15  # largest displacement of a mode, of the robot's size


def write_page(results: Sequence[Result], path: str | os.PathLike[str], title: str) -> Path:
    """Write the page with one tab for each result, in order."""
    if not results:
        raise ValueError("write_page: expected at least one result")
    data = {"spring": SPRING._asdict(), "results": [_record(result) for result in results]}
    folder = resources.files("pliant.view")
    parts = {
        "TITLE": html.escape(title),
        "DATA": _script_safe(json.dumps(data, allow_nan=False, separators=(",", ":"))),
        "SCRIPT": (folder / "page.js").read_text(encoding="utf-8"),
    }
    template = (folder / "page.html").read_text(encoding="utf-8")
    # One pass, so that a title or a name that looks like a marker is not replaced itself.
    page = re.sub("@@(TITLE|DATA|SCRIPT)@@", lambda match: parts[match[1]], template)
    return write_bytes(path, page.encode())


def _script_safe(text: str) -> str:
    """JSON that cannot end its script element."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _record(result: Result) -> dict[str, Any]:
    result = refine(result)
    samples = samples_of(result)
    scene = result.scene
    points = samples.points()
    size = extent(points)
    poses = samples.node.shape[1] + samples.body.shape[1] + samples.frame.shape[1]
    ends, line_ends = _merged(samples.line, result.line_displacement if isinstance(result, Modes) else None)
    numbers = max(1, _NUMBERS_PER_POSE * poses + 3 * len(ends))
    kept = spread(len(samples.value), max(2, min(_MOST_SAMPLES, _MOST_NUMBERS // numbers)))
    samples = samples.take(kept)
    sizes = (np.asarray(scene.half_width), np.asarray(scene.body_size) / 2)
    margin = max(float(array.max(initial=0.0)) for array in sizes)
    low, high = points.min(axis=0) - margin, points.max(axis=0) + margin
    frames, colours = shown_frames(result.names), palette(scene)
    record: dict[str, Any] = {
        "kind": type(result).__name__,
        # The page has the places of every stage already.
        "summary": {name: value for name, value in result.summary().items() if name != "stages"},
        "provenance": json.loads(result.provenance) if result.provenance else {},
        "value": _packed(samples.value),
        "label": samples.label,
        "nodes": _packed(_pose_numbers(samples.node)),
        "bodies": _packed(_pose_numbers(samples.body)),
        "frames": _packed(samples.frame[:, [result.names.frames.index(name) for name in frames]][..., :3, 3]),
        "frameNames": frames,
        "rods": [
            {
                "name": name,
                "start": span.start,
                "stop": span.stop,
                "round": [bool(flag) for flag in scene.node_round[span]],
                "link": scene.node_link[span.start],
            }
            for name, span in scene.rods().items()
        ],
        "halfWidth": _packed(np.asarray(scene.half_width)),
        "bodyShape": list(scene.body_shape),
        "bodySize": np.asarray(scene.body_size).tolist(),
        "bodyLink": list(scene.body_link),
        "points": _packed(_line_points(samples.line)[:, ends]),
        "lineEnds": _packed(line_ends),
        "lineOwner": _packed(np.array(scene.line_link)),
        "lineKind": list(scene.line_kind),
        "size": size,
        "pointRadius": 0.015 * size,
        "colours": colours.link.round(4).tolist(),
        "lineColours": colours.line.round(4).tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "grid": nice_number(float(np.linalg.norm(high - low)) / 10),
        "energy": _energies(result, samples),
    }
    if isinstance(result, Modes):
        record["modes"] = _modes(result, size, ends)
    return record


def _line_points(ends: np.ndarray) -> np.ndarray:
    """(N, 2 L, 3) from (N, L, 2, 3)."""
    return ends.reshape(len(ends), 2 * ends.shape[1], 3)


def _merged(ends: np.ndarray, displacement: Any) -> tuple[np.ndarray, np.ndarray]:
    """The distinct ones (P,) among the 2 L ends of lines (N, L, 2, 3), and which of them are those of every line
    (L, 2): the edges at a node of a mesh share it, and the page is four times smaller for it."""
    seen = [ends[spread(len(ends), _TELLING)]]
    seen += [] if displacement is None else [np.asarray(displacement)]
    columns = np.concatenate([_line_points(part) for part in seen]).swapaxes(0, 1)
    rows = columns.reshape(len(columns), 3 * columns.shape[1])
    _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, which.reshape(-1, 2)


def _pose_numbers(poses: np.ndarray) -> np.ndarray:
    """Position, local x axis and local z axis: nine numbers that the page can blend without quaternions."""
    return np.concatenate([poses[..., :3, 3], poses[..., :3, 0], poses[..., :3, 2]], axis=-1)


def _energies(result: Result, samples: Samples) -> dict[str, str]:
    if not isinstance(result, Trajectory):
        return {}
    time = np.asarray(result.time)
    series = {name: np.asarray(values) for name, values in result.energy.items()}
    finite = np.isfinite(time)
    for values in series.values():
        finite &= np.isfinite(values)
    if not finite.any():
        return {}
    return {name: _packed(np.interp(samples.value, time[finite], values[finite])) for name, values in series.items()}


def _modes(modes: Modes, size: float, ends: np.ndarray) -> dict[str, Any]:
    """Displacements and rotations at the amplitude that the page swings them with; of lines the distinct ends."""
    count = len(modes.frequency)
    scale = np.array([mode_scale(modes, mode, _MODE_AMPLITUDE * size) for mode in range(count)])[:, None, None]
    parts = {
        "nodes": modes.node_displacement,
        "nodeTurns": modes.node_rotation,
        "bodies": modes.body_displacement,
        "bodyTurns": modes.body_rotation,
        "points": _line_points(np.asarray(modes.line_displacement))[:, ends],
    }
    return {
        "count": count,
        "frequency": _numbers(modes.frequency),
        "damping": _numbers(modes.damping_ratio),
        **{name: _packed(np.asarray(part) * scale) for name, part in parts.items()},
    }


def _numbers(values: Any) -> list[float | None]:
    """For JSON, which has no NaN."""
    return [float(value) if np.isfinite(value) else None for value in np.asarray(values)]


def _packed(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f4").tobytes()).decode()
