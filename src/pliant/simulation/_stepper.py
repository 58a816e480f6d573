"""Steps taken by hand: the one step of Pliant, for loops of a user's own."""

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics import check_inputs, refuse_immovable
from pliant.model import Model, State, prepare
from pliant.numerics import ResultCode
from pliant.simulation._checks import BACKENDS, check_restart
from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._start import starting_state
from pliant.simulation.native_code._native_run import has_compiler, prepared
from pliant.simulation.stepping._explicit import rk4_step
from pliant.simulation.stepping._flow import Drive, StepState, begin_step, finite
from pliant.simulation.stepping._implicit import anew, differentiable_step, take_step
from pliant.simulation.stepping._rules import NEWTON_TOLERANCE, Coefficients, coefficients_of
from pliant.simulation.stepping._step_newton import empty_cache

Inputs = Mapping[str, Any]
KINDS = ("newmark", "generalised-alpha", "rk4")


class Stepper:
    """One step of a robot at a time, the same that `simulate` takes.

        >>> stepper = pliant.Stepper(model, "newmark", 1e-3)
        >>> now = stepper.begin()
        >>> now = stepper.step(now, {"flexor": 2.0})
        >>> now.q, now.v, now.a, now.time

    kind: "newmark", "generalised-alpha" (spectral_radius: of its fastest modes) or "rk4"; step [s]. restart: whether a
    step whose inputs are held begins anew ("always": what is held jumps from one step to the next, as a controller's
    output does) or goes on as if nothing had happened ("never": the inputs follow something smooth). backend: "jax", or
    "native": the same program built by the system's C compiler.

    With "jax" a step is a pure function: jit, vmap, and derivatives by inputs, states and parameters of the model, by
    the implicit function theorem; closed loops and prescribed joints included. Where constraints are redundant, their
    multipliers have no derivative of their own; q and v have. Native steps take and give NumPy arrays and have no
    derivatives: take those of a "jax" stepper.
    """

    def __init__(
        self,
        model: Model,
        kind: str = "newmark",
        step: float | Array = 1e-3,
        *,
        restart: str = "always",
        backend: str = "jax",
        spectral_radius: float = 0.8,
        newton_tolerance: float = NEWTON_TOLERANCE,
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"stepper {kind!r} cannot be taken by hand; legal: {', '.join(KINDS)}")
        if backend not in BACKENDS:
            raise ValueError(f"backend {backend!r} is unknown; legal: {', '.join(BACKENDS)}")
        check_restart(restart)
        refuse_immovable(model.structure)
        self.model, self.kind, self.length, self.restart, self.backend = model, kind, step, restart, backend
        self.coefficients = coefficients_of(kind, spectral_radius, newton_tolerance)
        self._native = backend == "native" and has_compiler()
        self._program: Any = None

    def begin(self, state: State | None = None, t: float = 0.0, inputs: Inputs | None = None) -> StepState:
        """The robot before its first step: in a state (default: that of the file, its loops closed) at time t [s].
        inputs: those before it, which say where prescribed joints start. With the ports that the steps will have, what
        this returns can be the carry of `jax.lax.scan`."""
        start = starting_state(self.model, state, t, make_inputs(self.model, inputs))
        cache = () if self.kind == "rk4" else empty_cache(self.model)
        begun = begin_step(self.model, start, t)._replace(cache=cache, code=np.int32(ResultCode.SUCCESS))
        begun = begun._replace(inputs=self._ports(inputs or {}))
        return begun if self._native else jax.tree.map(jnp.asarray, begun)

    def step(
        self, now: StepState, inputs: Inputs | tuple[Inputs, Inputs] | None = None, jumped: bool | Array = False
    ) -> StepState:
        """The robot one step later. inputs: port -> value, held over the step, or a pair of them, for its beginning and
        its end, with a straight line between; ports that are not named follow the programmes of the file. jumped: a
        value has jumped since the last step, so that this one begins anew whatever `restart` says.

        `code` of what it returns is a ResultCode; where it is not SUCCESS the step failed and the state is useless.
        """
        held, ending = inputs if isinstance(inputs, tuple) else (inputs or {}, None)
        ports = self._ports(held)
        ends = None if ending is None else self._ports(ending)
        if ends is not None and ends.keys() != ports.keys():
            raise ValueError(
                "inputs at the beginning and at the end of a step must be of the same ports; got "
                f"{sorted(ports)} and {sorted(ends)}"
            )
        begins = jumped | (self.restart == "always" and bool(ports) and ends is None)
        bare = now._replace(inputs=(), code=())
        if not self._native:
            arguments = (bare, ports, ends, jnp.asarray(begins), jnp.asarray(self.length, dtype=jnp.float64))
            moved = _stepped(self.model, self.kind, self.coefficients, *arguments)
        else:
            if self._program is None:
                self._program = prepared(True, _plain_step, self.model, self.kind, self.coefficients)
            moved = self._program(bare, ports, ends, np.asarray(begins), np.asarray(self.length, dtype=np.float64))
        return moved._replace(inputs=ports if ends is None else ends)

    def _ports(self, inputs: Inputs) -> dict[str, Any]:
        """Checked, as arrays of the backend: to put numbers on JAX's device takes longer than a native step."""
        if not self._native:
            return check_inputs(self.model, inputs)
        if not all(isinstance(value, float | int | np.ndarray) for value in inputs.values()):
            inputs = {name: np.asarray(value) for name, value in inputs.items()}
        shapes = self.model.structure.ports
        for name, value in inputs.items():
            if name not in shapes or np.shape(value) != shapes[name].shape:
                check_inputs(self.model, {name: value})
        return {name: np.asarray(value, dtype=np.float64) for name, value in inputs.items()}


def _drive(model: Model, now: StepState, ports: Any, ends: Any, length: Array) -> Drive:
    numbers = prepare(model.structure, model.parameters)
    nothing = InputSet((), {}, None, tuple(model.input_shapes.items()))
    return Drive(model, numbers, nothing, now.time, now.time + length, ports or None, ledger=False, ending=ends)


def _with_step(
    take: Any, model: Model, kind: str, coefficients: Coefficients, now: StepState, ports: Any, ends: Any,
    jumped: Array, length: Array,
) -> StepState:  # fmt: skip
    drive = _drive(model, now, ports, ends, length)
    begin = drive.on_constraints(now.time, now._replace(cache=()))
    if kind == "rk4":
        moved = rk4_step(drive, begin, now.time, length)
        code = jnp.where(finite(moved), ResultCode.SUCCESS, ResultCode.NOT_FINITE)
        return moved._replace(code=code.astype(jnp.int32))
    taken = take(drive, anew(begin, jumped), now.cache, now.time, length, coefficients)
    return taken.moved._replace(cache=taken.cache, code=taken.code)


@eqx.filter_jit
def _stepped(*arguments: Any) -> StepState:
    return _with_step(differentiable_step, *arguments)


def _plain_step(*arguments: Any) -> StepState:
    return _with_step(take_step, *arguments)
