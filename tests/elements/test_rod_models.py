"""Lumped and polynomial rods against the strain rod: convergence, unloaded shapes, loads, damping."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import Robot
from pliant.lie import se3

LENGTH = 0.5
HELIX = {"bend_x": 2.0, "twist": 1.0}


@functools.cache
def _rod(kind: str, number: int, detail="", reference=(), attachments=(), load=()):
    """Element and numbers of a rod of a model, refined by its number (order or pieces)."""
    if kind in ("gvs", "rom"):
        model = {kind: {"order": number, **({"orientation": detail} if detail else {})}}
    else:
        model = {kind: {"pieces": number, **({"nodes": detail} if detail else {})}}
    robot = (
        Robot("rod")
        .material("rubber", young=1e6, poisson=0.4, density=1000.0, viscosity=500.0)
        .rod(
            "rod",
            length=LENGTH,
            section={"circle": {"radius": 0.02}},
            material="rubber",
            model=model,
            reference=dict(reference),
        )
    )
    for mark, at in enumerate(attachments):
        robot = robot.frame(f"mark-{mark}", link="rod", at=at)
    if load:
        robot = robot.load("wind", along={"link": "rod", "from": load[0], "to": load[1]}, force=[1, 0, 0])
    compiled = pliant.compile(robot)
    member = compiled.structure.members[-1]
    return member.element, {name: compiled.parameters[path] for name, path in member.numbers}


@functools.partial(jax.jit, static_argnums=0)
def _balance(element, numbers, q, load):
    """Gradient of the potential energy of a rod with a force at its tip, and the tip, in several configurations."""
    prepared = element.prepare(numbers)

    def potential(q):
        tip = element.poses(prepared, q, (1.0,))[0, :3, 3]
        return element.energy(prepared, q) - load @ tip, tip

    return jax.vmap(jax.grad(potential, has_aux=True))(q)


def _tip(rod, force):
    """Newton's method with differences for the Hessian: to compile the second derivative would cost seconds."""
    element, numbers = rod
    steps = 1e-6 * np.concatenate([np.zeros((1, element.nq)), np.eye(element.nq)])
    q = element.neutral()
    for factor in (0.3, 0.65, 1.0):
        for _ in range(30):
            gradient, tip = (np.asarray(x) for x in _balance(element, numbers, q + steps, factor * np.asarray(force)))
            change = np.linalg.solve((gradient[1:] - gradient[0]) / 1e-6, gradient[0])
            q = q - change
            if np.abs(change).max() < 1e-9:
                break
        else:
            raise AssertionError("the rod did not come to rest")
    return tip[0]


FORCE = [0.15, 0.1, 0.05]


@functools.cache
def _exact():
    return _tip(_rod("gvs", 6, reference=tuple(HELIX.items())), FORCE)


@pytest.mark.parametrize("kind", ["srl", "ebr"])
@pytest.mark.parametrize(("nodes", "order"), [("end", 1.0), ("middle", 2.0)])
def test_order_of_convergence(kind, nodes, order):
    """In space, all six strains, helical when unloaded: what does not commute or is off the middle shows."""
    rods = [_rod(kind, pieces, nodes, tuple(HELIX.items())) for pieces in (8, 16)]
    errors = [np.linalg.norm(_tip(rod, FORCE) - _exact()) for rod in rods]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15 * order)


def test_polynomial_error_falls_with_order():
    force = [0.1, 0.06, 0.0]
    exact = _tip(_rod("gvs", 6), force)
    errors = [np.linalg.norm(_tip(_rod("rom", order), force) - exact) for order in (1, 2, 3)]
    assert errors[0] > 2 * errors[1] > 4 * errors[2]
    assert errors[2] < 2e-3 * LENGTH


ALL = [("srl", 4, "middle"), ("srl", 4, "end"), ("ebr", 4, "middle"), ("rom", 3, "scaled"), ("rom", 3, "unit")]
PLACES = (0.0, 0.3, 0.5, 0.75, 1.0)
POWER = 1.6


@functools.partial(jax.jit, static_argnums=0)
def _state(element, numbers, q, v):
    prepared = element.prepare({**numbers, "damping_power": jnp.asarray(POWER)})
    stress = jnp.sin(jnp.arange(element.grid.end.size * 6.0)).reshape(*element.grid.end.shape, 6)

    def uniform(name, value):
        return element.uniform_strain(prepared, {name: value})

    return {
        "poses": element.poses(prepared, q, PLACES),
        "strain": element.strain(prepared, q, PLACES),
        "force": element.force(prepared, q, v),
        "slope": jax.jacfwd(lambda v: element.force(prepared, q, v))(v),
        "dissipation": element.dissipation(prepared, q, v),
        "twisting": jax.jvp(lambda x: uniform("twist", x), (0.0,), (1.0,))[1],
        "bent": uniform("bend_y", 0.5 / LENGTH),
        "rolled": uniform("bend_y", 2.0 * jnp.pi / LENGTH),
        "work": jax.grad(lambda q: jnp.sum(stress * element.row_strains(prepared, q)))(q),
        "strain force": element.strain_forces(prepared, q, stress),
    }


