"""Inverse kinematics in equilibrium: which inputs put a frame where it is wanted."""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize
from jax import Array

from pliant.analysis._equilibrium import equilibrium
from pliant.analysis._statics import equilibrium_configuration
from pliant.arguments import TIME, in_si, mapping, number, plain_numbers
from pliant.arguments import names as names_of
from pliant.blueprint import ParameterInfo
from pliant.dynamics import check_inputs, forward_kinematics, host_model, multiplier_count, port_values
from pliant.lie import so3
from pliant.model import Model
from pliant.numerics import ResultCode, SolveError
from pliant.results import Equilibrium

_ROUNDS = 60
_FIRST_DAMPING = 1e-3  # of the squared column lengths
_LARGEST_DAMPING = 1e8
_LENGTH = ParameterInfo((), "m", "a length", low=0.0, low_open=True)
_PURE = "the derivatives of pliant.pure.equilibrium by its inputs can be had there"
_STALLED = 1e-12  # relative gain of a step below which nothing more is to be had

Bounds = tuple[float | None, float | None]


@dataclasses.dataclass(frozen=True)
class InverseKinematics:
    """Inputs that put the frames where they are wanted, and the robot at rest under them.

    distance: frame -> what is left of the way [m]; angle: frame -> of the turn [rad], for targets that are poses.
    at_bound: inputs that would go further if they could. success: whether every target was reached.
    """

    inputs: dict[str, np.ndarray]
    equilibrium: Equilibrium
    distance: dict[str, float]
    angle: dict[str, float]
    at_bound: tuple[str, ...]
    iterations: int
    success: bool
    message: str


def inverse_kinematics(
    model: Model,
    targets: Mapping[str, Any],
    over: Sequence[str] | None = None,
    *,
    bounds: Mapping[str, Bounds] | None = None,
    start: Mapping[str, Any] | None = None,
    q0: Array | None = None,
    t: float = 0.0,
    turn_length: float = 0.1,
    tolerance: float = 1e-7,
    throw: bool = True,
) -> InverseKinematics:
    """Find inputs for which frames rest at targets: a position (3,) [m] or a pose (4, 4) each.

    over: the inputs to change (default: every actuator; joints are among them when their motion is prescribed);
    the others keep the values of `start` or of the file at time t. bounds: input -> (low, high), None for no limit;
    a tension is never below zero. turn_length [m]: how much a turn by one radian counts beside a distance. With more
    inputs than targets ask for, the change from the start is kept small. A target out of reach raises SolveError with
    the nearest solution in `.partial`, unless throw=False.
    """
    model = host_model("pliant.inverse_kinematics", _PURE, model, targets, start, q0, t)
    names = model.actuator_names if over is None else names_of("over", over, "inputs")
    t, turn_length = number("t", t, TIME), number("turn_length", turn_length, _LENGTH)
    tolerance = number("tolerance", tolerance, _LENGTH)
    bounds = mapping("bounds", bounds or {}, "a dict {input: (low, high)}")
    search = _Search(model, targets, names, bounds, check_inputs(model, start), t, turn_length)
    rest = equilibrium(model, q0=q0, t=t, inputs=search.inputs(search.u0))
    found = search.run(jnp.asarray(rest.q), tolerance)
    if throw and not found.success:
        raise SolveError(ResultCode.NOT_CONVERGED, found.message, partial=found)
    return found


