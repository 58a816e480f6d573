"""What all results share: frames by name, a labelled dataset, a file, a summary."""

import dataclasses
import json
import os
from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import equinox as eqx
import numpy as np
from jax import Array

from pliant.results import _dataset, _file
from pliant.results._scene import Names, Scene, Shape
from pliant.results._variables import Variable

if TYPE_CHECKING:
    import xarray


class Result(eqx.Module):
    """Base of every result.

    ``code`` is the result code of the solve (0: success); ``provenance`` is JSON text, empty inside jit and put in
    on the host with ``with_provenance``.
    """

    shape: eqx.AbstractVar[Shape]
    code: eqx.AbstractVar[Array]
    scene: eqx.AbstractVar[Scene]
    names: eqx.AbstractVar[Names]
    provenance: eqx.AbstractVar[str]

    # The dimension that the shapes of this result are listed along, if any, and its own variables.
    lead: ClassVar[tuple[str, ...]] = ()
    variables: ClassVar[tuple[Variable, ...]] = ()

    def frame(self, name: str) -> Array:
        """World pose of the frame ``name``: (..., 4, 4)."""
        if name not in self.names.frames:
            raise ValueError(f"no frame named {name!r}; frames: {', '.join(self.names.frames) or 'none'}")
        return self.shape.frame_pose[..., self.names.frames.index(name), :, :]

    def position(self, name: str) -> Array:
        """World position of the frame ``name`` [m]: (..., 3)."""
        return self.frame(name)[..., :3, 3]

    def with_provenance(self, text: str) -> Self:
        """This result with another provenance (JSON text)."""
        return dataclasses.replace(self, provenance=text)

    def to_xarray(self) -> "xarray.Dataset":
        """A dataset with named dimensions, and units and a long name on every variable.

        The extra leading dimension of a batch (vmap) is called ``batch``; several are ``batch_0``, ``batch_1``, ...
        """
        return _dataset.to_dataset(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a NetCDF file; it appears complete or not at all. ``pliant.results.load`` reads it."""
        return _file.save(self, path)

    def summary(self) -> dict[str, Any]:
        """A small dict of plain numbers and strings, ready for ``json.dumps`` (a number that is not finite: None)."""
        if np.ndim(self.code) > len(self._code_dims()):
            raise ValueError(
                "summary() describes one result, not a batch; take a member first: "
                "jax.tree.map(lambda leaf: leaf[i], result)"
            )
        robot = json.loads(self.provenance).get("robot", "") if self.provenance else ""
        return plain({"kind": type(self).__name__, "robot": robot, **self._summary(), **self._places()})

    @abstractmethod
    def _summary(self) -> dict[str, Any]:
        """The part of the summary that is particular to this kind of result."""

    def _code_dims(self) -> tuple[str, ...]:
        return next(variable.dims for variable in self.variables if variable.path == "code")

    def _places(self) -> dict[str, Any]:
        """Where frames, rod tips and bodies are [m], in the last configuration when there are several."""

        def last(poses: Array) -> np.ndarray:
            host = np.asarray(poses)[..., :3, 3]
            return host[-1] if self.lead else host

        nodes, bodies, frames = last(self.shape.node_pose), last(self.shape.body_pose), last(self.shape.frame_pose)
        links = self.scene.links
        return {
            "frames": dict(zip(self.names.frames, frames, strict=True)),
            "tips": {name: nodes[parts[-1].stop - 1] for name, parts in self.scene.whole_rods().items()},
            "bodies": {links[link]: place for link, place in zip(self.scene.body_link, bodies, strict=True)},
        }


def plain(value: Any) -> Any:
    """Arrays to lists, scalars to Python numbers, NaN and infinity to None: what JSON can hold."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, str | None):
        return value
    if isinstance(value, list | tuple) or np.ndim(value) > 0:
        return [plain(item) for item in (value if isinstance(value, list | tuple) else np.asarray(value))]
    number = np.asarray(value).item()
    return None if isinstance(number, float) and not np.isfinite(number) else number
