"""What a random robot is held to: two paths to its equations, derivatives, energies, orders of convergence, rest,
native code, and that what is called a success holds numbers."""

import dataclasses
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import Array

import pliant
from fuzz.random_robots import CUT, LOOP, Data, closed, parsed, robot_data, sketch, words_of
from pliant.analysis._statics import constrained_stiffness
from pliant.dynamics import generic, touches
from pliant.model import Model, State, prepare
from pliant.native import NativeError
from pliant.numerics import ResultCode
from pliant.results import Equilibrium, Trajectory

SAME_PHYSICS = 1e-9  # of the largest force: generic against flattened
SAME_SLOPE = 1e-6  # of the slope and the value: derivative against difference
BALANCE = 1e-6  # of the energy exchanged
ORDER = 3.5  # what halving the step divides the error by, at least; 4 where steps are short
SAME_NATIVE = 1e-8  # of the largest element
SETTLED = 1e-6  # rad, and tenths of a metre: what may be left of a push, which is about a thousandth of that
MISSED = 0.05  # of the motion: an error that a run called a success may not have; its own bar is 0.01, an estimate

_ENERGY = 2e-3  # J that a random velocity, or a random displacement, has in each coordinate, about
_SWING = 0.02  # s: coordinates without stiffness are displaced by what a velocity does in this time
_TURNS = 12.0  # a run lasts this many time constants of the fastest motion,
_LONG, _EVERY = 4, 10  # and one in ten runs four times as long, so that slow motions and touches count
_STEPS = 128  # of a short run whose error is halved; the fastest motion turns by about 0.1 rad in a step
# Programs are compiled for numbers of samples. An implicit run looks at six steps twice: 5 + 12 states, and a tight one
# has as many.
_SAMPLES, _TIGHT_SAMPLES = 4, 16
_ANY = 1e9  # accuracy of runs that are not judged by it: without a check they would be compiled anew
_HALVINGS = 6  # errors that partly cancel hide the order for a while: it is that of steps that are short enough
_COARSE = 4  # steps of a short run that is too coarse for the fastest motion
_TIGHT_NEWTON = 1e-12  # of the forces: what it leaves in every step adds up, the more the shorter steps are
_FLOOR = 1e-7  # of the motion: errors that are no smaller with half the step are those of the reference
_LENGTH = 0.1  # m that count as much as a radian
_REST_TIME = 0.2  # s, when all ramps have ended
_SETTLING = 60  # steps of about half a period of the slowest vibration, each of which is damped to less than half
_DIFFERENCES = (1e-3, 1e-5)  # steps of differences: a kink may lie within the longer one
_ENERGIES = ("kinetic", "gravity", "elastic", "total")
_EXCHANGED = ("kinetic", "gravity", "elastic", "work", "dissipated")
_NO_MASS = 1e-13  # of a mass matrix scaled to a unit diagonal: an eigenvalue that is zero but for rounding
_FASTEST = 1e20  # 1/s^2: squares of frequencies beyond it are those of what has no mass
_UNKNOWN = 1e3  # 1/s: the fastest rate where something has no mass
_AT_TOUCH = 1e-13  # m or rad: a gap that is zero but for rounding
_STILL = 1e-9  # J: an exchange of energy that is lost in the rounding of the energies


class Finding(NamedTuple):
    """What is wrong with which set of numbers of a structure (-1: with all of them)."""

    number: int
    check: str
    what: str


@dataclasses.dataclass
class Report:
    """What came of a structure: findings, how often each check was made and what it said, and the time it took [s]."""

    freedom: int
    findings: list[Finding] = dataclasses.field(default_factory=list)
    counts: Counter[str] = dataclasses.field(default_factory=Counter)
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)
    worst: dict[str, float] = dataclasses.field(default_factory=dict)

    def found(self, number: int, check: str, what: str) -> None:
        self.findings.append(Finding(number, check, what))

    def compare(self, number: int, check: str, error: float, bar: float, what: str = "") -> None:
        """Whether an error is within its bar; one that is not a number is not."""
        self.counts[check] += 1
        self.worst[check] = max(self.worst.get(check, 0.0), error) if error == error else float("inf")
        if not error <= bar:
            self.found(number, check, f"{error:.3g}, where {bar:.3g} is allowed{what and ': '}{what}")

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - began