class _Search:
    """Damped least squares within bounds; the robot is brought to rest at every trial, from the last one."""

    def __init__(
        self, model: Model, targets: Mapping[str, Any], names: tuple[str, ...], bounds: Mapping[str, Bounds],
        start: dict[str, Any], t: float, turn_length: float,
    ) -> None:  # fmt: skip
        shapes = model.input_shapes
        for name in (*names, *bounds):
            if name not in shapes:
                raise KeyError(f"robot {model.name!r} has no input {name!r}; its inputs are: {', '.join(shapes)}")
        if not names:
            raise ValueError(f"robot {model.name!r} has no actuators to change; give the inputs with over=")
        self.model, self.names, self.t, self.turn_length = model, names, t, turn_length
        self.targets = _targets(model, targets)
        self.ports = tuple((name, shapes[name]) for name in names)
        self.sizes = [int(np.prod(shape)) for _, shape in self.ports]
        given = {name: jnp.asarray(value, dtype=jnp.float64) for name, value in start.items()}
        self.fixed = {name: value for name, value in given.items() if name not in names}
        known = port_values(model, names, t, given)
        self.u0 = np.concatenate([np.ravel(known[name]) for name in names])
        self.low, self.high = self._limits(bounds)
        self.u0 = np.clip(self.u0, self.low, self.high)

    def _limits(self, bounds: Mapping[str, Bounds]) -> tuple[np.ndarray, np.ndarray]:
        low, high = [], []
        for name, size in zip(self.names, self.sizes, strict=True):
            port = self.model.structure.ports[name]
            least, most = _bounds(name, bounds.get(name, (None, None)), port.unit)
            least, most = max(least, port.low), min(most, port.high)
            if not least < most:
                raise ValueError(f"bounds of {name!r}: {least:g} is not below {most:g}")
            low += [least] * size
            high += [most] * size
        return np.array(low), np.array(high)

    def inputs(self, u: Any) -> dict[str, Array]:
        return _inputs(self.ports, u, self.fixed)

    def run(self, q: Array, tolerance: float) -> InverseKinematics:
        multipliers = jnp.zeros(multiplier_count(self.model))
        u, damping, stop = self.u0, _FIRST_DAMPING, "the iteration limit was met"
        code, error, slope, q, multipliers = self._evaluate(u, q, multipliers)
        if code is not ResultCode.SUCCESS:
            raise SolveError(code, f"robot {self.model.name!r} finds no equilibrium at the start")
        rounds = 0
        while rounds < _ROUNDS and not self._reached(error, tolerance):
            rounds += 1
            step = self._step(u, error, slope, damping)
            trial = self._evaluate(u + step, q, multipliers)
            better = trial[0] is ResultCode.SUCCESS and np.sum(trial[1] ** 2) < np.sum(error**2)
            if better:
                gain = 1.0 - np.sum(trial[1] ** 2) / np.sum(error**2)
                u, (_, error, slope, q, multipliers), damping = u + step, trial, max(damping / 5.0, 1e-12)
                if gain < _STALLED:
                    stop = "the nearest point within reach was met"
                    break
            else:
                damping *= 5.0
                if damping > _LARGEST_DAMPING:
                    stop = "the nearest point within reach was met"
                    break
        return self._result(u, q, error, rounds, tolerance, stop)

    def _step(self, u: np.ndarray, error: np.ndarray, slope: np.ndarray, damping: float) -> np.ndarray:
        """Least squares of the linearised error within the bounds, damped in units of each input's own effect."""
        scale = np.maximum(np.linalg.norm(slope, axis=0), 1e-12 * np.linalg.norm(slope) + 1e-300)
        matrix = np.concatenate([slope / scale, np.sqrt(damping) * np.eye(len(u))])
        wanted = np.concatenate([-error, np.zeros(len(u))])
        low, high = (self.low - u) * scale, (self.high - u) * scale
        roomy = low < high
        found = np.zeros(len(u))
        solution = scipy.optimize.lsq_linear(matrix[:, roomy], wanted, (low[roomy], high[roomy]))
        found[roomy] = solution.x
        return np.clip(u + found / scale, self.low, self.high) - u

    def _evaluate(self, u: np.ndarray, q: Array, multipliers: Array) -> Any:
        t, turn_length = jnp.asarray(self.t, dtype=jnp.float64), jnp.asarray(self.turn_length, dtype=jnp.float64)
        value, slope, q, multipliers, code = _linearised(
            self.ports, self.model, jnp.asarray(u), q, multipliers, t, self.fixed, self.targets, turn_length
        )
        return ResultCode(int(code)), np.asarray(value), np.asarray(slope), q, multipliers

    def _split(self, error: np.ndarray) -> tuple[dict[str, float], dict[str, float]]:
        distance, angle, at = {}, {}, 0
        for name, target in self.targets.items():
            distance[name] = float(np.linalg.norm(error[at : at + 3]))
            at += 3
            if target.shape == (4, 4):
                angle[name] = float(np.linalg.norm(error[at : at + 3])) / self.turn_length
                at += 3
        return distance, angle

    def _reached(self, error: np.ndarray, tolerance: float) -> bool:
        distance, angle = self._split(error)
        return max([*distance.values(), *(self.turn_length * turn for turn in angle.values())]) <= tolerance

    def _result(
        self, u: np.ndarray, q: Array, error: np.ndarray, rounds: int, tolerance: float, stop: str
    ) -> InverseKinematics:
        distance, angle = self._split(error)
        success = self._reached(error, tolerance)
        owners = np.repeat(np.array(self.names), self.sizes)
        met = (u <= self.low) | (u >= self.high)
        message = "every target was reached"
        if not success:
            left = ", ".join(f"{name} stays {1e3 * way:.4g} mm away" for name, way in distance.items())
            turned = "".join(f", {name} {np.degrees(turn):.4g} deg" for name, turn in angle.items())
            message = f"robot {self.model.name!r} does not reach its targets: {left}{turned}; {stop}"
        inputs = self.inputs(u)
        return InverseKinematics(
            inputs={name: np.asarray(inputs[name]) for name in self.names},
            equilibrium=equilibrium(self.model, q0=q, t=self.t, inputs=inputs),
            distance=distance,
            angle=angle,
            at_bound=tuple(dict.fromkeys(str(name) for name in owners[met])),
            iterations=rounds,
            success=success,
            message=message,
        )


