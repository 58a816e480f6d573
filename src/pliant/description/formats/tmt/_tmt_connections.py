"""Linking joints and external loads: springs, beams, constraints and forces between bodies that others hold."""

import math
from typing import Any

import numpy as np

from pliant.description.formats.tmt._tmt_document import ACTS, Document, in_order
from pliant.description.formats.tmt._tmt_geometry import Offset, fixed_offset
from pliant.description.formats.tmt._tmt_items import Item
from pliant.description.formats.tmt._tmt_plan import End, Plan, elements
from pliant.description.formats.tmt._tmt_start import Start, quaternion_of
from pliant.description.formats.tmt._tmt_values import mapped
from pliant.description.language import DIRECTIONS
from pliant.description.language.grammar import is_mapping

_LAW = ("spring.coeff", "spring.init", "spring.compr", "damp.visc", "damp.pow", "input")
_TOUCHING = 1e-6  # metres and radians: nearer places are meant to be one
_NEEDS = {
    "spring.init": ("spring.coeff",),
    "spring.compr": ("spring.init",),
    "damp.pow": ("damp.visc",),
    "dir": ("spring.coeff", "damp.visc"),
    "xaxis": ("spring.coeff", "damp.visc", "input"),
    "control": ("fixed",),
    "refbody": ("fixed",),
}


def lower_connection(plan: Plan, document: Document, start: Start, joint: Item) -> None:
    """A joint that is not in the main chain: a spring and damper, a constraint, or both."""
    _check(joint)
    pairs = plan.pairs(joint)
    ends = [fixed_offset(joint.items("tr")), fixed_offset(joint.items("tr2nd"), whole_quaternion=True)]
    if joint.given("spring.coeff", "damp.visc", "input"):
        _springs(plan, document, joint, pairs, ends)
    if joint.given("fixed"):
        _constraints(plan, document, start, joint, pairs, ends)


def _check(joint: Item) -> None:
    for dof in joint.items("dof")[:1]:
        message = "the joint holds no body (an earlier one has it as second); expected dof only where inf is in tr"
        joint.notes.refuse(dof.path(), None, message)
    if joint.given("rom.order"):
        joint.refuse("rom.order", "expected it in the first joint of its body; a linking joint is a beam: six columns")
    for field, needed in _NEEDS.items():
        if joint.given(field) and not joint.given(*needed):
            joint.refuse(field, f"it shapes nothing; expected {' or '.join(needed)} beside it")
    if not joint.given("spring.coeff", "damp.visc", "input", "fixed"):
        joint.refuse("", "it does nothing; expected spring.coeff, damp.visc, input or fixed, or a body that it holds")


def law(joint: Item, count: int) -> tuple[str, list[dict[str, Any]]]:
    """Whether springs are axial or beams, and the words of each."""
    beam = any(joint.width(name) == 6 for name in _LAW)
    columns = 6 if beam else 1
    laws = []
    given = {name: joint.rows(name, count, columns) for name in joint.given(*_LAW[:-1])}
    sides = _sides(joint, count, beam)
    rest = given.get("spring.init") or [[0.0] * 6 if beam else 0.0] * count
    for index in range(count):
        own: dict[str, Any] = {"rest": _rest(rest[index])}
        for word, name in (("stiffness", "spring.coeff"), ("damping", "damp.visc")):
            if name in given:
                own[word] = given[name][index]
        for word, name in (("damping_power", "damp.pow"), ("rest_ratio", "spring.compr")):
            if name in given:
                own[word] = given[name][index]
        if beam:
            own = {word: in_order(value) for word, value in own.items()}
        if sides is not None:
            own["acts"] = sides[index]
        laws.append(own)
    return ("beam" if beam else "axial"), laws


def _rest(value: Any) -> Any:
    if isinstance(value, list):
        return [_rest(item) for item in value]
    return "initial" if math.isnan(value) else value


def _sides(joint: Item, count: int, beam: bool) -> list[Any] | None:
    if not joint.given("dir"):
        return None
    if not beam and joint.width("dir") == 3:
        joint.refuse("dir", "expected one number: a spring with one column acts along the line between its ends")
        return None
    rows = joint.rows("dir", count, 3 if beam else 1)
    if not beam:
        return [ACTS[int(value)] for value in rows]
    # The directions of the local frame: rotations act on both sides.
    return [dict(zip(("x", "y", "z"), (ACTS[int(value)] for value in row), strict=True)) for row in rows]


def _springs(plan: Plan, document: Document, joint: Item, pairs: list[tuple[End, End]], ends: list[Offset]) -> None:
    kind, laws = law(joint, len(pairs))
    if kind == "beam":
        ends = _turned(joint, ends, len(pairs))
    elif joint.given("xaxis"):
        joint.refuse("xaxis", "expected it beside six columns: a spring with one column has no axes")
    inputs = joint.rows("input", len(pairs), 6 if kind == "beam" else 1)
    if joint.given("input", "dir") == ["input", "dir"] and np.any(joint.value("dir")):
        joint.refuse("dir", "expected 0 beside an input: an actuator acts on both sides")
    words = {"stiffness": "spring.coeff", "damping": "damp.visc", "rest": "spring.init", "acts": "dir"}
    words |= {"damping_power": "damp.pow", "rest_ratio": "spring.compr"}
    origin = {f"{kind}.{word}": joint.path(name) for word, name in words.items()}
    for index, pair in enumerate(pairs):
        between = [plan.place(end, offset) for end, offset in zip(pair, ends, strict=True)]
        spring = {"name": elements(joint, "", len(pairs), index), "between": between, kind: laws[index]}
        if joint.given("input"):
            spring["force"] = mapped(inputs[index], lambda row: in_order(row) if kind == "beam" else row)
        document.add("springs", spring, joint.path(), {**origin, "force": joint.path("input")})


