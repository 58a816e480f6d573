"""Random robots, as the data of robot files: trees of joints, bodies and rods with whatever acts on them.

What a robot is made of follows from one source of random numbers, its numbers from another: robots of one structure
differ in numbers alone, and share what JAX compiles for them.
"""

import copy
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pliant
from pliant.description._robot import Robot
from pliant.description.language import VELOCITIES
from pliant.description.language.grammar import STRAINS, Tree
from pliant.lie import quaternion

Data = dict[str, Any]

JOINTS = tuple(VELOCITIES)
MODELS = ("gvs", "pcs", "rom", "srl", "ebr", "eba", "cog", "integral")
LARGEST = 12  # degrees of freedom: what compiles soon
_ATTEMPTS = 200
_PLANES = (["bend_y", "shear_x", "stretch"], ["bend_x", "shear_y", "stretch"])
_WHOLE_POSES = (*_PLANES, ["twist", "stretch"], ["stretch"])
_ARC = ["bend_x", "bend_y", "stretch"]
_TIES = {"spherical": 3, "planar": 3, "cylindrical": 4, "universal": 4, "revolute": 5}  # rows of a joint that ties
CUT = "loads.clock.force.ramp.start"  # a load of nothing that cuts runs in two, wherever it is put
LOOP = "loop"  # the constraint whose second place is put where the first one is


class Part(NamedTuple):
    """A link that others may hang on: its name, whether it is a rod, how far a place beside it lies from it [m]."""

    name: str
    is_rod: bool
    size: float
    joint: str
    length: float = 0.0
    allow: tuple[str, ...] = ()