class Local(NamedTuple):
    """Mass, stiffness and damping matrices (B, nv, nv) of the sets of numbers, each in its state."""

    mass: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray


@jax.jit
def _local(models: Model, q: Array, v: Array, t: Array) -> Any:
    def one(model: Model, q: Array, v: Array, t: Array) -> Any:
        still = jnp.zeros(model.nv)

        def forces(dq: Array, dv: Array) -> Array:
            return pliant.bias(model, model.integrate(q, dq), v + dv, t)

        stiffness, damping = jax.jacfwd(forces, argnums=(0, 1))(still, still)
        return pliant.mass_matrix(model, q, t=t), stiffness, damping

    return jax.vmap(one)(models, q, v, t)


@jax.jit
def _two_paths(models: Model, q: Array, v: Array, a: Array, t: Array) -> Any:
    def one(model: Model, q: Array, v: Array, a: Array, t: Array) -> Any:
        return pliant.residual(model, q, v, a, t), generic.residual(model, q, v, a, t)

    return jax.vmap(one)(models, q, v, a, t)


class Direction(NamedTuple):
    """A way to go from a robot in a state: shares of its numbers, a displacement, a change of velocity."""

    numbers: dict[str, Array]
    dq: Array
    dv: Array


def _moved_value(model: Model, q: Array, v: Array, t: Array, weight: Array, change: Direction) -> Array:
    """A weighted sum of the accelerations, the robot and its state changed."""
    numbers = {path: value * (1.0 + change.numbers[path]) for path, value in model.parameters.items()}
    acceleration = pliant.forward_dynamics(
        Model(model.structure, numbers), model.integrate(q, change.dq), v + change.dv, t
    )
    return weight @ acceleration


@jax.jit
def _slopes(models: Model, q: Array, v: Array, t: Array, weight: Array, way: Direction, size: float) -> Any:
    """The value some way off, its slope along the way by reverse differentiation, and the sum of what that consists of.
    One program for slopes and differences: compilation is what the checks cost."""

    def one(model: Model, q: Array, v: Array, t: Array, weight: Array, way: Direction) -> Any:
        there = jax.tree.map(lambda own: size * own, way)
        value, gradient = jax.value_and_grad(lambda change: _moved_value(model, q, v, t, weight, change))(there)
        products = jax.tree.map(lambda slope, own: jnp.sum(slope * own), gradient, way)
        total = sum(jax.tree.leaves(products), jnp.zeros(()))
        spread = sum((jnp.abs(part) for part in jax.tree.leaves(products)), jnp.zeros(()))
        return value, total, spread

    return jax.vmap(one)(models, q, v, t, weight, way)


def _poses(shape: Any) -> np.ndarray:
    """(N, K) where everything is and how it is turned, in units of `_LENGTH` and 1."""
    parts = [np.asarray(part) for part in (shape.node_pose, shape.body_pose, shape.frame_pose)]
    poses = np.concatenate([part.reshape(*part.shape[:-3], -1, 4, 4) for part in parts], axis=-3)[..., :3, :].copy()
    poses[..., 3] /= _LENGTH
    return poses.reshape(*poses.shape[:-3], -1)


def not_finite(result: Any) -> list[str]:
    """Names of what is not a finite number in a result."""
    named = jax.tree_util.tree_leaves_with_path(result)
    floats = [(jax.tree_util.keystr(path), np.asarray(leaf)) for path, leaf in named if hasattr(leaf, "dtype")]
    return [name for name, leaf in floats if leaf.dtype.kind == "f" and not np.all(np.isfinite(leaf))]