def _turned(joint: Item, ends: list[Offset], count: int) -> list[Offset]:
    """The frames of a beam with their x axes turned towards `xaxis`, about their z axes."""
    if not joint.given("xaxis"):
        return ends
    rows = joint.rows("xaxis", count, 3)
    if any(row != rows[0] for row in rows):
        joint.refuse("xaxis", "expected the same direction for all elements; make a joint for each")
    x, y, _ = rows[0]
    if not (x or y):
        joint.refuse("xaxis", "expected a direction that is not along the z axis of the beam")
    for end in ends:
        if math.atan2(y, x):
            end.turned({"z": math.atan2(y, x)})
    return ends


def _constraints(
    plan: Plan, document: Document, start: Start, joint: Item, pairs: list[tuple[End, End]], ends: list[Offset]
) -> None:
    count = len(pairs)
    width = joint.width("fixed")
    rows = [row if isinstance(row, list) else [row] for row in joint.rows("fixed", count, width)]
    control = _control(joint, count)
    for index, pair in enumerate(pairs):
        fixed = [number for number, flag in enumerate(rows[index]) if flag]
        if not fixed:
            joint.refuse("fixed", "expected at least one direction set to 1")
            continue
        keys = {"first": pair[0], "second": pair[1]}
        frame = plan.reference(joint, {key: end for key, end in keys.items() if end.body})
        if frame in keys and ends[list(keys).index(frame)].rotations:
            joint.refuse("refbody", f"expected no rot in the transformation of its {frame} end, whose axes are meant")
        between = [plan.place(end, offset) for end, offset in zip(pair, ends, strict=True)]
        apart = _aligned(start, between, fixed, frame or "world")
        item: dict[str, Any] = {
            "name": elements(joint, "fixed", count, index),
            "between": between,
            "fix": [DIRECTIONS[number] for number in fixed],
            "frame": frame or "world",
        }
        if control is None and any(abs(value) > _TOUCHING for value in apart):
            item["follow"] = apart if len(apart) > 1 else apart[0]
        if control is not None:
            chosen = mapped(control[index], lambda row, fixed=fixed: _chosen(row, fixed))
            item["control"] = {"acceleration": chosen}
        origin = {"fix": joint.path("fixed"), "control": joint.path("control"), "frame": joint.path("refbody")}
        document.add("constraints", item, joint.path(), origin)


def _aligned(start: Start, between: list[dict[str, Any]], fixed: list[int], frame: str) -> list[float]:
    """How far apart the places are at the start, along the fixed directions; rotations are measured from there.

    TMTDyn's constraints are on accelerations (Eq. 41) and hold what is there at the start.
    """
    (turn, place), (other, there) = (start.place(end) for end in between)
    relative = other.T @ turn
    if any(number >= 3 for number in fixed) and np.abs(relative - np.eye(3)).max() > _TOUCHING:
        offset = between[1].get("offset", {})
        aligning = {"quaternion": quaternion_of(relative)}
        between[1]["offset"] = {**offset, "rotate": [*offset.get("rotate", ()), aligning]}
    axes = {"first": turn, "second": other}.get(frame, np.eye(3))
    apart = axes.T @ (there - place)
    return [float(apart[number]) if number < 3 else 0.0 for number in fixed]


def _chosen(row: Any, fixed: list[int]) -> Any:
    """The accelerations of the fixed directions; one number alone where one is fixed."""
    if not isinstance(row, list):
        row = [row] * 6
    chosen = [row[number] if number < len(row) else 0.0 for number in fixed]
    return chosen[0] if len(chosen) == 1 else chosen


def _control(joint: Item, count: int) -> list[Any] | None:
    """A plain 0 holds the directions; a symbol or another number asks for an acceleration."""
    value = joint.value("control")
    if value is None or (not is_mapping(value) and not joint.is_symbol("control") and not np.any(value)):
        return None
    return joint.rows("control", count, joint.width("control"))


def lower_load(plan: Plan, document: Document, load: Item) -> None:
    if not load.given("exbody"):
        load.refuse("exbody", "missing; expected the number of the body that the load acts on")
        return
    points = plan.ends(load, "exbody")
    offset = fixed_offset(load.items("tr"), whole_quaternion=True)
    # A load has the axes of the ground or of its body, whatever the transformation to its point turns.
    there = Offset(move=offset.move)
    # Points of a net take no moment, so one is left out where it is zero for good.
    changing = is_mapping(load.value("ftau")) or load.is_symbol("ftau")
    rows = load.rows("ftau", len(points), load.width("ftau") if load.given("ftau") else 6)
    number = load.path().removeprefix("exload(").removesuffix(")")
    for index, point in enumerate(points):
        if point.body == 0:
            load.refuse("exbody", "expected a body: a load on the ground moves nothing")
            continue
        frame = plan.reference(load, {"body": point})
        name = f"exload{number}" if len(points) == 1 else f"exload{number}-{index + 1}"
        item = {"name": name, "where": plan.place(point, there), "frame": frame or "world"}
        row = rows[index]
        item["force"] = mapped(row, lambda values: values[:3])
        if load.width("ftau") == 6 and (changing or any(row[3:])):
            item["moment"] = mapped(row, lambda values: values[3:])
        document.add("loads", item, load.path(), {"force": load.path("ftau"), "moment": load.path("ftau")})
