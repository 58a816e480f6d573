"""Commands that need no solver: library, new, check, schema."""

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from pliant.cli._arguments import AsJson, RobotFile, SetValues
from pliant.cli._errors import BAD_INPUT
from pliant.cli._output import complain, print_json, print_line, stdout
from pliant.cli._robots import find_robot


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
    from pliant.description import loads

    source = library.path(from_).read_text(encoding="utf-8")
    text = re.sub(r"^robot:.*$", lambda _: f"robot: {name}", source, count=1, flags=re.MULTILINE)
    target = Path(f"{name}.yaml")
    loads(text, source=str(target))
    try:
        with target.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        complain(f"{target}: this file exists and is not overwritten; choose another name or remove it")
        raise typer.Exit(BAD_INPUT) from None
    print_line(f"Wrote {target}. Next: pliant run {target}")


def check(file: RobotFile, set_: SetValues = None, json_: AsJson = False) -> None:
    """Check a robot file and show what it holds."""
    robot = find_robot(file, set_)
    from pliant.model import compile

    model = compile(robot)
    structure = model.structure
    described = {link.name: link for link in robot.description.links}
    freedom = {name: 0 for name in described}
    for member in structure.members:
        freedom[member.link] += member.element.nv
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
    counts = {
        "degrees_of_freedom": model.nv,
        "parameters": len(model.parameters),
        "frames": list(model.frame_names),
        "loads": [load.name for load in robot.description.loads],
        "analyses": [analysis["kind"] for analysis in structure.analyses],
    }
    if json_:
        print_json({"robot": robot.name, "links": links, **counts})
        return
    table = Table("link", "kind", "parent", "joint", "model", box=None, pad_edge=False, title_justify="left")
    table.add_column("DoF", justify="right")
    for row in links:
        table.add_row(*("-" if value is None else str(value) for value in row.values()))
    stdout.print(f"{robot.name} is a valid robot.\n")
    stdout.print(table)
    stdout.print(f"\n{model.nv} degrees of freedom, {len(model.parameters)} parameters")
    for name in ("frames", "loads", "analyses"):
        stdout.print(f"{name}: {', '.join(counts[name]) or 'none'}")  # type: ignore[arg-type]


def schema() -> None:
    """Print the JSON Schema of robot files, for completion and checks in an editor."""
    from pliant.description import json_schema

    print_json(json_schema())