class Maker:
    """choose: decides what the robot is made of; numbers: gives its numbers. Neither is asked for the other."""

    def __init__(self, choose: Random, numbers: Random, joint: str, model: str) -> None:
        self.choose, self.numbers = choose, numbers
        self._forced = (joint, model)
        self.links: list[Data] = []
        self.parts: list[Part] = []
        self.data: Data = {"robot": "random"}

    # Numbers

    def about(self, value: float, spread: float = 1.6) -> float:
        """A number of this size: within a factor either way."""
        return float(f"{value * spread ** self.numbers.uniform(-1.0, 1.0):.5g}")

    def between(self, low: float, high: float) -> float:
        return float(f"{self.numbers.uniform(low, high):.5g}")

    def vector(self, size: float, count: int = 3) -> list[float]:
        return [self.between(-size, size) for _ in range(count)]

    def maybe(self, share: float) -> bool:
        return self.choose.random() < share

    def tapering(self, value: float) -> Any:
        return [self.about(value, 1.3), self.about(0.7 * value, 1.3)] if self.maybe(0.4) else self.about(value, 1.3)

    # The whole

    def robot(self) -> Data:
        """The data of a robot file."""
        data = self.data
        data["gravity"] = self._gravity()
        data["materials"] = {f"stuff-{i}": self._material() for i in range(self.choose.choice((1, 1, 2)))}
        joint, model = self._forced
        count = self.choose.choice((2, 2, 3, 3, 4))
        forced = self.choose.randrange(count)
        hinged = self.choose.randrange(count)
        for index in range(count):
            self._link(index, model if index == forced else None, joint if index == hinged else None)
        data["links"] = self.links
        end = self.choose.choice(self.parts)
        data["frames"] = [{"name": "mark", **self._place(end), "offset": self._offset(end.size)}]
        for section, most, make in (
            ("loads", 3, self._load),
            ("actuators", 3, self._actuator),
            ("springs", 2, self._spring),
        ):
            found = [make(index) for index in range(self.choose.randrange(most + 1))]
            data[section] = [item for item in found if item is not None]
        nothing = {"ramp": {"to": [0.0, 0.0, 0.0], "over": 1e3, "start": 0.5}}
        data["loads"].append({"name": "clock", "where": {"link": self.parts[0].name}, "force": nothing})
        data["constraints"] = self._constraints()
        data["initial"] = {}
        for part, link in zip(self.parts, self.links, strict=True):
            if self.maybe(0.5):
                data["initial"][part.name] = self._initial(part, link)
        return {key: value for key, value in data.items() if value not in ([], {})}

    def _gravity(self) -> Any:
        if self.maybe(0.15):
            return [0.0, 0.0, 0.0]
        if self.maybe(0.15):
            return {self.choose.choice(("ramp", "ease")): {"to": [0.0, 0.0, -9.81], "over": self.between(0.01, 0.1)}}
        return self.vector(9.0)

    def _material(self) -> Data:
        law = self.choose.choice(("hooke",) * 4 + ("neo-hookean", "gent"))
        data = {
            "young": self.about(2e5, 5.0),
            "poisson": self.between(-0.2, 0.49) if law == "hooke" else 0.5,
            "density": self.about(1000.0, 1.5),
        }
        if self.maybe(0.85):
            data["viscosity"] = self.about(200.0, 4.0)
        if law == "gent":
            data["law"] = {"gent": {"stretch_limit": self.between(2.0, 8.0)}}
        elif law != "hooke":
            data["law"] = law
        return data

    # Links

    def _link(self, index: int, model: str | None, joint: str | None) -> None:
        parent = None if not self.parts or self.maybe(0.2) else self.choose.choice(self.parts)
        if joint is None:
            joint = self.choose.choices(JOINTS, (6, 4, 2, 1, 1, 1, 1, 1, 0.5))[0]
        rod = model is not None or self.maybe(0.4)
        data: Data = {"name": f"{'rod' if rod else 'body'}-{index}", "kind": "rod" if rod else "rigid"}
        if parent is not None or self.maybe(0.3):
            place = {"link": "world"} if parent is None else self._place(parent)
            data["parent"] = {**place, "offset": self._offset(0.1 if parent is None else parent.size)}
        written = self._joint(joint)
        if written != "fixed":
            data["joint"] = written
        if rod:
            self._rod(data, joint, model or self.choose.choice(MODELS))
        else:
            self._body(data, joint)
        self.links.append(data)

    def _offset(self, size: float) -> Data:
        offset: Data = {}
        if self.maybe(0.7):
            offset["move"] = self.vector(size)
        if self.maybe(0.5):
            kind = self.choose.randrange(3)
            angle = self.between(-2.0, 2.0)
            axis = self.vector(1.0)
            quaternion = [1.0, *self.vector(0.8)]
            turns: tuple[Data, ...] = (
                {self.choose.choice("xyz"): angle}, {"axis": axis, "angle": angle}, {"quaternion": quaternion},
            )  # fmt: skip
            offset["rotate"] = turns[kind]
        return offset

    def _place(self, part: Part) -> Data:
        place: Data = {"link": part.name}
        if part.is_rod and self.maybe(0.5):
            # Where a place lies among the pieces of a rod is structure.
            place["at"] = self.choose.choice((0.25, 0.5, 0.6, 1.0))
        return place

    def _axis(self) -> Any:
        return self.choose.choice("xyz") if self.maybe(0.6) else [1.0, *self.vector(1.5, 2)]

    def _joint(self, kind: str) -> Any:
        if kind == "fixed":
            return "fixed"
        own: Data = {}
        if kind in ("revolute", "prismatic", "helical", "cylindrical"):
            own["axis"] = self._axis()
        if kind == "helical":
            own["pitch"] = self.choose.choice((1, -1)) * self.about(0.05)
        if kind == "universal" and self.maybe(0.7):
            own["axes"] = [[1.0, *self.vector(0.5, 2)], [0.0, 1.0, self.between(-0.5, 0.5)]]
        if kind == "planar":
            own["axis"] = self.choose.choice("xyz")
        names = VELOCITIES[kind]

        def each(turning: Callable[[], float], sliding: Callable[[], float]) -> Any:
            values = [turning() if name.startswith("ang") else sliding() for name in names]
            return values[0] if len(names) == 1 else values

        # A joint without a spring has nowhere to rest; a few of them may be so.
        if self.maybe(0.93) or kind == "free":
            own["stiffness"] = each(lambda: self.about(0.3, 3.0), lambda: self.about(60.0, 3.0))
        if self.maybe(0.85):
            own["damping"] = each(lambda: self.about(4e-3, 3.0), lambda: self.about(0.6, 3.0))
        if "stiffness" in own and self.maybe(0.4):
            own["rest"] = each(lambda: self.between(-0.4, 0.4), lambda: self.between(-0.02, 0.02))
            if self.maybe(0.3):
                own["rest_ratio"] = self.between(0.6, 1.0)
        if "damping" in own and self.maybe(0.15):
            own["damping_power"] = self.between(1.0, 2.0)
        if "stiffness" in own and kind not in ("spherical", "free") and self.maybe(0.08):
            own["acts"] = self.choose.choice(("compression", "tension"))
        return {kind: own} if own else kind

    def _body(self, data: Data, joint: str) -> None:
        shapes: tuple[Data, ...] = (
            {"box": [self.about(0.05) for _ in range(3)]},
            {"sphere": {"radius": self.about(0.025)}},
            {"cylinder": {"radius": self.about(0.02), "length": self.about(0.08)}},
        )
        kind = self.choose.randrange(3)
        if kind < 2:
            data["shape"] = self.choose.choice(shapes)
        if kind == 0:
            data["material"] = self.choose.choice(list(self.data["materials"]))
        else:
            data["mass"] = self.about(0.1)
        if kind == 2:
            moment = self.about(1e-4)
            data["inertia"] = [moment, self.between(1.0, 1.3) * moment, self.between(0.8, 1.4) * moment]
            if self.maybe(0.5):
                data["inertia"] += [self.between(-0.1, 0.1) * moment for _ in range(3)]
        if self.maybe(0.6):
            data["centre"] = self.vector(0.05)
        self.parts.append(Part(data["name"], False, 0.08, joint))

    def _rod(self, data: Data, joint: str, model: str) -> None:
        length = self.about(0.2, 1.5)
        data["length"] = length
        data["model"], allow = self._model(model)
        arc = model in ("cog", "integral")
        if list(allow) != list(STRAINS):
            data["allow"] = list(allow)
        radius = 0.014
        data["section"] = self._section(radius, arc, set(allow) <= set(_ARC), "twist" not in allow and model == "gvs")
        if not data["section"].keys() & {"given", "muscles"}:
            data["material"] = self.choose.choice(list(self.data["materials"]))
        if not arc and self.maybe(0.3):
            curved = [name for name in ("bend_x", "bend_y", "twist") if self.maybe(0.4)]
            data["reference"] = {name: self.between(-3.0, 3.0) for name in curved}
            if model not in ("rom", "eba") and self.maybe(0.3):
                data["reference"]["stretch"] = self.between(0.95, 1.1)
        if self.maybe(0.08):
            data["damping_power"] = self.between(1.0, 1.8)
        if self.maybe(0.1):
            data["update"] = "mean-stretch"
        self.parts.append(Part(data["name"], True, 0.02, joint, length, tuple(allow)))

    def _model(self, model: str) -> tuple[Data, list[str]]:
        some = sorted(self.choose.sample(STRAINS, self.choose.choice((1, 2, 2, 3))), key=STRAINS.index)
        pieces = self.choose.choice((1, 2, 2, 3))
        if model == "gvs":
            own: Data = {"order": self.choose.choice((0, 1, 1, 2))}
            if self.maybe(0.4):
                own["order"] = {strain: self.choose.choice((0, 1, 2)) for strain in some}
            if self.maybe(0.5):
                own["basis"] = self.choose.choice(("legendre", "monomial", "chebyshev", "piecewise"))
            if self.maybe(0.5):
                own["quadrature"] = self.choose.choice((3, 4, 5))
            if self.maybe(0.2):
                own["pieces"] = 2
            return {"gvs": own}, some
        if model == "pcs":
            return {"pcs": {"pieces": pieces, "quadrature": self.choose.choice((2, 3))}}, some
        if model == "rom":
            own = {"order": self.choose.choice((1, 1, 2)), "orientation": self.choose.choice(("scaled", "unit"))}
            return {"rom": own}, self.choose.choice((*_WHOLE_POSES, list(STRAINS)))
        if model in ("srl", "ebr"):
            return {model: {"pieces": pieces, "nodes": self.choose.choice(("middle", "end", "start"))}}, some
        if model == "eba":
            own = {"pieces": self.choose.choice((1, 2)), "nodes": self.choose.choice(("middle", "end"))}
            return {"eba": own}, self.choose.choice((*_WHOLE_POSES, list(STRAINS)))
        own = {"actuators": self.choose.choice((3, 4))}
        if model == "integral" and self.maybe(0.5):
            own["quadrature"] = 3
        return {model: own}, _ARC

    def _section(self, radius: float, straight: bool, only_arc: bool, slender: bool) -> Data:
        size: Callable[[float], Any] = (lambda value: self.about(value, 1.3)) if straight else self.tapering
        kinds = ["circle", "annulus", "rectangle", "ellipse", "given"] + ["muscles"] * 2 * only_arc
        kind = self.choose.choice(["circle", *kinds])
        if kind == "muscles":
            own: Data = {"radius": self.about(0.02), "stiffness": self.about(200.0), "mass": self.about(0.6)}
            if self.maybe(0.8):
                own["damping"] = self.about(4.0)
            if straight and self.maybe(0.2):
                own["stroke"] = [-self.about(0.03), self.about(0.03)]
            return {"muscles": own}
        if kind == "given":
            bending, axial = self.about(5e-3), self.about(100.0)
            own = {
                "stiffness": [bending * self.between(0.7, 1.4) for _ in range(3)]
                + [axial * self.between(0.7, 1.4) for _ in range(3)],
                "mass": self.about(0.5),
                "rotary": [self.about(2e-5) for _ in range(3)],
            }
            if self.maybe(0.8):
                own["damping"] = [self.about(2e-5) for _ in range(3)] + [self.about(0.3) for _ in range(3)]
            return {"given": own}
        shapes: dict[str, Data] = {
            "circle": {"radius": size(radius)},
            "annulus": {"inner": size(0.35 * radius), "outer": size(radius)},
            "rectangle": {"width": size(2.0 * radius), "height": size(1.4 * radius)},
            "ellipse": {"semi_x": size(radius), "semi_y": size(0.8 * radius)},
        }
        section: Data = {kind: shapes[kind]}
        if self.maybe(0.2):
            section["torsion"] = "polar"
        if self.maybe(0.2):
            section["shear_factor"] = self.between(0.7, 1.0)
        # Without it nothing resists that sections turn, unless the rod is moved along by its strains.
        if slender and self.maybe(0.2):
            section["rotary_inertia"] = False
        if kind == "circle" and self.maybe(0.2):
            section["holes"] = {"radius": self.between(5e-4, 1.2e-3), "at": [[3e-3, 0.0], self.vector(1.5e-3, 2)]}
        return section

    # What acts

    def programme(self, value: Callable[[], Any], zero: Any, jumps: bool = True) -> Any:
        """A value that changes in time, or not. jumps: whether it may."""
        start, over = self.between(1e-3, 0.02), self.between(5e-3, 0.08)
        first, second, third = value(), value(), value()
        smooth: tuple[Data, ...] = (
            {"ease": {"to": first, "over": over}},
            {"ramp": {"from": first, "to": second, "over": over, "start": start}},
            {"sine": {"amplitude": first, "frequency": self.about(10.0, 3.0), "phase": 0.3, "offset": first}},
            {"triangle": {"peak": first, "rise": start, "fall": over}},
            {"table": {"times": [0.0, start, start + over], "values": [first, second, third]}},
        )
        sudden: tuple[Data, ...] = (
            {"step": {"to": first, "at": start, "from": second}},
            {"pulse": {"value": first, "width": over, "start": start}},
        )
        kinds = smooth + sudden if jumps else smooth
        kind, constant = self.choose.randrange(len(kinds)), self.maybe(0.4)
        return first if constant else kinds[kind]

    def _load(self, index: int) -> Data:
        load: Data = {"name": f"load-{index}", "frame": self.choose.choice(("world", "body"))}
        rods = [part for part in self.parts if part.is_rod]
        part = self.choose.choice(self.parts)
        along = bool(rods) and self.maybe(0.35)
        if along:
            part = self.choose.choice(rods)
            load["along"] = {"link": part.name}
            if self.maybe(0.5):
                load["along"] |= {"from": 0.2, "to": 0.8}
        else:
            load["where"] = {**self._place(part), "offset": self._offset(part.size)}
        words = self.choose.choice((["force"], ["moment"], ["force", "moment"]))
        if "force" in words:
            load["force"] = self.programme(lambda: self.vector(1.0 if along else 0.3), [0.0] * 3)
        if "moment" in words:
            load["moment"] = self.programme(lambda: self.vector(0.05 if along else 0.01), [0.0] * 3)
        return load

    def _actuator(self, index: int) -> Data | None:
        name = f"actuator-{index}"
        rods = [part for part in self.parts if part.is_rod]
        moved = [part for part in self.parts if part.joint not in ("fixed", "spherical", "free")]
        kinds = ["tendon", "tendon", "chamber", "internal"] * bool(rods) + ["drive"] * bool(moved)
        kind = self.choose.choice(kinds) if kinds else None
        if kind == "tendon":
            return self._tendon(name, self.choose.choice(rods))
        if kind == "chamber":
            chamber: Data = {"link": self.choose.choice(rods).name, "radius": self.between(1e-3, 2e-3)}
            if self.maybe(0.7):
                chamber["centre"] = {"x": self.between(-3e-3, 3e-3), "y": self.between(-3e-3, 3e-3)}
            if self.maybe(0.4):
                chamber |= {"from": 0.1, "to": 0.7}
            return {"name": name, "chamber": chamber, "pressure": self.programme(lambda: self.between(-2e4, 5e4), 0.0)}
        if kind == "internal":
            rod = self.choose.choice(rods)
            sizes = dict(zip(STRAINS, (5e-3, 5e-3, 5e-3, 0.3, 0.3, 0.3), strict=True))
            strain = self.choose.choice(rod.allow)
            data = {"name": name, "internal": {"link": rod.name}}
            return data | {"stress": self.programme(lambda: {strain: self.between(-1, 1) * sizes[strain]}, {})}
        if kind == "drive":
            return self._drive(name, self.choose.choice(moved))
        return None

    def _tendon(self, name: str, rod: Part) -> Data:
        run: Data = {"x": self.between(-8e-3, 8e-3), "y": [self.between(2e-3, 8e-3), self.between(-4e-3, 4e-3)]}
        if self.maybe(0.2):
            run["helix"] = {"radius": self.between(2e-3, 6e-3), "turns": self.between(-1.0, 1.0)}
        if self.maybe(0.3):
            run |= {"from": 0.1, "to": 0.8}
        data: Data = {"name": name, "tendon": {"link": rod.name, "route": run}}
        if self.maybe(0.35):
            other = self.choose.choice(self.parts)
            route: list[Data] = [{"link": "world", "move": self.vector(0.3)}, {"link": rod.name, **run}]
            if other.name != rod.name:
                route.append({"link": other.name, "move": self.vector(0.3)})
            data["tendon"] = {"route": route}
        elif "helix" not in run and "from" not in run and self.maybe(0.2):
            held = [self.between(0.9, 1.0) * rod.length for _ in range(2)]
            data["length"] = {"ease": {"from": held[0], "to": held[1], "over": self.between(0.01, 0.1)}}
            data["stiffness"] = self.about(60.0)
            return data
        data["tension"] = self.programme(lambda: self.between(0.0, 1.5), 0.0)
        if self.maybe(0.15):
            data["friction"] = self.between(0.05, 0.4)
        return data

    def _drive(self, name: str, part: Part) -> Data:
        coordinate = self.choose.choice(VELOCITIES[part.joint])
        turning = coordinate.startswith("ang")
        data: Data = {"name": name, "joint": part.name, "coordinate": coordinate}
        if self.maybe(0.5):
            size = 0.05 if turning else 0.5
            return data | {"force": self.programme(lambda: self.between(-size, size), 0.0)}
        size = 0.3 if turning else 0.02
        smooth: tuple[Data, ...] = (
            {"ease": {"to": self.between(-size, size), "over": self.between(0.02, 0.1)}},
            {"sine": {"amplitude": self.between(-size, size), "frequency": self.about(6.0)}},
        )
        return data | {"motion": self.choose.choice(smooth)}

    def _spring(self, index: int) -> Data:
        part = self.choose.choice(self.parts)
        anchor = {"link": "world", "offset": {"move": self.vector(0.3), "rotate": {"z": self.between(-1, 1)}}}
        end = {**self._place(part), "offset": self._offset(part.size)}
        data: Data = {"name": f"spring-{index}", "between": [anchor, end]}
        acts = self.choose.choice(("both",) * 4 + ("tension", "compression"))
        if self.maybe(0.6):
            law: Data = {"stiffness": self.about(20.0, 3.0)}
            if self.maybe(0.6):
                law["damping"] = self.about(0.2, 3.0)
            if self.maybe(0.4):
                law["rest"] = self.about(0.15)
            if self.maybe(0.3):
                law["rest_ratio"] = self.between(0.7, 1.0)
            if self.maybe(0.3):
                data["force"] = self.programme(lambda: self.between(-0.3, 0.3), 0.0)
        else:
            turning, sliding = self.about(0.05, 3.0), self.about(10.0, 3.0)
            law = {"stiffness": [turning, turning, turning, sliding, sliding, sliding]}
            if self.maybe(0.6):
                law["damping"] = [1e-2 * value for value in law["stiffness"]]
            if self.maybe(0.4):
                law["rest"] = [*self.vector(0.2), *self.vector(0.1)]
            law["frame"] = self.choose.choice(("first", "middle"))
        if acts != "both":
            law["acts"] = acts
        if "damping" in law and self.maybe(0.2):
            law["damping_power"] = self.between(1.0, 2.0)
        return data | {"axial" if isinstance(law["stiffness"], float) else "beam": law}

    def _constraints(self) -> list[Data]:
        """Sometimes a loop: the last link held in some directions, or by a joint; or two joints tied to each other."""
        found: list[Data] = []
        if self.maybe(0.25):
            last = self.parts[-1]
            data: Data = {"name": LOOP, "between": [self._place(last), {"link": "world", "offset": {
                "move": [0.0, 0.0, 0.0], "rotate": {"quaternion": [1.0, 0.0, 0.0, 0.0]}}}]}  # fmt: skip
            if self.maybe(0.7):
                data["fix"] = self.choose.choice((["x"], ["z"], ["x", "y"], ["x", "y", "z"], ["y", "rx"]))
                data["frame"] = self.choose.choice(("first", "second", "world"))
            else:
                kind = self.choose.choice(list(_TIES))
                data["joint"] = kind if kind in ("spherical", "planar", "universal") else {kind: "z"}
            found.append(data)
        single = [part.name for part in self.parts if part.joint in ("revolute", "helical")]
        if len(single) > 1 and self.maybe(0.3):
            found.append({"name": "tied", "tie": self.choose.sample(single, 2), "ratio": self.between(0.5, 2.0)})
        return found

    def _initial(self, part: Part, link: Data) -> Data:
        """Where the link starts: the coordinates of its joint, the strains of a rod."""
        found: Data = {}
        if part.joint in ("revolute", "helical", "cylindrical", "planar"):
            found |= {"angle": self.between(-0.3, 0.3), "rate": self.between(-1.0, 1.0)}
        if part.joint in ("prismatic", "cylindrical"):
            found |= {"displacement": self.between(-0.01, 0.01), "speed": self.between(-0.1, 0.1)}
        if part.joint in ("spherical", "free"):
            found |= {"rotation": {"axis": self.vector(1.0), "angle": self.between(-0.5, 0.5)}}
            found |= {"angular_velocity": self.vector(1.0)}
        if part.is_rod and self.maybe(0.7):
            bends = [name for name in part.allow if name in ("bend_x", "bend_y", "twist")]
            found |= {name: self.between(-2.0, 2.0) for name in bends}
        return found