class Checks:
    """One structure with all its sets of numbers, and the checks of it."""

    def __init__(self, data: list[Data], seed: tuple[int, ...]) -> None:
        """data: robots that differ in numbers alone."""
        self.data = data
        self.count = len(data)
        self.words = words_of(data[0])
        self.models: list[Model] = [pliant.compile(parsed(own)) for own in data]
        self.random = np.random.default_rng(seed)
        self.report = Report(self.models[0].nv)
        if any(item["name"] == LOOP for item in data[0].get("constraints", ())):
            self._close_loops()
        if any(model.structure != self.models[0].structure for model in self.models):
            raise RuntimeError(f"the robots called {data[0]['robot']} differ in more than numbers")
        first = [model.initial_state() for model in self.models]
        self.initial = State(*(np.stack([np.asarray(getattr(state, part)) for state in first]) for part in "qv"))
        self.stacked: Model = jax.tree.map(lambda *leaves: jnp.stack(leaves), *self.models)

    def _close_loops(self) -> None:
        """The far end of the loop goes where its near end starts."""
        for number, model in enumerate(self.models):
            near = next(item for item in self.data[number]["constraints"] if item["name"] == LOOP)["between"][0]
            free = {key: value for key, value in self.data[number].items() if key != "constraints"}
            free["frames"] = [*free.get("frames", ()), {"name": "near", **near}]
            open_model = pliant.compile(parsed(free))
            pose = pliant.forward_kinematics(open_model, model.initial_state().q)["near"]
            self.data[number] = closed(self.data[number], np.asarray(pose))
            self.models[number] = pliant.compile(parsed(self.data[number]))

    @property
    def nv(self) -> int:
        return self.models[0].nv

    @property
    def is_held(self) -> bool:
        return self.models[0].structure.constraint_count > 0

    # States

    def begin(self) -> None:
        """The scales of each robot, and a random state of each."""
        local = self.local(self.initial, np.zeros(self.count), self.stacked)
        mass = np.maximum(np.diagonal(local.mass, axis1=1, axis2=2), 1e-12)
        stiffness = np.maximum(np.abs(np.diagonal(local.stiffness, axis1=1, axis2=2)), 1e-12)
        energy = _ENERGY * self.random.uniform(0.2, 2.0, size=(self.count, 1))
        speed = np.sqrt(2.0 * energy / mass)
        self.size_q = np.minimum(_SWING * speed, np.sqrt(2.0 * energy / stiffness))
        self.size_v = speed
        dq, v = (size * self.random.normal(size=(self.count, self.nv)) for size in (self.size_q, self.size_v))
        q = np.stack([
            np.asarray(model.integrate(jnp.asarray(q0), jnp.asarray(own)))
            for model, q0, own in zip(self.models, self.initial.q, dq, strict=True)
        ])  # fmt: skip
        self.state = State(q, v)
        self.time = self.random.uniform(0.0, 0.08, size=self.count)
        moving = self.local(self.state, self.time, self.stacked)
        self.has_mass = np.array([_has_mass(mass) for mass in moving.mass])
        self.fastest = np.array([_fastest(*parts) for parts in zip(*moving, strict=True)])

    def local(self, state: State, t: np.ndarray, models: Model) -> Local:
        found = _local(models, jnp.asarray(state.q), jnp.asarray(state.v), jnp.asarray(t))
        return Local(*(np.asarray(part) for part in found))

    def start(self, number: int) -> State | None:
        """Where runs of a robot start; loops have to be closed there, which only the file's own state is known to be
        near to."""
        return None if self.is_held else State(jnp.asarray(self.state.q[number]), jnp.asarray(self.state.v[number]))

    # Checks

    def physics(self) -> None:
        """The flattened equations are the generic ones, in a random state and in the initial one."""
        left_out = self.words & {"friction", "update"}
        if left_out:
            self.report.counts[f"physics left out: {', '.join(sorted(left_out))}"] += self.count
            return
        a = self.size_v / _SWING * self.random.normal(size=(self.count, self.nv))
        for name, state in (("random", self.state), ("initial", self.initial)):
            both = _two_paths(self.stacked, state.q, state.v, jnp.asarray(a), jnp.asarray(self.time))
            flat, generically = (np.asarray(part) for part in both)
            for number in range(self.count):
                size = np.abs(generically[number]).max()
                error = np.abs(flat[number] - generically[number]).max() / size
                if error > SAME_PHYSICS and self._at_a_touch(number, state.q[number]):
                    # A damper that acts on one side begins there, and rounding decides whether it has.
                    self.report.counts["physics left out: at a touch"] += 1
                    continue
                self.report.compare(number, "physics", float(error), SAME_PHYSICS, f"{name} state")

    def _at_a_touch(self, number: int, q: np.ndarray) -> bool:
        """Whether something that acts on one side only is at the place where it begins to."""
        if "acts" not in self.words:
            return False
        model, still = self.models[number], jnp.zeros(self.nv)
        there = State(jnp.asarray(q), still)
        found = touches(model, prepare(model.structure, model.parameters), there, still, jnp.asarray(0.0), {})
        return bool(np.abs(np.asarray(found.gap)).min() < _AT_TOUCH)

    def gradients(self) -> None:
        """Derivatives by numbers and states are differences; and they are numbers in the initial state too."""
        weight = jnp.asarray(self.random.normal(size=(self.count, self.nv)) / self.size_v)
        shares = {
            path: jnp.asarray(self.random.normal(size=np.shape(value)))
            for path, value in self.stacked.parameters.items()
        }
        dq, dv = (jnp.asarray(size * self.random.normal(size=size.shape)) for size in (self.size_q, self.size_v))
        way = Direction(shares, dq, dv)
        moving = (self.stacked, self.state.q, self.state.v, jnp.asarray(self.time), weight, way)
        value, slope, spread = (np.asarray(part) for part in _slopes(*moving, 0.0))
        differences = []
        for step in _DIFFERENCES:
            back, before, after, ahead = (np.asarray(_slopes(*moving, k * step)[0]) for k in (-2.0, -1.0, 1.0, 2.0))
            differences.append((8.0 * (after - before) - (ahead - back)) / (12.0 * step))
            # Laws that act on one side have a kink, which may lie within the step on one side or the other.
            differences.append((4.0 * after - ahead - 3.0 * value) / (2.0 * step))
            differences.append((back - 4.0 * before + 3.0 * value) / (2.0 * step))
        apart = np.abs(np.stack(differences) - slope) / (np.abs(value) + spread)
        # What is not a number in any of them is not to be passed over.
        best = np.where(np.isfinite(apart).all(axis=0), apart.min(axis=0), np.nan)
        for number in np.flatnonzero(self.has_mass):
            self.report.compare(int(number), "gradient", float(best[number]), SAME_SLOPE)
        self._without_mass(value)
        still = (self.stacked, self.initial.q, jnp.zeros_like(dv), jnp.zeros(self.count), weight, way)
        for number, parts in enumerate(zip(*(np.asarray(part) for part in _slopes(*still, 0.0)), strict=True)):
            self.report.counts["gradient at rest"] += int(self.has_mass[number])
            if self.has_mass[number] and not np.all(np.isfinite(parts)):
                self.report.found(number, "gradient at rest", f"value, slope and its size are {parts}")

    def _without_mass(self, accelerations: np.ndarray) -> None:
        """Where something moves without mass there is no acceleration: it is not a number, rather than any number."""
        for number in np.flatnonzero(~self.has_mass):
            self.report.counts["without mass"] += 1
            if np.isfinite(accelerations[number]):
                self.report.found(int(number), "without mass", f"accelerations of {accelerations[number]:.3g}")

    def run(
        self, number: int, how: str, check: str, duration: float, *, tight: bool = False, **words: Any
    ) -> Trajectory | None:
        """A run; None where it did not succeed, and said so. tight: Newton's method leaves as little as it can."""
        words = {"state": self.start(number), "save_every": duration / _SAMPLES, **words}
        model = _cut(self.models[number], 0.5 * duration)
        if tight:
            stepper = pliant.Stepper(model, how, words.pop("step"), newton_tolerance=_TIGHT_NEWTON)
            found = pliant.simulate(stepper, duration, throw=False, **words)
        else:
            found = pliant.simulate(model, duration, stepper=how, throw=False, **words)
        code = ResultCode(int(found.code))
        if code is not ResultCode.SUCCESS:
            self.report.counts[f"{check}: {how} {code.name}"] += 1
            return None
        wrong = not_finite(found)
        if wrong:
            self.report.found(number, "not finite", f"{how} succeeded with {', '.join(wrong)}")
            return None
        return found

    def motions(self) -> None:
        for number in range(self.count):
            self.motion(number)

    def motion(self, number: int) -> None:
        """A motion by a tight explicit stepper keeps its energy balance; implicit ones approach it by their order."""
        times = _LONG if number % _EVERY == _EVERY - 1 else 1
        duration = min(1.0, times * _TURNS / self.fastest[number])
        if not self.has_mass[number]:
            if self.run(number, "tsit5", "without mass", duration, rtol=1e-10, atol=1e-12, ledger=True) is not None:
                self.report.found(number, "without mass", "an explicit run succeeds")
            return
        tight = self.run(
            number,
            "tsit5",
            "energy",
            duration,
            rtol=1e-10,
            atol=1e-12,
            ledger=True,
            save_every=duration / _TIGHT_SAMPLES,
        )
        if tight is None:
            return
        if not self.words & {"friction", "update"}:
            self._balance(number, tight)
        reference = _poses(tight.shape)[:: _TIGHT_SAMPLES // _SAMPLES]
        motion = np.abs(reference - reference[:1]).max()
        for how in ("newmark", "generalised-alpha"):
            self._order(number, how, duration, times * _STEPS, reference, motion)
        coarse = self.run(number, "newmark", "coarse", duration, step=duration / (times * _COARSE))
        if coarse is not None:
            error = float(np.abs(_poses(coarse.shape) - reference).max() / motion)
            self.report.compare(number, "coarse", error, MISSED, "a success by its code")

    def _balance(self, number: int, tight: Trajectory) -> None:
        energies = {name: np.asarray(series) for name, series in tight.energy.items()}
        changes = [np.abs(energies[name] - energies[name][0]).max() for name in _EXCHANGED]
        exchanged = max(changes)
        if exchanged < _STILL:
            self.report.counts["energy: nothing exchanged"] += 1
            return
        error = float(np.abs(energies["total"] - energies["total"][0]).max() / exchanged)
        self.report.compare(number, "energy", error, BALANCE, f"of {exchanged:.3g} J")

    def _order(self, number: int, how: str, duration: float, fewest: int, reference: np.ndarray, motion: float) -> None:
        """The error falls by the order of the stepper. A pair of steps may mislead (errors that cancel, steps not yet
        short): further halvings show it."""
        errors: list[float] = []
        for halving in range(_HALVINGS):
            run = self.run(number, how, "order", duration, tight=True, step=duration / (fewest * 2**halving))
            if run is None:
                return
            errors.append(float(np.abs(_poses(run.shape) - reference).max() / motion))
            if errors[-1] < _FLOOR or (halving and errors[-2] >= ORDER * errors[-1]):
                self.report.counts["order"] += 1
                return
        told = ", ".join(f"{error:.3g}" for error in errors)
        self.report.found(
            number, "order", f"{how}: errors {told} of the motion with {fewest} steps and each time twice as many"
        )

    def rest(self) -> None:
        """Statics is where a motion with the same loads, disturbed a little, settles."""
        resting = [_at_rest(model) for model in self.models]
        found = [self._equilibrium(number, model) for number, model in enumerate(resting)]
        if "friction" in self.words:  # what rubs stops wherever it likes
            self.report.counts["rest: friction"] += self.count
            return
        places = [self.initial.q[number] if rest is None else rest.q for number, rest in enumerate(found)]
        there = State(np.stack([np.asarray(q) for q in places]), np.zeros((self.count, self.nv)))
        local = self.local(there, np.full(self.count, _REST_TIME), jax.tree.map(lambda *x: jnp.stack(x), *resting))
        for number, rest in enumerate(found):
            if rest is not None:
                slowest = self._slowest(number, resting[number], rest.q, local)
                if slowest > 0.0:
                    self._settle(number, resting[number], rest, slowest)
                else:
                    self.report.counts["rest: not stable"] += 1

    def _equilibrium(self, number: int, model: Model) -> Equilibrium | None:
        """The robot at rest; None where there is no such place, and the solver said so."""
        try:
            found = pliant.equilibrium(model, t=_REST_TIME, throw=False)
        except pliant.SolveError as error:
            self.report.counts[f"rest: {error.code.name}"] += 1
            return None
        code = ResultCode(int(found.code))
        if code is not ResultCode.SUCCESS:
            self.report.counts[f"rest: {code.name}"] += 1
            return None
        wrong = not_finite(found)
        if wrong:
            self.report.found(number, "not finite", f"equilibrium succeeded with {', '.join(wrong)}")
            return None
        return found

    def _settle(self, number: int, model: Model, rest: Equilibrium, slowest: float) -> None:
        push = 1e-3 * self.size_v[number] * self.random.normal(size=self.nv)
        step = np.pi / slowest
        end = _REST_TIME + _SETTLING * step
        model = _cut(model, 0.5 * (_REST_TIME + end))
        settled = pliant.simulate(
            pliant.Stepper(model, "generalised-alpha", step, spectral_radius=0.0),
            end,
            start=_REST_TIME,
            state=State(rest.q, jnp.asarray(push)),
            save_every=_SETTLING * step / _SAMPLES,
            accuracy=_ANY,
            throw=False,
        )
        code = ResultCode(int(settled.code))
        if code is not ResultCode.SUCCESS:
            self.report.counts[f"rest: settling {code.name}"] += 1
            return
        poses, there = _poses(settled.shape), _poses(rest.shape)
        left = float(np.abs(poses[-1] - there).max())
        went = float(np.abs(poses - there).max())
        self.report.compare(number, "rest", left, SETTLED, f"of a push that was at {went:.3g} in between")

    def _slowest(self, number: int, model: Model, q: Array, local: Local) -> float:
        """The lowest angular frequency at rest [rad/s]; negative where it is unstable, or may flutter."""
        mass, stiffness, free = local.mass[number], local.stiffness[number], np.eye(self.nv)
        if self.is_held:
            stiffness, free = constrained_stiffness(model, q, _REST_TIME)
        squares = scipy.linalg.eigvals(free.T @ stiffness @ free, free.T @ mass @ free)
        squares = squares[np.abs(squares) < _FASTEST]
        if not len(squares) or squares.real.min() <= 0.0 or np.abs(squares.imag).max() > 1e-6 * np.abs(squares).max():
            return -1.0
        return float(np.sqrt(squares.real.min()))

    def native(self) -> None:
        """Native code gives what JAX gives: functions, and a short run."""
        functions = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "energy")
        try:
            built = pliant.compile_native(self.models[0], functions)
        except NativeError as error:
            self.report.found(0, "native", f"{type(error).__name__}: {error}")
            return
        for number, model in enumerate(self.models):
            q, v, t = np.asarray(self.state.q[number]), np.asarray(self.state.v[number]), self.time[number]
            own = built.with_parameters(model.parameters)
            energies = pliant.energy(model, q, v, t)
            pairs = {
                "forward_dynamics": (own.forward_dynamics(q, v, t), pliant.forward_dynamics(model, q, v, t)),
                "inverse_dynamics": (own.inverse_dynamics(q, v, v, t), pliant.inverse_dynamics(model, q, v, v, t)),
                "mass_matrix": (own.mass_matrix(q), pliant.mass_matrix(model, q)),
                "energy": (own.energy(q, v, t), np.array([energies[name] for name in _ENERGIES])),
            }  # fmt: skip
            for name, (natively, by_jax) in pairs.items():
                expected = np.asarray(by_jax)
                if name == "forward_dynamics" and not self.has_mass[number]:
                    if not (np.isnan(natively).all() and np.isnan(expected).all()):
                        self.report.found(number, "native", f"{name}: an acceleration without mass")
                    continue
                error = np.abs(natively - expected).max() / np.abs(expected).max()
                self.report.compare(number, "native", float(error), SAME_NATIVE, name)
            self._native_run(number)

    def _native_run(self, number: int) -> None:
        duration = min(0.5, _TURNS / self.fastest[number])
        runs = [
            self.run(number, "newmark", f"{backend} run", duration, step=duration / 32, backend=backend, accuracy=_ANY)
            for backend in ("jax", "native")
        ]
        if any(run is None for run in runs):
            self.report.counts["native run: failed"] += 1
            if not all(run is None for run in runs):
                self.report.found(number, "native run", "one of JAX and native code succeeds, the other does not")
            return
        by_jax, natively = (_poses(run.shape) for run in runs if run is not None)
        motion = np.abs(by_jax - by_jax[:1]).max()
        self.report.compare(number, "native run", float(np.abs(natively - by_jax).max() / motion), SAME_NATIVE)


