"""How a robot is stepped: the one step of Pliant, for `simulate` and for loops of a user's own."""

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import TIME, is_traced, mapping, number, refuse_tracing, shown
from pliant.dynamics import check_inputs, inside_limits, refuse_immovable
from pliant.model import Model, State, as_model, prepare
from pliant.numerics import ResultCode
from pliant.simulation._checks import check_fixed, plain_settings, step_lengths
from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._start import starting_state
from pliant.simulation._step_settings import Step, StepSettings
from pliant.simulation.native_code._native_run import bind, has_compiler
from pliant.simulation.stepping._flow import Drive, StepState, begin_step
from pliant.simulation.stepping._implicit import anew, differentiable_step, take_step
from pliant.simulation.stepping._one_step import fixed_step
from pliant.simulation.stepping._rules import NEWTON_TOLERANCE, Coefficients
from pliant.simulation.stepping._step_newton import empty_cache

Inputs = Mapping[str, Any]

_BY_JAX = "use a Stepper with backend='jax' there"


class Stepper:
    """A robot and how it is stepped: by `simulate`, by `pure.simulate`, or one step at a time by hand.

        >>> stepper = pliant.Stepper(model, "newmark", 1e-3)
        >>> motion = pliant.simulate(stepper, until=1.0)
        >>> now = stepper.begin()
        >>> now = stepper.step(now, {"flexor": 2.0})
        >>> now.q, now.v, now.a, now.time

    - kind: "newmark", "generalised-alpha" (implicit), "rk4", or "tsit5" and "dopri8", which adapt their steps to rtol
      and atol and cannot be taken by hand.
    - step [s]. Two of them, the shortest and the longest, have `simulate` adapt an implicit step; adapt says what
      decides: the local "error" (rtol, atol) or whether "newton" converges. Without one, `simulate` takes implicit
      steps as long as the interval of its samples.
    - restart: whether an implicit step whose inputs are held begins anew ("always": what is held jumps from one step to
      the next, as a controller's output does) or goes on as if nothing had happened ("never": the inputs follow
      something smooth). In `simulate` that is about laws that are sampled; programmes know where they jump.
    - backend: "jax", or "native": the same program built by the system's C compiler, and kept for the next time.
    - beta, gamma: of newmark. spectral_radius: of the fastest modes of generalised-alpha, from 0 to 1: what a step
      leaves of them. newton_tolerance: the residual of an implicit step, over the forces that have to balance.

    By hand and with "jax" a step is a pure function: jit, vmap, and derivatives by inputs, states and parameters of the
    model, by the implicit function theorem; closed loops and prescribed joints included. Where constraints are
    redundant, their multipliers have no derivative of their own; q and v have. Native steps take and give NumPy arrays
    and have no derivatives: take those of a "jax" stepper.
    """

    def __init__(
        self,
        model: Model,
        kind: str,
        step: Step = None,
        *,
        restart: str = "always",
        backend: str = "jax",
        rtol: float = 1e-6,
        atol: float = 1e-9,
        adapt: str = "error",
        beta: float = 0.25,
        gamma: float = 0.5,
        spectral_radius: float = 0.8,
        newton_tolerance: float = NEWTON_TOLERANCE,
    ) -> None:
        model = as_model(model)
        plain = plain_settings(
            rtol=rtol, atol=atol, beta=beta, gamma=gamma, spectral_radius=spectral_radius,
            newton_tolerance=newton_tolerance,
        )  # fmt: skip
        self.settings = StepSettings(kind, step_lengths(step), restart, backend, adapt=adapt, **plain)
        refuse_immovable(model.structure)
        self.model = model
        self.native = backend == "native" and has_compiler()
        self._fixed = (model, kind, self.settings.coefficients)
        self._program: Any = None

    def begin(self, state: State | None = None, t: float = 0.0, inputs: Inputs | None = None) -> StepState:
        """The robot before its first step: in a state (default: that of the file, its loops closed) at time t [s].
        inputs: those before it, which say where prescribed joints start. With the ports that the steps will have, what
        this returns can be the carry of `jax.lax.scan`."""
        check_fixed(self.settings, "a step by hand")
        t = t if is_traced(t) else number("t", t, TIME)
        if self.native:
            refuse_tracing("a native step", _BY_JAX, state, t, inputs)
        inputs = None if inputs is None else mapping("inputs", inputs, "a dict {port: value}")
        start, _ = starting_state(self.model, state, t, make_inputs(self.model, inputs))
        cache = empty_cache(self.model) if self.settings.implicit else ()
        begun = begin_step(self.model, start, t)._replace(cache=cache, code=np.int32(ResultCode.SUCCESS))
        begun = begun._replace(inputs=self._ports(inputs or {}))
        return begun if self.native else jax.tree.map(jnp.asarray, begun)

    def step(
        self, now: StepState, inputs: Inputs | tuple[Inputs, Inputs] | None = None, jumped: bool | Array = False
    ) -> StepState:
        """The robot one step later. inputs: port -> value, held over the step, or a pair of them, for its beginning and
        its end, with a straight line between; ports that are not named follow the programmes of the file. jumped: a
        value has jumped since the last step, so that this one begins anew whatever `restart` says.

        `code` of what it returns is a ResultCode; where it is not SUCCESS the step failed and the state is useless.
        """
        check_fixed(self.settings, "a step by hand")
        if not isinstance(now, StepState):
            raise TypeError(f"now must be what Stepper.begin or Stepper.step returns; got {shown(now)}")
        if self.native and isinstance(now.q, jax.core.Tracer):
            refuse_tracing("a native step", _BY_JAX, now)
        if isinstance(inputs, tuple) and len(inputs) != 2:
            raise ValueError(f"inputs must be a dict {{port: value}}, or a pair of them; got {len(inputs)} of them")
        held, ending = inputs if isinstance(inputs, tuple) else (inputs or {}, None)
        ports = self._ports(held)
        ends = None if ending is None else self._ports(ending)
        if ends is not None and ends.keys() != ports.keys():
            raise ValueError(
                "inputs at the beginning and at the end of a step must be of the same ports; got "
                f"{sorted(ports)} and {sorted(ends)}"
            )
        begins = jumped | (self.settings.restart == "always" and bool(ports) and ends is None)
        bare = now._replace(inputs=(), code=())
        length: Any = self.settings.step
        if not self.native:
            length = jnp.asarray(length, dtype=jnp.float64)
            moved = _stepped(*self._fixed, bare, ports, ends, jnp.asarray(begins), length)
        else:
            if self._program is None:
                self._program = bind(True, _plain_step, *self._fixed)
            moved = self._program(bare, ports, ends, np.asarray(begins), np.asarray(length, dtype=np.float64))
        return moved._replace(inputs=ports if ends is None else ends)

    def _ports(self, inputs: Inputs) -> dict[str, Any]:
        """Checked, as arrays of the backend: to put numbers on JAX's device takes longer than a native step."""
        if not self.native:
            return check_inputs(self.model, inputs)
        mapping("inputs", inputs, "a dict {port: value}")
        if not all(isinstance(value, float | int | np.ndarray | jax.Array) for value in inputs.values()):
            inputs = check_inputs(self.model, inputs)  # texts, lists
        inputs = {
            name: value if isinstance(value, float | int | np.ndarray) else np.asarray(value)
            for name, value in inputs.items()
        }
        ports = self.model.structure.ports
        for name, value in inputs.items():
            # Only what looks wrong is looked at closely: that takes as long as a step.
            port = ports.get(name)
            if port is None or np.shape(value) != port.shape or not inside_limits(port, value):
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
    begin = drive.on_moved_constraints(now.time, now._replace(cache=()))
    moved, cache, code = fixed_step(take, kind, coefficients, drive, anew(begin, jumped), now.cache, now.time, length)
    return moved._replace(cache=cache, code=code)


@eqx.filter_jit
def _stepped(*arguments: Any) -> StepState:
    return _with_step(differentiable_step, *arguments)


def _plain_step(*arguments: Any) -> StepState:
    return _with_step(take_step, *arguments)


def stepper_of(robot: Model | Stepper, asking: str, words: Mapping[str, Any], default: str, **usual: Any) -> Stepper:
    """The Stepper given, or one of the robot as the words say (None: not said). asking: who takes either;
    default: the kind where none is said; usual: settings that the words cannot say."""
    said = {name: value for name, value in words.items() if value is not None}
    if not isinstance(robot, Stepper):
        return Stepper(robot, said.pop("stepper", default), **said, **usual)
    if said:
        raise ValueError(
            f"{asking} was given a Stepper ({robot.settings.kind} of robot {robot.model.name!r}) and "
            f"{', '.join(f'{name}={value!r}' for name, value in said.items())} beside it: a Stepper holds all that "
            f"says how a step is taken. Give the model instead of the Stepper, or set {', '.join(said)} in the Stepper"
        )
    return robot
