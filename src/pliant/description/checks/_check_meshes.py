"""Whether meshes fit the rest of the robot, and what stands on their nodes."""

from collections.abc import Iterator
from typing import Any

from pliant.description.checks._checks import Checks
from pliant.description.checks._outline import hole_problem
from pliant.description.language import WORLD, CoordinateTie, Point, TendonActuator
from pliant.description.language.grammar import Finding, Location, is_mapping, show


def check_meshes(checks: Checks) -> None:
    materials = checks.data.get("materials")
    materials = list(materials) if is_mapping(materials) else []
    for index, item in checks.items("meshes"):
        place: Location = ("meshes", index)
        if item.get("name") in (WORLD, *checks.kinds):
            taken = "the world" if item["name"] == WORLD else "a link"
            checks.wrong((*place, "name"), item["name"], f"a name of its own: {taken} is called so")
        where = item.get("where")
        if where is not None:
            checks.place(where, (*place, "where"), world=True)
            _check_start(checks, where, (*place, "where"))
        beam = item.get("beam")
        if is_mapping(beam):
            checks.known(beam.get("material"), (*place, "beam", "material"), "a material", materials)
    for index, mesh in checks.valid_items("meshes"):
        problem = hole_problem(mesh.beam.section) if mesh.beam is not None and mesh.beam.section is not None else ""
        if problem:
            checks.findings.append(Finding(("meshes", index, "beam", "section", "holes"), None, problem))
        material = None if mesh.beam is None else mesh.beam.material
        law = checks.hyperelastic.get(material or "")
        if law is not None:
            expected = f"a material of the law hooke: edges of a mesh have no other (this one has {law})"
            checks.wrong(("meshes", index, "beam", "material"), material, expected)
    for index, item in checks.items("links"):
        _refuse_mesh(checks, item.get("parent"), ("links", index, "parent"), "a link hangs")
    _check_points(checks)


def _check_start(checks: Checks, where: Any, location: Location) -> None:
    """A mesh lies in the world: its nodes go their own ways from there."""
    link = where.get("link", WORLD) if is_mapping(where) else where
    end = checks.link_of(link) if isinstance(link, str) else None
    if end in checks.meshes or end in checks.kinds:
        expected = "a place in the world, or a frame there: the nodes of a mesh are free of any link"
        checks.wrong(location, where, expected)


def _refuse_mesh(checks: Checks, place: Any, location: Location, stands: str) -> None:
    link = place.get("link") if is_mapping(place) else place
    if isinstance(link, str) and checks.link_of(link) in checks.meshes:
        expected = f"a link, a frame on one, or the world: {stands} on no mesh (tie it to a node by a constraint)"
        checks.wrong(location, place, expected)


def _check_points(checks: Checks) -> None:
    """Nodes between axial edges are points: nothing can turn them, and nothing stands beside them."""
    axial = [name for name, mesh in checks.meshes.items() if mesh is not None and mesh.kind == "axial"]
    for location, place, turning in _places(checks):
        name = checks.link_of(place.link)
        if name not in axial:
            continue
        offset = place.offset.move is not None or place.offset.rotate
        what = 'an "offset"' if offset else turning
        if what:
            points = f'the nodes of "{name}", whose edges are axial, are points'
            message = f"got {what}; expected only forces on the node itself: {points}"
            checks.findings.append(Finding(location, name, message))


def _places(checks: Checks) -> Iterator[tuple[Location, Any, str]]:
    """Every place that may be a node, with what there would turn it, in words."""
    for index, frame in checks.valid_items("frames"):
        yield ("frames", index), frame, ""
    for index, load in checks.valid_items("loads"):
        if hasattr(load, "where"):
            none = load.moment is None or (load.moment.constant is not None and not any(load.moment.constant))
            yield ("loads", index, "where"), load.where, "" if none else 'a "moment"'
    for index, actuator in checks.valid_items("actuators"):
        route = actuator.tendon.route if isinstance(actuator, TendonActuator) else ()
        for number, item in enumerate(route if isinstance(route, tuple) else ()):
            if isinstance(item, Point):
                yield ("actuators", index, "tendon", "route", number), item, "" if item.move is None else 'a "move"'
    for index, constraint in checks.valid_items("constraints"):
        if isinstance(constraint, CoordinateTie):
            continue
        turned = [name for name in constraint.fix or () if name.startswith("r")]
        words = f'"fix" of {show(turned)}' if turned else ""
        if constraint.joint is not None and constraint.joint.word != "spherical":
            words = f"a {constraint.joint.word} joint"
        for number, place in enumerate(constraint.between):
            yield ("constraints", index, "between", number), place, words
    for index, spring in checks.valid_items("springs"):
        for number, place in enumerate(spring.between):
            yield ("springs", index, "between", number), place, 'a "beam"' if spring.kind == "beam" else ""
