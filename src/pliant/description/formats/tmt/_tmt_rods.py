"""ROM joints: a body whose joint has an order is a rod with a polynomial pose."""

from typing import Any, NamedTuple

import numpy as np

from pliant.description.formats.tmt._tmt_document import Document, in_order
from pliant.description.formats.tmt._tmt_geometry import Freedom, freedoms
from pliant.description.formats.tmt._tmt_items import Item
from pliant.description.formats.tmt._tmt_plan import Plan
from pliant.description.formats.tmt._tmt_values import mapped
from pliant.description.language.grammar import STRAINS

_NOT_ON_RODS = {
    "dir": "a rod resists on both sides",
    "xaxis": "the axes of a rod are those of its base",
    "spring.compr": "give the strains at rest in spring.init",
    "refbody": "a rod fixes nothing",
    "fixed": "TMTDyn ignores it for a ROM joint; use a joint of its own",
    "control": "TMTDyn ignores it for a ROM joint; use a joint of its own",
    "tr2nd": "a joint of the main chain ends in the frame of its body",
}
_DOF_LAW = ("equal2", "spring.coeff", "spring.init", "spring.compr", "damp.visc", "damp.pow", "dir", "input")
_STRAIN_OF = ("shear_x", "shear_y", "stretch")
_BEND_OF = ("bend_x", "bend_y", "twist")
_CLOSE = 1e-3  # how far, in parts of its length, a rod may pass the places given for its start
_NEGLIGIBLE = 1e-9


class _Target(NamedTuple):
    """Values of one coordinate at places along a rod: a place, or a component of a quaternion (`measure`)."""

    at: np.ndarray
    values: np.ndarray
    axis: int
    measure: str


def lower_rod(plan: Plan, document: Document, joint: Item) -> None:
    body = int(joint.value("second")[0])
    item = plan.bodies[body - 1]
    length, name = plan.lengths[body], f"body{body}"
    for field in joint.set_fields():
        if field in _NOT_ON_RODS:
            joint.refuse(field, f"expected no {field} in a ROM joint: {_NOT_ON_RODS[field]}")
    first = plan.ends(joint, "first")
    if len(first) != 1:
        joint.refuse("first", "expected one place: a ROM joint is no mesh")
    found, rest = freedoms(joint.items("tr"))
    if rest.words or any(freedom.before.words for freedom in found[1:]):
        joint.notes.refuse(joint.path("tr"), None, "expected the freedoms of a rod in the last tr, and 0 beside inf")
    allow, turn = _allowed(joint, found)
    offset = found[0].before if found else rest
    rod: dict[str, Any] = {
        "name": name,
        "kind": "rod",
        "parent": plan.place(first[0], offset),
        "length": length,
        "section": {"given": _section(joint, item)},
        "allow": allow,
        "model": {"rom": _model(plan, joint, turn)},
    }
    reference = _reference(joint)
    if any(reference.values()):
        rod["reference"] = {**reference, "stretch": 1.0 + reference["stretch"]}
    power = joint.rows("damp.pow", 1, joint.width("damp.pow"))[0]
    powers = power if isinstance(power, list) else [power]
    if len(set(powers)) > 1:
        joint.refuse("damp.pow", "expected one power for all directions: a rod has one")
    if joint.given("damp.pow") and powers[0] != 1:
        rod["damping_power"] = powers[0]
    fields = {
        "length": joint.path("second"),
        "allow": joint.path("tr"),
        "section.given.stiffness": joint.path("spring.coeff"),
        "section.given.damping": joint.path("damp.visc"),
        "section.given.mass": item.path("m"),
        "section.given.rotary": item.path("I"),
        "model.rom.order": joint.path("rom.order"),
        "reference": joint.path("spring.init"),
        "damping_power": joint.path("damp.pow"),
    }
    document.add("links", rod, joint.path(), fields)
    for field in item.given("l.com"):
        if any(item.rows(field, 1, 3)[0]):
            item.refuse(field, "expected 0: the mass of a ROM rod lies on its axis")
    for field in item.given("tip"):
        item.refuse(field, "leave it out: the tip of a ROM rod is where it ends")
    document.start(name, _start(joint, found, length, allow, reference), joint.path("dof"))
    if joint.given("input"):
        value = joint.rows("input", 1, 6)[0]
        stress = mapped(value, lambda row: in_order(row if isinstance(row, list) else [row] * 6))
        number = joint.path().removeprefix("joint(").removesuffix(")")
        actuator = {"name": f"joint{number}", "internal": {"link": name}, "stress": stress}
        document.add("actuators", actuator, joint.path("input"))


def _allowed(joint: Item, found: list[Freedom]) -> tuple[list[str], Freedom | None]:
    """The strains that the freedoms allow, and the freedom of the rotation."""
    names, turn = set(), None
    for freedom in found:
        if freedom.kind == "slide":
            names.add(_STRAIN_OF[freedom.axes[0]])
        elif freedom.measure == "angle" or turn is not None:
            joint.notes.refuse(joint.path("tr"), None, "expected one rotation, a quaternion: [0, inf, inf, inf]")
        else:
            turn = freedom
            names |= {_BEND_OF[axis] for axis in freedom.axes}
    return [strain for strain in STRAINS if strain in names], turn


def _model(plan: Plan, joint: Item, turn: Freedom | None) -> dict[str, Any]:
    model: dict[str, Any] = {"order": joint.value("rom.order")}
    if turn is not None:
        # A quaternion with a free scalar part has freedoms that move nothing; its scalar part is held at 1.
        model["orientation"] = "unit" if turn.measure == "unit" else "scaled"
    points = plan.system.value("par.nint")
    return model if points is None else {**model, "quadrature": points}


