"""The description lowered to what the compute side needs (docs/blueprint.md): structure and numbers apart."""

from typing import Any

from pliant.description.language import (
    IMPLICIT,
    WORLD,
    Analysis,
    AnyLink,
    Description,
    DistributedLoad,
    DividedRod,
    Frame,
    Initial,
    Link,
    Load,
    Material,
    Piece,
    Rod,
    stretches,
)
from pliant.description.language.grammar import STRAINS
from pliant.description.lowering._lower_actuators import lower_actuator, lower_drive
from pliant.description.lowering._lower_constraints import lower_constraint
from pliant.description.lowering._lower_links import lower_link
from pliant.description.lowering._lower_meshes import lower_mesh
from pliant.description.lowering._lower_springs import lower_spring
from pliant.description.lowering._lowering import Lowering, Parameters, Structure

SAMPLES = 200  # saved instants where save_every is not given
ZERO = (0.0, 0.0, 0.0)
_MODULI = ("young", "poisson", "density", "viscosity")


def lower(description: Description) -> tuple[Structure, Parameters]:
    """Structure (JSON) and parameters (path -> float64 array) of a robot."""
    robot = description
    links: dict[str, Any] = {link.name: link for link in robot.links}
    rods = {link.name: link.pieces for link in robot.links if isinstance(link, Rod | DividedRod)}
    # A name that is also a link's or a mesh's means the link or the mesh.
    bodies = (WORLD, *links, *(mesh.name for mesh in robot.meshes))
    frames = {frame.name: frame for frame in robot.frames if frame.name not in bodies}
    lowering = Lowering(rods, frames)
    structure = {
        "robot": robot.robot,
        "gravity": lowering.value("gravity", robot.gravity),
        "materials": [_material(lowering, name, robot.materials[name]) for name in sorted(robot.materials)],
        "links": [part for link in _parents_first(robot.links, lowering) for part in lower_link(lowering, link)],
        "frames": [*(_frame(lowering, frame) for frame in robot.frames), *_tips(robot.links)],
        "loads": [part for load in robot.loads for part in _loads(lowering, load)],
        "actuators": [
            *(part for actuator in robot.actuators for part in lower_actuator(lowering, actuator, links)),
            *(part for link in robot.links for part in lower_drive(lowering, link)),
        ],
        "constraints": [lower_constraint(lowering, constraint, links) for constraint in robot.constraints],
        "springs": [lower_spring(lowering, spring) for spring in robot.springs],
        "meshes": [lower_mesh(lowering, mesh) for mesh in robot.meshes],
        "initial": [
            part for name in sorted(robot.initial) for part in _initials(lowering, links[name], robot.initial[name])
        ],
        "analyses": [analysis_settings(analysis) for analysis in robot.analyses],
    }
    return structure, lowering.parameters


def _material(lowering: Lowering, name: str, material: Material) -> Structure:
    path, gent = f"materials.{name}", material.law.gent
    own = {word: lowering.number(f"{path}.{word}", getattr(material, word)) for word in _MODULI}
    limit = lowering.number(f"{path}.law.gent.stretch_limit", None if gent is None else gent.stretch_limit)
    return {"name": name, **own, "law": material.law.word, "stretch_limit": limit}


def _frame(lowering: Lowering, frame: Frame) -> Structure:
    return {"name": frame.name, "where": lowering.where(f"frames.{frame.name}", frame)}


def _tips(links: tuple[AnyLink, ...]) -> list[Structure]:
    """The name of a divided rod is no link of the blueprint; as a frame it stays the name of the rod's tip."""
    return [
        {
            "name": link.name,
            "where": {"link": link.pieces[-1].name, "at": 1.0, "offset": {"move": None, "rotate": []}},
        }
        for link in links
        if isinstance(link, DividedRod)
    ]


def _loads(lowering: Lowering, load: Load) -> list[Structure]:
    path = f"loads.{load.name}"

    def value(name: str) -> Structure:
        programme = getattr(load, name)
        own = f"{path}.{name}"
        return lowering.constant(own, ZERO) if programme is None else lowering.value(own, programme)

    common = {"force": value("force"), "moment": value("moment"), "frame": load.frame}
    if not isinstance(load, DistributedLoad):
        return [{"name": load.name, "where": lowering.where(f"{path}.where", load.where), "along": None, **common}]
    along = load.along
    return [
        {
            "name": load.name,
            "where": None,
            "along": {"link": part.piece.name, "from": part.begin, "to": part.end},
            **common,
        }
        for part in stretches(lowering.rods[along.link], along.from_, along.to)
    ]


def _initials(lowering: Lowering, link: Link, initial: Initial) -> list[Structure]:
    """One entry for each division; the coordinates of the joint are the first's."""
    pieces = lowering.rods.get(link.name, (None,))
    return [_initial(lowering, link.name, piece, initial, first=piece is pieces[0]) for piece in pieces]


def _initial(lowering: Lowering, name: str, piece: Piece | None, initial: Initial, first: bool) -> Structure:
    path = f"initial.{name}"
    allowed = () if piece is None else piece.allow

    def strains(prefix: str, part: Any) -> dict[str, str | None]:
        given = {strain: getattr(part, strain) for strain in STRAINS if strain in allowed}
        return {
            strain: lowering.number(f"{prefix}.{strain}", value) for strain, value in given.items() if value is not None
        }

    joint = ("angle", "rate", "displacement", "speed", "position", "angular_velocity", "velocity")
    return {
        "link": name if piece is None else piece.name,
        "strain": strains(path, initial),
        "strain_rate": strains(f"{path}.strain_rate", initial.strain_rate),
        "rotation": lowering.rotations(f"{path}.rotation", initial.rotation) if first else [],
        **{field: lowering.number(f"{path}.{field}", getattr(initial, field)) if first else None for field in joint},
    }


def analysis_settings(analysis: Analysis) -> Structure:
    """Settings are plain numbers: they choose how to compute, and are no part of the robot."""
    settings = analysis.chosen.model_dump(mode="json", by_alias=True)
    if analysis.simulate is not None:
        settings["save_every"] = settings["save_every"] or settings["until"] / SAMPLES
        if settings["stepper"] in IMPLICIT:
            settings["step"] = settings["step"] or settings["save_every"]
    return {"kind": analysis.word, **settings}


def _parents_first(links: tuple[AnyLink, ...], lowering: Lowering) -> list[AnyLink]:
    """The links in the order of the file, except that a parent always stands before its children."""
    waiting, ordered, placed = list(links), [], {WORLD}
    while waiting:
        ready = next(link for link in waiting if lowering.link_of(link.parent.link) in placed)
        waiting.remove(ready)
        ordered.append(ready)
        placed.add(ready.name)
    return ordered
