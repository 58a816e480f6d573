"""Whether surfaces and contacts fit each other, and the places and links they name."""

import math
from typing import Any

from pliant.blueprint import HERTZ
from pliant.description.checks._checks import Checks
from pliant.description.language import (
    MOST_POINTS,
    POINTED,
    SAMPLED_WORDS,
    WORLD,
    DividedRod,
    Rigid,
    Rod,
    Skin,
    SkinContact,
    SolidSurface,
    ends,
    radius_of,
    reach_of,
    samples_first,
    skin_points,
    stretches,
)
from pliant.description.language.grammar import Finding, Location, is_list, is_mapping, one_of

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
        along = item.get("along")
        if is_mapping(along) and checks.rod(along.get("link"), (*place, "along", "link")):
            rod = checks.links.get(along.get("link"))
            _check_round(checks, (*place, "along", "link"), rod)


def _check_round(checks: Checks, place: Location, rod: Any) -> None:
    if isinstance(rod, Rod | DividedRod) and any(piece.section.circle is None for piece in rod.pieces):
        checks.wrong(place, rod.name, "a rod whose sections are circles: other skins are not known yet")


def _check_pair(checks: Checks, place: Location, contact: Any, sides: list[Any]) -> None:
    words = [getattr(side, "shape", side).word for side in sides]
    bodies = [_body(checks, side) for side in sides]

    def refuse(field: str, message: str) -> None:
        value = getattr(contact, field)
        checks.findings.append(Finding((*place, field), list(value) if field == "between" else value, message))

    if contact.sides[0] == contact.sides[1]:
        _check_skin_within(checks, refuse, contact, sides[0])
    elif bodies[0] is not None and bodies[0] == bodies[1]:
        where = "stand in the world" if bodies[0] == WORLD else f'are on "{bodies[0]}"'
        refuse("between", f'both sides of "{contact.name}" {where}; expected sides that move against each other')
    elif not set(words) & set(POINTED):
        shapes = " and ".join(f"a {word}" for word in words)
        refuse("between", f"got {shapes}, of which neither has points that touch; expected one of: {one_of(POINTED)}")
    elif contact.stiffness is None:
        _check_stiffness(checks, refuse, contact, sides, words)
    if words == ["skin", "skin"]:
        _check_points(checks, refuse, contact, sides)


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
    radius = min(min(ends(piece.section.circle.radius)) for piece in pieces if piece.section.circle is not None)
    least = _SHORTEST * radius
    if length < least:
        refuse(
            field,
            f'got "{skin.name}", {length:.3g} m long; expected a skin of at least {least:.3g} m, 2 pi radii: a shorter '
            "one cannot be bent round to touch itself",
        )


def _check_stiffness(checks: Checks, refuse: Any, contact: Any, sides: list[Any], words: list[str]) -> None:
    """That the materials give a stiffness where none is given."""
    if not any(_has_material(checks, side) for side in sides):
        refuse("stiffness", f'incomplete; expected a "stiffness": both sides of "{contact.name}" are rigid')
    elif words[samples_first(words)[0]] == "box":
        refuse("stiffness", f'incomplete; expected a "stiffness": the corners of "{contact.name}" are sharp')
    elif not isinstance(contact, SkinContact) and contact.exponent != HERTZ:
        refuse("stiffness", 'incomplete; expected a "stiffness", or the exponent 1.5 for that of the materials')


def _link_of(checks: Checks, side: Any) -> Any:
    if isinstance(side, Rigid):
        return side.name
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
    """What a side moves with: the rod, or the last link before the world that its rigid links are fixed to."""
    name, passed = _link_of(checks, side), []
    while name in checks.links and name not in passed:
        link = checks.links[name]
        if not isinstance(link, Rigid) or link.joint.word != "fixed":
            return None if isinstance(link, Rod | DividedRod) and not isinstance(side, Skin) else name
        passed.append(name)
        name = checks.link_of(link.parent.link)
    return name
