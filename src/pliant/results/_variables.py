"""How the arrays of a result are called in its dataset: one row per array."""

from typing import NamedTuple


class Variable(NamedTuple):
    """One array of a result.

    ``path`` leads to it from the result (``shape.strain``); its last word is the name in the dataset. ``dims`` are its
    dimensions without the leading ones of a batch.
    """

    path: str
    dims: tuple[str, ...]
    units: str
    long_name: str

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


POSE_UNITS = "1 (rotation), m (last column)"
COORDINATE_UNITS = "SI"  # every coordinate has its own unit: strain fields 1/m or 1, angles rad, positions m

SCENE = (
    Variable("scene.half_width", ("node", "outline_axis"), "m", "half size of the outline along local x and y"),
    Variable("scene.body_size", ("body", "axis"), "m", "size of the body"),
)


def shape_variables(lead: tuple[str, ...]) -> tuple[Variable, ...]:
    """The arrays of a Shape that is listed along the dimensions ``lead``."""
    pose = ("row", "column")
    return (
        Variable("shape.node_pose", (*lead, "node", *pose), POSE_UNITS, "world pose of the rod node"),
        Variable("shape.strain", (*lead, "node", "component"), "rad/m (bend, twist), 1 (shear, stretch)", "strain"),
        Variable("shape.body_pose", (*lead, "body", *pose), POSE_UNITS, "world pose of the rigid body"),
        Variable("shape.frame_pose", (*lead, "frame", *pose), POSE_UNITS, "world pose of the frame"),
    )


def code(*dims: str) -> Variable:
    """The result code."""
    return Variable("code", dims, "1", "result code of the solve (0: success)")


def coordinates(*lead: str) -> Variable:
    """The generalised coordinates."""
    return Variable("q", (*lead, "coordinate"), COORDINATE_UNITS, "generalised coordinates")


def energy(*dims: str) -> Variable:
    """A dict of energies: one variable ``energy_<key>`` for each key."""
    return Variable("energy", dims, "J", "energy")
