"""Contacts with sampled surfaces: forces follow from energies, from outside and inside, in JAX and natively."""

import functools
import subprocess
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from interactions.contact_forces import contact_forces
from pliant import Robot
from pliant.dynamics import evaluation
from pliant.interactions import Contacts
from pliant.model import Model, prepare
from pliant.native import LONG
from pliant.simulation import export_c
from triangles import box, torus

RADIUS = 0.05


def _mesh(shape: Any, resolution: float) -> dict[str, Any]:
    vertices, triangles = shape
    return {"vertices": vertices, "triangles": triangles, "resolution": resolution}


@functools.cache
def _model() -> Model:
    """A ball on a mesh that a link carries, on another of the same kind and on hills, a rod inside of a ring; all of it
    touches."""
    hills = {"heights": [[0.0, 0.02, 0.0], [0.01, 0.03, 0.02]], "size": [0.4, 0.4], "resolution": 0.05}
    below = {"link": "world", "offset": {"move": [0.01, 0.0, -0.06], "rotate": {"x": 0.2}}}
    beside = {"link": "crate", "offset": {"move": [0.13, 0.0, 0.0], "rotate": {"y": 0.3}}}
    return pliant.compile(
        Robot("sampled")
        .material("rubber", young=1e5, poisson=0.45, density=1000.0, viscosity=50.0)
        .rigid("ball", mass=0.4, shape={"sphere": {"radius": RADIUS}}, joint="free")
        .rigid("crate", mass=0.3, inertia=[1e-3] * 3, joint={"revolute": "y"})
        .rod(
            "arm",
            length=0.1,
            section={"circle": {"radius": 0.02}},
            material="rubber",
            allow=["bend_y"],
            model={"pcs": {"pieces": 1, "quadrature": 1}},
            parent={"link": "world", "offset": {"move": [0.2, -0.05, 0.015], "rotate": {"x": -1.57}}},
        )
        .surface("skin", along={"link": "arm"})
        .surface("hills", where=below, heightfield=hills)
        .surface("brick", where=beside, mesh=_mesh(box([0.2, 0.1, 0.1]), 0.02))
        .surface("ring", where="world", mesh=_mesh(torus(0.2, 0.03, 24), 0.012), hollow=True)
        .surface("stone", where=below, mesh=_mesh(box([0.1, 0.2, 0.08]), 0.02))
        .contact("a", between=["ball", "hills"], stiffness=900.0, damping=0.4)
        .contact("b", between=["brick", "ball"], stiffness=2e3, exponent=1.5)
        .contact("c", between=["skin", "ring"], stiffness="50 kPa")
        .contact("d", between=["stone", "ball"], stiffness=300.0, friction=0.5)
    )


@jax.jit
def _told(model: Model, q: jax.Array, v: jax.Array) -> dict[str, Any]:
    at = evaluation(model.structure, prepare(model.structure, model.parameters), q, v, jnp.zeros(()), {})
    return contact_forces(at)


def test_forces_follow_from_energies() -> None:
    """By the gradient of the sampled distance as it is; at rest, and without friction, whose cone depends on both."""
    model = _model()
    contacts = [kind for kind in model.structure.interactions if isinstance(kind, Contacts)]
    assert len(contacts) == 4  # two meshes are not evaluated together, of whichever kind they are
    rng = np.random.default_rng(2)
    for _ in range(2):
        q = model.integrate(model.neutral(), jnp.asarray(0.003 * rng.normal(size=model.nv)))
        told = _told(model, q, jnp.zeros(model.nv))
        for kind in contacts:
            own = told[kind.name]
            assert np.any(own["gap"] < 0.0), kind.names
            np.testing.assert_allclose(own["wrench"].sum(axis=0), 0.0, atol=1e-13 * np.abs(own["wrench"]).sum())
            if kind.grip is None:
                scale = np.abs(own["force"]).max()
                assert scale > 0.01
                np.testing.assert_allclose(own["force"], own["derived"], atol=1e-12 * scale, err_msg=str(kind.names))


def test_a_saved_model_carries_its_grids(tmp_path: Path) -> None:
    model = _model()
    path = "surfaces.ring.mesh.coefficients"
    assert model.parameters[path].ndim == 3
    loaded = pliant.load_model(model.save(tmp_path / "sampled"))
    np.testing.assert_array_equal(loaded.parameters[path], model.parameters[path])


def test_a_grid_is_a_number_like_others() -> None:
    """Another grid of the same shape compiles nothing, and there are derivatives by it."""
    model = _model()
    q, rest = model.neutral(), jnp.zeros(model.nv)
    before = _told._cache_size()
    path = "surfaces.stone.mesh.coefficients"
    lower = model.with_parameters({path: np.asarray(model.parameters[path]) + 0.01})
    one, other = (_told(own, q, rest) for own in (model, lower))
    assert _told._cache_size() <= before + 1
    name = next(kind.name for kind in model.structure.interactions if isinstance(kind, Contacts) and kind.grip)
    np.testing.assert_allclose(np.asarray(other[name]["gap"] - one[name]["gap"]), 0.01, atol=1e-12)


@pytest.mark.long
def test_native_code_moves_as_jax_does() -> None:
    model = _model()
    options: dict[str, Any] = {"stepper": "newmark", "step": 1e-3, "save_every": 5e-3}
    by_jax = pliant.simulate(model, 0.02, **options)
    native = pliant.simulate(model, 0.02, backend="native", **options)
    np.testing.assert_allclose(native.q, by_jax.q, atol=1e-9)


@pytest.mark.long
def test_exported_c_reads_its_grids(tmp_path: Path) -> None:
    """From a file of data beside it, which neither the parameters nor the model copy."""
    robot = (
        Robot("lid")
        .rigid("ball", mass=0.4, shape={"sphere": {"radius": RADIUS}}, joint={"prismatic": "z"})
        .surface("stone", where="world", mesh=_mesh(box([0.3, 0.2, 0.1]), 0.015))
        .contact("lies", between=["ball", "stone"], stiffness=300.0, damping=0.1)
        .initial("ball", displacement=0.09)
    )
    model = pliant.compile(robot)
    grid = model.parameters["surfaces.stone.mesh.coefficients"]
    assert grid.size > LONG
    files = {path.name: path for path in export_c(model, ["forward_dynamics"], tmp_path).files}
    assert files["lid_data.h"].stat().st_size > 8 * grid.size > 10 * files["lid.h"].stat().st_size
    subprocess.run(
        ["cc", "-O1", "-I..", "main.c", "../lid.c", "-lm", "-o", "example"], cwd=tmp_path / "example", check=True
    )
    shown = subprocess.run(["./example"], cwd=tmp_path / "example", check=True, capture_output=True, text=True).stdout
    acceleration = float(next(line for line in shown.splitlines() if line.startswith("a ")).split()[1])
    state = model.initial_state()
    known = float(pliant.forward_dynamics(model, state.q, state.v)[0])
    assert known > -9.0  # it is held
    assert acceleration == pytest.approx(known, rel=1e-12)
