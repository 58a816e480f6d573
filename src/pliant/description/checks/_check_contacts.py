"""Whether surfaces and contacts fit each other, and the places and links they name."""

import math
from typing import Any

from pliant.blueprint import FINENESS, HERTZ
from pliant.description.checks._checks import Checks
from pliant.description.checks._driven import prescribed
from pliant.description.language import (
    LINES,
    MOST_POINTS,
    POINTED,
    SAMPLED_WORDS,
    VELOCITIES,
    WORLD,
    DividedRod,
    Nodes,
    Rigid,
    Rod,
    Skin,
    SkinContact,
    SolidSurface,
    Ways,
    ends,
    radius_of,
    reach_of,
    skin_points,
    stretches,
    ways,
)
from pliant.description.language.grammar import Finding, Location, is_list, is_mapping, one_of

_OUTLINED = ("circle", "annulus", "ellipse", "rectangle")
_SHARP = ("box", "cylinder")
_SHORTEST = 2.0 * math.pi  # radii: of a rod bent round until it touches itself


def check_contacts(checks: Checks) -> None:
    _check_surfaces(checks)
    surfaces = {own.name: own for _, own in checks.valid_items("surfaces")}
    named = [item["name"] for _, item in checks.items("surfaces") if isinstance(item.get("name"), str)]
    shaped = [name for name, link in checks.links.items() if isinstance(link, Rigid) and link.shape is not None]
    for index, item in checks.items("contacts"):
        sides = item.get("between")
        places: dict[Location, Any] = {
            ("contacts", index, "between", n): name for n, name in enumerate(sides if is_list(sides) else ())
        }
        if "within" in item:
            places["contacts", index, "within"] = item["within"]
        for place, name in places.items():
            if isinstance(name, str) and name in checks.links and name not in (*shaped, *named):
                thing = 'a "shape" on that rigid link' if checks.kinds[name] == "rigid" else "a surface along that rod"
                checks.wrong(place, name, f"{thing}, to touch with")
            else:
                checks.known(name, place, "a surface, or a rigid link with a shape,", dict.fromkeys((*named, *shaped)))
    for index, contact in checks.valid_items("contacts"):
        sides = [surfaces.get(name) or checks.links.get(name) for name in contact.sides]
        if all(_known(side, checks) for side in sides):
            _check_pair(checks, ("contacts", index), contact, sides)
    if not checks.findings:
        _check_sampled(checks, {**checks.links, **surfaces})


def _check_sampled(checks: Checks, sides: dict[str, Any]) -> None:
    """That surfaces given by data can be sampled."""

    def radius(name: str) -> float:
        side = sides[name]
        return radius_of(side, checks.links[side.along.link].pieces if isinstance(side, Skin) else ())

    contacts = [contact for _, contact in checks.valid_items("contacts")]
    for index, surface in checks.valid_items("surfaces"):
        if surface.word in SAMPLED_WORDS:
            try:
                getattr(surface, surface.word).sampled(reach_of(surface, contacts, radius))
            except ValueError as error:
                checks.findings.append(Finding(("surfaces", index, surface.word), None, str(error)))


def _known(side: Any, checks: Checks) -> bool:
    """Whether what a side names has no mistake of its own."""
    if isinstance(side, Skin):
        return isinstance(checks.links.get(side.along.link), Rod | DividedRod)
    if isinstance(side, Nodes):
        return checks.meshes.get(side.nodes) is not None
    return isinstance(side, SolidSurface) or (isinstance(side, Rigid) and side.shape is not None)


def _check_surfaces(checks: Checks) -> None:
    for index, item in checks.items("surfaces"):
        name, place = item.get("name"), ("surfaces", index)
        if isinstance(name, str) and name in (WORLD, *checks.kinds):
            checks.wrong((*place, "name"), name, "another name: a link has it, and its shape is a surface of that name")
        if "where" in item:
            where = item["where"]
            checks.place(where, (*place, "where"), world=True)
            link = checks.link_of(where.get("link") if is_mapping(where) else where)
            if link in checks.meshes:
                checks.wrong((*place, "where"), link, "a place on a link or in the world: no surface is on a mesh yet")
        if "nodes" in item:
            checks.known(item["nodes"], (*place, "nodes"), "a mesh", checks.meshes)
        along = item.get("along")
        if is_mapping(along) and checks.rod(along.get("link"), (*place, "along", "link")):
            _check_outline(checks, (*place, "along", "link"), checks.links.get(along.get("link")))