def _targets(model: Model, targets: Any) -> dict[str, Array]:
    """Frame -> where it is wanted, in the order that jit has them."""
    expected = "a dict {frame: position (3,) or pose (4, 4)}, of one frame or more"
    found = {}
    for name in sorted(mapping("targets", targets, expected)):
        model.structure.frame_index(name)
        value = plain_numbers(f"target {name!r}", in_si(f"target {name!r}", targets[name], "m"), "numbers [m]")
        if value.shape not in ((3,), (4, 4)):
            raise ValueError(f"target {name!r} must be a position (3,) or a pose (4, 4); got shape {value.shape}")
        if not np.all(np.isfinite(value)):
            raise ValueError(f"target {name!r} must be finite; got {value.tolist()}")
        found[name] = jnp.asarray(value)
    if not found:
        raise ValueError(f"targets must be {expected}; got none")
    return found


def _bounds(name: str, given: Any, unit: str) -> tuple[float, float]:
    """The bounds of an input; a side that is not given has none."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ValueError(f"bounds of {name!r} must be (low, high), None for no limit; got {given!r}")
    least, most = (
        default if bound is None else float(plain_numbers(f"bounds of {name!r}", in_si(name, bound, unit), "numbers"))
        for bound, default in zip(given, (-np.inf, np.inf), strict=True)
    )
    return least, most


_Ports = tuple[tuple[str, tuple[int, ...]], ...]  # (input, shape of its value)


def _inputs(ports: _Ports, u: Any, fixed: Mapping[str, Array]) -> dict[str, Array]:
    """Values of all inputs: those to change one after the other in u, and the fixed ones."""
    values, at = dict(fixed), 0
    for name, shape in ports:
        size = int(np.prod(shape))
        values[name] = jnp.asarray(u[at : at + size]).reshape(shape)
        at += size
    return values


def _errors(model: Model, q: Array, targets: Mapping[str, Array], turn_length: Array) -> Array:
    """What is left of the ways and of the turns, in the order of the targets [m]."""
    poses = forward_kinematics(model, q)
    parts = []
    for name, target in targets.items():
        pose = poses[name]
        if target.shape == (3,):
            parts.append(pose[:3, 3] - target)
        else:
            parts.append(pose[:3, 3] - target[:3, 3])
            parts.append(turn_length * so3.log(target[:3, :3].T @ pose[:3, :3]))
    return jnp.concatenate(parts)


@functools.partial(jax.jit, static_argnums=0)
def _linearised(
    ports: _Ports,
    model: Model,
    u: Array,
    q: Array,
    multipliers: Array,
    t: Array,
    fixed: Mapping[str, Array],
    targets: Mapping[str, Array],
    turn_length: Array,
) -> Any:
    """Errors in equilibrium and their slope by u, configuration, multipliers, code; one trace for all targets."""

    def error(u: Array) -> tuple[Array, Any]:
        found = equilibrium_configuration(model, q, t, _inputs(ports, u, fixed), 1.0, multipliers)
        value = _errors(model, found.q, targets, turn_length)
        return value, (value, found.q, found.multipliers, found.code)

    slope, (value, q, multipliers, code) = jax.jacfwd(error, has_aux=True)(u)
    return value, slope, q, multipliers, code
