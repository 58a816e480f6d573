"""How a rod is discretised, and the strains it has when nothing acts on it."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from pydantic import GetJsonSchemaHandler, ValidatorFunctionWrapHandler, WrapValidator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import core_schema

from pliant.blueprint import is_name
from pliant.description.language.grammar import (
    STRAINS,
    Choice,
    Meanings,
    Part,
    WholeNumber,
    Word,
    is_list,
    is_mapping,
    taper,
    wrong,
)

DEFAULT_BASIS = "legendre"
DEFAULT_ORDER = 3
DEFAULT_PIECES = 4
DEFAULT_LUMPS = 8
_ORDER = WholeNumber("a polynomial order", 0, 20)


class ByStrain:
    """One value for all strains allowed, or one for each strain named."""

    def __init__(self, one: WholeNumber | Word, example: str) -> None:
        self.one = one
        self.expected = f"{one.expected}, or by strain such as {example}"

    def check(self, value: Any) -> Any:
        if not is_mapping(value):
            # A value of the right kind but out of range needs no hint at the other form.
            if isinstance(value, int | float | str) and not isinstance(value, bool):
                return self.one.check(value)
            raise wrong(value, self.expected)
        checked = {Word(STRAINS).check(strain): self.one.check(own) for strain, own in value.items()}
        return {strain: checked[strain] for strain in STRAINS if strain in checked}

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        one = self.one.json_schema()
        many = {"type": "object", "properties": dict.fromkeys(STRAINS, one), "additionalProperties": False}
        return {"anyOf": [one, many], "description": self.expected}


_PIECES = WholeNumber("a number of pieces", 1, 1000)
_BASIS = Word(("legendre", "monomial", "chebyshev", "piecewise"))
QuadraturePoints = Annotated[int, WholeNumber("a number of quadrature points", 1, 100)]


class Gvs(Part):
    """Strains are polynomials (or another basis) of the arclength."""

    called = "the numbers of the model gvs"
    order: Annotated[int | dict[str, int], ByStrain(_ORDER, "{bend_x: 3, stretch: 1}")] = DEFAULT_ORDER
    basis: Annotated[str | dict[str, str], ByStrain(_BASIS, "{bend_x: chebyshev}")] = DEFAULT_BASIS
    pieces: Annotated[int, _PIECES] = 1
    quadrature: QuadraturePoints | None = None


class Pcs(Part):
    """Strains are constant over each of several pieces of equal length."""

    called = "the numbers of the model pcs"
    pieces: Annotated[int, _PIECES] = DEFAULT_PIECES
    quadrature: QuadraturePoints | None = None


class Rom(Part):
    """Position and orientation are polynomials of the arclength."""

    called = "the numbers of the model rom"
    order: Annotated[int, WholeNumber("a polynomial order", 1, 5)] = DEFAULT_ORDER
    orientation: Annotated[str, Word(("scaled", "unit"))] = "scaled"
    quadrature: QuadraturePoints | None = None


class _Lumped(Part):
    """Rigid pieces with springs between them, each with a lump of mass in its middle or at its end."""

    pieces: Annotated[int, _PIECES] = DEFAULT_LUMPS
    nodes: Annotated[str, Word(("middle", "end"))] = "middle"


class _Relative(_Lumped):
    """A piece turns where its node is."""

    nodes: Annotated[str, Word(("middle", "end", "start"))] = "middle"


class Srl(_Relative):
    """Relative states, rotations about one axis after the other."""

    called = "the numbers of the model srl"


class Ebr(_Relative):
    """Relative states, rotations by a quaternion."""

    called = "the numbers of the model ebr"


class Eba(_Lumped):
    """Absolute states: every lump has a pose of its own."""

    called = "the numbers of the model eba"


class _Arc(Part):
    """A section of an arm that bends in an arc and changes its length; coordinates are the length changes of actuators
    on its outline: three, from local x in steps of 120 degrees, or four, in steps of 90 (the fourth follows)."""

    actuators: Annotated[int, WholeNumber("a number of actuators", 3, 4)] = 3


class Cog(_Arc):
    """Its mass is a disc at its centre of gravity, with a shaped energy."""

    called = "the numbers of the model cog"


class Integral(_Arc):
    """Its mass is thin discs along the arc."""

    called = "the numbers of the model integral"
    quadrature: QuadraturePoints | None = None


class Model(Choice):
    called = "a rod model"
    gvs: Gvs | None = None
    pcs: Pcs | None = None
    rom: Rom | None = None
    srl: Srl | None = None
    ebr: Ebr | None = None
    eba: Eba | None = None
    cog: Cog | None = None
    integral: Integral | None = None


class UserModel(Part):
    """A model whose word is none of the language's: kept as written, for Python may bring it when the robot is
    compiled."""

    called = "a rod model written in Python"
    word: str
    options: dict[str, Any]

    gvs: ClassVar[None] = None
    rom: ClassVar[None] = None

    @property
    def chosen(self) -> dict[str, Any]:
        return self.options


def _known_or_kept(value: Any, handler: ValidatorFunctionWrapHandler) -> Model | UserModel:
    """A model of the language; a word that is none of its models, alone or with options, is a user's."""
    if isinstance(value, UserModel):
        return value
    word, options = value, {}
    if is_mapping(value) and len(value) == 1:
        word, options = next(iter(value.items()))
    user = is_name(word) and word not in Model.words() and (options is None or is_mapping(options))
    if not user:
        return Model.model_validate(value)
    for name, own in (options or {}).items():
        if not all(isinstance(item, int | float | str) for item in (own if is_list(own) else (own,))):
            raise wrong({name: own}, "numbers, words and lists of them beside the word of a rod model")
    return UserModel(word=word, options=dict(options or {}))