def _check_outline(checks: Checks, place: Location, rod: Any) -> None:
    if isinstance(rod, Rod | DividedRod) and any(piece.section.word not in _OUTLINED for piece in rod.pieces):
        checks.wrong(place, rod.name, f"a rod whose sections have an outline: {one_of(_OUTLINED)}")


def _check_pair(checks: Checks, place: Location, contact: Any, sides: list[Any]) -> None:
    words = [getattr(side, "shape", side).word for side in sides]
    hollow = [getattr(side, "hollow", False) for side in sides]
    bodies = [_body(checks, side) for side in sides]

    def refuse(field: str, message: str) -> None:
        value = getattr(contact, field)
        checks.findings.append(Finding((*place, field), list(value) if field == "between" else value, message))

    way = ways(words, hollow)
    if contact.sides[0] == contact.sides[1]:
        _check_skin_within(checks, refuse, contact, sides[0])
    elif bodies[0] is not None and bodies[0] == bodies[1]:
        where = "stand in the world" if bodies[0] == WORLD else f"are on {bodies[0]}"
        refuse("between", f'both sides of "{contact.name}" {where}; expected sides that move against each other')
    elif all(own == WORLD or _follows(checks, side) for own, side in zip(bodies, sides, strict=True)):
        refuse(
            "between",
            f'both sides of "{contact.name}" stand in the world or move as they are prescribed; expected one that '
            "forces can move",
        )
    elif way is None and all(word in LINES for word in words):
        refuse("between", f"got {_named(words, hollow)}; expected a surface for the nodes: they touch nothing else")
    elif way is None:
        shapes = _named(words, hollow)
        points = f'{one_of(POINTED)}, not "hollow"' if any(hollow) else one_of(POINTED)
        refuse("between", f"got {shapes}, of which neither has points that touch; expected one of: {points}")
    elif contact.stiffness is None:
        touching = [words[way.samples], *([words[way.surface]] if way.both else [])]
        _check_stiffness(checks, refuse, contact, sides, touching)
    if way is not None and getattr(contact, "samples", None) is not None:
        _check_fineness(refuse, words, way)
    if words == ["skin", "skin"]:
        _check_turning(refuse, contact)
        _check_round(checks, refuse, contact, sides)
        _check_points(checks, refuse, contact, sides)


def _named(words: list[str], hollow: list[bool]) -> str:
    """Two sides in words."""
    called = [f"{'a hollow' if inside else 'a'} {word}" for word, inside in zip(words, hollow, strict=True)]
    return " and ".join(own.replace("a e", "an e").replace("a nodes", "nodes") for own in called)


def _check_fineness(refuse: Any, words: list[str], way: Ways) -> None:
    spread = [words[way.samples], *([words[way.surface]] if way.both else [])]
    if "plane" in words and words[way.samples] != "cylinder":
        refuse("samples", 'no "samples" beside a plane: it is touched by as few points as are exact')
    elif not set(spread) & set(FINENESS):
        refuse("samples", f'"samples" only of a {one_of(FINENESS)}: a {spread[0]} has the points that it has')


def _check_turning(refuse: Any, contact: Any) -> None:
    for name in ("rolling", "spin"):
        if contact.friction is not None and getattr(contact.friction, name) is not None:
            refuse("friction", f'got "{name}"; expected it against surfaces only: between rods nothing resists it')
            return


def _check_round(checks: Checks, refuse: Any, contact: Any, skins: list[Any]) -> None:
    for skin in skins:
        if any(piece.section.circle is None for piece in checks.links[skin.along.link].pieces):
            field = "between" if contact.within is None else "within"
            refuse(
                field, f'got "{skin.name}"; expected rods whose sections are circles: other rods touch surfaces only'
            )
            return