def _cut(model: Model, t: float) -> Model:
    """The robot with a programme of no force that has a breakpoint at t: every run is then of two chunks or more, and
    of one program."""
    return model.with_parameters({CUT: t})


def _at_rest(model: Model) -> Model:
    """The robot without what never comes to an end: its sines."""
    sines = [path for path in model.parameters if path.endswith(".sine.amplitude")]
    return model.with_parameters({path: 0.0 * model.parameters[path] for path in sines})


def _has_mass(mass: np.ndarray) -> bool:
    """Whether every motion moves mass, as far as rounding lets one see it."""
    sizes = np.sqrt(np.maximum(np.diag(mass), 1e-300))
    return bool(np.linalg.eigvalsh(mass / np.outer(sizes, sizes)).min() > _NO_MASS)


def _fastest(mass: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> float:
    """The largest rate of the linearised robot [1/s]."""
    if not all(np.all(np.isfinite(part)) for part in (mass, stiffness, damping)):
        return float("nan")
    if not _has_mass(mass):
        return _UNKNOWN
    nothing, one = np.zeros_like(mass), np.eye(len(mass))
    system = np.block([[nothing, one], [-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)]])
    return float(max(1.0, np.abs(np.linalg.eigvals(system)).max()))


def robots_of(seed: int, index: int, count: int) -> list[Data]:
    """The robots of a structure: it with so many sets of numbers."""
    plan = sketch(seed, index)
    return [robot_data(plan, number) for number in range(count)]


def check(checks: Checks, native: bool, tell: Callable[[str], None] = lambda part: None) -> Report:
    """All checks of one structure. native: whether native code is built for it; tell: is told what is checked next."""
    parts = {
        "states": checks.begin,
        "physics": checks.physics,
        "gradients": checks.gradients,
        "motions": checks.motions,
        "rest": checks.rest,
        **({"native": checks.native} if native else {}),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, part in parts.items():
            tell(name)
            with checks.report.timed(name):
                part()
    return checks.report
