"""A system in TMTDyn's high-level language, and the robot that it is."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pliant.blueprint import is_name
from pliant.description._load import read_text_file
from pliant.description._robot import Robot
from pliant.description.formats.tmt._tmt_chain import Chain
from pliant.description.formats.tmt._tmt_connections import lower_connection, lower_load
from pliant.description.formats.tmt._tmt_document import Document
from pliant.description.formats.tmt._tmt_fields import SYSTEM
from pliant.description.formats.tmt._tmt_items import Item, Notes
from pliant.description.formats.tmt._tmt_mesh import lower_net, read_net
from pliant.description.formats.tmt._tmt_plan import Plan
from pliant.description.formats.tmt._tmt_rods import lower_rod
from pliant.description.formats.tmt._tmt_start import Start
from pliant.description.formats.tmt._tmt_symbols import inputs_of
from pliant.description.formats.tmt._tmt_tree import Root, Struct, Structs, filled
from pliant.description.formats.tmt._tmt_yaml import NAME, read_system
from pliant.description.language.grammar import Problem, RobotFileError, Tree, nearest, one_of

_UNTIL = "1 s"  # of a simulation: the TMT language has no word for it


class System(Struct):
    """A system of bodies, joints, a mesh and external loads, field by field as TMTDyn's manual has it.

    Items are counted from 1 and come into being when they are named. Fields are checked when they are set, the whole
    when `robot` is called.

    >>> ball = System("ball")
    >>> ball.world.g = [0, 0, -9.81]
    >>> ball.body(1).m = 0.1
    >>> ball.joint(1).second = 1
    >>> ball.joint(1).tr(1).trans = [float("inf"), 0, float("inf")]
    >>> ball.robot()
    Robot('ball', 2 links)
    """

    _name: str
    _folder: Path | None

    def __init__(self, name: str) -> None:
        super().__init__(SYSTEM, "", Root(name))
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_folder", None)

    def symbols(self) -> dict[str, float]:
        """The symbols of the system with their values: those of par.sym and all that fields hold, and par.var."""
        found = {name: own.value({}) for name, own in self._root.symbols.items()}
        return {**found, **_symbols(self), **self.par.var}

    def robot(self, **values: float) -> Robot:
        """The robot; `values` of symbols go before those of par.var. A RobotFileError lists all that is wrong."""
        return self._lowered(self._values_with(values))

    def parameters(self, **values: float) -> dict[str, np.ndarray]:
        """The numbers of the robot by their paths, for `model.with_parameters`: nothing is compiled anew."""
        return self.robot(**values).blueprint()[1]

    def paths(self, name: str) -> tuple[str, ...]:
        """The paths of all numbers of the robot that a symbol enters."""
        symbols = self._values_with({})
        if name not in symbols:
            raise KeyError(f"{name!r} is no symbol of {self._name!r}; it has: {one_of(symbols) or 'none'}")
        # A step small enough for limits of fields, and far above rounding.
        step = 1e-6 * (abs(symbols[name]) or 1.0)
        before = self._lowered(symbols).blueprint()[1]
        after = self._lowered({**symbols, name: symbols[name] + step}).blueprint()[1]
        return tuple(path for path in after if path not in before or not np.array_equal(before[path], after[path]))

    def _values_with(self, values: Mapping[str, float]) -> dict[str, float]:
        symbols = self.symbols()
        for name in values:
            if name not in symbols:
                known = one_of(symbols) or "none"
                raise KeyError(f"{name!r} is no symbol of {self._name!r}; {nearest(name, symbols)}it has: {known}")
        return {**symbols, **{name: float(value) for name, value in values.items()}}

    def _lowered(self, values: Mapping[str, float]) -> Robot:
        notes = Notes(self._root)
        document = lower_system(self, values, self._name, self._folder, notes)
        if notes.problems:
            raise RobotFileError(sorted(notes.problems, key=lambda problem: problem.line or 0))
        robot = Robot._of(Tree(document.data), self._root.source)
        try:
            _ = robot.description
        except RobotFileError as error:
            raise RobotFileError([self._told(problem, document) for problem in error.problems]) from None
        return robot

    def _told(self, problem: Problem, document: Document) -> Problem:
        """A problem of the robot, told by the field of the TMT language."""
        path = document.written(problem.path)
        return self._root.problem(path or problem.path, problem.value, problem.message)

    def __repr__(self) -> str:
        return f"<System {self._name}: {len(self.body)} bodies, {len(self.joint)} joints>"


def lower_system(system: Struct, values: Mapping[str, float], name: str, folder: Path | None, notes: Notes) -> Document:
    """The document of the robot language; what is wrong is left in `notes`."""
    mesh = Item(system.mesh, values, notes)
    net = read_net(mesh, folder)
    plan = Plan(system, values, net, notes)
    document = Document(name)
    document.data["gravity"] = plan.system.value("world.g")
    document.origin["gravity"] = "world.g"
    chain = Chain(plan, document)
    # A joint that was only looked at is not there.
    joints = [(index, joint) for index, joint in enumerate(plan.joints) if any(joint.set_fields())]
    for index, joint in joints:
        if not plan.is_chain(index):
            continue
        if joint.given("rom.order"):
            lower_rod(plan, document, joint)
        else:
            chain.lower(index)
    chain.ties()
    if notes.problems:
        return document  # what links the bodies needs all of them in their places
    start = Start(document, None if net is None else net.nodes)
    for index, joint in joints:
        if not plan.is_chain(index):
            lower_connection(plan, document, start, joint)
    if net is not None:
        lower_net(plan, document, mesh)
    for load in plan.loads:
        lower_load(plan, document, load)
    _analyses(document, plan.system.item("par"))
    return document


def _analyses(document: Document, par: Item) -> None:
    begin = "statics" if par.value("equil") else "initial"
    wanted: dict[str, dict[str, Any]] = {
        "equil": {"statics": {}},
        "modal": {"modes": {}},
        "dyn": {"simulate": {"until": _UNTIL, "from": begin}},
    }
    for name, analysis in wanted.items():
        if par.value(name):
            document.add("analyses", analysis, par.path(name))


def _symbols(node: Struct | Structs) -> dict[str, float]:
    if isinstance(node, Structs):
        parts = [_symbols(item) for item in node]
    else:
        parts = [inputs_of(value) for value in node._values.values()]
        parts += [_symbols(child) for child in node._children.values()]
    return {name: value for part in parts for name, value in part.items()}


def load(path: str | os.PathLike[str]) -> System:
    """Read a system from a file (NAME.tmt.yaml); a RobotFileError lists everything that is wrong with its fields."""
    fields, lines = read_system(read_text_file(path), path)
    stem = Path(path).name.partition(".")[0]
    system = System(str(fields.get(NAME) or (stem if is_name(stem) else "system")))
    system._root.source = os.fspath(path)
    system._root.lines = lines
    object.__setattr__(system, "_folder", Path(path).parent)
    problems = list(filled(system, {key: value for key, value in fields.items() if key != NAME}))
    # Without its symbols every other field would be wrong too.
    problems = [problem for problem in problems if problem.path == "par.sym"] or problems
    if problems:
        raise RobotFileError(sorted(problems, key=lambda problem: problem.line or 0))
    return system
