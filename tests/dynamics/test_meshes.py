"""Meshes: forces between neighbours, block-diagonal mass, sparse matrices."""

import functools
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.analysis import _large
from pliant.dynamics import _generic, colouring, mass_matrix, stiffness_matrix
from pliant.model import Model
from pliant.numerics import ResultCode
from pliant.simulation import InaccurateWarning

_BEAM = {
    "stiffness": {"x": 20, "y": 25, "z": 40, "rx": 1e-3, "ry": 2e-3, "rz": 3e-3},
    "damping": {"x": 0.02, "y": 0.02, "z": 0.05, "rx": 1e-6, "ry": 1e-6, "rz": 1e-6},
}


def _cloth(name: str, **law: object) -> pliant.Robot:
    """A small cloth held at two corners, a ball hanging on it by a rope, and an arm whose tip is tied to it."""
    return (
        pliant.Robot(name)
        .rigid("ball", mass="20 g", shape={"sphere": {"radius": "10 mm"}}, joint="free")
        .rigid("arm", mass="50 g", shape={"box": [0.1, 0.02, 0.02]}, joint={"revolute": "y"})
        .mesh("cloth", mass={"total": "36 g"}, grid={"size": [0.3, 0.2], "nodes": [4, 3]}, fixed=[1, 4], **law)
        .spring("rope", between=["ball", {"link": "cloth", "node": 6}], axial={"stiffness": 30, "rest": "10 mm"})
        .constraint("sewn", between=["arm", {"link": "cloth", "node": 12}], fix=["x", "z"])
    )


@functools.cache
def _compiled(law: str) -> Model:
    laws = {"beam": _BEAM, "axial": {"stiffness": 40, "damping": 0.1, "acts": "tension"}}
    return pliant.compile(_cloth(f"cloth-{law}", **{law: laws[law]}))


_integrate = jax.jit(Model.integrate)


def _near(model: Model) -> tuple[jnp.ndarray, jnp.ndarray, jnp.ndarray]:
    rng = np.random.default_rng(5)
    q = _integrate(model, model.initial_state().q, jnp.asarray(0.03 * rng.standard_normal(model.nv)))
    return q, jnp.asarray(0.2 * rng.standard_normal(model.nv)), jnp.asarray(rng.standard_normal(model.nv))


@pytest.mark.parametrize("law", ["beam", pytest.param("axial", marks=pytest.mark.long)])
def test_forces_are_those_of_energy_and_dissipation(law: str) -> None:
    cloth = _compiled(law)
    q, v, a = _near(cloth)
    fast, slow = pliant.inverse_dynamics(cloth, q, v, a), jax.jit(_generic.residual)(cloth, q, v, a)
    np.testing.assert_allclose(fast, slow, atol=1e-12 * float(jnp.abs(slow).max()))


@pytest.mark.parametrize("law", ["axial", pytest.param("beam", marks=pytest.mark.long)])
def test_the_sparse_matrices_are_the_dense_ones(law: str) -> None:
    cloth = _compiled(law)
    q, _, _ = _near(cloth)
    multipliers = jnp.zeros(cloth.structure.constraint_count)
    stiffness = _large.sparse_stiffness(cloth, q, multipliers, 0.0, None).toarray()
    np.testing.assert_allclose(stiffness, stiffness_matrix(cloth, q), atol=1e-9 * np.abs(stiffness).max())
    mass = _large.sparse_mass(cloth, q).toarray()
    np.testing.assert_allclose(mass, mass_matrix(cloth, q), atol=1e-14)
    still = jnp.zeros(cloth.nv)
    damping = _large.sparse_damping(cloth, q, 0.0, None).toarray()
    dense = np.asarray(pliant.dynamics.damping_matrix(cloth, q, still))
    np.testing.assert_allclose(damping, dense, atol=1e-9 * np.abs(dense).max())


def test_two_nodes_in_one_place_have_no_direction() -> None:
    """A net that is folded up: there is no line between the ends of an edge, so no force along it, and no NaN."""
    net = (
        pliant.Robot("net")
        .with_gravity([0, 0, 0])
        .mesh("net", mass="3 g", nodes=[[0, 0, 0], [0.1, 0, 0]], edges=[[1, 2]], fixed=[1], axial={"stiffness": 40})
    )
    model = pliant.compile(net)
    folded = jnp.array([-0.1, 0.0, 0.0]) + model.initial_state().q
    assert not np.any(np.asarray(pliant.residual(model, folded, 0 * folded, 0 * folded)))
    assert np.all(np.isfinite(stiffness_matrix(model, folded)))


def test_derivatives_do_not_grow_with_the_mesh() -> None:
    counts = []
    for nodes in (8, 16):
        robot = pliant.Robot("net").mesh(
            "net", mass="1 g", grid={"size": [1, 1], "nodes": [nodes, nodes]}, axial={"stiffness": 1}
        )
        counts.append(colouring(pliant.compile(robot).structure).colours)
    assert counts[0] == counts[1] < 50