class Sketch(NamedTuple):
    """A structure: the attempt whose robot was legal."""

    seed: int
    index: int
    attempt: int


def _data(seed: int, index: int, attempt: int, numbers: Random) -> Data:
    choose = Random(f"{seed} {index} {attempt}")
    joint, model = JOINTS[index % len(JOINTS)], MODELS[index % len(MODELS)]
    data = Maker(choose, numbers, joint, model).robot()
    data["robot"] = f"random-{seed}-{index}"
    return data


def parsed(data: Data) -> Robot:
    """The robot of a robot file with these data."""
    return Robot._of(Tree(copy.deepcopy(data)), "robot.yaml")


def sketch(seed: int, index: int) -> Sketch:
    """The structure of this number: the first legal robot of at most `LARGEST` degrees of freedom, and of one at least
    more than what holds it."""
    for attempt in range(_ATTEMPTS):
        try:
            model = pliant.compile(parsed(_data(seed, index, attempt, Random(f"{seed} {index} first"))))
        except pliant.RobotFileError:
            continue
        held = model.structure.constraint_count
        if 0 < model.nv <= LARGEST and held < model.nv:
            return Sketch(seed, index, attempt)
    raise RuntimeError(f"no legal robot for structure {index} of seed {seed} in {_ATTEMPTS} attempts")


