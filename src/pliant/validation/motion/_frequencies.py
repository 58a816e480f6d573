"""Frequencies of a uniform cantilever under three beam theories, each with the strains and inertia it assumes.

Models of strains bend in one plane, with shear or without. Models that move poses (rom, eba) have all strains of the
plane: they claim Timoshenko's theory, the polynomial pose its first frequency only, since 5 is its highest order.
"""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
import scipy.linalg

from pliant.analysis import modes
from pliant.description import Robot
from pliant.dynamics import mass_matrix, stiffness_matrix
from pliant.model import compile
from pliant.validation._beams import PLANE
from pliant.validation._case import Clock, Data, Figures, compare, order, shown
from pliant.validation._refinement import label, refined

THEORIES = {  # strains, rotary inertia, first three frequencies [rad/s]
    "Euler-Bernoulli": (("bend_x", "bend_y"), False, (4.44744661, 27.87167217, 78.04148913)),
    "Rayleigh": (("bend_x", "bend_y"), True, (4.44332, 27.6926, 76.8622)),
    "Timoshenko": (("bend_x", "bend_y", "shear_x", "shear_y"), True, (4.43101945, 27.17745924, 73.6739111)),
}
TOLERANCE = 1e-3
ORDER = 6
# model, theory, strains, numbers that refine it, frequencies claimed
CLAIMS: tuple[tuple[str, str, tuple[str, ...], tuple[int, ...], int], ...] = (
    *((word, "Euler-Bernoulli", ("bend_y",), (24, 48, 96), 3) for word in ("pcs", "srl", "ebr")),
    *((word, "Rayleigh", ("bend_y",), (96,), 3) for word in ("pcs", "srl", "ebr")),
    *((word, "Timoshenko", ("bend_y", "shear_x"), (96,), 3) for word in ("pcs", "srl", "ebr")),
    ("eba", "Timoshenko", PLANE, (16, 32, 64), 3),
    ("rom", "Timoshenko", PLANE, (5,), 1),
)
PIECEWISE_ORDER = 1.9


def _cantilever(model: dict, allow: Sequence[str], rotary_inertia: bool) -> Robot:
    return (
        Robot("cantilever")
        .with_gravity([0, 0, 0])
        .material("rubber", young=1e6, poisson=0.5, density=1000.0)
        .rod(
            "beam",
            length=0.5,
            section={"circle": {"radius": 0.02}, "rotary_inertia": rotary_inertia},
            material="rubber",
            allow=list(allow),
            model=model,
        )
    )


def _in_plane(model: dict, allow: Sequence[str], rotary_inertia: bool) -> np.ndarray:
    """The three lowest frequencies, from the matrices alone: `modes` would also find shapes and damping."""
    compiled = compile(_cantilever(model, allow, rotary_inertia))
    q = jnp.asarray(compiled.neutral())
    stiffness, mass = np.asarray(stiffness_matrix(compiled, q)), np.asarray(mass_matrix(compiled, q))
    # Their reciprocals, against the stiffness: the mass of relative coordinates is ill-conditioned.
    reciprocals = scipy.linalg.eigh(mass, 0.5 * (stiffness + stiffness.T), eigvals_only=True)
    return reciprocals[:-4:-1] ** -0.5


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for theory, (allow, rotary_inertia, expected) in THEORIES.items():
        # Every frequency of a round beam is double.
        found = np.asarray(modes(compile(_cantilever(refined("gvs", ORDER), allow, rotary_inertia))).frequency)[::2]
        for index, (value, reference) in enumerate(zip(found, expected, strict=True)):
            figure = f"{theory} frequency {index + 1} [rad/s]"
            yield compare(case, label("gvs", ORDER), figure, value, reference, TOLERANCE, clock)
    for word, theory, allow, numbers, claimed in CLAIMS:
        _, rotary_inertia, expected = THEORIES[theory]
        found = np.array([_in_plane(refined(word, number), allow, rotary_inertia) for number in numbers])
        name = label(word, numbers[-1])
        for index, reference in enumerate(expected):
            figure, value = f"{theory} frequency {index + 1}", float(found[-1, index])
            if index >= claimed:
                yield shown(case, name, f"{figure}, not claimed [rad/s]", value, reference, clock)
                continue
            yield compare(case, name, f"{figure} [rad/s]", value, reference, TOLERANCE, clock)
            if len(numbers) > 1:
                errors = np.abs(found[:, index] / reference - 1.0)
                yield order(case, word, figure, numbers, list(errors), PIECEWISE_ORDER, clock)