def test_a_taut_string_vibrates_as_its_masses_do() -> None:
    """Equal masses on a string: omega_j = 2 sqrt(s / m) sin(j pi / 2n), with s = T / h across it, k along it."""
    pieces, length, mass, stiffness, ratio = 8, 0.8, 1e-3, 500.0, 0.7
    h = length / pieces
    robot = (
        pliant.Robot("string")
        .with_gravity([0, 0, 0])
        .mesh(
            "string",
            mass=mass,
            nodes=[[i * h, 0, 0] for i in range(pieces + 1)],
            edges=[[i + 1, i + 2] for i in range(pieces)],
            axial={"stiffness": stiffness, "rest_ratio": ratio},
            fixed=[1, pieces + 1],
        )
    )
    tension = stiffness * (1.0 - ratio) * h
    sines = 2 * np.sin(np.arange(1, pieces) * np.pi / (2 * pieces))
    across, along = (np.sqrt(spring / mass) * sines for spring in (tension / h, stiffness))
    found = np.asarray(pliant.modes(pliant.compile(robot), count=6).frequency)
    np.testing.assert_allclose(found, np.sort(np.concatenate([across, across, along]))[:6], rtol=1e-9)


@pytest.mark.long
def test_newton_krylov_steps_as_newton_does(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = []
    for name in ("dense", "krylov"):
        model = pliant.compile(_cloth(name, beam=_BEAM))  # a name of its own: nothing compiled is shared
        for module in ("_implicit", "_step_newton"):
            monkeypatch.setattr(
                f"pliant.simulation.stepping.{module}.is_large", lambda _, large=name == "krylov": large
            )
        with pytest.warns(RuntimeWarning, match="sewn is open by 300 mm"):
            run = pliant.simulate(model, 0.02, stepper="newmark", step=2e-3, save_every=0.02, accuracy=None)
        ends.append(np.asarray(run.q[-1]))
    moved = np.abs(ends[0] - np.asarray(model.initial_state().q)).max()
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7 * moved)


@pytest.mark.parametrize(
    ("law", "fixed"),
    [
        pytest.param(
            {"axial": {"stiffness": 40, "rest_ratio": 0.9}}, ["1-4", "13-16"], id="drawn tight", marks=pytest.mark.long
        ),
        pytest.param({"beam": _BEAM}, ["1-4"], id="clamped", marks=pytest.mark.long),
    ],
)
def test_a_large_cloth_is_solved_without_a_dense_matrix(
    monkeypatch: pytest.MonkeyPatch, law: dict, fixed: list[str]
) -> None:
    """The sparse equilibrium is the dense one."""
    robot = (
        pliant.Robot("hanging")
        .with_gravity([0, 0, -2.0])
        .mesh("cloth", mass={"total": "36 g"}, grid={"size": [0.2, 0.2], "nodes": [4, 4]}, fixed=fixed, **law)
    )
    model = pliant.compile(robot)
    dense = pliant.equilibrium(model)
    monkeypatch.setattr("pliant.analysis._load_stepping.is_large", lambda _: True)
    sparse = pliant.equilibrium(model)
    np.testing.assert_allclose(dense.q, sparse.q, atol=1e-8)
    assert float(sparse.smallest_eigenvalue) == pytest.approx(float(dense.smallest_eigenvalue), rel=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("frame", ["first", "middle"])
def test_a_cloth_dropped_flat_swings_past_the_half_turn(frame: str) -> None:
    """12 x 12 nodes that move, held along one edge, with steps of 5 ms. Where the cloth swings up again its first row
    turns by more than a half turn against the edge; what the steps cannot follow there is marked."""
    beam = {"stiffness": [5e-4] * 3 + [5.0, 5.0, 20.0], "damping": [2e-7] * 3 + [2e-3] * 3, "frame": frame}
    grid = {"size": [0.3, 0.3], "nodes": [12, 13]}
    robot = pliant.Robot("cloth").mesh(
        "cloth", where="world", grid=grid, beam=beam, mass={"total": 0.036}, fixed=["1-12"]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InaccurateWarning)
        run = pliant.simulate(pliant.compile(robot), 1.0, stepper="newmark", step=5e-3, save_every=0.05, throw=False)
    assert ResultCode(int(run.code)) in (ResultCode.SUCCESS, ResultCode.INACCURATE)
    assert float(run.time[-1]) == pytest.approx(1.0) and int(run.steps) < 400
    assert np.asarray(run.q).reshape(21, -1, 7)[:, :, 0].min() < 0.0
    assert np.abs(np.asarray(run.energy["total"])).max() < 0.1 * 0.036 * 9.81 * 0.15
