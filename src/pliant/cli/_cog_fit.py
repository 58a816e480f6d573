"""The command that finds the coefficients of the CoG model again: cog-fit."""

import math
from typing import Annotated

import typer

from pliant.cli._arguments import AsJson
from pliant.cli._errors import BAD_INPUT
from pliant.cli._output import complain, print_json, stdout
from pliant.cli._progress import Progress
from pliant.cli._report import number


def cog_fit(
    samples: Annotated[float, typer.Option(max=1e9, help="Random sections; 1e6 take seconds, 1e7 minutes.")] = 1e6,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Of the random numbers.")] = 0,
    bend: Annotated[float, typer.Option(help="Largest bending of a section [deg].")] = 120.0,
    json_: AsJson = False,
) -> None:
    """Fit the six energy-shaping coefficients of the model cog to random sections of arms."""
    from pliant.arms import COG_TERMS
    from pliant.arms import cog_fit as fit

    try:
        with Progress(not json_).counting("cog-fit") as progress:
            found = fit(int(samples), seed, math.radians(bend), progress)
    except ValueError as error:
        complain(str(error))
        raise typer.Exit(BAD_INPUT) from None
    coefficients = [*found.shaping.linear, *found.shaping.angular]
    if json_:
        terms = [
            {"term": term, "coefficient": value, "squared_correlation": float(correlation)}
            for term, value, correlation in zip(COG_TERMS, coefficients, found.correlation, strict=True)
        ]
        print_json({"bend_deg": bend, "samples": found.samples, "seed": seed, "terms": terms})
        return
    stdout.print(f"{found.samples} random sections that bend by up to {number(bend)} deg, seed {seed}")
    for term, value, correlation in zip(COG_TERMS, coefficients, found.correlation, strict=True):
        stdout.print(f"  {term:<18}  {value:.6f}   squared correlation {correlation:.5f}")
