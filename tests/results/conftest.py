"""Results of every kind filled with random numbers: a rod of four nodes, a ball and a box, a net and a spring."""

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

NODES, BODIES, FRAMES, COORDINATES, VELOCITIES = 4, 2, 3, 5, 4
LINES = 4


def make_scene() -> Scene:
    return Scene(
        links=("base", "finger", "nail"),
        node_link=(1,) * NODES,
        node_fraction=(0.0, 1 / 3, 2 / 3, 1.0),
        node_round=(True, True, False, False),
        half_width=jnp.linspace(0.012, 0.006, 2 * NODES).reshape(NODES, 2),
        body_link=(0, 2),
        body_shape=("box", "sphere"),
        body_size=jnp.array([[0.04, 0.04, 0.02], [0.004, 0.004, 0.004]]),
        line_names=("net", "thread"),
        line_kind=("mesh", "spring"),
        line_link=(0, 0, 0, 1),
    )


def make_names() -> Names:
    return Names(
        coordinates=tuple(f"finger.bend_x[{i}]" for i in range(COORDINATES)),
        velocities=tuple(f"finger.bend_x[{i}]" for i in range(VELOCITIES)),
        frames=("pulp", "nail", 'kühl \u2192 "x"'),
        actuators=(("flexor", "N", "m"), ("lift.linear_z", "N", "m"), ("pad", "Pa", "m^3")),
    )


def make_shape(random: np.random.Generator, *lead: int) -> Shape:
    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(random.normal(size=(*lead, *shape)))

    poses = (normal(NODES, 4, 4), normal(NODES, 6), normal(BODIES, 4, 4), normal(FRAMES, 4, 4))
    return Shape(*poses, normal(LINES, 2, 3))


def make_forces(random: np.random.Generator, *lead: int) -> Forces:
    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(random.normal(size=(*lead, *shape)))

    actuators = ("flexor", "lift.linear_z", "pad")
    return Forces(
        effort={name: normal() for name in actuators},
        travel={name: normal() for name in actuators},
        far_end={"flexor": normal()},
        reaction={"loop": normal(6)},
    )


def make_result(kind: str):
    random = np.random.default_rng(7)

    def normal(*shape: int) -> jax.Array:
        return jnp.asarray(random.normal(size=shape))

    common = {
        "scene": make_scene(),
        "names": make_names(),
        "provenance": provenance({"step": 0.004, "tolerances": np.array([1e-9, 1e-6])}, "synthetic", "sha256:abc"),
    }
    if kind == "Equilibrium":
        return Equilibrium(
            q=normal(COORDINATES),
            shape=make_shape(random),
            residual=jnp.asarray(1e-11),
            iterations=jnp.asarray(12),
            load_steps=jnp.asarray(3),
            smallest_eigenvalue=jnp.asarray(0.25),
            stability=jnp.asarray(0),
            energy={"gravity": normal(), "elastic": normal()},
            forces=make_forces(random),
            internal=normal(NODES, 6),
            code=jnp.asarray(0, dtype=jnp.int32),
            **common,
        )
    if kind in ("LoadPath", "QuasiStatic"):
        along = {"factors": jnp.linspace(0.0, 1.0, 3), "kind": jnp.array([0, 1, 0])}
        axis = along if kind == "LoadPath" else {"time": jnp.array([0.0, 0.5, 2.0])}
        return (LoadPath if kind == "LoadPath" else QuasiStatic)(
            **axis,
            q=normal(3, COORDINATES),
            shape=make_shape(random, 3),
            residual=jnp.array([1e-12, jnp.nan, 1e-10]),
            iterations=jnp.array([1, 2, 3]),
            smallest_eigenvalue=normal(3),
            stability=jnp.array([0, 1, 2]),
            forces=make_forces(random, 3),
            internal=normal(3, NODES, 6),
            code=jnp.array([0, 2, 0]),
            **common,
        )
    if kind == "Modes":
        return Modes(
            frequency=jnp.array([2 * jnp.pi, 31.0]),
            damping_ratio=normal(2),
            modal_mass=normal(2),
            modal_stiffness=normal(2),
            eigenvalues=normal(4) + 1j * normal(4),
            vectors=normal(VELOCITIES, 2),
            damped_vectors=normal(VELOCITIES, 4) + 1j * normal(VELOCITIES, 4),
            stability=jnp.asarray(2),
            node_displacement=normal(2, NODES, 3),
            node_rotation=normal(2, NODES, 3),
            body_displacement=normal(2, BODIES, 3),
            body_rotation=normal(2, BODIES, 3),
            line_displacement=normal(2, LINES, 2, 3),
            q=normal(COORDINATES),
            shape=make_shape(random),
            code=jnp.asarray(0),
            **common,
        )
    return Trajectory(
        time=jnp.linspace(0.0, 1.0, 6),
        q=normal(6, COORDINATES),
        v=normal(6, VELOCITIES),
        shape=make_shape(random, 6),
        energy={"kinetic": normal(6), "total": normal(6)},
        forces=make_forces(random, 6),
        code=jnp.asarray(0),
        steps=jnp.asarray(250),
        **common,
    )


@pytest.fixture(params=["Equilibrium", "LoadPath", "QuasiStatic", "Modes", "Trajectory"])
def result(request):
    return make_result(request.param)


@pytest.fixture
def trajectory() -> Trajectory:
    return make_result("Trajectory")


@pytest.fixture
def modes() -> Modes:
    return make_result("Modes")


@pytest.fixture
def load_path() -> LoadPath:
    return make_result("LoadPath")


@pytest.fixture
def quasi_static() -> QuasiStatic:
    return make_result("QuasiStatic")
