"""Braided extensors: tubes of rubber wound with thread, which lengthen under pressure (Shiva et al., section B.1).

The thread ties the hoop stretch to the axial stretch, so that the stored energy is a function u of the axial stretch l
alone. With V = l l_2^2, by which the enclosed volume grows (l_2: hoop stretch), the axial stress in the wall is

    du/dl             where the wall may shrink freely (uni: the volume is constant),
    d(u / V)/dl       as the document prints its laws of nr and inf ("printed"),
    (du/dl) / (dV/dl) by virtual work on a wall of constant volume ("virtual_work"),

all by derivatives of the energy. The printed laws may have a limit point: the largest stress they can carry.
"""

import dataclasses
import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from numpy.typing import ArrayLike

from pliant.mechanics._hyperelastic import energy_density

MATERIALS = ("hooke", "neo-hookean", "gent")
CONSTRAINTS = ("uni", "nr", "inf")
STRESSES = ("printed", "virtual_work")

# Stretches looked for lie between these, and closer to the point where the chains or the threads are straight than
# this share of the way to it: no rubber goes as far.
SMALLEST_STRETCH, LARGEST_STRETCH = 0.05, 20.0
_MARGIN = 1e-9
_GRID = 256  # points among which the first falling one brackets the limit point
_BISECTIONS = 60
_MOST_ITERATIONS = 120
_ROUND_OFF = 4.0 * float(np.finfo(float).eps)


@dataclasses.dataclass(frozen=True)
class ExtensorLaw:
    """material: hooke (which needs nothing else), neo-hookean or gent. constraint: uni (uniaxial, the wall shrinks
    freely), nr (no change of radius) or inf (inextensible thread at an angle). stress: printed or virtual_work."""

    material: str = "hooke"
    constraint: str = "nr"
    stress: str = "printed"

    def __post_init__(self) -> None:
        for field, legal in (("material", MATERIALS), ("constraint", CONSTRAINTS), ("stress", STRESSES)):
            if getattr(self, field) not in legal:
                raise ValueError(
                    f"extensor {field}: unknown {getattr(self, field)!r}; expected one of {', '.join(legal)}"
                )

    @property
    def label(self) -> str:
        """Such as `gent-nr (printed)`."""
        if self.material == "hooke":
            return "hooke"
        return f"{self.material}-{self.constraint}" + ("" if self.constraint == "uni" else f" ({self.stress})")


class ExtensorNumbers(NamedTuple):
    """young [Pa] at rest (three times the shear modulus); limit: Gent's J_m [1]; angle: of the thread from the axis
    [rad], pi/2 for a ring. Scalars; a law takes no notice of what it does not need."""

    young: Array
    limit: Array
    angle: Array


class StretchRange(NamedTuple):
    """Stretches on the branch that begins at rest, from low to high, and the stresses [Pa] there. limit_point: whether
    the stress falls beyond `high`; else it grows without bound towards it, or `high` is as far as is looked."""

    low: Array
    high: Array
    lowest: Array
    highest: Array
    limit_point: Array


def extensor_numbers(
    young: ArrayLike, limit: ArrayLike = math.inf, thread_angle: ArrayLike = math.pi / 2
) -> ExtensorNumbers:
    return ExtensorNumbers(*(jnp.asarray(value, dtype=float) for value in (young, limit, thread_angle)))


def hoop_stretch_squared(law: ExtensorLaw, stretch: Array, angle: Array) -> Array:
    if law.constraint == "uni":
        return 1.0 / stretch
    if law.constraint == "nr":
        return jnp.ones_like(stretch)
    return (1.0 - (stretch * jnp.cos(angle)) ** 2) / jnp.sin(angle) ** 2


def _excess(law: ExtensorLaw, stretch: Array, angle: Array) -> Array:
    """I1 - 3, with what cancels at rest left out where it can be."""
    if law.constraint == "uni":
        return (stretch - 1.0) ** 2 * (stretch + 2.0) / stretch
    if law.constraint == "nr":
        return (stretch - 1.0 / stretch) ** 2
    hoop = hoop_stretch_squared(law, stretch, angle)
    return stretch**2 + hoop + 1.0 / (stretch**2 * hoop) - 3.0


def extensor_stress(law: ExtensorLaw, stretch: Array, numbers: ExtensorNumbers) -> Array:
    """Axial stress [Pa] over the wall at rest, of the shape of `stretch`."""
    stretch = jnp.asarray(stretch)
    if law.material == "hooke":
        return numbers.young * (stretch - 1.0)

    def energy(at: Array) -> Array:
        return energy_density(law.material, _excess(law, at, numbers.angle), numbers.young / 3.0, numbers.limit)

    def volume(at: Array) -> Array:
        return at * hoop_stretch_squared(law, at, numbers.angle)

    if law.constraint == "uni":
        return _derivative(energy, stretch)
    if law.stress == "printed":
        return _derivative(lambda at: energy(at) / volume(at), stretch)
    return _derivative(energy, stretch) / _derivative(volume, stretch)


