"""Surfaces and contacts lowered."""

from collections.abc import Callable
from typing import Any

from pliant import blueprint
from pliant.blueprint import SOLIDS, Offset, Place, Plane
from pliant.description.language import (
    FRICTION_LAWS,
    SAMPLED_WORDS,
    AnyContact,
    AnySurface,
    Description,
    Friction,
    Nodes,
    Rigid,
    Skin,
    SolidSurface,
    radius_of,
    reach_of,
    skin_points,
    ways,
)
from pliant.description.language.grammar import Quantity
from pliant.description.lowering._lower_links import lower_shape
from pliant.description.lowering._lowering import Lowering

_COEFFICIENTS = "sampled distances, as coefficients of cubic B-splines"
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def lower_surfaces(lowering: Lowering, robot: Description) -> list[blueprint.AnySurface]:
    """Those of the file, then the shapes of rigid links that touch something."""
    sides = {own.name: own for own in (*robot.links, *robot.surfaces)}

    def radius(name: str) -> float:
        side: Any = sides[name]
        return radius_of(side, lowering.rods[side.along.link] if isinstance(side, Skin) else ())

    named = [_surface(lowering, surface, robot, radius) for surface in robot.surfaces]
    touching = {name for contact in robot.contacts for name in contact.sides}
    links = [link for link in robot.links if isinstance(link, Rigid) and link.name in touching]
    return [*named, *(_own_shape(lowering, link) for link in links)]


def _surface(
    lowering: Lowering, surface: AnySurface, robot: Description, radius: Callable[[str], float]
) -> blueprint.AnySurface:
    path = f"surfaces.{surface.name}"
    if isinstance(surface, Skin):
        runs = lowering.stretches(surface.along.link, surface.along.from_, surface.along.to)
        points = skin_points(surface, lowering.rods[surface.along.link])
        return blueprint.Skin(surface.name, tuple(run for run, _ in runs), points)
    if isinstance(surface, Nodes):
        return blueprint.Nodes(surface.name, surface.nodes, lowering.number(path, surface, "radius"))
    where = lowering.where(f"{path}.where", surface.where)
    if surface.word in SAMPLED_WORDS:
        shape = _sampled(lowering, surface, reach_of(surface, robot.contacts, radius))
    else:
        shape = _shape(lowering, surface)
    return blueprint.Surface(surface.name, where, shape, surface.hollow)


def _sampled(lowering: Lowering, surface: SolidSurface, reach: float) -> blueprint.SurfaceShape:
    path, word = f"surfaces.{surface.name}.{surface.word}", surface.word
    found = getattr(surface, word).sampled(reach)
    return SOLIDS[word](
        lowering.keep(f"{path}.coefficients", found.coefficients, [Quantity("length")], _COEFFICIENTS),
        lowering.keep(f"{path}.corner", found.corner, [Quantity("length")], "corner of the sampled distances"),
        lowering.keep(f"{path}.spacing", found.spacing, [Quantity("length", above=0)], "distance of their places"),
    )


def _shape(lowering: Lowering, surface: SolidSurface) -> blueprint.SurfaceShape:
    path, word = f"surfaces.{surface.name}", surface.word
    if word == "plane":
        normal = _AXES.get(surface.plane, surface.plane) if isinstance(surface.plane, str) else surface.plane
        return Plane(lowering.like(f"{path}.plane", normal, SolidSurface, "plane"))
    if word in ("box", "ellipsoid"):
        return SOLIDS[word](lowering.number(path, surface, word))
    return SOLIDS[word](**lowering.numbers(f"{path}.{word}", getattr(surface, word)))


def _own_shape(lowering: Lowering, link: Rigid) -> blueprint.Surface:
    """The shape of a link, in the middle of its mass, by the numbers that the link has already."""
    path = f"links.{link.name}"
    shape: Any = link.shape
    centre = Offset(lowering.number(path, link, "centre"), ())
    return blueprint.Surface(link.name, Place(link.name, None, centre), lower_shape(lowering, f"{path}.shape", shape))


def lower_contact(lowering: Lowering, contact: AnyContact, surfaces: list[blueprint.AnySurface]) -> blueprint.Contact:
    path = f"contacts.{contact.name}"
    sides = [next(own for own in surfaces if own.name == name) for name in contact.sides]
    words = [_word(own) for own in sides]
    way = ways(words, [isinstance(own, blueprint.Surface) and own.hollow for own in sides])
    assert way is not None
    return blueprint.Contact(
        name=contact.name,
        samples=contact.sides[way.samples],
        surface=contact.sides[way.surface],
        exponent=getattr(contact, "exponent", blueprint.LINEAR),
        stiffness=lowering.number(path, contact, "stiffness"),
        damping=lowering.number(path, contact, "damping"),
        restitution=lowering.number(path, contact, "restitution"),
        smoothing=lowering.number(path, contact, "smoothing"),
        friction=None if contact.friction is None else _friction(lowering, path, contact, contact.friction),
        both=way.both,
        fineness=getattr(contact, "samples", None),
    )


def _word(surface: blueprint.AnySurface) -> str:
    return surface.shape.kind if isinstance(surface, blueprint.Surface) else surface.kind


def _friction(lowering: Lowering, path: str, contact: AnyContact, friction: Friction) -> blueprint.Friction:
    own = f"{path}.friction"
    if friction.alone:
        coefficient = lowering.like(own, friction.coefficient, Friction, "coefficient")
    else:
        coefficient = lowering.number(own, friction, "coefficient")
    return blueprint.Friction(
        coefficient=coefficient,
        along=lowering.number(own, friction, "along"),
        across=lowering.number(own, friction, "across"),
        law=getattr(friction, "law", FRICTION_LAWS[0]),
        static_ratio=lowering.number(own, friction, "static_ratio"),
        creep=lowering.number(own, friction, "creep"),
        damping=lowering.number(path, contact, "slip_damping"),
        rolling=lowering.number(own, friction, "rolling"),
        spin=lowering.number(own, friction, "spin"),
    )