def robot_data(plan: Sketch, number: int) -> Data:
    """The structure with its set of numbers of this number."""
    for attempt in range(_ATTEMPTS):
        random = Random(f"{plan.seed} {plan.index} numbers {number} {attempt}")
        data = _data(plan.seed, plan.index, plan.attempt, random)
        try:
            _ = parsed(data).description
        except pliant.RobotFileError:
            continue
        return data
    raise RuntimeError(f"no legal numbers {number} for structure {plan.index} of seed {plan.seed}")


def closed(data: Data, pose: Any) -> Data:
    """The data with the far end of the loop put where its near end is, whose pose (4, 4) in the world is given."""
    data = copy.deepcopy(data)
    loop = next(item for item in data["constraints"] if item["name"] == LOOP)
    turn = [float(part) for part in quaternion.from_matrix(pose[:3, :3])]
    loop["between"][1]["offset"] = {"move": [float(x) for x in pose[:3, 3]], "rotate": {"quaternion": turn}}
    return data


def words_of(data: Any) -> set[str]:
    """Every word of a robot's data: what decides which checks it is held to."""
    if isinstance(data, dict):
        return set(data) | set().union(*(words_of(item) for item in data.values()))
    if isinstance(data, list):
        return set().union(*(words_of(item) for item in data))
    return {data} if isinstance(data, str) else set()
