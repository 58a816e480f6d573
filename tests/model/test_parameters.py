"""Every number is a traced parameter addressed by its path in the file."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import Model, Robot
from robots import arm


def _everything() -> Robot:
    """A robot whose file has one number of nearly every kind."""
    return (
        Robot("everything")
        .with_gravity([0, 0, -9.81])
        .material("rubber", young=1e5, poisson=0.4, density=1000.0, viscosity=100.0)
        .rigid(
            "base",
            mass=1.0,
            centre=[0.01, 0.02, 0.03],
            inertia=[0.01, 0.02, 0.025],
            joint={"revolute": {"axis": [0, 1, 1], "stiffness": 1.0, "damping": 0.1, "rest": 0.1}},
        )
        .rod(
            "rod",
            parent={"link": "base", "offset": {"move": [0, 0, 0.05], "rotate": {"x": 0.3}}},
            length=0.3,
            section={"rectangle": {"width": [0.02, 0.015], "height": 0.01}},
            material="rubber",
            allow=["bend_y", "stretch"],
            reference={"bend_y": 0.5},
            model={"pcs": {"pieces": 2, "quadrature": 2}},
        )
        .rigid("tip", material="rubber", shape={"cylinder": {"radius": 0.01, "length": 0.02}}, parent={"link": "rod"})
        .load("push", where={"link": "tip"}, force={"ramp": {"to": [0, 0, 0.1], "over": 1.0}}, moment=[0, 0.01, 0])
        .load(
            "wind",
            along={"link": "rod", "from": 0.5, "to": 1.0},
            force={"sine": {"amplitude": [1, 0, 0], "frequency": 2}},
        )
        .initial("rod", bend_y=0.2, strain_rate={"bend_y": 1.0, "stretch": 0.5})
        .initial("base", angle=0.15, rate=0.2)
    )


def test_hundred_values_of_every_path_with_one_trace():
    model = pliant.compile(_everything())
    traces = []

    @jax.jit
    def figure(parameters):
        traces.append(1)
        changed = Model(model.structure, parameters)
        state = changed.initial_state()
        return pliant.residual(changed, state.q, state.v, jnp.ones(model.nv), 0.3)

    reference = np.asarray(figure(model.parameters))
    changing = set()
    for path, value in model.parameters.items():
        for factor in np.linspace(0.9, 1.1, 100):
            shifted = {**model.parameters, path: jnp.where(value == 0, 0.01 * factor, value * factor)}
            found = np.asarray(figure(shifted))
            assert np.all(np.isfinite(found)), path
            if not np.allclose(found, reference, rtol=1e-12, atol=1e-300):
                changing.add(path)
    assert len(traces) == 1
    # The rod neither shears nor twists, so nothing depends on its shear modulus.
    assert set(model.parameters) - changing == {"links.rod.section.shear_factor", "materials.rubber.poisson"}


def _tip(parameters, model):
    found = pliant.pure.equilibrium(Model(model.structure, parameters), model.neutral())
    return pliant.forward_kinematics(Model(model.structure, parameters), found.q)["ball"][:3, 3]


@pytest.mark.parametrize(
    "path", ["links.rod.length", "links.rod.section.circle.radius", "materials.rubber.young", "loads.pull.force"]
)
def test_gradient_of_static_tip_equals_differences(path):
    model = arm()
    value = model.parameters[path]
    direction = jnp.full_like(value, 0.6) if value.ndim else jnp.ones_like(value)
    scale = float(jnp.abs(value).max())

    def moved(h):
        return np.asarray(_jitted(model, {**model.parameters, path: value + h * scale * direction}))

    slope = np.asarray(_jitted_slope(model, model.parameters, {**_zeros(model), path: scale * direction}))
    # Richardson's extrapolation of central differences: the error of h^2 is removed.
    coarse, fine = ((moved(h) - moved(-h)) / (2 * h) for h in (2e-3, 1e-3))
    np.testing.assert_allclose(slope, (4 * fine - coarse) / 3, rtol=1e-6, atol=1e-6 * np.abs(slope).max())


_jitted = jax.jit(lambda model, parameters: _tip(parameters, model))
_jitted_slope = jax.jit(
    lambda model, parameters, tangent: jax.jvp(lambda p: _tip(p, model), (parameters,), (tangent,))[1]
)


def _zeros(model):
    return jax.tree.map(jnp.zeros_like, model.parameters)


def test_reverse_mode_agrees_with_forward_mode():
    model = arm()
    gradient = jax.jit(lambda p: jax.grad(lambda p: _tip(p, model)[2])(p))(model.parameters)
    path = "materials.rubber.young"
    tangent = {**_zeros(model), path: jnp.ones(())}
    np.testing.assert_allclose(gradient[path], _jitted_slope(model, model.parameters, tangent)[2], rtol=1e-9)


def test_unknown_path_and_wrong_shape_are_refused():
    model = arm()
    with pytest.raises(KeyError, match=r"no parameter 'materials.rubber.yong'; did you mean materials.rubber.young"):
        model.with_parameters({"materials.rubber.yong": 1.0})
    with pytest.raises(ValueError, match=r"links.rod.section.circle.radius has shape \(2,\); got \(\)"):
        model.with_parameters({"links.rod.section.circle.radius": 0.01})


def test_saved_model_loads_equal(tmp_path):
    model = arm()
    again = pliant.load_model(model.save(tmp_path / "arm.npz"))
    assert again.structure == model.structure and hash(again.structure) == hash(model.structure)
    for path, value in model.parameters.items():
        np.testing.assert_array_equal(again.parameters[path], value)


def test_settings_are_not_structure():
    from robots import arm_robot

    changed = pliant.compile(arm_robot().analysis("statics", steps=3))
    assert changed.structure == arm().structure
