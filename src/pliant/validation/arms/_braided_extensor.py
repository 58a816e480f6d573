"""Braided extensors: the laws printed by Shiva et al. against derivatives of their energies.

As printed, some of them contain slips, corrected here: Eq. 7 is 0, not 1, without stress; Eq. 8 begins with 2 G where
it should with G/2; Eq. 9 misplaces its root; the first term of Appendix 1 has the other sign. Eqs. 10 and 12 hold.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.mechanics import (
    ExtensorLaw,
    ExtensorNumbers,
    extensor_numbers,
    extensor_stress,
    extensor_stretch,
    gent_limit,
    stretch_range,
)
from pliant.validation._case import Clock, Data, Figures, below, compare, shown

YOUNG = 130e3  # Pa, the document's best
SHEAR = YOUNG / 3.0
LOCKING = 9.8  # stretch at which Ecoflex-0050 locks (document, below Eq. 6)
ANGLE = np.radians(75.0)
CHAMBER = (2.5e-3, 4.76e-3)  # m, inside and outside: six of them fill the section of the module
EXACT = 1e-10
_STRETCH = np.linspace(0.6, 1.7, 111)
_FIGURE_ANGLES = (65.0, 70.0, 75.0, 80.0, 85.0, 90.0)  # deg, of Figure 4
_FIGURE_MODULI = np.linspace(60e3, 180e3, 7)  # Pa


_stress = jax.jit(extensor_stress, static_argnums=0)
_range = jax.jit(stretch_range, static_argnums=0)
_stretch = jax.jit(extensor_stretch, static_argnums=0)


def neo_hookean_uni(stretch: np.ndarray) -> np.ndarray:
    return SHEAR * (stretch - 1.0 / stretch**2)


def neo_hookean_nr(stretch: np.ndarray) -> np.ndarray:
    return SHEAR * (stretch**2 - 1.0) * (stretch**2 + 3.0) / (2.0 * stretch**4)


def neo_hookean_inf(stretch: np.ndarray, angle: float = ANGLE) -> np.ndarray:
    """Eq. 8 with G/2 in front."""
    s2, square = np.sin(angle) ** 2, stretch**2
    top = (
        (1.0 - 2.0 * s2**3 + 5.0 * s2**2 - 4.0 * s2) * square**3
        + (7.0 * s2**3 - 16.0 * s2**2 + 11.0 * s2 - 2.0) * square**2
        + (7.0 * s2**3 - 4.0 * s2**2 - 3.0 * s2 + 1.0) * square
        + 3.0 * s2**2
    )
    return 0.5 * SHEAR * (1.0 - square) * top / (square**2 * (square * np.cos(angle) ** 2 - 1.0) ** 3)


def gent_uni(stretch: np.ndarray, limit: float) -> np.ndarray:
    """Eq. 10."""
    bottom = stretch * (-(stretch**3) + stretch * limit + 3.0 * stretch - 2.0)
    return SHEAR * limit * (stretch**3 - 1.0) / bottom


def gent_nr(stretch: np.ndarray, limit: float) -> np.ndarray:
    """Eq. 12."""
    first = (stretch**4 - 1.0) / (limit * stretch**4 - stretch**6 + 2.0 * stretch**4 - stretch**2)
    return SHEAR * limit * (first + np.log(1.0 - (stretch - 1.0 / stretch) ** 2 / limit) / (2.0 * stretch**2))


def gent_inf(stretch: np.ndarray, limit: float, angle: float = ANGLE) -> np.ndarray:
    """Appendix 1 with the sign of its first term turned."""
    c2, s2, square = np.cos(angle) ** 2, np.sin(angle) ** 2, stretch**2
    left = square * c2 - 1.0
    room = (left / s2 - square + s2 / (square * left) + 3.0) / limit + 1.0
    slope = 2.0 * stretch - 2.0 * stretch * c2 / s2
    slope = slope + 2.0 * s2 / (stretch**3 * left) + 2.0 * c2 * s2 / (stretch * left**2)
    first = SHEAR * limit * np.log(room) * c2 * s2 / left**2
    second = SHEAR * s2 * slope / (2.0 * stretch * room * -left)
    third = SHEAR * limit * np.log(room) * s2 / (2.0 * square * -left)
    return -first + second + third


def stretch_neo_hookean_uni(stress: np.ndarray) -> np.ndarray:
    """Eq. 7 put right: Cardano's root of l^3 - (sigma/G) l^2 - 1 = 0."""
    third = stress / (3.0 * SHEAR)
    first = np.cbrt(third**3 + 0.5 + np.sqrt(0.25 + third**3))
    return third + first + third**2 / first


