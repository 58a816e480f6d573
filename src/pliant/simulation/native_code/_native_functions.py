"""What of a robot can be had as native code: pure functions of prepared numbers and of arrays with names.

All take the robot's numbers as `prepare` gives them, so that the C of a modulus or a length is not in the code. Inputs
are one array u of the chosen ports one after the other; the other ports follow the file's programmes.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.flatten_util import ravel_pytree

from pliant.dynamics import (
    Weights,
    accelerations,
    closed_tangent,
    closed_tangent_is_cheaper,
    energy,
    first_memory,
    forward_kinematics,
    jacobian,
    residual,
)
from pliant.dynamics import mass_matrix as mass_matrix_at
from pliant.model import Model, Prepared, State
from pliant.numerics import ResultCode, cholesky, cholesky_solve, forward_jacobian
from pliant.simulation._inputs import InputSet
from pliant.simulation.stepping._explicit import rk4_step
from pliant.simulation.stepping._flow import Drive, begin_step
from pliant.simulation.stepping._implicit import anew, take_step
from pliant.simulation.stepping._rules import NEWTON_TOLERANCE, coefficients_of
from pliant.simulation.stepping._step_newton import empty_cache


@dataclasses.dataclass(frozen=True, eq=False)
class Exported:
    """One function: `call(prepared, *arrays)` with arrays of the shapes of `arguments`, by name; results by name.
    carried: results that serve only to begin the next call, whose rounding is free."""

    name: str
    about: str
    arguments: dict[str, tuple[int, ...]]
    results: dict[str, tuple[int, ...]]
    call: Callable[..., tuple[Array, ...]]
    carried: tuple[str, ...] = ()

    def compared(self, results: Sequence[Any]) -> list[Any]:
        """The results that mean something to a caller."""
        return [value for name, value in zip(self.results, results, strict=True) if name not in self.carried]


def ports_of(model: Model, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Shapes of the chosen ports; all for ("all",)."""
    if names == ("all",):
        return model.input_shapes
    unknown = [name for name in names if name not in model.input_shapes]
    if unknown:
        legal = ", ".join(model.input_shapes) or "none"
        raise KeyError(f"robot {model.name!r} has no input {unknown[0]!r}; its inputs are: {legal}")
    return {name: model.input_shapes[name] for name in names}


def split_inputs(ports: Mapping[str, tuple[int, ...]], u: Array) -> dict[str, Array]:
    values, start = {}, 0
    for name, shape in ports.items():
        size = int(np.prod(shape))
        values[name] = u[start : start + size].reshape(shape)
        start += size
    return values