def _check_points(checks: Checks, refuse: Any, contact: Any, skins: list[Any]) -> None:
    """That skins that touch rods are not asked at too many places."""
    for skin in skins:
        count = sum(skin_points(skin, checks.links[skin.along.link].pieces))
        if count > MOST_POINTS:
            field = "between" if contact.within is None else "within"
            refuse(
                field,
                f'got "{skin.name}", which touches rods at {count} places; expected at most {MOST_POINTS}: give that '
                'skin a larger "spacing" (a quarter of its radius, unless it is given)',
            )
            return


def _check_skin_within(checks: Checks, refuse: Any, contact: Any, skin: Any) -> None:
    field = "between" if contact.within is None else "within"
    if not isinstance(skin, Skin):
        refuse(field, f'got "{contact.sides[0]}"; expected the skin of a rod: nothing else touches itself')
        return
    pieces = [part.piece for part in stretches(checks.links[skin.along.link].pieces, skin.along.from_, skin.along.to)]
    length = sum(piece.length for piece in pieces) * (skin.along.to - skin.along.from_)
    circles = [piece.section.circle for piece in pieces if piece.section.circle is not None]
    if len(circles) < len(pieces):
        return
    radius = min(min(ends(circle.radius)) for circle in circles)
    least = _SHORTEST * radius
    if length < least:
        refuse(
            field,
            f'got "{skin.name}", {length:.3g} m long; expected a skin of at least {least:.3g} m, 2 pi radii: a shorter '
            "one cannot be bent round to touch itself",
        )


def _check_stiffness(checks: Checks, refuse: Any, contact: Any, sides: list[Any], touching: list[str]) -> None:
    """That the materials give a stiffness where none is given. touching: words of what has points."""
    if not any(_has_material(checks, side) for side in sides):
        refuse("stiffness", f'incomplete; expected a "stiffness": both sides of "{contact.name}" are rigid')
    elif set(touching) & set(_SHARP):
        points = "corners" if "box" in touching else "edges"
        refuse("stiffness", f'incomplete; expected a "stiffness": the {points} of "{contact.name}" are sharp')
    elif not isinstance(contact, SkinContact) and contact.exponent != HERTZ:
        refuse("stiffness", 'incomplete; expected a "stiffness", or the exponent 1.5 for that of the materials')


def _link_of(checks: Checks, side: Any) -> Any:
    if isinstance(side, Rigid):
        return side.name
    if isinstance(side, Nodes):
        return side.nodes
    return side.along.link if isinstance(side, Skin) else checks.link_of(side.where.link)


def _has_material(checks: Checks, side: Any) -> bool:
    name = _link_of(checks, side)
    link = checks.links.get(name)
    if link is None and name in checks.kinds:
        return True  # what is wrong with the link has been reported with it
    if isinstance(link, Rod | DividedRod):
        return any(piece.material is not None for piece in link.pieces)
    return link is not None and link.material is not None


def _body(checks: Checks, side: Any) -> Any:
    """What a side moves with, in words: the rod, a place on one, or the last link before the world that its rigid links
    are fixed to; None where it is not known."""
    name, passed = _link_of(checks, side), []
    if isinstance(side, Nodes):
        return f'"{name}"'
    where = getattr(side, "where", None)
    at = getattr(where, "at", None) if getattr(where, "link", None) == name else None
    while name in checks.links and name not in passed:
        link = checks.links[name]
        if isinstance(link, Rod | DividedRod) and not isinstance(side, Skin):
            return None if at is None else f'"{name}" at {at:g} of its length'
        if not isinstance(link, Rigid) or link.joint.word != "fixed":
            return f'"{name}"'
        passed.append(name)
        name, at = checks.link_of(link.parent.link), link.parent.at if link.parent.link in checks.links else None
    return name


def _follows(checks: Checks, side: Any) -> bool:
    """Whether a side moves as joints between it and the world are told to, and not otherwise."""
    name, passed = _link_of(checks, side), []
    while name in checks.links and name not in passed:
        link = checks.links[name]
        if not isinstance(link, Rigid) or not set(VELOCITIES[link.joint.word]) <= prescribed(checks, name):
            return False
        passed.append(name)
        name = checks.link_of(link.parent.link)
    return name == WORLD and not isinstance(side, Nodes)
