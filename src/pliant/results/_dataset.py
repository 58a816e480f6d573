"""A result as a labelled xarray dataset, and back."""

import json
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from pliant.results._forces import Forces
from pliant.results._scene import STRAINS, Names, Scene, Shape
from pliant.results._variables import Variable

if TYPE_CHECKING:
    import xarray

    from pliant.results._result import Result

    SomeResult = TypeVar("SomeResult", bound=Result)

FORMAT = 6
WRENCH = ("moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z")
KIND = "pliant_result"
_PART = "part"  # NetCDF has no complex numbers: they are stored as two, along this dimension


def to_dataset(result: "Result") -> "xarray.Dataset":
    """The dataset of ``result``; its variables are listed in ``result.variables``."""
    import xarray

    arrays = {name: _labelled(variable, value) for name, variable, value in _arrays(result)}
    return xarray.Dataset(arrays, coords=_labels(result), attrs=_attributes(result))


def from_dataset(kind: "type[SomeResult]", dataset: "xarray.Dataset") -> "SomeResult":
    """The result that ``to_dataset`` wrote."""
    fields: dict[str, Any] = {}
    shape: dict[str, Any] = {}
    scene: dict[str, Any] = {}
    forces: dict[str, Any] = {}
    parents = {"shape": shape, "scene": scene, "forces": forces, "": fields}
    with jax.enable_x64(True):  # a file holds float64; reading it must not round
        for variable in kind.variables:
            parent = parents[variable.path.rpartition(".")[0]]
            if variable.many:
                prefix = f"{variable.name}_"
                names = [str(name) for name in dataset.variables if str(name).startswith(prefix)]
                parent[variable.name] = {name.removeprefix(prefix): _values(dataset[name]) for name in names}
            else:
                parent[variable.name] = _values(dataset[variable.name])

    def texts(name: str) -> tuple[str, ...]:
        return tuple(str(text) for text in dataset[name].values)

    if forces:
        fields["forces"] = Forces(**forces)
    links = texts("link")
    actuators = tuple(zip(texts("actuator"), texts("actuator_effort"), texts("actuator_travel"), strict=True))
    reported = tuple(zip(texts("reported"), texts("reported_unit"), strict=True))
    scene |= {
        "links": links,
        "node_link": tuple(links.index(name) for name in texts("node_link")),
        "node_fraction": tuple(float(fraction) for fraction in dataset["node_fraction"].values),
        "node_round": tuple(bool(flag) for flag in dataset["node_round"].values),
        "body_link": tuple(links.index(name) for name in texts("body")),
        "body_shape": texts("body_shape"),
        "line_names": texts("line_name"),
        "line_kind": texts("line_kind"),
        "line_link": tuple(int(index) for index in dataset["line_link"].values),
    }
    return kind(
        **fields,
        shape=Shape(**shape),
        scene=Scene(**scene),
        names=Names(texts("coordinate"), texts("velocity"), texts("frame"), actuators, reported),
        provenance=_record(str(dataset.attrs["provenance"])),
    )


def _record(provenance: str) -> str:
    """The text, which is nothing or a JSON object."""
    if provenance and not isinstance(json.loads(provenance), dict):
        raise ValueError("its provenance is no record")
    return provenance


def _arrays(result: "Result") -> Iterator[tuple[str, Variable, Any]]:
    for variable in result.variables:
        value = attrgetter(variable.path)(result)
        if isinstance(value, dict):
            for key, item in value.items():
                units = result.names.unit(variable.name, key) or variable.units
                labelled = variable._replace(units=units, long_name=f"{key} {variable.long_name}")
                yield f"{variable.name}_{key}", labelled, item
        else:
            yield variable.name, variable, value


def _labelled(variable: Variable, value: Any) -> tuple[tuple[str, ...], np.ndarray, dict[str, str]]:
    array = np.asarray(value)
    extra = array.ndim - len(variable.dims)
    if extra < 0:
        raise ValueError(f"{variable.path} has shape {array.shape}; expected dimensions {', '.join(variable.dims)}")
    batch = ("batch",) if extra == 1 else tuple(f"batch_{index}" for index in range(extra))
    dims = (*batch, *variable.dims)
    if np.iscomplexobj(array):
        dims, array = (*dims, _PART), np.stack([array.real, array.imag], axis=-1)
    return dims, array, {"units": variable.units, "long_name": variable.long_name}


def _values(stored: "xarray.DataArray") -> jax.Array:
    values = stored.values
    return jnp.asarray(np.ascontiguousarray(values).view(complex)[..., 0] if _PART in stored.dims else values)


def _labels(result: "Result") -> dict[str, Any]:
    scene, names = result.scene, result.names

    def texts(dim: str, values: tuple[str, ...], long_name: str) -> tuple[str, np.ndarray, dict[str, str]]:
        # The dtype is given so that an empty tuple is an array of strings, not of floats.
        array = np.array(values, dtype=np.str_ if values else "U1")
        return dim, array, {"units": "1", "long_name": long_name}

    def numbers(dim: str, values: Any, long_name: str) -> tuple[str, np.ndarray, dict[str, str]]:
        return dim, np.asarray(values), {"units": "1", "long_name": long_name}

    return {
        "link": texts("link", scene.links, "name of the link"),
        "node_link": texts("node", tuple(scene.links[link] for link in scene.node_link), "rod of the node"),
        "node_fraction": numbers("node", np.array(scene.node_fraction, float), "place on the rod, base 0 to tip 1"),
        "node_round": numbers("node", np.array(scene.node_round, bool), "outline is an ellipse, else a rectangle"),
        "body": texts("body", tuple(scene.links[link] for link in scene.body_link), "link of the body"),
        "body_shape": texts("body", scene.body_shape, "shape of the body"),
        "line_name": texts("line_name", scene.line_names, "name of the mesh or spring"),
        "line_kind": texts("line_name", scene.line_kind, "mesh, spring or what else is drawn"),
        "line_link": numbers("line", np.array(scene.line_link, int), "index of the line's mesh or spring, from 0"),
        "coordinate": texts("coordinate", names.coordinates, "name of the generalised coordinate"),
        "velocity": texts("velocity", names.velocities, "name of the generalised velocity"),
        "frame": texts("frame", names.frames, "name of the frame"),
        "actuator": texts("actuator", tuple(row[0] for row in names.actuators), "name of the effort"),
        "actuator_effort": texts("actuator", tuple(row[1] for row in names.actuators), "unit of the effort"),
        "actuator_travel": texts("actuator", tuple(row[2] for row in names.actuators), "unit of the travel"),
        "reported": texts("reported", tuple(row[0] for row in names.reported), "name of what is reported"),
        "reported_unit": texts("reported", tuple(row[1] for row in names.reported), "unit of what is reported"),
        "component": texts("component", STRAINS, "strain component"),
        "wrench": texts("wrench", WRENCH, "component of a wrench"),
        "axis": texts("axis", ("x", "y", "z"), "axis"),
        _PART: texts(_PART, ("real", "imaginary"), "part of a complex number"),
        "outline_axis": texts("outline_axis", ("x", "y"), "local axis of the outline"),
    }


def _attributes(result: "Result") -> dict[str, Any]:
    attributes: dict[str, Any] = {KIND: type(result).__name__, "pliant_format": FORMAT}
    if result.provenance:
        record = json.loads(result.provenance)
        attributes |= {key: str(record[key]) for key in ("robot", "description_hash", "created") if key in record}
        attributes |= {f"{name}_version": str(version) for name, version in record.get("versions", {}).items()}
    return attributes | {"provenance": result.provenance}
