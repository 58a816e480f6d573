"""Undamped vibration modes about an equilibrium."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import Array

from pliant.analysis._assembly import assemble
from pliant.analysis._provenance import record
from pliant.analysis._statics import constrained_stiffness
from pliant.dynamics import mass_matrix, names, scene, shape
from pliant.model import Model
from pliant.numerics import ResultCode, SolveError
from pliant.results import Equilibrium, Modes

_SYMMETRY = 1e-8  # relative; a tangent less symmetric than this carries follower loads


def modes(
    model: Model,
    about: Equilibrium | Array | None = None,
    *,
    count: int = 6,
    t: float = 0.0,
    inputs: Mapping[str, Array] | None = None,
) -> Modes:
    """The `count` lowest modes about an equilibrium (default: the file's initial configuration, loops closed).

    Solves K x = omega^2 M x with the tangent stiffness K, among the motions that keep loops closed, driven joints in
    place and taut tendons at their length. Follower loads make K unsymmetric: the modes are then those of the full
    matrix, and a robot that flutters or is unstable raises SolveError.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1; got {count}")
    given = about.q if isinstance(about, Equilibrium) else about
    q = assemble(model, None, t, inputs) if given is None else jnp.asarray(given)
    stiffness, free = constrained_stiffness(model, q, t, inputs)
    stiffness = free.T @ stiffness @ free
    mass = free.T @ np.asarray(mass_matrix(model, q)) @ free
    if np.abs(stiffness - stiffness.T).max() <= _SYMMETRY * np.abs(stiffness).max():
        squared, vectors = scipy.linalg.eigh(0.5 * (stiffness + stiffness.T), mass)
    else:
        values, columns = scipy.linalg.eig(stiffness, mass)
        order = np.argsort(values.real)
        squared, vectors = values[order], columns[:, order]
        if np.any(np.abs(squared.imag) > _SYMMETRY * np.abs(squared.real).max()):
            raise SolveError(
                ResultCode.SINGULAR, f"robot {model.name!r} flutters under its follower loads: no undamped modes"
            )
        squared, vectors = squared.real, vectors.real
        vectors = vectors / np.sqrt(np.einsum("in,ij,jn->n", vectors, mass, vectors))
    # A free body has modes at zero; round-off may put them below it.
    floor = -1e-9 * np.abs(squared).max(initial=1.0)
    if squared.min(initial=0.0) < floor:
        raise SolveError(
            ResultCode.SINGULAR,
            f"the configuration of robot {model.name!r} is unstable: the lowest squared frequency is {squared[0]:.4g} "
            "rad^2/s^2; find an equilibrium first (pliant.equilibrium) and check its smallest eigenvalue",
        )
    kept = min(count, free.shape[1])
    vectors = jnp.asarray(free @ vectors[:, :kept])
    displacement = jax.vmap(lambda x: _displacements(model, q, x), in_axes=1)(vectors)
    return Modes(
        frequency=jnp.sqrt(jnp.maximum(jnp.asarray(squared[:kept]), 0.0)),
        vectors=vectors,
        node_displacement=displacement[0],
        body_displacement=displacement[1],
        q=q,
        shape=shape(model, q),
        code=jnp.asarray(int(ResultCode.SUCCESS)),
        scene=scene(model),
        names=names(model),
        provenance=record(model, {"analysis": "modes", "count": count, "t": t}),
    )


@jax.jit
def _displacements(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """World displacement of nodes (K, 3) and bodies (B, 3) along a velocity."""
    moved = jax.jvp(lambda dv: shape(model, model.integrate(q, dv)), (jnp.zeros_like(v),), (v,))[1]
    return moved.node_pose[:, :3, 3], moved.body_pose[:, :3, 3]
