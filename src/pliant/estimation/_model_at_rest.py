"""Any compiled robot at rest under its inputs and one more force on one of its links."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis import conditioned, equilibrium, force_scale, unknown_sizes
from pliant.dynamics import check_inputs, element_forces, multiplier_count, shape, static_balance
from pliant.estimation._along import between
from pliant.estimation._forward import Linearised
from pliant.model import Model, Placing, Prepared, prepare
from pliant.numerics import NewtonResult, ResultCode, lu_solve, newton

_TOLERANCE = 1e-7  # residual relative to the loads, before a last step that roughly squares it
_NEAR = 1e-2  # the same, from where one Newton step leads close enough
_MAX_ITERATIONS = 25
_TRUSTED_STEPS = 5  # where coordinates are poses; see `newton`

Marker = str | float
Residual = Callable[[Array], Array]


class Rest(NamedTuple):
    """Configuration q (nq,) and multipliers of the constraints."""

    q: Array
    multipliers: Array


class ModelAtRest(eqx.Module):
    """Forward map of a model. The force acts at a named frame, or at a fraction s of a rod: between the nodes of the
    rod the place is that of constant strain from one node's pose to the next, T_i exp(x log(T_i^-1 T_i+1)), and the
    generalised force is the derivative of this place, so that it works as a force on the body does. This is exact for
    constant strain; for a STIFF-FLOP module bent by 90 deg (gvs order 2, 10 nodes) the place is within 0.01 mm.
    """

    model: Model
    link: str | None = eqx.field(static=True)
    markers: tuple[Marker, ...] = eqx.field(static=True)
    frame: str | None = eqx.field(static=True)

    def __init__(self, model: Model, markers: Sequence[Marker], link: str | None, frame: str | None) -> None:
        self.model = model
        self.markers = tuple(marker if isinstance(marker, str) else float(marker) for marker in markers)
        self.frame = frame
        on_rod = frame is None or any(not isinstance(marker, str) for marker in self.markers)
        self.link = _rod(model, link) if on_rod or link is not None else None
        for name in [marker for marker in self.markers if isinstance(marker, str)] + ([frame] if frame else []):
            model.structure.frame_index(name)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def marker_count(self) -> int:
        return len(self.markers)

    @property
    def free_location(self) -> bool:
        return self.frame is None

    def checked(self, inputs: Mapping[str, Any] | None) -> Mapping[str, Array]:
        return check_inputs(self.model, inputs)

    def at_rest(self, inputs: Mapping[str, Array]) -> Rest:
        found = equilibrium(self.model, inputs=inputs)
        return Rest(jnp.asarray(found.q), jnp.zeros(multiplier_count(self.model)))

    def moved(self, carry: Rest, carry_rates: Array, change: Array) -> Rest:
        along = carry_rates @ change
        nv = self.model.nv
        return Rest(self.model.integrate(carry.q, along[:nv]), carry.multipliers + along[nv:])

    def linearise(self, force: Array, location: Array, inputs: Any, carry: Rest, solve: bool) -> Linearised:
        model = self.model
        nq, nv = model.nq, model.nv
        prepared = prepare(model.structure, model.parameters)
        unknowns = jnp.concatenate([force, location[None]])
        size = nv + len(carry.multipliers)

        def retract(x: Array, dx: Array) -> Array:
            return jnp.concatenate([model.integrate(x[:nq], dx[:nv]), x[nq:] + dx[nv:]])

        def balance(x: Array) -> Array:
            held = static_balance(model, x[:nq], x[nq:], 0.0, inputs, 1.0, prepared)
            return held.at[:nv].add(-self._generalised(x[:nq], unknowns))

        def moved(dx: Array) -> tuple[Array, Array]:
            value = balance(retract(start, dx))
            return value, value

        start = jnp.concatenate([carry.q, carry.multipliers])
        if solve:
            found = self._solved(prepared, carry, balance, retract)
            begin, tangent, left, code = found.x, found.jacobian, balance(found.x), found.code
        else:
            tangent, left = jax.jacfwd(moved, has_aux=True)(jnp.zeros(size))
            far = jnp.max(jnp.abs(left) / self._scale(prepared, carry, tangent, left)) > _NEAR
            begin, code = start, jnp.where(far, ResultCode.NOT_CONVERGED, ResultCode.SUCCESS).astype(jnp.int32)
        pushed = jax.jacfwd(lambda unknowns: self._generalised(begin[:nq], unknowns))(unknowns)
        slope = jnp.concatenate([-pushed, jnp.zeros((size - nv, 4))])
        # The balance stays zero: K dx + dr = 0, with dr its change by the unknowns; and one more Newton step.
        solved = -lu_solve(conditioned(model, tangent), jnp.concatenate([left[:, None], slope], axis=1))
        x, carry_rates = retract(begin, solved[:, 0]), solved[:, 1:]

        def markers(change: Array) -> Array:
            return self._marker_poses(prepared, retract(x, carry_rates @ change)[:nq])

        poses, along = jax.linearize(markers, jnp.zeros(4))
        return Linearised(poses, jax.vmap(along)(jnp.eye(4)), Rest(x[:nq], x[nq:]), carry_rates, code)

    def _solved(self, prepared: Prepared, carry: Rest, residual: Residual, retract: Any) -> NewtonResult:
        """Rest by Newton's method from where the robot was."""
        model = self.model
        return newton(
            residual,
            jnp.concatenate([carry.q, carry.multipliers]),
            conditioned=lambda tangent: conditioned(model, tangent),
            retract=retract,
            scale=lambda tangent, left: self._scale(prepared, carry, tangent, left),
            magnitude=lambda x: unknown_sizes(model, prepared, x),
            size=model.nv + len(carry.multipliers),
            tolerance=_TOLERANCE,
            max_iterations=_MAX_ITERATIONS,
            trust=_TRUSTED_STEPS if model.structure.moves_poses else 0,
        )

    def _scale(self, prepared: Prepared, carry: Rest, tangent: Array, left: Array) -> Array:
        """What counts as one in the balance: the forces that have to balance, and lengths and angles of constraints."""
        nv = self.model.nv
        stored = element_forces(self.model, prepared, carry.q, jnp.zeros(nv))
        loads = left[:nv] - tangent[:nv, nv:] @ carry.multipliers - stored
        forces = force_scale(tangent[:nv, :nv], jnp.abs(loads) + jnp.abs(stored))
        return jnp.concatenate([forces, jnp.ones(len(left) - nv)])

    def _generalised(self, q: Array, unknowns: Array) -> Array:
        """(nv,) of the force: what its place does along every velocity."""

        def work(dv: Array) -> Array:
            return self._place(self.model.integrate(q, dv), unknowns[3]) @ unknowns[:3]

        return jax.grad(work)(jnp.zeros(self.model.nv))

    def _place(self, q: Array, location: Array) -> Array:
        """(3,) where the force acts, in the world."""
        structure = self.model.structure
        posed = shape(self.model, q)
        if self.frame is not None:
            return posed.frame_pose[structure.frame_index(self.frame), :3, 3]
        own = [index for index, node in enumerate(structure.nodes) if node.name == self.link]
        fractions = np.array([structure.node_fractions[index] for index in own])
        nodes = posed.node_pose[own[0] : own[-1] + 1]
        return between(nodes, jnp.asarray(fractions), location)[:3, 3]

    def _marker_poses(self, prepared: Prepared, q: Array) -> Array:
        """(m, 4, 4): frames by name, fractions of the rod by its own kinematics."""
        structure = self.model.structure
        fractions = tuple(marker for marker in self.markers if not isinstance(marker, str))
        poses = shape(self.model, q).frame_pose
        if not fractions:
            return poses[np.array([structure.frame_index(str(marker)) for marker in self.markers])]
        link = next(link for link in structure.links if link.name == self.link)
        along = iter(Placing(structure, prepared.elements, prepared.parameters, q).rod(link, fractions))
        return jnp.stack(
            [
                poses[structure.frame_index(marker)] if isinstance(marker, str) else next(along)
                for marker in self.markers
            ]
        )


def _rod(model: Model, link: str | None) -> str:
    """The rod that fractions are of."""
    rods = [own.name for own in model.structure.links if own.name in {node.name for node in model.structure.nodes}]
    if link is None and len(rods) == 1:
        return rods[0]
    if link not in rods:
        known = ", ".join(rods) or "none"
        given = "fractions need the rod they are of" if link is None else f"it has no rod {link!r}"
        raise KeyError(f"robot {model.name!r}: {given}; give link= one of its rods: {known}")
    return link