def _derivative(function, at: Array) -> Array:  # type: ignore[no-untyped-def]
    """Derivative of a function that acts on every number of an array by itself."""
    return jax.jvp(function, (at,), (jnp.ones_like(at),))[1]


def stretch_range(law: ExtensorLaw, numbers: ExtensorNumbers) -> StretchRange:
    """How far the law can be followed from rest."""
    numbers = lax.stop_gradient(numbers)
    low, high = jnp.asarray(SMALLEST_STRETCH), jnp.asarray(LARGEST_STRETCH)
    if law.material == "hooke":
        ends = extensor_stress(law, jnp.stack([low, high]), numbers)
        return StretchRange(low, high, ends[0], ends[1], jnp.asarray(False))
    if law.constraint == "inf":
        # Threads along the axis, or (virtual work) threads at the angle at which the volume is largest.
        straight = 1.0 / jnp.maximum(jnp.cos(numbers.angle), 1.0 / LARGEST_STRETCH)
        high = straight if law.stress == "printed" else jnp.maximum(straight / jnp.sqrt(3.0), 1.0)
        high = jnp.where(high < LARGEST_STRETCH, 1.0 + (high - 1.0) * (1.0 - _MARGIN), LARGEST_STRETCH)
    if law.material == "gent":

        def room(at: Array) -> Array:
            return numbers.limit - _excess(law, at, numbers.angle)

        low, high = (1.0 + (_crossing(room, jnp.ones(()), end) - 1.0) * (1.0 - _MARGIN) for end in (low, high))
    limit_point = jnp.asarray(False)
    if law.constraint != "uni" and law.stress == "printed":

        def slope(at: Array) -> Array:
            return _derivative(lambda x: extensor_stress(law, x, numbers), at)

        grid = high ** jnp.linspace(0.0, 1.0, _GRID)
        falling = slope(grid) <= 0.0
        first = jnp.maximum(jnp.argmax(falling), 1)
        limit_point = jnp.any(falling)
        high = jnp.where(limit_point, _crossing(slope, grid[first - 1], grid[first]), high)
    ends = extensor_stress(law, jnp.stack([low, high]), numbers)
    return StretchRange(low, high, ends[0], ends[1], limit_point)


