"""What Gauss points of a `gvs` rod cost and leave: those it takes by itself, and the order of its strains plus six."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from cases.robots import PLANAR, cantilever
from harness import problems
from harness.timing import first_and_steady, report
from pliant.dynamics import accelerations
from pliant.model import Model, prepare

_LOOP = 1000  # evaluations inside one compiled loop
_FEW = 6  # points beyond the order
_REFERENCE = 60  # points
_TURN = 2.0 * np.pi  # rad, of the rod whose tip is looked at


def _rod(order: int, points: int | None) -> Model:
    options = {"order": order} | ({} if points is None else {"quadrature": points})
    return pliant.compile(cantilever({"gvs": options}, allow=PLANAR))


def _time(model: Model) -> float:
    prepared = prepare(model.structure, model.parameters)
    no_inputs: dict[str, jax.Array] = {}

    def step(_, state):
        q, v = state
        return q + 1e-9 * v, v + 1e-9 * accelerations(model, prepared, q, v, jnp.zeros(()), no_inputs)

    loop = jax.jit(lambda state: jax.lax.fori_loop(0, _LOOP, step, state))
    state = _bent(model), jnp.full(model.nv, 0.1)
    return first_and_steady(lambda: jax.block_until_ready(loop(state)))[1] / _LOOP


def _bent(model: Model) -> jax.Array:
    """A rod rolled up, and its higher shape functions at work, each half as much as the one before."""
    count = model.nv // len(PLANAR)
    bend = _TURN / problems.LENGTH * 0.5 ** np.arange(count)
    return jnp.concatenate([jnp.asarray(bend), jnp.zeros(model.nv - count)])


def _tip(model: Model) -> np.ndarray:
    return np.asarray(pliant.forward_kinematics(model, _bent(model))["tip"])[:3, 3]


def main() -> None:
    order = int(sys.argv[1])
    own, few, reference = (_rod(order, points) for points in (None, order + _FEW, _REFERENCE))
    (element,) = (member.element for member in own.structure.members if member.element.is_rod)
    exact = _tip(reference)
    own_error, few_error = (float(np.linalg.norm(_tip(model) - exact)) / problems.LENGTH for model in (own, few))
    report(
        points=element.quadrature,
        time=_time(own),
        error=own_error,
        few_time=_time(few),
        few_error=few_error,
    )


if __name__ == "__main__":
    main()