def stretch_neo_hookean_nr(stress: np.ndarray) -> np.ndarray:
    """Eq. 9 put right."""
    over = stress / SHEAR
    return np.sqrt((1.0 - np.sqrt(4.0 - 6.0 * over)) / (2.0 * over - 1.0))


def fit_gent_uni(stress: np.ndarray) -> np.ndarray:
    """Eq. 11, for stretches up to 2."""
    over = stress / SHEAR
    return -0.015 * over**3 + 0.17 * over**2 + 0.31 * over + 1.0


def fit_gent_nr(stress: np.ndarray) -> np.ndarray:
    """Eq. 13, for stretches up to 1.8."""
    over = stress / SHEAR
    return 0.9549 * np.exp(0.5157 * over) + 7.16e-11 * np.exp(32.98 * over) + 4.5e-2


def numbers(angle: float = ANGLE, young: float = YOUNG) -> ExtensorNumbers:
    return extensor_numbers(young, gent_limit(LOCKING), angle)


def printed_laws() -> dict[ExtensorLaw, Callable[[np.ndarray], np.ndarray]]:
    limit = float(gent_limit(LOCKING))
    return {
        ExtensorLaw("neo-hookean", "uni"): neo_hookean_uni,
        ExtensorLaw("neo-hookean", "nr"): neo_hookean_nr,
        ExtensorLaw("neo-hookean", "inf"): neo_hookean_inf,
        ExtensorLaw("gent", "uni"): lambda stretch: gent_uni(stretch, limit),
        ExtensorLaw("gent", "nr"): lambda stretch: gent_nr(stretch, limit),
        ExtensorLaw("gent", "inf"): lambda stretch: gent_inf(stretch, limit),
    }


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for law, closed in printed_laws().items():
        by_energy = _stress(law, jnp.asarray(_STRETCH), numbers())
        figure = f"printed stress against its energy, stretch {_STRETCH[0]:g} to {_STRETCH[-1]:g} [G]"
        yield below(case, law.label, figure, _apart(by_energy, closed(_STRETCH), SHEAR), EXACT, clock)
    yield from _inverses(case, clock)
    for material in ("neo-hookean", "gent"):
        ring = ExtensorLaw(material, "nr")
        thread = ExtensorLaw(material, "inf")
        limit = _stress(ring, jnp.asarray(_STRETCH), numbers())
        for degrees in (85.0, 89.0, 89.9, 89.99):
            wound = _stress(thread, jnp.asarray(_STRETCH), numbers(np.radians(degrees)))
            gap = _apart(wound, limit, SHEAR)
            figure = f"distance of inf at {degrees:g} deg from nr [G]"
            if degrees < 89.99:
                yield shown(case, material, figure, gap, None, clock)
            else:
                yield below(case, material, figure, gap, 1e-6, clock)
    if data.out is not None:
        _draw(case, data)


