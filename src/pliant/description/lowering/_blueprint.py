"""The description lowered to what the compute side needs (docs/blueprint.md): structure and numbers apart."""

import dataclasses
import heapq
from typing import Any

from pliant import blueprint
from pliant.blueprint import NO_OFFSET, Blueprint, Place
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
)
from pliant.description.language.grammar import STRAINS
from pliant.description.lowering._lower_actuators import lower_actuator, lower_drive
from pliant.description.lowering._lower_constraints import lower_constraint
from pliant.description.lowering._lower_contacts import lower_contact, lower_surfaces
from pliant.description.lowering._lower_links import lower_link
from pliant.description.lowering._lower_meshes import lower_mesh
from pliant.description.lowering._lower_springs import lower_spring
from pliant.description.lowering._lowering import Lowering, Parameters

SAMPLES = 200  # saved instants where save_every is not given
ZERO = (0.0, 0.0, 0.0)
_MODULI = ("young", "poisson", "density", "viscosity")
_ANALYSES = {kind.kind: kind for kind in (blueprint.Statics, blueprint.Modes, blueprint.Simulate)}


def lower(description: Description) -> tuple[Blueprint, Parameters]:
    """Blueprint and parameters (path -> float64 array) of a robot."""
    robot = description
    links: dict[str, Any] = {link.name: link for link in robot.links}
    rods = {link.name: link.pieces for link in robot.links if isinstance(link, Rod | DividedRod)}
    # A name that is also a link's or a mesh's means the link or the mesh.
    bodies = (WORLD, *links, *(mesh.name for mesh in robot.meshes))
    frames = {frame.name: frame for frame in robot.frames if frame.name not in bodies}
    lowering = Lowering(rods, frames)
    actuators = [part for actuator in robot.actuators for part in lower_actuator(lowering, actuator, links)]
    starts = sorted(robot.initial)
    surfaces = lower_surfaces(lowering, robot)
    lowered = Blueprint(
        robot=robot.robot,
        gravity=lowering.value("", robot, "gravity"),
        materials=tuple(_material(lowering, name, robot.materials[name]) for name in sorted(robot.materials)),
        links=tuple(part for link in _parents_first(robot.links, lowering) for part in lower_link(lowering, link)),
        frames=(*(_frame(lowering, frame) for frame in robot.frames), *_tips(robot.links)),
        loads=tuple(part for load in robot.loads for part in _loads(lowering, load)),
        actuators=(*actuators, *(part for link in robot.links for part in lower_drive(lowering, link))),
        constraints=tuple(lower_constraint(lowering, constraint, links) for constraint in robot.constraints),
        springs=tuple(lower_spring(lowering, spring) for spring in robot.springs),
        meshes=tuple(lower_mesh(lowering, mesh) for mesh in robot.meshes),
        initial=tuple(part for name in starts for part in _initials(lowering, links[name], robot.initial[name])),
        analyses=tuple(analysis_settings(analysis) for analysis in robot.analyses),
        parameters=lowering.info,
        surfaces=tuple(surfaces),
        contacts=tuple(lower_contact(lowering, contact, surfaces) for contact in robot.contacts),
    )
    return lowered, lowering.parameters


def _material(lowering: Lowering, name: str, material: Material) -> blueprint.Material:
    path, gent = f"materials.{name}", material.law.gent
    own = {word: lowering.number(path, material, word) for word in _MODULI}
    limit = None if gent is None else lowering.number(f"{path}.law.gent", gent, "stretch_limit")
    return blueprint.Material(name, **own, law=material.law.word, stretch_limit=limit)


def _frame(lowering: Lowering, frame: Frame) -> blueprint.Frame:
    return blueprint.Frame(frame.name, lowering.where(f"frames.{frame.name}", frame))


def _tips(links: tuple[AnyLink, ...]) -> list[blueprint.Frame]:
    """The name of a divided rod is no link of the blueprint; as a frame it stays the name of the rod's tip."""
    divided = [link for link in links if isinstance(link, DividedRod)]
    return [blueprint.Frame(link.name, Place(link.pieces[-1].name, 1.0, NO_OFFSET)) for link in divided]


def _loads(lowering: Lowering, load: Load) -> list[blueprint.Load]:
    path = f"loads.{load.name}"
    force, moment = (lowering.value(path, load, name, otherwise=ZERO) for name in ("force", "moment"))
    if not isinstance(load, DistributedLoad):
        where = lowering.where(f"{path}.where", load.where)
        return [blueprint.Load(load.name, where, None, force, moment, load.frame)]
    along = lowering.stretches(load.along.link, load.along.from_, load.along.to)
    return [blueprint.Load(load.name, None, stretch, force, moment, load.frame) for stretch, _ in along]


def _initials(lowering: Lowering, link: Link, initial: Initial) -> list[blueprint.Initial]:
    """One entry for each division; the coordinates of the joint are the first's."""
    pieces = lowering.rods.get(link.name, (None,))
    return [_initial(lowering, link.name, piece, initial, first=piece is pieces[0]) for piece in pieces]


def _initial(lowering: Lowering, name: str, piece: Piece | None, initial: Initial, first: bool) -> blueprint.Initial:
    path = f"initial.{name}"
    allowed = () if piece is None else piece.allow

    def strains(prefix: str, part: Any) -> dict[str, Any]:
        given = [strain for strain in STRAINS if strain in allowed and getattr(part, strain) is not None]
        return {strain: lowering.number(prefix, part, strain) for strain in given}

    joint = ("angle", "rate", "displacement", "speed", "position", "angular_velocity", "velocity")
    return blueprint.Initial(
        link=name if piece is None else piece.name,
        strain=strains(path, initial),
        strain_rate=strains(f"{path}.strain_rate", initial.strain_rate),
        rotation=lowering.rotations(f"{path}.rotation", initial.rotation) if first else (),
        **{field: lowering.number(path, initial, field) if first else None for field in joint},
    )


def analysis_settings(analysis: Analysis) -> blueprint.Analysis:
    """Settings are plain numbers: they choose how to compute, and are no part of the robot."""
    settings: Any = _ANALYSES[analysis.word](**dict(analysis.chosen))
    if analysis.statics is not None and analysis.statics.path is not None:
        settings = dataclasses.replace(settings, path=blueprint.LoadPath(**dict(analysis.statics.path)))
    if analysis.simulate is not None:
        settings = dataclasses.replace(settings, save_every=settings.save_every or settings.until / SAMPLES)
        if settings.stepper in IMPLICIT:
            settings = dataclasses.replace(settings, step=settings.step or settings.save_every)
    return settings


def _parents_first(links: tuple[AnyLink, ...], lowering: Lowering) -> list[AnyLink]:
    """The links in the order of the file, except that a parent always stands before its children."""
    children: dict[str, list[int]] = {}
    for index, link in enumerate(links):
        children.setdefault(lowering.link_of(link.parent.link), []).append(index)
    ready, ordered = children.get(WORLD, []), []  # in the order of the file, which makes it a heap
    while ready:
        link = links[heapq.heappop(ready)]
        ordered.append(link)
        for index in children.get(link.name, ()):
            heapq.heappush(ready, index)
    return ordered
