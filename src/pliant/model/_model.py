"""The compiled robot: static structure plus parameters, as a pytree."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import file_path, in_si, is_traced, mapping, nearest, plain_numbers, sequence, shown
from pliant.blueprint import Blueprint, ParameterInfo, Rod
from pliant.elements import FlatCoordinates, RodModel
from pliant.interactions import Force, drives
from pliant.model._build import UserBases, build
from pliant.model._initial import initial_state, neutral
from pliant.model._prepare import prepare_elements
from pliant.model._rods import STRAIN_MODELS, UserRod, rod_models
from pliant.model._saved import ModelFileError, read_model, write_model
from pliant.model._structure import Structure, Update
from pliant.numerics import expect_programs_of


class State(NamedTuple):
    """Configuration q (nq,), velocity v (nv,), and what interactions remember of the past, by their names."""

    q: Array
    v: Array
    memory: Any = ()


class Model(eqx.Module):
    """A robot ready to be solved. `parameters` maps the paths of the robot file to float64 arrays; everything else is
    static, so changing a number never recompiles.

        >>> softer = model.with_parameters({"materials.ecoflex.young": 100e3})
    """

    structure: Structure = eqx.field(static=True)
    parameters: dict[str, Array]

    @property
    def name(self) -> str:
        return self.structure.name

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.structure.nq

    @property
    def nv(self) -> int:
        """Number of velocities, which is the number of degrees of freedom."""
        return self.structure.nv

    @property
    def frame_names(self) -> tuple[str, ...]:
        return tuple(frame.name for frame in self.structure.frames)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return self.structure.coordinate_names

    @property
    def velocity_names(self) -> tuple[str, ...]:
        return self.structure.velocity_names

    @property
    def input_names(self) -> tuple[str, ...]:
        """Ports that `inputs` may drive: every actuator, and the force and the moment of every load."""
        return tuple(self.input_shapes)

    @property
    def input_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of the value of every port: (3,) for a load, () or (n,) for an actuator."""
        return {name: port.shape for name, port in self.structure.ports.items()}

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """Tendons, chambers, driven joints, stresses and driven springs."""
        return self.structure.actuator_names

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Closed loops, then joints whose motion is prescribed."""
        return tuple(self.structure.constraint_slices)

    @property
    def parameter_info(self) -> Mapping[str, ParameterInfo]:
        """What every path of `parameters` is: shape, unit, legal range, meaning."""
        return self.structure.blueprint.parameters

    def with_parameters(self, values: Mapping[str, Any]) -> "Model":
        """This robot with some numbers changed: SI, or texts with units ("400 kPa"). A number beyond its legal range
        (`parameter_info`) is refused; those that are traced are not looked at."""
        changed = dict(self.parameters)
        for path, value in mapping("values", values, "a dict {path: number}").items():
            if path not in changed:
                raise KeyError(_unknown_path(path, self.parameter_info))
            info = self.parameter_info[path]
            plain: Any = in_si(path, value, info.unit)
            if not is_traced(plain):
                shape = f" of shape {info.shape}" if info.shape else ""
                plain = plain_numbers(path, plain, f"{info.range}{shape} ({info.meaning})")
            array = jnp.asarray(plain, dtype=changed[path].dtype)
            if array.shape != changed[path].shape:
                raise ValueError(f"{path} has shape {changed[path].shape}; got {array.shape}")
            if not is_traced(plain):
                info.check(path, plain)
            changed[path] = array
        return Model(self.structure, changed)

    def integrate(self, q: Array, dv: Array) -> Array:
        """Move q along the constant velocity dv for unit time, on the manifold."""
        return self._per_member(q, dv, lambda element: element.integrate)

    def rate(self, q: Array, v: Array) -> Array:
        """qdot = N(q) v."""
        return self._per_member(q, v, lambda element: element.rate)

    def difference(self, q1: Array, q0: Array) -> Array:
        """The dv (nv,) with integrate(q0, dv) = q1."""
        self._refuse_sizes(q1=(q1, self.nq), q0=(q0, self.nq))
        result = jnp.zeros(self.nv, dtype=q1.dtype)
        for group in self.structure.groups:
            dv = jax.vmap(group.element.difference)(q1[group.q_index], q0[group.q_index])
            result = result.at[group.v_index].set(dv)
        return result

    def _refuse_sizes(self, **given: tuple[Array, int]) -> None:
        """ValueError where an array is not as long as it has to be: sums of arrays would stretch a short one."""
        for name, (array, size) in given.items():
            if jnp.shape(array)[-1:] != (size,):
                raise ValueError(
                    f"{name} must be an array of shape ({size},), of robot {self.name!r}; got shape {jnp.shape(array)}"
                )

    def _per_member(self, q: Array, v: Array, function: Any) -> Array:
        self._refuse_sizes(q=(q, self.nq), v=(v, self.nv))
        if self.nq == self.nv:  # strains and angles: the manifold is flat
            return function(FlatCoordinates())(q, v)
        result = jnp.zeros_like(q)
        for group in self.structure.groups:
            result = result.at[group.q_index].set(jax.vmap(function(group.element))(q[group.q_index], v[group.v_index]))
        return result

    def neutral(self) -> Array:
        """q of the reference configuration."""
        return neutral(self.structure)

    def initial_state(self) -> State:
        """The state the robot file starts from; what it does not mention is at rest in the reference configuration."""
        return _initial_state(self)

    def save(self, path: str | Path) -> Path:
        """Write the compiled model (JSON text and numbers in one sealed .npz); `load_model` reads it back anywhere."""
        structure = self.structure
        if structure.extras or structure.bases or structure.rods or structure.update:
            raise ValueError(
                f"model {self.name!r} holds Python code and cannot be saved: user forces, bases, rod models or updates"
            )
        return write_model(Path(path).with_suffix(".npz"), structure.blueprint, self.parameters)


# Compiled whole: operation by operation it takes longer than many a step.
@jax.jit
def _initial_state(model: Model) -> State:
    elements = prepare_elements(model.structure, model.parameters)
    return State(*initial_state(model.structure, model.parameters, elements))


def compile(
    robot: Any,
    extra: Sequence[Force] = (),
    bases: UserBases | None = None,
    update: Update | None = None,
    rods: Sequence[UserRod | type[RodModel]] = (),
) -> Model:
    """Model of a robot: a `Robot`, or the path of a robot file.

    extra: user forces (`pliant.Force`), their numbers at `extra.<name>.*`. bases: {(link, strain): Basis} for strain
    bases written in Python. update(parameters, stretch, t) -> {path: value}: numbers that change with the state, from
    the mean stretch of every rod by name; evaluated inside the equations, so it must be traceable. rods: rod models
    written in Python (`pliant.elements.RodModel`), for rods whose `model` is their word.
    """
    rod_models(rods)  # refuses what is no rod model
    robot = _robot("robot", robot)
    extra = sequence("extra", extra, Force, "a list of forces (pliant.Force)")
    if update is not None and not callable(update):
        raise TypeError(f"update must be a function (parameters, stretch, t) -> {{path: value}}; got {shown(update)}")
    given_bases = mapping("bases", bases or {}, "a dict {(link, strain): basis}")
    plan, numbers = robot.blueprint(rod_models=[rod.word for rod in rods])
    names = [force.name for force in extra]
    if len(set(names)) != len(names):
        raise ValueError(f"user forces need different names; got {', '.join(names)}")
    for force in extra:
        if force.says_nothing:
            raise TypeError(
                f"{type(force).__name__} ({force.name!r}) gives neither `energy(self, numbers, at)` nor "
                "`wrenches(self, numbers, at)`: it would do nothing"
            )
        _check_efforts(force)
        if force.efforts and type(force).wrenches is not Force.wrenches and type(force).applies is Force.applies:
            raise TypeError(
                f"{type(force).__name__} ({force.name!r}) has `efforts` and `wrenches`: say in `applies` what both do"
            )
    own = {f"extra.{force.name}.{key}": (force, key) for force in extra for key in force.numbers()}
    numbers = numbers | {path: force.numbers()[key] for path, (force, key) in own.items()}
    info = {path: force.parameter_info(key) for path, (force, key) in own.items()}
    plan = dataclasses.replace(plan, parameters={**plan.parameters, **info})
    _check_bases(plan, given_bases)
    return _model(plan, numbers, extra, bases, update, rods)


def _robot(name: str, given: Any) -> Any:
    """A `Robot`: the one given, or that of a file."""
    if isinstance(given, str | Path):
        from pliant.description import load  # a saved model must load where the description layer is absent

        return load(given)
    # Asked for what it can do: to know its class, the description layer would have to be there.
    if not callable(getattr(given, "blueprint", None)):
        compiled = ", which is compiled already" if isinstance(given, Model) else ""
        model = "a compiled pliant.Model, " if name == "model" else ""
        raise TypeError(
            f"{name} must be {model}a pliant.Robot, or the path of a robot file; got {shown(given)}{compiled}"
        )
    return given


def as_model(given: Any) -> Model:
    """The model given, or that of a `Robot` or of a robot file."""
    return given if isinstance(given, Model) else compile(_robot("model", given))


def load_model(path: str | Path) -> Model:
    """A model written by `Model.save`. A file that is damaged, or that holds names which no robot file may hold, raises
    a `pliant.model.ModelFileError`."""
    path = file_path("path", path)
    plan, numbers = read_model(path)
    try:
        return _model(plan, numbers)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ModelFileError(path, f"its parts do not fit each other ({type(error).__name__}: {error})") from error


def _model(
    plan: Blueprint,
    numbers: Mapping[str, Any],
    extra: Sequence[Force] = (),
    bases: UserBases | None = None,
    update: Update | None = None,
    rods: Sequence[UserRod] = (),
) -> Model:
    if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise RuntimeError("Pliant computes in float64, but jax_enable_x64 was switched off after it was imported")
    # All at once: to put them on the device one by one takes as long as building the rest.
    values = jax.device_put([np.asarray(value, dtype=np.float64) for value in numbers.values()])
    parameters = dict(zip(numbers, values, strict=True))
    structure = build(plan, extra, bases, update, rods)
    expect_programs_of(hash(structure))
    return Model(structure, parameters)


def _check_efforts(force: Force) -> None:
    """What of a user's force is called an effort can be driven: it has a port, and something that it works on."""
    who = f"{type(force).__name__} ({force.name!r})"
    for effort in force.efforts:
        if not any(drives(port, effort) for port in force.ports):
            raise ValueError(
                f"{who} has the effort {effort.name!r} and no port of that name: give "
                "the port the name of its effort, or leave the effort out"
            )
        if effort.sense == 0 and type(force).drive is Force.drive:
            raise TypeError(
                f"{who}: the travel of {effort.name!r} is no measure of its work (its "
                "sense is 0); say in `drive` what it does"
            )


def _check_bases(plan: Blueprint, bases: UserBases) -> None:
    rods = [link for link in plan.links if isinstance(link, Rod) and link.model.kind in STRAIN_MODELS]
    allowed = {(rod.name, strain) for rod in rods for strain in rod.allow}
    for key in bases:
        if key not in allowed:
            raise KeyError(f"no strain {key[1]!r} on a rod {key[0]!r} to give a basis to; legal: {sorted(allowed)}")


def _unknown_path(path: Any, known: Mapping[str, ParameterInfo]) -> str:
    near = " or ".join(f"{name} [{known[name].unit or 1}]" for name in nearest(path, known))
    return f"no parameter {path!r}; " + (f"did you mean {near}?" if near else "Model.parameter_info lists all paths")
