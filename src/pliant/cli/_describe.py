"""Commands that need no solver: library, new, check, schema."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from pliant._files import make_folder, write_bytes
from pliant.cli._arguments import AsJson, RobotFile, SetValues
from pliant.cli._errors import BAD_INPUT
from pliant.cli._output import complain, print_json, print_line, stdout
from pliant.cli._robots import find_robot

if TYPE_CHECKING:
    from pliant.description import Robot
    from pliant.model import Model


_SHOWN = 100  # characters of what was typed that a message repeats
# Tables that `check` shows where the robot has any, and what one row is.
_TABLES = {"links": "link", "meshes": "mesh", "actuators": "actuator", "constraints": "constraint", "springs": "spring"}


def library(json_: AsJson = False) -> None:
    """List the robots that come with Pliant."""
    from pliant import library

    summaries = {name: library.summary(name).partition("\n")[0] for name in library.names()}
    if json_:
        print_json([{"name": name, "summary": summary} for name, summary in summaries.items()])
        return
    table = Table("robot", "what it is", box=None, pad_edge=False)
    for name, summary in summaries.items():
        table.add_row(name, summary)
    stdout.print(table)


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="The name of the new robot.")],
    from_: Annotated[
        str, typer.Option("--from", metavar="ROBOT", help="The library robot to start from.")
    ] = "silicone-arm",
) -> None:
    """Write NAME.yaml, a copy of a library robot to change."""
    from pliant import library
    from pliant.blueprint import is_name, name_rule
    from pliant.description import parse

    if not is_name(name):
        raise typer.BadParameter(f"{name[:_SHOWN]!r}: expected a name: {name_rule(name)}")
    source = library.path(from_).read_text(encoding="utf-8")
    text = re.sub(r"^robot:.*$", lambda _: f"robot: {name}", source, count=1, flags=re.MULTILINE)
    target = Path(f"{name}.yaml")
    folder = library.path(from_).parent
    parse(text, source=str(target), folder=folder)
    _write_new(target, text.encode())
    for companion in library.companions(from_):
        beside = target.parent / companion.relative_to(folder)
        # A copy made for another robot will do as well; one that was changed is not overwritten.
        if not beside.exists():
            make_folder(beside.parent)
            _write_new(beside, companion.read_bytes())
            print_line(f"Wrote {beside}, which it reads.")
    print_line(f"Wrote {target}. Next: pliant run {target}")


def _write_new(target: Path, content: bytes) -> None:
    if target.exists():
        complain(f"{target}: this file exists and is not overwritten; choose another name or remove it")
        raise typer.Exit(BAD_INPUT)
    write_bytes(target, content)


def check(file: RobotFile, set_: SetValues = None, json_: AsJson = False) -> None:
    """Check a robot file and show what it holds."""
    robot = find_robot(file, set_)
    from pliant.model import compile

    model = compile(robot)
    document = {"robot": robot.name, **_contents(robot, model)}
    if json_:
        print_json(document)
        return
    stdout.print(f"{robot.name} is a valid robot.")
    for name, one in _TABLES.items():
        if document[name]:
            stdout.print()
            stdout.print(_table(document[name], {"name": one, "degrees_of_freedom": "DoF"}))
    stdout.print()
    if document["mobility"] is not None:
        stdout.print(_mobility_words(document["mobility"], [row["name"] for row in document["constraints"]]))
    stdout.print(f"{document['degrees_of_freedom']} degrees of freedom, {document['parameters']} parameters")
    for name in ("frames", "loads", "analyses"):
        stdout.print(f"{name}: {', '.join(document[name]) or 'none'}")


def _contents(robot: "Robot", model: "Model") -> dict[str, Any]:
    """What the robot holds, as JSON; the divisions of a rod count for the rod."""
    from pliant.blueprint import JointDrive, Loop
    from pliant.results import rod_of

    structure = model.structure
    described = {link.name: link for link in robot.description.links}
    meshes = {mesh.name: mesh for mesh in robot.description.meshes}
    freedom = {name: 0 for name in (*described, *meshes)}
    for member in structure.members:
        freedom[rod_of(member.link)] += member.element.nv
    links = [
        {
            "name": name,
            "kind": link.kind,
            "parent": link.parent.link,
            "joint": link.joint.word,
            "model": link.model.word if link.kind == "rod" else None,
            "degrees_of_freedom": freedom[name],
        }
        for name, link in described.items()
    ]
    mobility = _mobility(model)
    redundant = mobility["redundant"] if mobility is not None else {}
    plan = structure.blueprint
    constraints = [
        {
            "name": loop.name,
            "kind": loop.joint.kind if loop.joint else f"fix {' '.join(loop.fix or ())}",
            "between": [rod_of(end.link or "world") for end in loop.between],
            "rows": structure.constraint_kinds[loop.name].rows[0],
            "redundant": redundant.get(loop.name, 0),
        }
        for loop in plan.constraints
        if isinstance(loop, Loop)
    ]
    return {
        "links": links,
        "meshes": [
            {
                "name": name,
                "kind": mesh.kind,
                "nodes": len(mesh.net.nodes),
                "edges": len(mesh.net.edges),
                "fixed": len(mesh.fixed),
                "degrees_of_freedom": freedom[name],
            }
            for name, mesh in meshes.items()
        ],
        "actuators": [
            {
                "name": actuator.name,
                "kind": f"joint of {actuator.link}" if isinstance(actuator, JointDrive) else actuator.kind,
                "drive": actuator.drive,
            }
            for actuator in plan.actuators
        ],
        "constraints": constraints,
        "springs": [
            {"name": spring.name, "kind": spring.kind, "between": [place.link for place in spring.between]}
            for spring in robot.description.springs
        ],
        "mobility": mobility,
        "degrees_of_freedom": model.nv if mobility is None else mobility["degrees_of_freedom"],
        "parameters": len(model.parameters),
        "frames": [name for name in model.frame_names if rod_of(name) == name],
        "loads": [load.name for load in robot.description.loads],
        "analyses": [analysis.kind for analysis in structure.analyses],
    }


def _mobility(model: "Model") -> dict[str, Any] | None:
    """What the constraints leave free; None without constraints. Closes the loops, so it compiles and may fail."""
    rows = model.structure.constraint_count
    if not rows:
        return None
    from pliant.analysis import Mobility, mobility

    # Joints whose motion is prescribed have a coordinate each; only loops have to be looked at.
    found = (
        mobility(model)
        if any(kind.coupled_rows for kind in model.structure.constraints)
        else Mobility(model.nv, rows, rows, model.nv - rows, {})
    )
    return dict(found._asdict())


def _mobility_words(mobility: dict[str, Any], listed: list[str]) -> str:
    """Counts, and the prescribed motions that loops determine already; redundant rows of loops are `listed` before."""
    words = f"{mobility['velocities']} velocities, {mobility['rows']} constraint rows of which "
    words += f"{mobility['independent']} are independent"
    motions = [name for name in mobility["redundant"] if name not in listed]
    return f"{words}; redundant motions: {', '.join(motions)}" if motions else words


def _table(rows: list[dict[str, Any]], titles: dict[str, str]) -> Table:
    """Rows with the same keys as a table; numbers to the right."""
    table = Table(box=None, pad_edge=False)
    for key, value in rows[0].items():
        table.add_column(titles.get(key, key), justify="right" if isinstance(value, int) else "left")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return "-" if value is None else str(value)


def schema() -> None:
    """Print the JSON Schema of robot files, for completion and checks in an editor."""
    from pliant.description import json_schema

    print_json(json_schema())