def _crossing(function, inside: Array, outside: Array) -> Array:  # type: ignore[no-untyped-def]
    """Where a function that is positive inside stops being so, or `outside` where it does not, by bisection."""

    def halve(_: int, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        inside, outside = ends
        middle = 0.5 * (inside + outside)
        positive = function(middle) > 0.0
        return jnp.where(positive, middle, inside), jnp.where(positive, outside, middle)

    found = lax.fori_loop(0, _BISECTIONS, halve, (inside, outside))[0]
    return jnp.where(function(outside) > 0.0, outside, found)


def extensor_stretch(
    law: ExtensorLaw, stress: Array, numbers: ExtensorNumbers, bounds: StretchRange | None = None
) -> tuple[Array, Array]:
    """Stretch under an axial stress [Pa] of any shape, and whether the law can carry it.

    Where it cannot, the stretch is that at the end of the range. Differentiable, by the implicit function theorem.
    """
    stress = jnp.asarray(stress)
    bounds = stretch_range(law, numbers) if bounds is None else bounds
    valid = (stress >= bounds.lowest) & (stress <= bounds.highest)
    within = jnp.clip(stress, bounds.lowest, bounds.highest)
    if law.material == "hooke":
        return 1.0 + within / numbers.young, valid
    return _inverse(law, within, numbers, bounds.low, bounds.high), valid


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _inverse(law: ExtensorLaw, stress: Array, numbers: ExtensorNumbers, low: Array, high: Array) -> Array:
    """Newton's method kept within a shrinking bracket; a step that is not half the one before is a bisection."""

    def unfinished(search: tuple[Array, ...]) -> Array:
        step, at, count = search[3], search[0], search[4]
        return (count < _MOST_ITERATIONS) & jnp.any(jnp.abs(step) > _ROUND_OFF * at)

    def improve(search: tuple[Array, ...]) -> tuple[Array, ...]:
        at, low, high, last, count = search
        value, slope = jax.jvp(lambda x: extensor_stress(law, x, numbers), (at,), (jnp.ones_like(at),))
        above = value >= stress
        low, high = jnp.where(above, low, at), jnp.where(above, at, high)
        newton = at - (value - stress) / slope
        # A comparison with a slope that vanished or a value that is not finite is false: then the bracket is halved.
        good = (newton >= low) & (newton <= high) & (2.0 * jnp.abs(newton - at) <= jnp.abs(last))
        moved = jnp.where(good, newton, 0.5 * (low + high))
        # Newton may arrive at an end of the bracket, which then no longer shrinks.
        step = jnp.where(value == stress, 0.0, moved - at)
        return at + step, low, high, step, count + 1

    lows, highs = jnp.broadcast_to(low, stress.shape), jnp.broadcast_to(high, stress.shape)
    start = jnp.clip(1.0 + stress / numbers.young, lows, highs)
    first: tuple[Array, ...] = (start, lows, highs, highs - lows, jnp.zeros((), dtype=int))
    return lax.while_loop(unfinished, improve, first)[0]


@_inverse.defjvp
def _inverse_jvp(law: ExtensorLaw, primals: tuple, tangents: tuple) -> tuple[Array, Array]:  # type: ignore[type-arg]
    stress, numbers, low, high = primals
    stress_dot, numbers_dot, _, _ = tangents
    at = _inverse(law, stress, numbers, low, high)
    slope = _derivative(lambda x: extensor_stress(law, x, numbers), at)
    moved = jax.jvp(lambda n: extensor_stress(law, at, n), (numbers,), (numbers_dot,))[1]
    # At a limit point the stretch has no derivative; beyond it the answer does not move.
    inside = (at > low) & (at < high) & (slope > 0.0)
    return at, jnp.where(inside, (stress_dot - moved) / jnp.where(inside, slope, 1.0), 0.0)


def wall_stress(pressure: ArrayLike, inner_radius: ArrayLike, outer_radius: ArrayLike, force: ArrayLike = 0.0) -> Array:
    """Axial stress [Pa] in the wall of an extensor under pressure [Pa] and an axial force [N] (Eq. 2)."""
    inner, outer = jnp.asarray(inner_radius), jnp.asarray(outer_radius)
    squares = outer**2 - inner**2
    return jnp.asarray(pressure) * inner**2 / squares + jnp.asarray(force) / (jnp.pi * squares)


@partial(jax.jit, static_argnums=0)
def _stretch_and_range(law: ExtensorLaw, stress: Array, numbers: ExtensorNumbers) -> tuple[Array, Array, StretchRange]:
    bounds = stretch_range(law, numbers)
    return *extensor_stretch(law, stress, numbers, bounds), bounds


def stretch_under_pressure(
    law: ExtensorLaw,
    numbers: ExtensorNumbers,
    pressure: ArrayLike,
    *,
    inner_radius: float,
    outer_radius: float,
    force: ArrayLike = 0.0,
) -> np.ndarray:
    """Stretch of an extensor under pressure [Pa] and an axial force [N]; ValueError where the law cannot carry them."""
    check_extensor(law, numbers)
    if not 0.0 < inner_radius < outer_radius:
        raise ValueError(
            f"extensor radii: expected 0 < inner < outer; got {inner_radius:g} m inner, {outer_radius:g} m outer"
        )
    stress = wall_stress(pressure, inner_radius, outer_radius, force)
    stretch, valid, bounds = _stretch_and_range(law, stress, numbers)
    if not np.all(valid):
        refuse_stress(
            law, bounds, np.asarray(stress), np.broadcast_to(pressure, stress.shape), inner_radius, outer_radius
        )
    return np.asarray(stretch)


def refuse_stress(
    law: ExtensorLaw, bounds: StretchRange, stress: np.ndarray, pressure: np.ndarray, inner: float, outer: float
) -> None:
    """Raise for the stress farthest outside the range, in terms of pressure: what the axial force adds stays."""
    beyond = np.maximum(stress - float(bounds.highest), float(bounds.lowest) - stress)
    worst = np.unravel_index(int(np.argmax(beyond)), stress.shape)
    per_pressure = inner**2 / (outer**2 - inner**2)
    too_much = stress[worst] > float(bounds.highest)
    word, bound, at = ("largest", bounds.highest, bounds.high) if too_much else ("smallest", bounds.lowest, bounds.low)
    legal = float(pressure[worst]) + (float(bound) - float(stress[worst])) / per_pressure
    why = "its limit point" if too_much and bool(bounds.limit_point) else "as far as the law is followed"
    raise ValueError(
        f"extensor {law.label}: {float(pressure[worst]):.6g} Pa is beyond what it can carry; the {word} pressure here "
        f"is {legal:.6g} Pa, at a stretch of {float(at):.4g} ({why}). Take a stiffer material, a thicker wall or "
        "another law"
    )


def check_extensor(law: ExtensorLaw, numbers: ExtensorNumbers) -> None:
    """Raise ValueError for numbers that the law makes no sense of."""
    if not float(numbers.young) > 0.0:
        raise ValueError(f"extensor young: expected a modulus above 0 Pa; got {float(numbers.young):g}")
    if law.material == "gent" and not 0.0 < float(numbers.limit) < math.inf:
        raise ValueError(f"extensor limit (Gent's J_m): expected a number above 0; got {float(numbers.limit):g}")
    if law.material == "hooke" or law.constraint != "inf":
        return
    # Threads nearer to the axis than this make the volume grow by shortening: a contracting muscle, no extensor.
    least = 0.0 if law.stress == "printed" else math.degrees(math.acos(1.0 / math.sqrt(3.0)))
    degrees = math.degrees(float(numbers.angle))
    if not least < degrees <= 90.0 + 1e-9:
        raise ValueError(f"extensor thread angle: expected above {least:.4g} and up to 90 deg; got {degrees:.4g} deg")
