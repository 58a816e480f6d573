"""The list of commands."""

import functools
from collections.abc import Callable
from typing import Annotated, Any

import typer

from pliant.cli._cog_fit import cog_fit
from pliant.cli._compare import compare
from pliant.cli._describe import check, library, new, schema
from pliant.cli._errors import Commands, ending
from pliant.cli._identify import identify
from pliant.cli._mesh import mesh
from pliant.cli._native import export_c, native
from pliant.cli._output import stdout
from pliant.cli._plot import plot
from pliant.cli._run import run
from pliant.cli._solve import modes, simulate, statics
from pliant.cli._validate import validate

app = typer.Typer(
    cls=Commands,
    name="pliant",
    help="Model, simulate and control hybrid rigid-soft robots.",
    epilog="Start with: pliant run silicone-arm --out runs/demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # an unexpected error is a bug, and its plain traceback is what a report needs
)


def _version(asked: bool) -> None:
    if asked:
        from importlib import metadata

        stdout.print(f"pliant {metadata.version('pliant')}")
        raise typer.Exit()


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    pass


def _computing(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that uses JAX, which is set up before; the others and the help start without it."""

    @functools.wraps(command)
    def configured(*arguments: Any, **options: Any) -> Any:
        from pliant import configure

        configure()
        return command(*arguments, **options)

    return configured


app.command(epilog="Example: pliant library")(library)
app.command(epilog="Example: pliant new my-arm --from silicone-arm")(new)
app.command(epilog="Example: pliant check my-arm.yaml")(_computing(check))
app.command(epilog="Example: pliant statics my-arm.yaml --steps 20 --set materials.silicone.young='150 kPa'")(
    _computing(statics)
)
app.command(epilog="Example: pliant modes my-arm.yaml --count 10 --json")(_computing(modes))
app.command(epilog="Example: pliant simulate my-arm.yaml --until '3 s' --stepper newmark --step '4 ms' --out runs/a")(
    _computing(simulate)
)
app.command(epilog="Example: pliant run my-arm.yaml --out runs/my-arm")(_computing(run))
app.command(epilog="Example: pliant compare my-arm.yaml --models gvs,pcs,eba --out runs/models")(_computing(compare))
app.command(
    epilog="Example: pliant identify my-arm.yaml --data tip.csv --input t1=t1_N --parameter materials.silicone.young"
)(_computing(identify))
app.command(epilog="Example: pliant plot runs/my-arm/simulate.nc --out pictures")(_computing(plot))
app.command(epilog="Example: pliant mesh sleeve.iges --tolerance '1 mm' --plot sleeve.png")(mesh)
app.command(epilog="Example: pliant cog-fit --samples 1e6")(_computing(cog_fit))
app.command(epilog="Example: pliant native silicone-arm --function forward_dynamics,energy")(_computing(native))
app.command(epilog="Example: pliant export-c silicone-arm --function forward_dynamics,newmark_step --out c")(
    _computing(export_c)
)
app.command(epilog="Example: pliant validate --only elastica,roll-up --json")(_computing(validate))
app.command(epilog="Example: pliant schema > robot.schema.json")(schema)


def main() -> None:
    """Entry point of the `pliant` command."""
    ending(app)
