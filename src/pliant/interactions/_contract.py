"""The interaction contract: what `dynamics` needs to know of anything that acts on a robot.

An interaction is static structure only (a frozen dataclass, no arrays): one load, or all loads of one kind together.
Its numbers come from `prepare`, once per solve; everything after is a pure function of (numbers, at), `at` being the
state at which the robot is evaluated (`dynamics.Evaluation`, described by `At`). Everything is optional. The least a
kind has to give is its `energy` or its `wrenches`: forces that follow from an energy or a dissipation are derived here
by automatic differentiation, and what a kind writes out for speed is tested against that.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import ParameterInfo, Programme
from pliant.interactions._places import Frame, wrench_at

Numbers = Any  # whatever `prepare` returns


@dataclasses.dataclass(frozen=True)
class Port:
    """A value that comes from outside: an input of `simulate`, a controller's output. Without one the programme of the
    file holds, or zero. low, high: what is legal, both included. walked: while loads grow in statics the value goes
    from where the robot stands to where it shall be, instead of growing from zero."""

    name: str
    shape: tuple[int, ...] = ()
    unit: str = "1"
    about: str = ""
    low: float = -math.inf
    high: float = math.inf
    programme: Programme | None = None
    walked: bool = False


@dataclasses.dataclass(frozen=True)
class Effort:
    """One number with which an actuator acts, and what it works on: sense times effort times the rate of the travel is
    its power. sense: 1, -1 where it shortens (a tension), 0 where the travel is no measure of the work (a moment about
    an axis of a ball joint works on the rate of turn, which is not the rate of the rotation vector)."""

    name: str
    unit: str
    travel_unit: str
    sense: int = 1


def drives(port: Port, effort: Effort) -> bool:
    """Whether a port is the value of an effort, or one of its numbers is."""
    return effort.name == port.name or effort.name.startswith(f"{port.name}.")


class Push(NamedTuple):
    """Spatial wrenches (n, 6) on rows (n,), which may repeat, and a generalised force (nv,); None: there is none."""

    rows: np.ndarray | None = None
    wrench: Array | None = None
    force: Array | None = None


class AddedInertia(NamedTuple):
    """Symmetric inertia (n, 6, 6) that moves with rows (n,), in their frames, and the body twist (n, 6) of what it
    moves against (a current); None: the world at rest. It has no weight."""

    rows: np.ndarray
    matrix: Array
    field: Array | None = None


Anchor = Frame | str | tuple[float, float, float]  # a frame, one by its name, or a point of the world [m]


@dataclasses.dataclass(frozen=True, eq=False)
class Drawing:
    """Something to draw: a "point", "line", "arrow" or "shape" through anchors that move with the robot, or at a place
    that is reported under the name `place`. value: name of the reported number or vector that colours or scales it.
    Lines, of two anchors each, are drawn by every view; the others are said here for viewers that know them."""

    kind: str
    name: str
    word: str  # what it is, in a legend: "spring", "tendon", ...
    anchors: tuple[Anchor, ...] = ()
    place: str | None = None
    value: str | None = None


class At(Protocol):
    """The robot at one instant, as an interaction sees it. Row 0 is the world; rows are ends of joints and of intervals
    of rods. Spatial vectors are in world axes at one common point, `origin` in the world."""

    parameters: Mapping[str, Array]
    q: Array
    v: Array
    t: Array
    inputs: Mapping[str, Array]
    load_factor: Array | float
    memory: Mapping[str, Any]

    @property
    def rotation(self) -> Array:
        """(R + 1, 3, 3) of every row's end frame."""
        ...

    @property
    def position(self) -> Array:
        """(R + 1, 3) from the common point."""
        ...

    @property
    def origin(self) -> Array: ...
    @property
    def twists(self) -> Array:
        """(R + 1, 6) spatial; zero at rest."""
        ...

    @property
    def moves(self) -> bool:
        """Whether there is a motion: statics has none, and what needs one may be left out."""
        ...

    def strains(self, rows: np.ndarray) -> Array:
        """(K, 6) strain of the rods at the ends of rows (K,)."""
        ...

    def strain_forces(self, rows: np.ndarray, stress: Array) -> Array:
        """(nv,) generalised force of what is conjugate (K, 6) to those strains."""
        ...

    def pose(self, frame: str) -> Array:
        """World pose (4, 4) of a frame of the robot file, or of a link by its name."""
        ...

    def twist(self, frame: str) -> Array:
        """Body twist (6,) [angular; linear] of such a frame."""
        ...

    def input(self, port: str) -> Array:
        """The value of a port at this instant."""
        ...

    def frame(self, name: str) -> Frame: ...
    def from_common_point(self, pose: Array) -> Array:
        """A world pose (..., 4, 4) moved to where the common point is the origin, for use with spatial vectors."""
        ...

    def displaced(self, rows: Array, velocities: Array) -> "At":
        """The robot with its rows moved by small spatial twists (R + 1, 6) and its coordinates along velocities (nv,),
        right to first order."""
        ...

    def at_rates(self, twists: Array, v: Array) -> "At":
        """The robot in the same configuration with other spatial twists (R + 1, 6) and velocities."""
        ...


