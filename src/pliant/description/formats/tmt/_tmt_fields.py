"""The fields of TMTDyn's high-level language (its Tables 13 to 16): what each takes, its default, what it means."""

from dataclasses import dataclass
from typing import Any

from pliant.description.formats.tmt._tmt_values import (
    Inertia,
    Kind,
    Number,
    OneOf,
    Places,
    Rows,
    SymbolList,
    SymbolValues,
    Text,
    Translation,
    Turn,
    Whole,
)

SMALL = 1e-9  # kg and kg m^2: mass and inertia of a body of which nothing is said


@dataclass(frozen=True)
class Field:
    """One field; with `refused` it is known but not taken, and that sentence says why and what to do instead."""

    meaning: str
    kind: Kind | None = None
    default: Any = None
    unit: str = ""
    refused: str = ""


@dataclass(frozen=True)
class Group:
    """Fields and groups of fields; `many` of them are numbered from 1."""

    meaning: str
    members: "dict[str, Field | Group]"
    many: bool = False

    @property
    def names(self) -> list[str]:
        return list(self.members)


def _transformations(meaning: str, free: bool) -> Group:
    fields: dict[str, Field | Group] = {
        "trans": Field("translation, first", Translation(free), [0.0, 0.0, 0.0], "m"),
        "rot": Field("rotation, after the translation", Turn(free), [0.0, 0.0], "-, rad"),
    }
    return Group(meaning, fields, many=True)


_NOT_NEEDED = "leave it out: "
PAR = Group(
    "what to compute, and symbols",
    {
        "anim": Field("animation", refused=_NOT_NEEDED + '"pliant run --out" and pliant.view draw and animate results'),
        "mov": Field("video", refused=_NOT_NEEDED + '"pliant run --out" and pliant.view.animate_gif write films'),
        "derive": Field("derive the equations", refused=_NOT_NEEDED + "pliant.compile derives the equations"),
        "fun": Field("kind of derived functions", refused=_NOT_NEEDED + "functions are compiled as they are needed"),
        "mex": Field("make C-mex files", refused=_NOT_NEEDED + "functions are compiled to native code as they are"),
        "modal": Field("0: no, 1 or 2: modes", OneOf((0, 1, 2)), 0),
        "equil": Field("0: no, 1 or 2: static equilibrium", OneOf((0, 1, 2)), 0),
        "dyn": Field("0: no, 1 or 2: dynamic simulation", OneOf((0, 1, 2)), 0),
        "init": Field("misprint of nint", refused="Table 13 prints init for nint; write par.nint"),
        "nint": Field("integration points along a ROM rod", Whole(1, 100)),
        "sym": Field("symbols", SymbolList(), {}),
        "var": Field("values of the symbols", SymbolValues(), {}),
    },
)
BODY_FIELDS: dict[str, Field | Group] = {
    "m": Field("mass; of a ROM rod: per length", Rows("a mass", least=0), SMALL, "kg"),
    "I": Field("inertia about the centre of mass; of a ROM rod: per length", Inertia(), SMALL, "kg m^2"),
    "l": Group(
        "lengths",
        {"com": Field("centre of mass", Rows("a place", (3,)), [0.0, 0.0, 0.0], "m")},
    ),
    "tip": Field("tip, a frame of the results", Rows("a place", (3,)), None, "m"),
}


def _law(columns: tuple[int, ...]) -> dict[str, Field | Group]:
    return {
        "spring": Group(
            "spring",
            {
                "coeff": Field("stiffness", Rows("a stiffness", columns, least=0), 0.0, "N/m, N m/rad"),
                "init": Field("value at rest", Rows("a value at rest", columns, nan=True), 0.0, "m, rad"),
                "compr": Field("factor of the value at rest", Rows("a ratio", columns, above=0, most=1), 1.0),
            },
        ),
        "damp": Group(
            "damper",
            {
                "visc": Field("damping", Rows("a damping", columns, least=0), 0.0, "N s/m, N m s/rad"),
                "pow": Field("power of the rate", Rows("a power", columns, above=0), 1.0),
            },
        ),
        "input": Field("force of an actuator", Rows("a force", columns, programme=True), None, "N, N m"),
    }


_ONE_SIDE = "-1: acts below its value at rest, 1: above it, 0: always"
JOINT_FIELDS: dict[str, Field | Group] = {
    "rom": Group("reduced-order rod", {"order": Field("polynomial order", Whole(1, 5))}),
    "first": Field("the body it starts on", Places(), [0]),
    "second": Field("the body it ends on", Places(), [0]),
    "tr": _transformations("from the first body to the joint", free=True),
    "tr2nd": _transformations("from the second body to the end of a linking joint", free=False),
    "dof": Group(
        "a degree of freedom",
        {
            "equal2": Field(
                "the same as another: [joint, dof] or [joint, element, dof]",
                Rows("a degree of freedom", (2, 3), least=1, whole=True),
            ),
            "init": Field("value at the start", Rows("a value", (1,)), 0.0, "m, rad"),
            "init_s": Field("places along a ROM rod of the values at the start", Rows("a length", above=0), None, "m"),
            **_law((1,)),
            "dir": Field(_ONE_SIDE, Rows("a direction", (1,), -1, None, 1, whole=True), 0),
        },
        many=True,
    ),
    "dir": Field(_ONE_SIDE, Rows("a direction", (1, 3), -1, None, 1, whole=True), 0),
    "xaxis": Field("direction of the x axis of a beam", Rows("a direction", (3,)), None),
    **_law((1, 6)),
    "refbody": Field("the body whose axes are meant", Places(), [0]),
    "fixed": Field("directions that are fixed", Rows("0 or 1", (1, 3, 6), 0, None, 1, whole=True), 0),
    "control": Field(
        "acceleration of the fixed directions", Rows("an acceleration", (1, 3, 6), programme=True), None, "m/s^2"
    ),
}
SYSTEM = Group(
    "a system",
    {
        "par": PAR,
        "world": Group("the world", {"g": Field("gravity", Translation(False), [0.0, 0.0, 0.0], "m/s^2")}),
        "body": Group("a body", BODY_FIELDS, many=True),
        "joint": Group("a joint", JOINT_FIELDS, many=True),
        "mesh": Group(
            "bodies and joints out of a CAD file",
            {
                "file_name": Field("CAD file", Text()),
                "tol": Field("points no farther apart are one node", Number("a length of at least 0", 0.0), 1e-3, "m"),
                "tr": _transformations("where the file's frame is", free=False),
                "body": Group("the body at every node", BODY_FIELDS),
                "joint": Group("joint(1): freedoms of the nodes; joint(2): the edges", JOINT_FIELDS, many=True),
            },
        ),
        "exload": Group(
            "an external load",
            {
                "exbody": Field("the body it acts on", Places()),
                "refbody": Field("the body whose axes are meant", Places(), [0]),
                "tr": _transformations("to the point where it acts", free=False),
                "ftau": Field(
                    "force, or force and moment", Rows("a load", (3, 6), programme=True), [0.0] * 6, "N, N m"
                ),
            },
            many=True,
        ),
    },
)
