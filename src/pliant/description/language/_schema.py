"""The whole robot: links, frames, loads, the state it starts from, and what to compute."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from pliant.description.language._actuators import Actuator
from pliant.description.language._constraints import AnyConstraint
from pliant.description.language._contacts import AnyContact, AnySurface
from pliant.description.language._links import Material, Rigid
from pliant.description.language._meshes import Mesh
from pliant.description.language._places import Along, OneOrMore, Rotations, Where
from pliant.description.language._programmes import Acceleration, Force, ForcePerLength, Moment, MomentPerLength, Times
from pliant.description.language._rods import DividedRod, Rod
from pliant.description.language._springs import AnySpring
from pliant.description.language._urdf_words import UrdfFile
from pliant.description.language.grammar import (
    Choice,
    Duration,
    Meanings,
    Move,
    NameList,
    NameOf,
    Part,
    Quantity,
    Switch,
    Time,
    Triple,
    Vector,
    WholeNumber,
    Word,
    lacking,
    vector,
    wrong,
)

Name = Annotated[str, NameOf("a name")]
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


class Frame(Where):
    """A place whose pose is reported in results."""

    called = "a frame"
    name: Name

    short = False


class _Load(Part):
    meanings = Meanings(force="force", moment="moment")
    name: Name
    frame: Annotated[str, Word(("world", "body"))] = "world"

    @model_validator(mode="after")
    def _pushes(self) -> Self:
        if getattr(self, "force", None) is None and getattr(self, "moment", None) is None:
            raise lacking('a "force", a "moment", or both')
        return self


class PointLoad(_Load):
    called = "a load"
    where: Where
    force: Force | None = None
    moment: Moment | None = None


class DistributedLoad(_Load):
    called = "a load along a rod"
    meanings = Meanings(force="force per length", moment="moment per length")
    along: Along
    force: ForcePerLength | None = None
    moment: MomentPerLength | None = None


Load = PointLoad | DistributedLoad


class StrainRates(Part):
    called = "rates of strain"
    meanings = Meanings(
        bend_x="rate of curvature about local x",
        bend_y="rate of curvature about local y",
        twist="rate of twist about the axis",
        shear_x="rate of shear along local x",
        shear_y="rate of shear along local y",
        stretch="rate of stretch",
    )
    bend_x: Annotated[float, Quantity("curvature rate")] | None = None
    bend_y: Annotated[float, Quantity("curvature rate")] | None = None
    twist: Annotated[float, Quantity("curvature rate")] | None = None
    shear_x: Annotated[float, Quantity("strain rate")] | None = None
    shear_y: Annotated[float, Quantity("strain rate")] | None = None
    stretch: Annotated[float, Quantity("strain rate")] | None = None


Pair = tuple[float, float]


def _one_or_two(kind: str, joint: str) -> Vector:
    quantity = Quantity(kind)
    return Vector((quantity,), (2,), scalar=True, wanted=f"{quantity.expected}, or two of them for a {joint} joint")


class Initial(Part):
    """Where one link starts: the strains of a rod (departures from its reference), the coordinates of its joint."""

    called = "an initial state"
    meanings = Meanings(
        bend_x="departure of the curvature about local x from the reference",
        bend_y="departure of the curvature about local y from the reference",
        twist="departure of the twist about the axis from the reference",
        shear_x="departure of the shear along local x from the reference",
        shear_y="departure of the shear along local y from the reference",
        stretch="departure of the stretch from the reference",
        angle="angle of the joint",
        rate="angular velocity of the joint",
        displacement="displacement of the joint",
        speed="velocity of the joint",
        position="position of the free joint",
        angular_velocity="angular velocity in the body frame",
        velocity="velocity in the body frame",
    )
    bend_x: Annotated[float, Quantity("curvature")] | None = None
    bend_y: Annotated[float, Quantity("curvature")] | None = None
    twist: Annotated[float, Quantity("curvature")] | None = None
    shear_x: Annotated[float, Quantity("strain")] | None = None
    shear_y: Annotated[float, Quantity("strain")] | None = None
    stretch: Annotated[float, Quantity("strain")] | None = None
    strain_rate: StrainRates = Field(default_factory=StrainRates)
    angle: Annotated[float | Pair, _one_or_two("angle", "universal")] | None = None
    rate: Annotated[float | Pair, _one_or_two("angular velocity", "universal")] | None = None
    displacement: Annotated[float | Pair, _one_or_two("length", "planar")] | None = None
    speed: Annotated[float | Pair, _one_or_two("velocity", "planar")] | None = None
    rotation: Rotations = ()
    position: Move | None = None
    angular_velocity: Annotated[Triple, vector("angular velocity")] | None = None
    velocity: Annotated[Triple, vector("velocity")] | None = None


Drop = Annotated[tuple[str, ...], NameList("names of loads")]
StartingState = Annotated[str, Word(("statics", "initial"))]


class LoadPath(Part):
    """The load factor alone is short for a path to it."""

    called = "the settings of a load path"
    to: Annotated[float, Quantity("number", nonzero=True)]
    step: Annotated[float, Quantity("number", above=0)] = 0.05
    points: Annotated[int, WholeNumber("a number of points", 2, 100_000)] = 500
    branch: Annotated[int, WholeNumber("which bifurcation, with its sign which half of the branch", -1000, 1000)] = 0

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"to": value} if isinstance(value, int | float | str) and not isinstance(value, bool) else value


class Statics(Part):
    called = "the settings of statics"
    steps: Annotated[int, WholeNumber("a number of load steps", 1, 100_000)] | None = None
    drop: Drop = ()
    times: Annotated[tuple[Time, ...], Times(1)] | None = None
    path: LoadPath | None = None

    @model_validator(mode="after")
    def _one_sequence(self) -> Self:
        if self.steps is not None and self.times is not None:
            raise wrong(["steps", "times"], 'either "steps" (one equilibrium) or "times" (one at each), not both')
        if self.path is not None and (self.steps is not None or self.times is not None):
            other = "steps" if self.times is None else "times"
            raise wrong(["path", other], f'"path" without "{other}": its steps are its own')
        return self


class Modes(Part):
    called = "the settings of modes"
    count: Annotated[int, WholeNumber("a number of modes", 1, 10_000)] = 6
    about: StartingState = "statics"


IMPLICIT = ("newmark", "generalised-alpha")


class Simulate(Part):
    called = "the settings of simulate"
    until: Duration
    from_: StartingState = Field(default="initial", alias="from")
    drop: Drop = ()
    stepper: Annotated[str, Word(("tsit5", "dopri8", "rk4", *IMPLICIT))] = "tsit5"
    step: Duration | None = None
    longest_step: Duration | None = None
    adapt: Annotated[str, Word(("error", "newton"))] = "error"
    save_every: Duration | None = None
    rtol: Annotated[float, Quantity("number", above=0)] = 1e-6
    atol: Annotated[float, Quantity("number", above=0)] = 1e-9
    spectral_radius: Annotated[float, Quantity("number", least=0, most=1)] = 0.8
    energy: Switch = False
    accuracy: Annotated[float, Quantity("number", above=0)] = 0.01

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.stepper == "rk4" and self.step is None:
            raise lacking('a "step" for the stepper rk4, e.g. "10 us"')
        if self.longest_step is not None:
            if self.stepper not in IMPLICIT:
                raise wrong(self.longest_step, f'"longest_step" only of the steppers {" and ".join(IMPLICIT)}')
            if self.step is None or self.longest_step < self.step:
                raise wrong(self.longest_step, 'a "step", which is the shortest, and "longest_step" no shorter')
        for name in ("step", "save_every"):
            value = getattr(self, name)
            if value is not None and value > self.until:
                raise wrong(value, f'"{name}" to be at most "until" ({self.until:g} s)')
        return self


class Analysis(Choice):
    called = "an analysis"
    statics: Statics | None = None
    modes: Modes | None = None
    simulate: Simulate | None = None


AnyLink = Rod | DividedRod | Rigid


class Description(Part):
    """A robot, validated and in SI."""

    called = "a robot"
    meanings = Meanings(gravity="acceleration of free fall")
    robot: Name
    gravity: Acceleration = Field(default_factory=lambda: Acceleration(constant=STANDARD_GRAVITY))
    materials: dict[str, Material] = Field(default_factory=dict)
    links: tuple[AnyLink, ...] = ()
    # Only in files: what it stands for is put among the links and frames when a file is read.
    urdf: Annotated[tuple[UrdfFile, ...], OneOrMore("a URDF file, or a list of them")] = ()
    meshes: tuple[Mesh, ...] = ()
    frames: tuple[Frame, ...] = ()
    loads: tuple[Load, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    constraints: tuple[AnyConstraint, ...] = ()
    springs: tuple[AnySpring, ...] = ()
    surfaces: tuple[AnySurface, ...] = ()
    contacts: tuple[AnyContact, ...] = ()
    initial: dict[str, Initial] = Field(default_factory=dict)
    analyses: tuple[Analysis, ...] = ()


def json_schema() -> dict[str, Any]:
    """JSON Schema of the robot language, for completion and checks in an editor."""
    schema = Description.model_json_schema(by_alias=True, mode="validation")
    schema |= {"required": ["robot"], "anyOf": [{"required": [word]} for word in ("links", "urdf", "meshes")]}
    names = {name: _title(name, definition) for name, definition in schema["$defs"].items()}

    def renamed(node: Any) -> Any:
        if isinstance(node, dict):
            items = {key: renamed(item) for key, item in node.items()}
            if isinstance(node.get("$ref"), str):
                items["$ref"] = f"#/$defs/{names[node['$ref'].removeprefix('#/$defs/')]}"
            return items
        return [renamed(item) for item in node] if isinstance(node, list) else node

    definitions = {names[name]: renamed(definition) for name, definition in schema.pop("$defs").items()}
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, **renamed(schema), "title": "Pliant robot", "$defs": definitions}


def _title(name: str, definition: dict[str, Any]) -> str:
    """The class's own name: pydantic spells out the type parameters of a programme, which no reader wants."""
    if name.isidentifier() and "__" not in name:
        return name
    titles = [part["title"] for part in (definition, *definition.get("anyOf", ())) if "title" in part]
    return titles[0] if titles else name
