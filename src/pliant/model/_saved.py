"""Saved models: a blueprint as JSON and its numbers, in one sealed file. What stands in one is checked like a robot
file: it may come from anywhere, and its names go on into C, plots and pages."""

import json
import os
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from pliant._arrays import read_arrays, write_arrays
from pliant.blueprint import Blueprint, from_json, text_problems, to_json

_TEXT = "blueprint"
_NUMBER = "@"  # before the path of a number
_MOST_PROBLEMS = 5  # told


class ModelFileError(ValueError):
    """A file that is no model of Pliant, or is damaged, or holds what no robot file may hold."""

    def __init__(self, path: str | os.PathLike[str], found: str) -> None:
        super().__init__(
            f"{os.fspath(path)}: {found}; expected a model written by Model.save of this version: save it again"
        )


def write_model(path: Path, plan: Blueprint, numbers: Mapping[str, Any]) -> Path:
    """Write a model; the file is whole or absent."""
    arrays: dict[str, Any] = {f"{_NUMBER}{name}": np.asarray(value) for name, value in numbers.items()}
    text = json.dumps(to_json(plan), sort_keys=True, allow_nan=False)
    return write_arrays(path, {_TEXT: np.frombuffer(text.encode(), dtype=np.uint8), **arrays})


def read_model(path: str | os.PathLike[str]) -> tuple[Blueprint, dict[str, np.ndarray]]:
    """The blueprint and the numbers of a saved model; a ModelFileError says what is wrong with it."""
    try:
        arrays = read_arrays(path)
        text = arrays.pop(_TEXT, np.zeros(0, np.uint8)).tobytes().decode()
        plain = json.loads(text, parse_constant=_not_finite)
        problems = list(islice(text_problems(plain), _MOST_PROBLEMS))
        if problems:
            raise ValueError("; ".join(problems))
        plan = from_json(Blueprint, plain)
        numbers = {name.removeprefix(_NUMBER): array for name, array in arrays.items()}
        _check_links(plan)
        _check_numbers(plan, numbers)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(path, str(error)) from error
    return plan, numbers


def _not_finite(word: str) -> None:
    raise ValueError(f"got {word} in the blueprint; expected finite numbers")


def _check_links(plan: Blueprint) -> None:
    """Every link has a name of its own, and hangs on one that stands before it."""
    before: set[str | None] = {None}
    for link in plan.links:
        if link.name in before or link.parent.link not in before:
            raise ValueError(f"the link {link.name!r} stands twice, or before its parent {link.parent.link!r}")
        before.add(link.name)
    names = [mesh.name for mesh in plan.meshes]
    if len(set(names)) != len(names) or before & set(names):
        raise ValueError(f"a mesh out of {', '.join(names)} has the name of another link")


def _check_numbers(plan: Blueprint, numbers: Mapping[str, np.ndarray]) -> None:
    """Every path has its number, of the shape and in the range that the blueprint says."""
    odd = sorted(set(numbers) ^ set(plan.parameters))
    if odd:
        raise ValueError(f"the number {odd[0]!r} stands {'alone' if odd[0] in numbers else 'in the blueprint only'}")
    for path, info in plan.parameters.items():
        if numbers[path].dtype != np.float64 or numbers[path].shape != info.shape:
            got = f"{numbers[path].dtype}{list(numbers[path].shape)}"
            raise ValueError(f"{path}: got {got}; expected float64{list(info.shape)}")
        info.check(path, numbers[path])
