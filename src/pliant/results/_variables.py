"""How the arrays of a result are called in its dataset: one row per array."""

from typing import NamedTuple


class Variable(NamedTuple):
    """One array of a result, or a dict of arrays that share dimensions and units (``many``).

    ``path`` leads to it from the result (``shape.strain``); its last word is the name in the dataset, followed by
    ``_<key>`` for each of many. ``dims`` are its dimensions without the leading ones of a batch.
    """

    path: str
    dims: tuple[str, ...]
    units: str
    long_name: str
    many: bool = False

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
        Variable("shape.line_ends", (*lead, "line", "end", "axis"), "m", "ends of the mesh edge or spring"),
    )


def code(*dims: str) -> Variable:
    """The result code."""
    return Variable("code", dims, "1", "result code of the solve (0: success)")


def coordinates(*lead: str) -> Variable:
    """The generalised coordinates."""
    return Variable("q", (*lead, "coordinate"), COORDINATE_UNITS, "generalised coordinates")


def energy(*dims: str) -> Variable:
    """A dict of energies: one variable ``energy_<key>`` for each key."""
    return Variable("energy", dims, "J", "energy", many=True)


def force_variables(lead: tuple[str, ...]) -> tuple[Variable, ...]:
    """The arrays of Forces listed along the dimensions ``lead``."""
    wrench = "wrench of the loop on its second frame, [moment; force]"
    return (
        Variable("forces.effort", lead, "N (tendon), Pa (chamber), N or N m (joint)", "effort of the actuator", True),
        Variable("forces.travel", lead, "m (tendon), m^3 (chamber), rad or m (joint)", "travel of the actuator", True),
        Variable("forces.far_end", lead, "N", "tension at the far end of the tendon", True),
        Variable("forces.reaction", (*lead, "wrench"), "N m, N", wrench, True),
        Variable("forces.report", lead, "1", "as the interaction reports it", True),
    )


def internal(*lead: str) -> Variable:
    """Internal wrench of the rods."""
    return Variable("internal", (*lead, "node", "wrench"), "N m, N", "wrench in the material [moment; force]")
