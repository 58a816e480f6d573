"""Contacts in native code: samples are taken in turn, and give what they give all at once."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from interactions import test_contacts, test_rod_contacts
from pliant.dynamics import evaluation, touches
from pliant.dynamics._interactions import kinds
from pliant.interactions import Contacts
from pliant.model import Model, State, prepare
from pliant.native import compare, compile_function

TOLERANCE = 1e-10  # of the largest element


def _all_of_it(model: Model) -> Any:
    """Forces with their derivative by everything, what is remembered, energies, and touches."""
    prepared, inputs, t = prepare(model.structure, model.parameters), {}, jnp.zeros(())

    def found(q: jax.Array, v: jax.Array, way: jax.Array) -> Any:
        def forces(q: jax.Array, v: jax.Array) -> jax.Array:
            return pliant.residual(model, q, v, way)

        at = evaluation(model.structure, prepared, q, v, t, inputs)
        own = [(kind, numbers) for kind, numbers in kinds(at) if isinstance(kind, Contacts)]
        some = [[kind.energy(n, at), kind.loss(n, at), kind.remember(n, at), kind.report(n, at)] for kind, n in own]
        ahead = jax.jvp(forces, (q, v), (model.rate(q, way), way))
        return ahead, some, touches(model, prepared, State(q, v, at.memory), way, t, inputs)[:2]

    return found


@pytest.mark.long
@pytest.mark.parametrize("robot", [test_contacts._many, test_rod_contacts._bundle])
def test_native_code_finds_what_jax_finds(robot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Touching, and where some of it has left; nowhere are two places equally near."""
    monkeypatch.setenv("PLIANT_CFLAGS", "-O0")
    model = pliant.compile(robot())
    random = np.random.default_rng(1)
    start = np.asarray(model.initial_state().q)
    samples = [
        (jnp.asarray(start + size * random.normal(size=model.nq)), *jnp.asarray(random.normal(size=(2, model.nv))))
        for size in (1e-3, 1e-2, 0.3)
    ]
    function = _all_of_it(model)
    compare(compile_function(function, samples[0], "contacts"), function, samples, TOLERANCE)