def _inverses(case: str, clock: Clock) -> Figures:
    uni, ring = ExtensorLaw("neo-hookean", "uni"), ExtensorLaw("neo-hookean", "nr")
    pull = SHEAR * np.linspace(0.0, 3.0, 61)
    figure = "stretch from stress, Eq. 7 put right, against the root [1]"
    yield below(case, uni.label, figure, _apart(_root(uni, pull), stretch_neo_hookean_uni(pull), 1.0), EXACT, clock)
    pull = SHEAR * np.linspace(-2.0, 0.66, 61)
    figure = "stretch from stress, Eq. 9 put right, against the root [1]"
    yield below(case, ring.label, figure, _apart(_root(ring, pull), stretch_neo_hookean_nr(pull), 1.0), EXACT, clock)
    bounds = _range(ring, numbers())
    figure = "limit point: stretch [1] and stress [G]"
    at = [float(bounds.high), float(bounds.highest) / SHEAR]
    yield compare(case, ring.label, figure, at, [np.sqrt(3.0), 2.0 / 3.0], 1e-7, clock)
    for constraint, fit, furthest, bar in (("uni", fit_gent_uni, 2.0, 0.01), ("nr", fit_gent_nr, 1.8, 0.06)):
        law, stretch = ExtensorLaw("gent", constraint), np.linspace(1.0, furthest, 201)
        stress = np.asarray(_stress(law, jnp.asarray(stretch), numbers()))
        worst = float(np.max(np.abs(fit(stress) / stretch - 1.0)))
        figure = f"printed fit of the stretch up to {furthest:g}, largest relative error [1]"
        yield below(case, law.label, figure, worst, bar, clock)
    per_stress = (CHAMBER[1] ** 2 - CHAMBER[0] ** 2) / CHAMBER[0] ** 2
    for material in ("neo-hookean", "gent"):
        law = ExtensorLaw(material, "nr")
        most = float(_range(law, numbers()).highest) * per_stress
        figure = f"largest pressure of a chamber {CHAMBER[0] * 1e3:g} / {CHAMBER[1] * 1e3:g} mm, E 130 kPa [kPa]"
        yield shown(case, law.label, figure, most / 1e3, None, clock)


def _root(law: ExtensorLaw, stress: np.ndarray) -> Array:
    return _stretch(law, jnp.asarray(stress), numbers())[0]


def _apart(one: Array | np.ndarray, other: Array | np.ndarray, scale: float) -> float:
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other))) / scale)


def _draw(case: str, data: Data) -> None:
    """Pressure against stretch of a Gent extensor, for six thread angles (the document's Figure 4)."""
    from matplotlib.figure import Figure

    from pliant.view import save_figure

    assert data.out is not None
    per_stress = (CHAMBER[1] ** 2 - CHAMBER[0] ** 2) / CHAMBER[0] ** 2 / 1e3
    figure = Figure(figsize=(11.0, 6.5), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for ax, degrees in zip(axes.flat, _FIGURE_ANGLES, strict=True):
        for definition, style in (("printed", "-"), ("virtual_work", ":")):
            law = ExtensorLaw("gent", "inf", definition)
            for shade, young in zip(np.linspace(0.25, 0.95, _FIGURE_MODULI.size), _FIGURE_MODULI, strict=True):
                value = numbers(np.radians(degrees), young)
                stretch = np.linspace(1.0, min(float(_range(law, value).high), 2.0), 200)
                pressure = np.asarray(_stress(law, jnp.asarray(stretch), value)) * per_stress
                label = f"{young / 1e3:.0f} kPa" if definition == "printed" else None
                ax.plot(pressure, stretch, style, color=(0.1, 0.3, 0.6, shade), label=label)
        ax.set(title=f"thread at {degrees:g}°", xlim=(0.0, 400.0), ylim=(1.0, 2.0))
    for ax in axes[1]:
        ax.set_xlabel("pressure [kPa]")
    for ax in axes[:, 0]:
        ax.set_ylabel("stretch [1]")
    axes[1, 2].legend(fontsize=7, title="E", loc="lower right")
    figure.suptitle(f"{case}: gent-inf, up to its limit point (dotted: by virtual work)")
    save_figure(figure, data.out / f"{case}.png")
