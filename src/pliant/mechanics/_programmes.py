"""Programmes: values prescribed in time. The kind is static, the numbers are traced parameters."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

Programme = Mapping[str, Any]  # {"programme": kind, field: "@path", ...} as in docs/blueprint.md


def _numbers(programme: Programme, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: parameters[ref[1:]] for name, ref in programme.items() if name != "programme"}


def evaluate(programme: Programme, parameters: Mapping[str, Array], t: Array) -> Array:
    """Value of a programme at time t [s]."""
    kind = programme["programme"]
    n = _numbers(programme, parameters)
    if kind == "constant":
        return n["value"]
    if kind == "step":
        return jnp.where(t >= n["at"], n["to"], n["from"])
    if kind == "ramp":
        progress = jnp.clip((t - n["start"]) / n["over"], 0.0, 1.0)
        return n["from"] + (n["to"] - n["from"]) * progress
    if kind == "ease":
        # The quintic whose rate and acceleration vanish at both ends.
        x = jnp.clip((t - n["start"]) / n["over"], 0.0, 1.0)
        return n["from"] + (n["to"] - n["from"]) * (x**3 * (10.0 + x * (6.0 * x - 15.0)))
    if kind == "sine":
        return n["offset"] + n["amplitude"] * jnp.sin(2.0 * jnp.pi * n["frequency"] * t + n["phase"])
    if kind == "triangle":
        since = t - n["start"]
        rising, falling = since / n["rise"], 1.0 - (since - n["rise"]) / n["fall"]
        return n["peak"] * jnp.clip(jnp.minimum(rising, falling), 0.0, 1.0)
    if kind == "pulse":
        inside = (t >= n["start"]) & (t < n["start"] + n["width"])
        return jnp.where(inside, n["value"], jnp.zeros_like(n["value"]))
    if kind == "table":
        values = n["values"]
        return jnp.stack(
            [jnp.interp(t, n["times"], column) for column in values.reshape(values.shape[0], -1).T]
        ).reshape(values.shape[1:])
    raise ValueError(f"unknown programme {kind!r}")


def two_rates(function: Callable[[Array], Array], t: Array) -> tuple[Array, Array, Array]:
    """Value, first and second derivative by a scalar."""
    one = jnp.ones_like(t)

    def first(t: Array) -> tuple[Array, Array]:
        return jax.jvp(function, (t,), (one,))

    (value, rate), (_, second) = jax.jvp(first, (t,), (one,))
    return value, rate, second


def breakpoints(programme: Programme, parameters: Mapping[str, Any]) -> list[float]:
    """Times at which the programme or its slope jumps (host side), so that a stepper can land on them."""
    kind = programme["programme"]
    n = {name: np.asarray(value) for name, value in _numbers(programme, parameters).items()}
    if kind == "step":
        return [float(n["at"])]
    if kind in ("ramp", "ease"):
        return [float(n["start"]), float(n["start"] + n["over"])]
    if kind == "triangle":
        return [float(n["start"]), float(n["start"] + n["rise"]), float(n["start"] + n["rise"] + n["fall"])]
    if kind == "pulse":
        return [float(n["start"]), float(n["start"] + n["width"])]
    if kind == "table":
        return [float(time) for time in n["times"]]
    return []
