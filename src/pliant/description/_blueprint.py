"""The description lowered to what the compute side needs (docs/blueprint.md): structure and numbers apart."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.description._links import DEFAULT_BASIS, DEFAULT_ORDER, Joint, Rigid, Rod, Section
from pliant.description._part import Choice
from pliant.description._places import WORLD, Offset, Rotation, Where
from pliant.description._programmes import ZERO
from pliant.description._schema import Analysis, Description, Initial, Load
from pliant.description._types import STRAINS

Structure = dict[str, Any]
Parameters = dict[str, NDArray[np.float64]]
DRAWN_SLENDERNESS = 50  # a given section is drawn with a radius of length / 50
SAMPLES = 200  # saved instants where save_every is not given


def lower(description: Description) -> tuple[Structure, Parameters]:
    """Structure (JSON) and parameters (path -> float64 array) of a robot."""
    lowering = _Lowering(description)
    return lowering.structure(), lowering.parameters


class _Lowering:
    def __init__(self, description: Description):
        self.description = description
        self.parameters: Parameters = {}
        self.rods = {link.name for link in description.links if isinstance(link, Rod)}

    def structure(self) -> Structure:
        robot = self.description
        return {
            "robot": robot.robot,
            "gravity": self.value("gravity", robot.gravity),
            "materials": [
                {"name": name, **self.numbers(f"materials.{name}", robot.materials[name])}
                for name in sorted(robot.materials)
            ],
            "links": [self.link(link) for link in parents_first(robot.links)],
            "frames": [
                {"name": frame.name, "where": self.where(f"frames.{frame.name}", frame)} for frame in robot.frames
            ],
            "loads": [self.load(load) for load in robot.loads],
            "initial": [self.initial(name, robot.initial[name]) for name in sorted(robot.initial)],
            "analyses": [analysis_settings(analysis) for analysis in robot.analyses],
        }

    def number(self, path: str, value: Any) -> str | None:
        if value is None:
            return None
        self.parameters[path] = np.asarray(value, dtype=np.float64)
        return f"@{path}"

    def numbers(self, path: str, part: Any) -> dict[str, str | None]:
        """Every field of a part that holds nothing but numbers."""
        names = {name: info.alias or name for name, info in type(part).model_fields.items()}
        return {alias: self.number(f"{path}.{alias}", getattr(part, name)) for name, alias in names.items()}

    def value(self, path: str, programme: Choice | None) -> Structure:
        if programme is None:
            return {"programme": "constant", "value": self.number(path, ZERO)}
        if programme.word == "constant":
            return {"programme": "constant", "value": self.number(path, programme.chosen)}
        return {"programme": programme.word, **self.numbers(f"{path}.{programme.word}", programme.chosen)}

    def rotations(self, path: str, rotations: tuple[Rotation, ...]) -> list[Structure]:
        paths = [path] if len(rotations) == 1 else [f"{path}.{index}" for index in range(len(rotations))]
        return [self.rotation(own, rotation) for own, rotation in zip(paths, rotations, strict=True)]

    def rotation(self, path: str, rotation: Rotation) -> Structure:
        if rotation.quaternion is not None:
            return {"quaternion": self.number(f"{path}.quaternion", rotation.quaternion)}
        if rotation.axis is not None:
            axis = self.axis(f"{path}.axis", rotation.axis)
            return {"axis": axis, "angle": self.number(f"{path}.angle", rotation.angle)}
        letter = next(name for name in ("x", "y", "z") if getattr(rotation, name) is not None)
        return {"axis": letter, "angle": self.number(f"{path}.{letter}", getattr(rotation, letter))}

    def axis(self, path: str, axis: Any) -> str | None:
        return axis if isinstance(axis, str) else self.number(path, axis)

    def offset(self, path: str, offset: Offset) -> Structure:
        return {
            "move": self.number(f"{path}.move", offset.move),
            "rotate": self.rotations(f"{path}.rotate", offset.rotate),
        }

    def where(self, path: str, where: Where) -> Structure:
        at = (1.0 if where.at is None else where.at) if where.link in self.rods else None
        return {
            "link": None if where.link == WORLD else where.link,
            "at": at,
            "offset": self.offset(f"{path}.offset", where.offset),
        }

    def joint(self, path: str, joint: Joint) -> Structure:
        empty: Structure = {"kind": joint.word, "axis": None, "stiffness": None, "damping": None, "rest": None}
        if joint.revolute is None:
            return empty
        path = f"{path}.revolute"
        axis = self.axis(f"{path}.axis", joint.revolute.axis)
        names = ("stiffness", "damping", "rest")
        numbers = {name: self.number(f"{path}.{name}", getattr(joint.revolute, name)) for name in names}
        return {**empty, "axis": axis, **numbers}

    def link(self, link: Rod | Rigid) -> Structure:
        path = f"links.{link.name}"
        common = {
            "name": link.name,
            "kind": link.kind,
            "parent": self.where(f"{path}.parent", link.parent),
            "joint": self.joint(f"{path}.joint", link.joint),
            "material": link.material,
        }
        return {**common, **(self.rod(path, link) if isinstance(link, Rod) else self.rigid(path, link))}

    def rod(self, path: str, rod: Rod) -> Structure:
        return {
            "length": self.number(f"{path}.length", rod.length),
            "section": self.section(f"{path}.section", rod.section, rod.length),
            "allow": list(rod.allow),
            "reference": self.numbers(f"{path}.reference", rod.reference),
            "model": rod_model(rod),
        }

    def section(self, path: str, section: Section, length: float) -> Structure:
        inner = f"{path}.{section.word}"
        numbers = {"kind": section.word, **self.numbers(inner, section.chosen)}
        if section.given is not None:
            if section.given.radius is None:
                numbers["radius"] = self.number(f"{inner}.radius", length / DRAWN_SLENDERNESS)
            return numbers
        return {
            **numbers,
            "torsion": section.torsion,
            "shear_factor": self.number(f"{path}.shear_factor", section.shear_factor),
            "rotary_inertia": section.rotary_inertia,
        }

    def rigid(self, path: str, rigid: Rigid) -> Structure:
        shape: Structure | None = None
        if rigid.shape is not None:
            inner = f"{path}.shape.{rigid.shape.word}"
            if rigid.shape.box is not None:
                shape = {"kind": "box", "size": self.number(inner, rigid.shape.box)}
            else:
                shape = {"kind": rigid.shape.word, **self.numbers(inner, rigid.shape.chosen)}
        return {
            "mass": self.number(f"{path}.mass", rigid.mass),
            "shape": shape,
            "centre": self.number(f"{path}.centre", rigid.centre),
            "inertia": self.number(f"{path}.inertia", rigid.inertia),
        }

    def load(self, load: Load) -> Structure:
        path = f"loads.{load.name}"
        where, along = getattr(load, "where", None), getattr(load, "along", None)
        return {
            "name": load.name,
            "where": None if where is None else self.where(f"{path}.where", where),
            "along": None if along is None else {"link": along.link, "from": along.from_, "to": along.to},
            "force": self.value(f"{path}.force", load.force),
            "moment": self.value(f"{path}.moment", load.moment),
            "frame": load.frame,
        }

    def initial(self, name: str, initial: Initial) -> Structure:
        path = f"initial.{name}"

        def strains(prefix: str, part: Any) -> dict[str, str | None]:
            given = {strain: getattr(part, strain) for strain in STRAINS}
            return {
                strain: self.number(f"{prefix}.{strain}", value) for strain, value in given.items() if value is not None
            }

        return {
            "link": name,
            "strain": strains(path, initial),
            "strain_rate": strains(f"{path}.strain_rate", initial.strain_rate),
            "angle": self.number(f"{path}.angle", initial.angle),
            "rate": self.number(f"{path}.rate", initial.rate),
            "rotation": self.rotations(f"{path}.rotation", initial.rotation),
            "position": self.number(f"{path}.position", initial.position),
            "angular_velocity": self.number(f"{path}.angular_velocity", initial.angular_velocity),
            "velocity": self.number(f"{path}.velocity", initial.velocity),
        }


def rod_model(rod: Rod) -> Structure:
    if rod.model.pcs is not None:
        return {"kind": "pcs", "pieces": rod.model.pcs.pieces, "quadrature": rod.model.pcs.quadrature}
    gvs = rod.model.chosen

    def by_strain(value: Any, default: Any) -> dict[str, Any]:
        return {strain: value.get(strain, default) if isinstance(value, dict) else value for strain in rod.allow}

    return {
        "kind": "gvs",
        "basis": by_strain(gvs.basis, DEFAULT_BASIS),
        "order": by_strain(gvs.order, DEFAULT_ORDER),
        "pieces": gvs.pieces,
        "quadrature": gvs.quadrature,
    }


def analysis_settings(analysis: Analysis) -> Structure:
    """Settings are plain numbers: they choose how to compute, and are no part of the robot."""
    settings = analysis.chosen.model_dump(mode="json", by_alias=True)
    if analysis.simulate is not None:
        settings["save_every"] = settings["save_every"] or settings["until"] / SAMPLES
        if settings["stepper"] == "newmark":
            settings["step"] = settings["step"] or settings["save_every"]
    return {"kind": analysis.word, **settings}


def parents_first(links: tuple[Rod | Rigid, ...]) -> list[Rod | Rigid]:
    """The links in the order of the file, except that a parent always stands before its children."""
    waiting, ordered, placed = list(links), [], {WORLD}
    while waiting:
        ready = next(link for link in waiting if link.parent.link in placed)
        waiting.remove(ready)
        ordered.append(ready)
        placed.add(ready.name)
    return ordered