@functools.cache
def _still(model, reference=()):
    """A rod that is neither loaded nor moving."""
    element, numbers = _rod(*model, reference)
    return _state(element, numbers, jnp.zeros(element.nq), jnp.zeros(element.nv))


@pytest.mark.parametrize("model", ALL)
def test_unloaded_rod_has_its_reference_shape_and_no_stress(model):
    found = _still(model, tuple(HELIX.items()))
    twist = np.array([HELIX["bend_x"], 0.0, HELIX["twist"], 0.0, 0.0, 1.0])
    exact = se3.exp(LENGTH * jnp.asarray(PLACES)[:, None] * twist)
    # Constant strain is an arc, which middle nodes have exactly; the turns of end nodes come late.
    tolerance = {"middle": 1e-12, "end": 0.15, "scaled": 1e-2, "unit": 1e-2}[model[2]]
    np.testing.assert_allclose(found["poses"][:, :3, 3], exact[:, :3, 3], rtol=0, atol=tolerance * LENGTH)
    np.testing.assert_allclose(found["force"], 0.0, atol=1e-12)
    assert np.all(np.isfinite(found["slope"]))


@pytest.mark.parametrize("model", ALL)
def test_uniform_strain(model):
    """Where it can be had; a polynomial pose comes close to it."""
    element, numbers = _rod(*model)
    found = _state(element, numbers, _still(model)["bent"], jnp.zeros(element.nv))
    expected = np.array([0.0, 0.5 / LENGTH, 0.0, 0.0, 0.0, 1.0])
    np.testing.assert_allclose(
        found["strain"][1:], np.tile(expected, (4, 1)), atol=0.02 if model[0] == "rom" else 1e-12
    )


@pytest.mark.parametrize("model", ALL)
def test_strain_forces_do_the_work_of_stress(model):
    element, numbers = _rod(*model)
    q = jnp.asarray(0.1 * np.random.default_rng(2).normal(size=element.nq))
    found = _state(element, numbers, q, jnp.zeros(element.nv))
    np.testing.assert_allclose(found["strain force"], found["work"], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", ALL)
def test_power_law_damping(model):
    """A uniform rate of twist loses mu J |rate|^(p + 1) per length, and the force has just that power."""
    element, numbers = _rod(*model)
    rate = -0.7
    v = rate * _still(model)["twisting"]
    found = _state(element, numbers, jnp.zeros(element.nq), v)
    polar = np.pi / 2 * 0.02**4
    lost = LENGTH * 500.0 * polar * abs(rate) ** (POWER + 1)
    assert float(v @ found["force"]) == pytest.approx(lost, rel=1e-9)
    assert float(found["dissipation"]) == pytest.approx(lost / (POWER + 1), rel=1e-9)


def test_roll_up():
    """A moment 2 pi EI / L at the tip bends series rigid links to a closed polygon."""
    element, numbers = _rod("srl", 4, "middle")
    q = _still(("srl", 4, "middle"))["rolled"]
    found = _state(element, numbers, q, jnp.zeros(element.nv))
    np.testing.assert_allclose(found["poses"][-1], np.eye(4), atol=1e-14)
    moment = 2 * np.pi / LENGTH * 1e6 * np.pi / 4 * 0.02**4
    np.testing.assert_allclose(np.asarray(found["force"]).reshape(4, 6)[:, 1], moment, rtol=1e-12)


@pytest.mark.parametrize("model", [("srl", 4, "middle"), ("srl", 4, "end"), ("rom", 3, "scaled")])
def test_rows_inside_pieces(model):
    """Every place has a row, pieces have equally many, and a load on any part of the rod is whole."""
    element, _ = _rod(*model, attachments=(0.1, 0.2, 0.6), load=(0.15, 0.8))
    for at in (0.1, 0.2, 0.6, 1.0):
        assert element.grid.end[element.row_of(at)] == at
    assert element.grid.weight.sum() == pytest.approx(1.0, abs=1e-15)
    for weights in (element.span_weights, element.strain_weights):
        assert weights(0.15, 0.8).sum() == pytest.approx(0.65, abs=1e-15)
    with pytest.raises(KeyError, match="no node at fraction"):
        element.row_of(0.123)


def test_fit_passes_through_poses():
    """TMTDyn Eq. 12: as many points as the order are met exactly."""
    element, numbers = _rod("rom", 2)
    q = jnp.asarray(0.2 * np.random.default_rng(4).normal(size=element.nq))

    @jax.jit
    def there_and_back(numbers, q):
        prepared = element.prepare(numbers)
        return element.fit(prepared, (0.5, 1.0), element.poses(prepared, q, (0.5, 1.0)))

    np.testing.assert_allclose(there_and_back(numbers, q), q, atol=1e-13)


def test_a_rigid_rod_starts_where_its_joint_does():
    robot = (
        Robot("rod")
        .material("rubber", young=1e6, poisson=0.4, density=1000.0)
        .rod(
            "rod",
            length=LENGTH,
            section={"circle": {"radius": 0.02}},
            material="rubber",
            allow=[],
            model="rom",
            joint={"revolute": "y"},
        )
        .initial("rod", angle=0.3, rate=0.1)
    )
    state = pliant.compile(robot).initial_state()
    assert (float(state.q[0]), float(state.v[0])) == (0.3, 0.1) and state.q.shape == (1,)
