"""A robot made up without any solver: a box, a tapered rod that swings and bends, a ball at its tip."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.results import (
    Equilibrium,
    Forces,
    LoadPath,
    Modes,
    Names,
    QuasiStatic,
    Scene,
    Shape,
    Trajectory,
    provenance,
)

jax.config.update("jax_enable_x64", True)

NODES = 12
LENGTH = 0.2  # m
BASE = np.array([0.0, 0.0, 0.30])  # m, height of the box
ACTUATORS = (("flexor", "N", "m"), ("pad", "Pa", "m^3"), ("wrist", "N m", "rad"))
NAMES = Names(
    ("arm.bend_x[0]", "arm.bend_y[0]"), ("arm.bend_x[0]", "arm.bend_y[0]"), ("tip", "<b>middle</b>"), ACTUATORS
)
FRACTION = np.linspace(0.0, 1.0, NODES)


def make_scene() -> Scene:
    radius = 0.014 - 0.008 * FRACTION
    return Scene(
        links=("base", "arm", "ball", "weight"),
        node_link=(1,) * NODES,
        node_fraction=tuple(float(s) for s in FRACTION),
        node_round=(True,) * NODES,
        half_width=jnp.asarray(np.stack([radius, radius], axis=1)),
        body_link=(0, 2, 3),
        body_shape=("box", "sphere", "cylinder"),
        body_size=jnp.array([[0.06, 0.06, 0.03], [0.012] * 3, [0.015, 0.015, 0.02]]),
    )


def make_shape(bend_x: np.ndarray, bend_y: np.ndarray) -> Shape:
    """Shapes (N leading) of a hanging rod with constant curvature bend_x, bend_y [rad/m], each (N,)."""
    count = len(bend_x)
    curvature = np.maximum(np.hypot(bend_x, bend_y), 1e-9)[:, None]
    s = LENGTH * FRACTION[None]
    angle = curvature * s
    axis = np.stack([bend_x, bend_y, 0 * bend_x], axis=1) / curvature
    cross = np.zeros((count, 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    cross -= np.swapaxes(cross, 1, 2)
    square = cross @ cross
    rotation = np.eye(3) + np.sin(angle)[..., None, None] * cross[:, None]
    rotation = rotation + (1 - np.cos(angle))[..., None, None] * square[:, None]
    straight = s[..., None] * np.array([0.0, 0.0, 1.0])
    position = straight + ((1 - np.cos(angle)) / curvature)[..., None] * cross[:, None, :, 2]
    position = position + (s - np.sin(angle) / curvature)[..., None] * square[:, None, :, 2]
    down = np.diag([1.0, -1.0, -1.0])  # the rod hangs: its z axis points down
    node = np.zeros((count, NODES, 4, 4))
    node[..., 3, 3] = 1.0
    node[..., :3, :3] = down @ rotation
    node[..., :3, 3] = BASE + position @ down.T
    base = np.eye(4)
    base[:3, 3] = BASE + np.array([0, 0, 0.015])
    body = np.stack([np.broadcast_to(base, (count, 4, 4)), node[:, -1], node[:, NODES // 2]], axis=1)
    strain = np.zeros((count, NODES, 6))
    strain[..., 0], strain[..., 1], strain[..., 5] = bend_x[:, None], bend_y[:, None], 1.0
    frame = node[:, [-1, NODES // 2]]
    return Shape(*(jnp.asarray(array) for array in (node, strain, body, frame)))


def make_forces(share: np.ndarray) -> Forces:
    """What actuators and two loops carry at a share (N,) of their greatest load."""
    scaled = {"flexor": 3.0, "pad": 20e3, "wrist": 0.02}
    travel = {"flexor": 0.2 - 0.01 * share, "pad": 4e-6 * (1 + 0.1 * share), "wrist": 0.4 * share}
    reaction = share[:, None] * np.array([0.0, 0.01, 0.0, 0.3, 0.0, -0.5])
    return Forces(
        effort={name: jnp.asarray(largest * share) for name, largest in scaled.items()},
        travel={name: jnp.asarray(series) for name, series in travel.items()},
        far_end={"flexor": jnp.asarray(2.4 * share)},
        reaction={"pin": jnp.asarray(reaction), "clamp": jnp.asarray(-0.5 * reaction)},
    )


def make_internal(share: np.ndarray) -> jax.Array:
    """A cantilever under a transverse force at its tip: constant shear force x, moment y growing towards the base."""
    wrench = np.zeros((len(share), NODES, 6))
    wrench[..., 1] = 0.3 * LENGTH * share[:, None] * (1 - FRACTION)
    wrench[..., 3] = 0.3 * share[:, None]
    return jnp.asarray(wrench)


def common() -> dict:
    return {
        "scene": make_scene(),
        "names": NAMES,
        "provenance": provenance({"stepper": "newmark", "step": 0.004}, "</script><b>arm</b>", "sha256:0123"),
    }


def swing(time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    decay = np.exp(-0.4 * time)
    return 7 * decay * np.cos(2 * np.pi * 1.1 * time), 4 * decay * np.sin(2 * np.pi * 1.4 * time)


@pytest.fixture(scope="session")
def trajectory() -> Trajectory:
    time = np.linspace(0.0, 2.0, 101)
    bend_x, bend_y = swing(time)
    elastic = 1e-4 * (bend_x**2 + bend_y**2)
    kinetic = 2e-3 * np.exp(-0.8 * time) * np.sin(2 * np.pi * 1.1 * time) ** 2
    gravity = 0.03 + 0.002 * np.exp(-0.8 * time)
    dissipated = elastic[0] + kinetic[0] + gravity[0] - elastic - kinetic - gravity
    energy = {"kinetic": kinetic, "elastic": elastic, "gravity": gravity, "dissipated": dissipated}
    energy["total"] = elastic + kinetic + gravity + dissipated
    return Trajectory(
        time=jnp.asarray(time),
        q=jnp.asarray(np.stack([bend_x, bend_y], axis=1)),
        v=jnp.zeros((len(time), 2)),
        shape=make_shape(bend_x, bend_y),
        energy={name: jnp.asarray(series) for name, series in energy.items()},
        forces=make_forces(np.sin(3 * time)),
        code=jnp.asarray(0),
        steps=jnp.asarray(500),
        **common(),
    )


@pytest.fixture(scope="session")
def equilibrium() -> Equilibrium:
    shape = jax.tree.map(lambda leaf: leaf[0], make_shape(np.array([6.0]), np.array([3.0])))
    return Equilibrium(
        q=jnp.array([6.0, 3.0]),
        shape=shape,
        residual=jnp.asarray(1e-12),
        iterations=jnp.asarray(9),
        load_steps=jnp.asarray(2),
        smallest_eigenvalue=jnp.asarray(0.1),
        stability=jnp.asarray(0),
        energy={"elastic": jnp.asarray(0.004)},
        forces=jax.tree.map(lambda leaf: leaf[0], make_forces(np.ones(1))),
        internal=make_internal(np.ones(1))[0],
        code=jnp.asarray(0),
        **common(),
    )


@pytest.fixture(scope="session")
def load_path() -> LoadPath:
    factors = np.linspace(0.0, 1.0, 6)
    return LoadPath(
        factors=jnp.asarray(factors),
        kind=jnp.array([0, 0, 1, 0, 2, 3]),
        q=jnp.asarray(np.stack([9 * factors, 0 * factors], axis=1)),
        shape=make_shape(9 * factors, 0 * factors),
        residual=jnp.full(6, 1e-11),
        iterations=jnp.full(6, 4),
        smallest_eigenvalue=jnp.linspace(1.0, 0.4, 6),
        stability=jnp.array([0, 0, 0, 1, 1, 2]),
        forces=make_forces(factors),
        internal=make_internal(factors),
        code=jnp.zeros(6, dtype=int),
        **common(),
    )


@pytest.fixture(scope="session")
def quasi_static(load_path) -> QuasiStatic:
    """The same equilibria in time, the rod in two divisions of equal length."""
    fields = {field.name: getattr(load_path, field.name) for field in dataclasses.fields(load_path)}
    half = NODES // 2
    divided = dataclasses.replace(
        load_path.scene,
        links=("base", "arm/1", "ball", "weight", "arm/2"),
        node_link=(1,) * half + (4,) * half,
        node_fraction=2 * tuple(float(s) for s in np.linspace(0.0, 1.0, half)),
    )
    fields.pop("kind")
    return QuasiStatic(**(fields | {"scene": divided, "time": 2.0 * fields.pop("factors")}))


@pytest.fixture(scope="session")
def modes(equilibrium) -> Modes:
    displacement = np.zeros((4, NODES, 3))
    for mode in range(4):
        shape = np.sin(np.pi * (mode // 2 + 0.5) * FRACTION) * FRACTION
        displacement[mode, :, mode % 2] = 3.0 * shape
    body = np.stack([0 * displacement[:, 0], displacement[:, -1], displacement[:, NODES // 2]], axis=1)
    turn = np.zeros_like(body)
    turn[..., 0] = 10.0  # rad per unit amplitude, about x
    frequency, damping_ratio = np.array([6.9, 7.4, 41.0, 44.0]), np.array([0.02, 0.03, np.nan, 0.0])
    return Modes(
        frequency=jnp.asarray(frequency),
        damping_ratio=jnp.asarray(damping_ratio),
        modal_mass=jnp.full(4, 1 / 9),
        modal_stiffness=jnp.asarray(frequency**2 / 9),
        eigenvalues=jnp.asarray(np.stack([1j * frequency, -1j * frequency], axis=1).ravel()),
        vectors=jnp.eye(2, 4),
        damped_vectors=jnp.eye(2, 8, dtype=complex),
        stability=jnp.asarray(0),
        node_displacement=jnp.asarray(displacement),
        node_rotation=jnp.zeros((4, NODES, 3)),
        body_displacement=jnp.asarray(body),
        body_rotation=jnp.asarray(turn),
        line_displacement=jnp.zeros((4, 0, 2, 3)),
        q=equilibrium.q,
        shape=equilibrium.shape,
        code=jnp.asarray(0),
        **common(),
    )
