"""SoRoMoX 0.5 on the problems of the spine: `python -m peers.soromox <problem> [size]`.

Its rods run along x: our (bend_x, bend_y, twist, shear_x, shear_y, stretch) stand at 1, 2, 0, 4, 5, 3 of its strains.
"""

import sys

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from soromox.systems import (
    GVS,
    PCS,
    GVSSegment,
    JointSpec,
    LinkSpec,
    PCSStructure,
    StrainBasisSpec,
    SystemState,
)

from harness import problems
from harness.timing import first_and_steady, report

jax.config.update("jax_enable_x64", True)

_OURS_IN_THEIRS = np.array([1, 2, 0, 4, 5, 3])
_STRAIGHT = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
_GRAVITY = jnp.array([0.0, -problems.GRAVITY, 0.0])
_AT_ORIGIN = jnp.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
_LOOP, _BATCH_LOOP = 1000, 20


def _cantilever_link(length: float, viscosity: float) -> LinkSpec:
    return LinkSpec.circular(
        length=length,
        radius=problems.RADIUS,
        density=problems.DENSITY,
        reference_strain=_STRAIGHT,
        young_modulus=problems.YOUNG,
        shear_modulus=problems.SHEAR_MODULUS,
        material_damping_coefficient=viscosity,
    )


def forward_dynamics() -> None:
    links = [_cantilever_link(problems.LENGTH / problems.PIECES, problems.VISCOSITY) for _ in range(problems.PIECES)]
    structure = PCSStructure(num_gauss_points=problems.POINTS_PER_PIECE, strain_selector=None)
    robot = PCS.from_links(links, structure=structure, gravity=_GRAVITY, base_pose=_AT_ORIGIN)
    freedoms = robot.num_velocities

    def state(batch: int | None) -> jax.Array:
        parts = []
        for ours in problems.arm_state(batch):
            theirs = np.empty_like(ours)
            theirs[..., _OURS_IN_THEIRS] = ours
            parts.append(theirs.reshape(*ours.shape[:-2], freedoms))
        return jnp.asarray(np.concatenate(parts, axis=-1))

    def rate(y: jax.Array) -> jax.Array:
        return robot.forward_dynamics(jnp.zeros(()), y, (jnp.zeros(robot.num_actuators),))

    def repeated(evaluate, times: int):
        return jax.jit(lambda y: jax.lax.fori_loop(0, times, lambda _, y: y + 1e-9 * evaluate(y), y))

    one, many = state(None), state(problems.BATCH)
    loop, batch_loop = repeated(rate, _LOOP), repeated(jax.vmap(rate), _BATCH_LOOP)
    first, loop_time, _ = first_and_steady(lambda: loop(one).block_until_ready())
    _, batch_time, _ = first_and_steady(lambda: batch_loop(many).block_until_ready())
    value = np.asarray(jax.jit(rate)(one))[freedoms:].reshape(problems.PIECES, 6)[:, _OURS_IN_THEIRS]
    report(
        loop=loop_time / _LOOP,
        batch=batch_time / (_BATCH_LOOP * problems.BATCH),
        compile=first - loop_time,
        acceleration=value.tolist(),
    )


def cantilever_statics(order: int, points: int) -> None:
    """It ships no static solver: plain Newton on its public forces, each load step to a residual of 1e-10. In one load
    step Newton strays or lands on another equilibrium; of 2, 3 and 5 steps, three was the quickest."""
    segment = GVSSegment(
        link=_cantilever_link(problems.LENGTH, 0.0),
        joint=JointSpec.fixed(),
        basis=StrainBasisSpec(type="legendre", strain_selector=("kappa_z", "sigma_x", "sigma_y"), basis_order=order),
        num_gauss_points=points,
    )
    robot = GVS.from_segments([segment], gravity=_GRAVITY, base_pose=_AT_ORIGIN)
    straight = jnp.zeros(robot.num_velocities)
    enough = 1e-10 * jnp.linalg.norm(robot.gravitational_force(straight))

    def residual(q: jax.Array, factor: jax.Array) -> jax.Array:
        return robot.elastic_force(q) + factor * robot.gravitational_force(q)

    def load_step(q: jax.Array, factor: jax.Array) -> tuple[jax.Array, jax.Array]:
        def iterate(carry):
            q, force, count = carry
            q = q - jnp.linalg.solve(jax.jacfwd(residual)(q, factor), force)
            return q, residual(q, factor), count + 1

        def unfinished(carry):
            return (jnp.linalg.norm(carry[1]) > enough) & (carry[2] < 40)

        q, force, count = jax.lax.while_loop(unfinished, iterate, (q, residual(q, factor), 0))
        return q, (jnp.linalg.norm(force), count)

    solve = jax.jit(lambda factors: jax.lax.scan(load_step, straight, factors))
    factors = jnp.array([1.0, 2.0, 3.0]) / 3.0
    first, seconds, (q, (forces, counts)) = first_and_steady(lambda: jax.block_until_ready(solve(factors)))
    if not float(forces[-1]) <= float(enough):
        raise RuntimeError(f"Newton did not converge: residual {float(forces[-1])}")
    tip = robot.forward_kinematics(q, jnp.array(problems.LENGTH))[:3, 3]
    report(
        time=seconds,
        compile=first - seconds,
        error=problems.tip_error(np.asarray(tip)),
        freedoms=robot.num_velocities,
        iterations=int(counts.sum()),
    )