@dataclasses.dataclass(frozen=True)
class Force:
    """Anything that acts on a robot. Of your own, as a frozen dataclass; every float field becomes the traced parameter
    `extra.<name>.<field>`:

    @dataclasses.dataclass(frozen=True)
    class Spring(pliant.Force):
        stiffness: float = 10.0

        def energy(self, numbers, at):
            return 0.5 * numbers["stiffness"] * jnp.sum(at.pose("tip")[:3, 3] ** 2)  # towards the world's origin

    With `wrenches` instead of `energy` it says what it does: {frame: [moment; force] (6,) in that frame}.
    """

    name: str

    # What is known before any number is.

    @property
    def ports(self) -> tuple[Port, ...]:
        """Values it takes from outside."""
        return ()

    @property
    def efforts(self) -> tuple[Effort, ...]:
        """The numbers with which it acts, for reports and for constraints that it keeps."""
        return ()

    @property
    def actuators(self) -> tuple[str, ...]:
        """Its ports that are efforts; an effort has the name of its port, or that with a dot and a word behind."""
        return tuple(port.name for port in self.ports if any(drives(port, effort) for effort in self.efforts))

    @property
    def unknowns(self) -> int:
        """Forces that statics has to find together with the configuration, one of `equations` for each."""
        return 0

    @property
    def gap_count(self) -> int:
        """How many distances `gap` gives: of what acts on one side only."""
        return 0

    @property
    def motion_refusal(self) -> str | None:
        """Why the robot cannot be set in motion with it, as a sentence; None: it can."""
        return None

    @property
    def programmes(self) -> tuple[Programme, ...]:
        """Programmes whose jumps a stepper has to land on."""
        return tuple(port.programme for port in self.ports if port.programme is not None)

    @property
    def coupled_rows(self) -> tuple[np.ndarray, ...] | None:
        """Sets of rows of which a force depends on the motion of all; None: it may be any."""
        return None

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """What to draw of it."""
        return ()

    @property
    def reported(self) -> Mapping[str, str]:
        """Names of what `report` gives, and their units."""
        return {}

    def numbers(self) -> dict[str, Any]:
        """Its parameters and their values: the float fields."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in fields.items() if isinstance(value, float)}

    def parameter_info(self, name: str) -> ParameterInfo:
        """What the parameter in a field is. Its metadata may say so, by the fields of `ParameterInfo`:
        `dataclasses.field(default=10.0, metadata={"unit": "N/m", "low": 0.0, "meaning": "stiffness"})`."""
        told = {field.name: field.metadata for field in dataclasses.fields(self)}[name]
        known = {key: told[key] for key in ("unit", "low", "high", "low_open", "high_open", "nonzero") if key in told}
        meaning = told.get("meaning", name.replace("_", " "))
        return ParameterInfo(**{"shape": (), "unit": "", "meaning": f"{meaning} of the force {self.name}", **known})

    def prepare(self, parameters: Mapping[str, Array], start: Callable[[], Any]) -> Numbers:
        """What the other methods need, from the parameters. start(): poses of frames in the initial configuration."""
        return {name: parameters[f"extra.{self.name}.{name}"] for name in self.numbers()}

    @property
    def softens(self) -> bool:
        """Whether `softened` numbers help statics: of what begins to act where it was not felt before."""
        return False

    def softened(self, numbers: Numbers, share: Array) -> Numbers:
        """The numbers of something that gives way more easily, with a share of the stiffness."""
        return numbers

    def thinned(self, numbers: Numbers, factor: Array) -> Numbers:
        """The numbers where the sections of rods, which stretch, are thinner by factors (R + 1,) of the rows."""
        return numbers

    def first_memory(self) -> Any:
        """What it remembers before the first step: a pytree of arrays; () for nothing."""
        return ()

    # The physics: one of these is enough.

    def energy(self, numbers: Numbers, at: Any) -> Array | None:
        """Stored energy [J]."""
        return None

    def dissipation(self, numbers: Numbers, at: Any) -> Array | None:
        """Rayleigh function [W]: its gradient by the velocities is the force that resists."""
        return None

    def wrenches(self, numbers: Numbers, at: Any) -> Mapping[str, Array]:
        """Frame -> wrench (6,) [moment; force] on it, in that frame. It grows with the load factor of statics."""
        return {}

    # What follows from it. Kinds that know a shorter way write it here.

    def applies(self, numbers: Numbers, at: Any, unknowns: Array | None = None) -> Push | None:
        """What it does to the robot beyond storing and losing energy, load factor included: what its efforts drive, or
        its wrenches. unknowns: see there; None counts as zero."""
        if self.efforts:
            return self.drive(numbers, at, self.effort(numbers, at, unknowns))
        found = self.wrenches(numbers, at)
        if not found:
            return None
        frames = [at.frame(name) for name in found]
        poses = jnp.stack([at.from_common_point(at.pose(frame.name)) for frame in frames])
        wrench = wrench_at(poses, jnp.stack([jnp.asarray(w) for w in found.values()]))
        return Push(np.array([frame.row for frame in frames]), at.load_factor * wrench)

    def resists(self, numbers: Numbers, at: Any) -> Push | None:
        """What its energy and its dissipation do to the robot; it opposes displacement and motion."""
        parts = []
        if self.has_energy:
            nothing = jnp.zeros((len(at.position), 6)), jnp.zeros_like(at.v)
            stored = jax.grad(lambda rows, v: self.energy(numbers, at.displaced(rows, v)), argnums=(0, 1))
            parts.append(stored(*nothing))
        if self.has_dissipation and at.moves:
            lost = jax.grad(lambda twists, v: self.dissipation(numbers, at.at_rates(twists, v)), argnums=(0, 1))
            parts.append(lost(at.twists, at.v))
        if not parts:
            return None
        wrench, force = jax.tree.map(lambda *terms: -sum(terms), *parts)
        return Push(np.arange(len(at.position)), wrench, force)

    def loss(self, numbers: Numbers, at: Any) -> Array | None:
        """Power lost [W]."""
        if not self.has_dissipation or not at.moves:
            return None
        return jax.jvp(
            lambda share: self.dissipation(numbers, at.at_rates(share * at.twists, share * at.v)),
            (jnp.ones(()),),
            (jnp.ones(()),),
        )[1]

    def effort(self, numbers: Numbers, at: Any, unknowns: Array | None = None) -> Array:
        """(n,) values of `efforts`: what its ports say."""
        return jnp.concatenate([jnp.ravel(at.input(name)) for name in self.actuators]) if self.efforts else jnp.zeros(0)

    def travel(self, numbers: Numbers, at: Any) -> Array:
        """(n,) what the efforts work on."""
        return jnp.zeros(0)

    def drive(self, numbers: Numbers, at: Any, effort: Array) -> Push:
        """What efforts (n,) do to the robot; linear in them. Derived from the travels."""
        nothing = jnp.zeros((len(at.position), 6)), jnp.zeros_like(at.v)
        _, pull = jax.vjp(lambda rows, v: self.travel(numbers, at.displaced(rows, v)), *nothing)
        wrench, force = pull(np.array([float(own.sense) for own in self.efforts]) * effort)
        return Push(np.arange(len(at.position)), wrench, force)

    def far_end(self, numbers: Numbers, at: Any, unknowns: Array | None = None) -> Mapping[str, Array]:
        """Name -> what friction leaves of an effort at the far end."""
        return {}

    def equations(self, numbers: Numbers, at: Any, unknowns: Array) -> Array:
        """(n,) zero at the right unknowns, in statics."""
        return jnp.zeros(0)

    def standing(self, numbers: Numbers, at: Any) -> Mapping[str, Array]:
        """Values of the walked ports at which it would leave the robot where it is."""
        return {}

    def section_wrenches(self, numbers: Numbers, at: Any, unknowns: Array | None = None) -> Push | None:
        """Rows (n,) and body wrenches (n, 6): its share of what the sections there carry."""
        return None

    def added_inertia(self, numbers: Numbers, at: Any) -> AddedInertia | None:
        """Inertia that it adds to rows (water that moves with a body)."""
        return None

    def remember(self, numbers: Numbers, at: Any) -> Any:
        """What it remembers after an accepted step, or an accepted load step."""
        return at.memory.get(self.name, ())

    def heat(self, numbers: Numbers, at: Any) -> Array | None:
        """Energy [J] lost since it remembered, beside the integral of `loss`: of what does not follow from the state
        and its rate alone. `at` has the memory from before."""
        return None

    def gap(self, numbers: Numbers, at: Any) -> Array:
        """(n,) distances [m or rad] at whose zeros it begins to act, positive before. Steppers land there: a step does
        not pass through what begins and ends to act within it."""
        return jnp.zeros(0)

    def gap_and_rate(self, numbers: Numbers, at: Any) -> tuple[Array, Array]:
        """The gaps, and how they change while the robot moves."""
        nowhere = jnp.zeros((len(at.position), 6)), jnp.zeros_like(at.v)
        return jax.jvp(lambda *moved: self.gap(numbers, at.displaced(*moved)), nowhere, (at.twists, at.v))

    def acts(self, numbers: Numbers, at: Any) -> Array:
        """Whether it resists at all at the moment. Where it does not, neither do its derivatives, and native code does
        not ask for them."""
        return jnp.asarray(True)

    def swing(self, numbers: Numbers) -> Array:
        """(n,) shortest times [s] in which its closed gaps swing back, over pi: of what pushes in proportion to their
        depth the root of mass over stiffness; 0 where that is not known."""
        return jnp.zeros(self.gap_count)

    def overlap(self, numbers: Numbers, at: Any) -> tuple[Array, Array] | None:
        """(n,) how deep [m] what touches is in what it touches, and how deep it may be at the start."""
        return None

    def overlap_name(self, index: int) -> str:
        """What one of these is, in words."""
        return self.name

    def longest_step(self, numbers: Numbers, at: Any) -> Array | None:
        """A bound [s] on the step of a stepper in this state."""
        return None

    def report(self, numbers: Numbers, at: Any) -> Mapping[str, Array]:
        """Figures for results, by the names of `reported`."""
        return {}

    @property
    def says_nothing(self) -> bool:
        """Whether it has none of the methods that act on a robot: a mistake in its class."""
        acting = ("energy", "dissipation", "wrenches", "applies", "resists", "drive", "travel", "added_inertia")
        return all(getattr(type(self), name) is getattr(Force, name) for name in acting)

    @property
    def may_rest(self) -> bool:
        """Whether there are states in which it does not resist at all, and it knows them."""
        return type(self).acts is not Force.acts

    @property
    def has_energy(self) -> bool:
        return type(self).energy is not Force.energy

    @property
    def has_dissipation(self) -> bool:
        return type(self).dissipation is not Force.dissipation

    @property
    def adds_inertia(self) -> bool:
        return type(self).added_inertia is not Force.added_inertia