def exported(
    model: Model, inputs: tuple[str, ...] = (), newton_tolerance: float = NEWTON_TOLERANCE
) -> dict[str, Exported]:
    """All functions of a robot that native code knows, by name."""
    ports = ports_of(model, inputs)
    nq, nv = model.nq, model.nv
    nu = sum(int(np.prod(shape)) for shape in ports.values())
    frames = len(model.structure.frames)
    state = {"q": (nq,), "v": (nv,)}
    driven = {**state, "t": (), "u": (nu,)}
    names = ("kinetic", "gravity", "elastic", "total")

    def forward(prepared: Prepared, q: Array, v: Array, t: Array, u: Array) -> Array:
        return accelerations(model, prepared, q, v, t, split_inputs(ports, u))

    def inverse(prepared: Prepared, q: Array, v: Array, a: Array, t: Array, u: Array) -> Array:
        return residual(model, q, v, a, t, split_inputs(ports, u), 1.0, prepared)

    def gradient(prepared: Prepared, q: Array, v: Array, t: Array, u: Array) -> tuple[Array, Array, Array]:
        still = jnp.zeros(nv)
        if model.structure.constraint_count:
            by_q = forward_jacobian(lambda turn: forward(prepared, model.integrate(q, turn), v, t, u))(still)
            by_v = forward_jacobian(lambda v: forward(prepared, q, v, t, u))(v)
            return by_q, by_v, forward_jacobian(lambda u: forward(prepared, q, v, t, u))(u)
        # r(q, v, a, u) = 0 holds whatever q, v and u are: M da = -dr at a held acceleration.
        a = forward(prepared, q, v, t, u)
        if closed_tangent_is_cheaper(model.structure):
            given = (model, prepared, State(q, v), a, t, split_inputs(ports, u))
            by_q, by_v = (closed_tangent(*given, Weights(*one)) for one in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
        else:
            by_q = forward_jacobian(lambda turn: inverse(prepared, model.integrate(q, turn), v, a, t, u))(still)
            by_v = forward_jacobian(lambda v: inverse(prepared, q, v, a, t, u))(v)
        by_u = forward_jacobian(lambda u: inverse(prepared, q, v, a, t, u))(u)
        factor = cholesky(mass_matrix_at(model, q, prepared))
        return tuple(-cholesky_solve(factor, slope) for slope in (by_q, by_v, by_u))  # type: ignore[return-value]

    def energies(prepared: Prepared, q: Array, v: Array, t: Array) -> Array:
        found = energy(model, q, v, t, prepared)
        return jnp.stack([found[name] for name in names])

    def poses(prepared: Prepared, q: Array) -> Array:
        found = forward_kinematics(model, q, prepared)  # JAX sorts the names of what a jitted function returns
        return jnp.stack([found[frame.name] for frame in model.structure.frames]) if frames else jnp.zeros((0, 4, 4))

    def jacobians(prepared: Prepared, q: Array) -> Array:
        every = [jacobian(model, q, frame.name, prepared) for frame in model.structure.frames]
        return jnp.stack(every) if frames else jnp.zeros((0, 6, nv))

    stepper = _SingleSteps(model, ports, newton_tolerance)
    kept = (stepper.kept_size,)
    table = [
        Exported("forward_dynamics", "acceleration", driven, {"a": (nv,)}, _single(forward)),
        Exported(
            "inverse_dynamics",
            "generalised force that has to be added for the acceleration a: the residual",
            {**state, "a": (nv,), "t": (), "u": (nu,)},
            {"force": (nv,)},
            _single(inverse),
        ),
        Exported(
            "forward_dynamics_gradient",
            "derivatives of the acceleration by a turn of the configuration, by v and by u",
            driven,
            {"by_q": (nv, nv), "by_v": (nv, nv), "by_u": (nv, nu)},
            gradient,
        ),
        Exported(
            "mass_matrix",
            "mass matrix",
            {"q": (nq,)},
            {"m": (nv, nv)},
            _single(lambda prepared, q: mass_matrix_at(model, q, prepared)),
        ),
        Exported(
            "energy", ", ".join(names) + " energy [J]", {**state, "t": ()}, {"energy": (len(names),)}, _single(energies)
        ),
        Exported(
            "forward_kinematics",
            "world poses of the frames " + ", ".join(frame.name for frame in model.structure.frames),
            {"q": (nq,)},
            {"poses": (frames, 4, 4)},
            _single(poses),
        ),
        Exported(
            "jacobian",
            "body Jacobians, [angular; linear], of the same frames",
            {"q": (nq,)},
            {"jacobians": (frames, 6, nv)},
            _single(jacobians),
        ),
        Exported(
            "rk4_step",
            "state after a step h by Runge and Kutta's method of order four",
            {**driven, "h": ()},
            {"q_next": (nq,), "v_next": (nv,)},
            stepper.rk4,
        ),
        Exported(
            "newmark_start",
            "what a step leaves to the next, before the first one, which begins anew",
            {},
            {"step_state": kept},
            _single(lambda prepared: stepper.start()),
        ),
        Exported(
            "newmark_step",
            "state after a step h by Newmark's method, with u held over it, and whether Newton's iteration converged; "
            "jumped is not 0 where u, or a programme, has jumped since the last step: the step then begins anew",
            {**state, "step_state": kept, "t": (), "u": (nu,), "h": (), "jumped": ()},
            {"q_next": (nq,), "v_next": (nv,), "a_next": (nv,), "step_state_next": kept, "converged": ()},
            stepper.newmark,
            carried=("step_state_next",),
        ),
    ]
    if first_memory(model.structure):  # for which this step, a function of q and v alone, has no place
        table = [function for function in table if function.name != "rk4_step"]
    return {function.name: function for function in table}


def chosen(
    model: Model, names: Sequence[str], inputs: Sequence[str] = (), newton_tolerance: float = NEWTON_TOLERANCE
) -> list[Exported]:
    """The functions of these names, or an error that lists those that exist."""
    known = exported(model, tuple(inputs), newton_tolerance)
    for name in names:
        if name not in known:
            raise KeyError(f"there is no native function {name!r}; known: {', '.join(known)}")
    return [known[name] for name in names]


def _single(function: Callable[..., Array]) -> Callable[..., tuple[Array, ...]]:
    return lambda *arguments: (function(*arguments),)


_SHORT = 1e-5  # s: of a step that is taken to compare; a long one makes rounding grow in a stiff robot


class _SingleSteps:
    """Single steps as functions of the state. All that a step leaves for the next but q and v is one array."""

    def __init__(
        self, model: Model, ports: Mapping[str, tuple[int, ...]], newton_tolerance: float = NEWTON_TOLERANCE
    ) -> None:
        self.model, self.ports = model, ports
        self._coefficients = coefficients_of("newmark", 1.0, newton_tolerance)
        first = begin_step(model, State(jnp.zeros(model.nq), jnp.zeros(model.nv)), 0.0)
        flat, self._unravel = ravel_pytree((first, empty_cache(model)))
        self._empty, self.kept_size = np.asarray(flat), flat.size

    def start(self) -> Array:
        return jnp.asarray(self._empty)

    def _drive(self, prepared: Prepared, t: Array, h: Array, u: Array) -> Drive:
        values = split_inputs(self.ports, u)
        held = values if values else None
        nothing = InputSet((), {}, None, tuple(self.model.input_shapes.items()))
        return Drive(self.model, prepared, nothing, t, t + h, held, ledger=False)

    def rk4(self, prepared: Prepared, q: Array, v: Array, t: Array, u: Array, h: Array) -> tuple[Array, Array]:
        moved = rk4_step(self._drive(prepared, t, h, u), begin_step(self.model, State(q, v), t), t, h)
        return moved.q, moved.v

    def newmark(
        self, prepared: Prepared, q: Array, v: Array, step_state: Array, t: Array, u: Array, h: Array, jumped: Array
    ) -> tuple[Array, ...]:
        moving, cache = self._unravel(step_state)
        moving = anew(moving._replace(q=q, v=v, time=t), jumped != 0.0)
        taken = take_step(self._drive(prepared, t, h, u), moving, cache, t, h, self._coefficients)
        after = taken.moved
        kept = ravel_pytree((after, taken.cache))[0]
        return after.q, after.v, after.a, kept, (taken.code == ResultCode.SUCCESS).astype(jnp.float64)


def samples_of(model: Model, function: Exported, count: int, seed: int = 0) -> list[tuple[Any, ...]]:
    """Random arguments near the robot's initial state, for checks."""
    rng = np.random.default_rng(seed)
    initial: State = model.initial_state()
    found = []
    for _ in range(count):
        values: dict[str, Any] = {name: 0.3 * rng.normal(size=shape) for name, shape in function.arguments.items()}
        values["q"] = np.asarray(model.integrate(initial.q, jnp.asarray(0.1 * rng.normal(size=model.nv))))
        values["t"], values["h"] = np.asarray(rng.uniform(0.0, 1.0)), np.asarray(_SHORT)
        values["jumped"] = np.zeros(())
        if "step_state" in function.arguments:
            values["step_state"] = _SingleSteps(model, {}).start()
        values["u"] = np.abs(0.3 * rng.normal(size=function.arguments.get("u", (0,))))
        found.append(tuple(np.asarray(values[name], dtype=float) for name in function.arguments))
    return found
