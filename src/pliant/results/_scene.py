"""What a robot looks like (Scene), what its numbers are called (Names) and where it is (Shape)."""

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from pliant.mechanics import STRAINS
from pliant.results._units import ActuatorUnits

BODY_SHAPES = ("box", "sphere", "cylinder", "ellipsoid", "point")

__all__ = ["BODY_SHAPES", "STRAINS", "Names", "Scene", "Shape", "rod_of"]


def rod_of(link: str) -> str:
    """The rod that a link is a division of (``finger/2`` -> ``finger``), or the link itself."""
    rod, slash, number = link.rpartition("/")
    return rod if slash and number.isdecimal() else link


class Scene(eqx.Module):
    """What a viewer needs to draw the robot: K nodes along its rods, B rigid bodies and L lines.

    The nodes of one rod are contiguous, base to tip. A line is an edge of a mesh or a spring.

    - ``links``: all link names in order.
    - ``node_link``: for every node, the index of its rod in ``links``.
    - ``node_fraction``: for every node, its place on the rod, 0 (base) to 1 (tip).
    - ``node_round``: for every node, True for an elliptic outline, False for a rectangular one.
    - ``half_width``: (K, 2), half sizes of the outline along the local x and y [m].
    - ``body_link``: for every body, the index of its link in ``links``.
    - ``body_shape``: ``"box"``, ``"sphere"``, ``"cylinder"`` (axis z), ``"ellipsoid"`` or ``"point"``.
    - ``body_size``: (B, 3) [m]. Box: edge lengths; sphere: the radius three times; cylinder: radius, radius, length;
      ellipsoid: its semi-axes.
    - ``line_names``: the meshes, then what else is drawn as lines, and ``line_kind``: ``"mesh"``, ``"spring"`` or
      another word for each of them.
    - ``line_link``: for every line, the index of its mesh or spring in ``line_names``.
    """

    links: tuple[str, ...] = eqx.field(static=True)
    node_link: tuple[int, ...] = eqx.field(static=True)
    node_fraction: tuple[float, ...] = eqx.field(static=True)
    node_round: tuple[bool, ...] = eqx.field(static=True)
    half_width: Array
    body_link: tuple[int, ...] = eqx.field(static=True)
    body_shape: tuple[str, ...] = eqx.field(static=True)
    body_size: Array
    line_names: tuple[str, ...] = eqx.field(static=True, default=())
    line_kind: tuple[str, ...] = eqx.field(static=True, default=())
    line_link: tuple[int, ...] = eqx.field(static=True, default=())

    def __check_init__(self) -> None:
        if not len(self.node_link) == len(self.node_fraction) == len(self.node_round):
            raise ValueError("Scene: node_link, node_fraction and node_round need one entry for every node")
        if len(self.body_link) != len(self.body_shape):
            raise ValueError("Scene: body_link and body_shape need one entry for every body")
        if any(not 0 <= link < len(self.links) for link in self.node_link + self.body_link):
            raise ValueError(f"Scene: a link index is outside the {len(self.links)} links")
        if len(self.line_names) != len(self.line_kind):
            raise ValueError("Scene: line_names and line_kind need one entry for every mesh and spring")
        if any(not 0 <= line < len(self.line_names) for line in self.line_link):
            raise ValueError(f"Scene: a line index is outside the {len(self.line_names)} meshes and springs")
        unknown = set(self.body_shape) - set(BODY_SHAPES)
        if unknown:
            raise ValueError(f"Scene: unknown body shape {sorted(unknown)}; expected one of {', '.join(BODY_SHAPES)}")

    def rods(self) -> dict[str, slice]:
        """The nodes of each rod: link name -> slice into the node axis, base to tip."""
        slices: dict[str, slice] = {}
        for node, link in enumerate(self.node_link):
            name = self.links[link]
            slices[name] = slice(slices[name].start if name in slices else node, node + 1)
        return slices

    def whole_rods(self) -> dict[str, tuple[slice, ...]]:
        """The nodes of each rod as it stands in the file: name -> one slice for each division, base to tip.

        A rod of several divisions is the links ``finger/1``, ``finger/2``, ...
        """
        whole: dict[str, tuple[slice, ...]] = {}
        for name, nodes in self.rods().items():
            whole[rod_of(name)] = (*whole.get(rod_of(name), ()), nodes)
        return whole


class Names(eqx.Module):
    """Names of the generalised coordinates, the velocities and the reported frames, e.g. ``finger.bend_x[0]``.

    - ``actuators``: for every effort of the results, its name and the units of the effort and of its travel; empty
      where they are not known.
    - ``reported``: name and unit of every figure that interactions report.
    """

    coordinates: tuple[str, ...] = eqx.field(static=True)
    velocities: tuple[str, ...] = eqx.field(static=True)
    frames: tuple[str, ...] = eqx.field(static=True)
    actuators: ActuatorUnits = eqx.field(static=True, default=())
    reported: tuple[tuple[str, str], ...] = eqx.field(static=True, default=())

    def unit(self, quantity: str, actuator: str) -> str | None:
        """Unit of the ``effort``, ``far_end`` or ``travel`` of an actuator, or of what is reported under its name."""
        if quantity == "report":
            return dict(self.reported).get(actuator)
        column = {"effort": 1, "far_end": 1, "travel": 2}.get(quantity)
        if column is None:
            return None
        return next((row[column] for row in self.actuators if row[0] == actuator), None)


class Shape(eqx.Module):
    """One or many configurations in space; the leading dimensions are free.

    - ``node_pose``: (..., K, 4, 4), world pose of every rod node.
    - ``strain``: (..., K, 6), total strain there: bend_x, bend_y, twist [rad/m], shear_x, shear_y, stretch [1].
    - ``body_pose``: (..., B, 4, 4), world pose of every rigid body.
    - ``frame_pose``: (..., F, 4, 4), world pose of every reported frame.
    - ``line_ends``: (..., L, 2, 3), world ends of every edge of a mesh, then of every spring [m]; by default none.
    """

    node_pose: Array
    strain: Array
    body_pose: Array
    frame_pose: Array
    line_ends: Array

    def __init__(
        self, node_pose: Array, strain: Array, body_pose: Array, frame_pose: Array, line_ends: Array | None = None
    ) -> None:
        self.node_pose, self.strain, self.body_pose, self.frame_pose = node_pose, strain, body_pose, frame_pose
        lead = frame_pose.shape[:-3]
        self.line_ends = jnp.zeros((*lead, 0, 2, 3), frame_pose.dtype) if line_ends is None else line_ends