def _section(joint: Item, body: Item) -> dict[str, Any]:
    matrix = body.inertias(1)[0]
    if np.any(matrix - np.diag(np.diag(matrix))):
        body.refuse("I", "expected a diagonal matrix: the rotary inertia per length of a rod is about its own axes")
    return {
        "stiffness": in_order(joint.rows("spring.coeff", 1, 6)[0]),
        "damping": in_order(joint.rows("damp.visc", 1, 6)[0]),
        "mass": body.rows("m", 1, 1)[0],
        "rotary": np.diag(matrix).tolist(),
    }


def _reference(joint: Item) -> dict[str, float]:
    """The strains at rest, beyond those of a straight rod."""
    rest = in_order(joint.rows("spring.init", 1, 6)[0])
    if any(np.isnan(rest)):
        joint.refuse("spring.init", "expected numbers: nan is not for a ROM joint")
        rest = [0.0] * 6
    return dict(zip(STRAINS, rest, strict=True))


def _start(
    joint: Item, found: list[Freedom], length: float, allow: list[str], reference: dict[str, float]
) -> dict[str, float]:
    """The strains at the start beyond those at rest, from the places that `dof.init` gives.

    TMTDyn fits a polynomial to them (Eq. 12); here they have to lie on a rod with the same strains all along.
    """
    dofs = joint.items("dof")
    count = sum(len(freedom.dofs) + (freedom.scalar is not None) for freedom in found)
    for number, dof in enumerate(dofs, start=1):
        if number > count:
            joint.notes.refuse(dof.path(), None, f"there is no such degree of freedom; it has {count} (inf in tr)")
        for name in dof.given(*_DOF_LAW):
            dof.refuse(name, f"expected it in joint.{name}: the freedoms of a ROM rod are coefficients of polynomials")
    targets = [
        _target(dofs[number - 1] if number <= len(dofs) else None, joint, length, freedom, axis)
        for freedom in found
        for axis, number in zip(freedom.axes, freedom.dofs, strict=True)
    ]
    start = {}
    if any(dof.given("init") for dof in dofs) and not joint.notes.problems:
        from scipy.optimize import least_squares

        fit = least_squares(lambda own: _misfit(own, allow, targets, length), np.zeros(len(allow)), xtol=1e-12)
        start = dict(zip(allow, fit.x.tolist(), strict=True))
        if np.abs(fit.fun).max() > _CLOSE:
            joint.notes.refuse(
                joint.path("dof"),
                None,
                "the values of init lie on no rod with the same strains all along; expected a straight or stretched "
                "rod, or an arc, with its quaternion where it is bent",
            )
    beyond = {strain: start.get(strain, 0.0) - reference[strain] for strain in allow}
    return {strain: value for strain, value in beyond.items() if abs(value) > _NEGLIGIBLE}


def _target(dof: Item | None, joint: Item, length: float, freedom: Freedom, axis: int) -> _Target:
    """Where one coordinate is at the start; 0 all along where nothing is said, the arclength for z."""
    order = joint.value("rom.order")
    sliding, straight = freedom.kind == "slide", freedom.kind == "slide" and axis == 2
    places = dof.value("init_s") if dof is not None else None
    at = np.ravel(places).astype(float) if places is not None else np.arange(1, order + 1) * length / order
    values = at if straight else np.zeros(len(at))
    if dof is not None and dof.given("init"):
        given = np.ravel(dof.value("init")).astype(float)
        # One zero holds all along the rod.
        values = given if given.any() or straight else values
        if len(values) != len(at):
            dof.refuse("init", f"got {len(values)} values; expected {len(at)}, one for each place of init_s")
            values = np.zeros(len(at))
        if np.any(at > length * (1 + _NEGLIGIBLE)):
            dof.refuse("init_s", f"expected places on the rod, up to {length:g} m")
    return _Target(at, values, axis, "place" if sliding else freedom.measure)


def _misfit(own: np.ndarray, allow: list[str], targets: list[_Target], length: float) -> np.ndarray:
    """How far a rod with these strains is from where it should be, in parts of its length."""
    strain = np.array([own[allow.index(name)] if name in allow else 0.0 for name in STRAINS])
    parts = []
    for target in targets:
        quaternion, place = uniform_pose(strain, target.at)
        if target.measure == "place":
            found = place[:, target.axis] / length
            parts.append(found - target.values / length)
        else:
            part = quaternion[:, 1 + target.axis]
            scale = {"unit": 1.0, "scaled": quaternion[:, 0], "vector": 0.5 * quaternion[:, 0]}[target.measure]
            parts.append(part / scale - target.values)
    return np.concatenate(parts)


def uniform_pose(strain: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quaternions (n, 4) and places (n, 3) along a rod whose strain beyond that of a straight one is the same all
    along."""
    curvature, tangent = strain[:3], strain[3:] + np.array([0.0, 0.0, 1.0])
    size = float(np.linalg.norm(curvature))
    angle = (size * at)[:, None]
    axis = curvature / size if size > 0.0 else curvature
    quaternion = np.concatenate([np.cos(angle / 2), np.sin(angle / 2) * axis], axis=1)
    if size * float(np.max(at)) < _NEGLIGIBLE:
        return quaternion, at[:, None] * tangent
    along = axis * (axis @ tangent)
    across = tangent - along
    return quaternion, at[:, None] * along + (
        np.sin(angle) * across + (1.0 - np.cos(angle)) * np.cross(axis, tangent)
    ) / size
