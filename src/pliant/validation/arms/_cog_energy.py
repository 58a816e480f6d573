"""The energy of a disc at the centre of gravity against that of all discs along the arc (Godage et al., section III).

The coefficients come from the article's sampling with bending to 2 pi / 3; with its printed bound, 6 pi alpha_r, or
with 4 pi / 3 its correlations are not reached (`pliant cog-fit --bend 240`). The article fits all six at once to the
sum of all energies; that is badly conditioned, since terms of a base turning with 100 rad/s outweigh the others by
four orders of magnitude, so here every pair of terms has a line of its own.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pliant.arms import COG_TERMS, cog_fit
from pliant.description import Robot
from pliant.dynamics import bias, coriolis_matrix, energy
from pliant.elements import SHAPING
from pliant.model import Model, State, compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below, compare, shown

LENGTH, RADIUS, MASS = 0.15, 0.0125, 0.1  # m, m, kg: of the article's arm
CORRELATION = (0.998, 0.9966, 0.998, 0.997, 0.991, 0.999)  # the article's Figure 3, in the order of COG_TERMS
SAMPLES = 400_000
STORED = 2e-3  # of a coefficient: how far another sample may be from the stored ones
SECTIONS, STATES = 10, 100_000
LONGEST, FASTEST = 0.07, LENGTH  # m, m/s: of the article's states
BIAS = 1e-10
UNTIL, DRIFT = 10.0, 1e-6  # s, of the peak kinetic energy


def arm(sections: int, model: Any, damping: float = 0.0) -> Robot:
    """Equal sections that hang."""
    robot = Robot("arm")
    parent: dict[str, Any] = {"link": "world", "offset": {"rotate": {"x": "180 deg"}}}
    muscles = {"radius": RADIUS, "stiffness": 990.0, "damping": damping, "mass": MASS / LENGTH}
    for number in range(1, sections + 1):
        settings = {"section": {"muscles": muscles}, "allow": ["bend_x", "bend_y", "stretch"], "model": model}
        robot = robot.rod(f"s{number}", parent=parent, length=LENGTH, **settings)
        parent = {"link": f"s{number}", "at": 1}
    return robot


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    fit = cog_fit(SAMPLES, seed=1)
    found, stored = ([*part.linear, *part.angular] for part in (fit.shaping, SHAPING))
    for term, correlation, bar in zip(COG_TERMS, fit.correlation, CORRELATION, strict=True):
        yield below(case, term, "1 less the squared correlation [1]", 1.0 - correlation, 1.0 - bar, clock)
    for term, value, kept in zip(COG_TERMS, found, stored, strict=True):
        yield compare(case, term, "coefficient, beside the stored one [1]", value, kept, STORED, clock)
    cog, integral = (compile(arm(SECTIONS, model)) for model in ("cog", "integral"))
    error, largest = _energy_errors(cog, integral)
    name = f"{SECTIONS} sections"
    yield shown(
        case,
        name,
        f"mean error of the kinetic energy, {STATES} states [% of the largest]",
        1e2 * np.mean(error),
        None,
        clock,
    )
    yield shown(case, name, "mean size of that error [% of the largest]", 1e2 * np.mean(np.abs(error)), None, clock)
    yield shown(case, name, "largest error [% of the largest]", 1e2 * np.max(np.abs(error)), None, clock)
    yield shown(case, name, "largest kinetic energy [J]", largest, None, clock)
    yield below(case, "3 sections", "C v less the forces of velocity, over them [1]", _bias_error(), BIAS, clock)
    for label, model in (("cog", cog), ("integral", integral)):
        drift, peak = _drift(model)
        yield below(
            case,
            label,
            f"drift of the energy of {SECTIONS} sections over {UNTIL:g} s [peak kinetic]",
            drift,
            DRIFT,
            clock,
        )
        yield shown(case, label, "that peak [J]", peak, None, clock)
    _draw(case, data, error)


def _energy_errors(cog: Model, integral: Model) -> tuple[np.ndarray, float]:
    """Energy of the CoG model less that of the discs, over the largest of these, and the largest [J]."""
    rng = np.random.default_rng(0)
    q = jnp.asarray(rng.uniform(0.0, LONGEST, (STATES, cog.nv)))
    v = jnp.asarray(rng.uniform(-FASTEST, FASTEST, (STATES, cog.nv)))

    @jax.jit
    def kinetic(model: Model, q: jax.Array, v: jax.Array) -> jax.Array:
        return jax.lax.map(lambda state: energy(model, *state)["kinetic"], (q, v), batch_size=1000)

    ours, theirs = (np.asarray(kinetic(model, q, v)) for model in (cog, integral))
    return (ours - theirs) / theirs.max(), float(theirs.max())


def _bias_error() -> float:
    model, rng = compile(arm(3, "cog")), np.random.default_rng(2)
    q, v = jnp.asarray(rng.uniform(0.0, LONGEST, model.nv)), jnp.asarray(rng.normal(size=model.nv))
    velocity = bias(model, q, v) - bias(model, q, jnp.zeros(model.nv))
    return float(jnp.max(jnp.abs(coriolis_matrix(model, q, v) @ v - velocity)) / jnp.max(jnp.abs(velocity)))


def _drift(model: Model) -> tuple[float, float]:
    """Largest change of the energy over the peak kinetic energy, and that [J]: let go bent, without damping."""
    lengths = np.tile([0.01, 0.004, 0.0], SECTIONS)
    state = State(jnp.asarray(lengths), jnp.zeros(model.nv))
    motion = simulate(model, UNTIL, state=state, stepper="dopri8", rtol=1e-10, atol=1e-12, save_every=0.05)
    total, peak = np.asarray(motion.energy["total"]), float(np.max(motion.energy["kinetic"]))
    return float(np.max(np.abs(total - total[0]))) / peak, peak


def _draw(case: str, data: Data, error: np.ndarray) -> None:
    """Plots like the article's Figures 3 and 4: pairs of terms of random sections, and errors of an arm's energy."""
    if data.out is None:
        return
    from matplotlib.figure import Figure

    from pliant.arms import cog_samples
    from pliant.view import save_figure

    discs, centre = cog_samples(2000, seed=3)
    coefficients = [*SHAPING.linear, *SHAPING.angular]
    figure = Figure(figsize=(11, 6), layout="constrained")
    for index, axes in enumerate(figure.subplots(2, 3).ravel()):
        axes.plot(centre[:, index], discs[:, index], ".", markersize=2)
        ends = np.array([centre[:, index].min(), centre[:, index].max()])
        axes.plot(ends, coefficients[index] * ends, label=f"{coefficients[index]:.4f}")
        axes.set_title(COG_TERMS[index], fontsize=10)
        axes.set_xlabel("of the centre of gravity")
        axes.set_ylabel("of the discs")
        axes.legend()
    save_figure(figure, data.out / f"{case}-terms.png")
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(1e2 * error, ",")
    left.set_xlabel("state")
    left.set_ylabel("error of the kinetic energy [% of the largest]")
    right.hist(1e2 * error, bins=100)
    right.set_xlabel("error of the kinetic energy [% of the largest]")
    save_figure(figure, data.out / f"{case}-errors.png")