def flying_spaghetti(pieces: int) -> None:
    length = problems.SPAGHETTI_LENGTH / pieces
    stiffness = np.diag([problems.SPAGHETTI_BENDING] * 3 + [problems.SPAGHETTI_AXIAL] * 3) * length
    radius = 0.1  # any: density makes up for it, and the section's inertia is replaced below
    link = LinkSpec.circular(
        length=length,
        radius=radius,
        density=problems.SPAGHETTI_MASS / (np.pi * radius**2),
        reference_strain=_STRAIGHT,
        stiffness=stiffness,
    )
    parameters = PCS.params_from_links([link] * pieces, gravity=jnp.zeros(3))
    robot = PCS(params=parameters, floating_base=True, backend="jax")
    # No density and radius give this rotary inertia, so the section's inertia is put in by hand.
    section = jnp.diag(jnp.array([problems.SPAGHETTI_ROTARY] * 3 + [problems.SPAGHETTI_MASS] * 3))
    robot = eqx.tree_at(lambda r: r.M_segments, robot, jnp.tile(section, (pieces, 1, 1)))

    half_angle = 0.5 * np.arctan2(0.8, -0.6)  # about z, from x to (B - A) / 10; its quaternions have the scalar last
    turned = [0.0, 0.0, np.sin(half_angle), np.cos(half_angle)]
    start = jnp.concatenate(
        [jnp.array(turned), jnp.array(problems.SPAGHETTI_A), jnp.zeros(6 * pieces + robot.num_velocities)]
    )
    peak = jnp.zeros(robot.num_velocities).at[:3].set(jnp.array(problems.SPAGHETTI_MOMENT))
    peak = peak.at[3:6].set(jnp.array(problems.SPAGHETTI_FORCE))
    rise = problems.SPAGHETTI_RISE

    def loads(state: SystemState) -> tuple[jax.Array, None]:
        return jnp.clip(1.0 - jnp.abs(state.t - rise) / rise, 0.0, 1.0) * peak, None

    count = round(problems.SPAGHETTI_UNTIL / problems.SPAGHETTI_SAVE)
    times = jnp.linspace(0.0, problems.SPAGHETTI_UNTIL, count + 1)

    @eqx.filter_jit
    def rollout(robot: PCS, start: jax.Array) -> jax.Array:
        return robot.rollout_to(
            initial_state=SystemState(t=jnp.array(0.0), y=start),
            t1=problems.SPAGHETTI_UNTIL,
            solver_dt=5e-3,
            save_ts=times,
            solver=diffrax.Tsit5(),
            stepsize_controller=diffrax.ConstantStepSize(),  # one run each: 5 ms beat 3.3, 2.5 ms and adaptive
            max_steps=None,
            environment_model=loads,
        ).y

    first, seconds, path = first_and_steady(lambda: rollout(robot, start).block_until_ready())
    report(
        time=seconds,
        compile=first - seconds,
        error=problems.spaghetti_error(np.asarray(path[:, 4:7])),
        freedoms=robot.num_velocities,
    )


if __name__ == "__main__":
    _problems = {
        "forward_dynamics": forward_dynamics,
        "cantilever_statics": cantilever_statics,
        "flying_spaghetti": flying_spaghetti,
    }
    _problems[sys.argv[1]](*(int(size) for size in sys.argv[2:]))