# The schema for editors knows the language's own words only.
AnyModel = Annotated[Model | SkipJsonSchema[UserModel], WrapValidator(_known_or_kept)]

ARC_STRAINS = ("bend_x", "bend_y", "stretch")
# Models that move whole poses: they can leave out motions, but not single strains of a motion.
WHOLE_POSES = ("rom", "eba")
_CLOSED = (
    (),
    STRAINS,
    ("bend_y", "shear_x", "stretch"),
    ("bend_x", "shear_y", "stretch"),
    ("twist", "stretch"),
    ("stretch",),
)


ARCS = ("cog", "integral")


def allow_problem(model: Model | UserModel, allow: Sequence[str], muscles: bool) -> str:
    """The strains expected instead of those allowed to a rod of this model, or of muscles; nothing where they are
    right."""
    if muscles and not set(allow) <= set(ARC_STRAINS):
        return f"only {', '.join(ARC_STRAINS)}: nothing else is resisted by a section of muscles"
    if model.word in ARCS:
        expected = f"[{', '.join(ARC_STRAINS)}], what a section of the model {model.word} does"
        return "" if tuple(allow) == ARC_STRAINS else expected
    if model.word not in WHOLE_POSES or tuple(allow) in _CLOSED:
        return ""
    sets = ", ".join(f"[{', '.join(own)}]" for own in _CLOSED[2:])
    return (
        f"all six strains, or one of: {sets}; the model {model.word} moves whole poses and cannot make single strains "
        "rigid (gvs, pcs, srl and ebr can)"
    )


_CURVATURE = taper("curvature")
_STRAIN = taper("strain")
Curvature = Annotated[float | tuple[float, float], _CURVATURE]
LinearStrain = Annotated[float | tuple[float, float], _STRAIN]


class Reference(Part):
    """The strains of the unloaded rod; straight, unsheared and unstretched unless said otherwise."""

    called = "reference strains"
    meanings = Meanings(
        bend_x="unloaded curvature about local x",
        bend_y="unloaded curvature about local y",
        twist="unloaded twist about the axis",
        shear_x="unloaded shear along local x",
        shear_y="unloaded shear along local y",
        stretch="unloaded stretch",
    )
    bend_x: Curvature = 0.0
    bend_y: Curvature = 0.0
    twist: Curvature = 0.0
    shear_x: LinearStrain = 0.0
    shear_y: LinearStrain = 0.0
    stretch: Annotated[float | tuple[float, float], taper("strain", above=0)] = 1.0

    def tapers(self) -> bool:
        return any(isinstance(value, tuple) for _, value in self)
