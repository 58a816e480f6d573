"""Make docs/images/silicone-arm.gif, the moving picture of the README: `make docs-figures`."""

from pathlib import Path

import jax.numpy as jnp

import pliant
from pliant.analysis import without_loads

pliant.configure()

TARGET = Path(__file__).parents[1] / "docs" / "images" / "silicone-arm.gif"

model = pliant.compile(pliant.library.load("silicone-arm"))
settings = next(analysis for analysis in model.structure.analyses if analysis.kind == "simulate")
held = pliant.equilibrium(model)
motion = pliant.simulate(
    model,
    settings.until,
    state=pliant.State(held.q, jnp.zeros(model.nv)),
    inputs=without_loads(model, settings.drop),
    stepper=settings.stepper,
    step=settings.step,
    save_every=settings.save_every,
)
TARGET.parent.mkdir(parents=True, exist_ok=True)
pliant.view.animate_gif(motion, TARGET)
