"""Numbers that follow the state: TMTDyn's mid-step function."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq

import pliant
from pliant.dynamics import dynamic_forces, internal_wrench, power, static_report, travel
from pliant.dynamics._update import mean_stretches
from pliant.model import prepare

ARC = ["bend_x", "bend_y", "stretch"]  # what the sections of arms can do
PLANE = ["bend_y", "shear_x", "stretch"]  # and rods that move whole poses
_AREA = np.pi * 0.01**2
_YOUNG = 100e3


def _strip(model: object, **words: object) -> pliant.Robot:
    return (
        pliant.Robot("strip")
        .with_gravity([0, 0, 0])
        .material("rubber", young=_YOUNG, poisson=0.5, density=1000, viscosity=0)
        .rod(
            "strip",
            length=0.1,
            section={"circle": {"radius": 0.01}},
            material="rubber",
            allow=ARC if model in ("cog", "integral") else ["stretch"],
            model=model,
            **words,
        )
        .load("pull", where="strip", force=[0, 0, 8.0])
    )


# Not rom, whose polynomials do not stretch at the base.
@pytest.mark.parametrize(
    "model",
    [
        "pcs",
        {"srl": {"pieces": 3}},
        "cog",
        pytest.param("integral", marks=pytest.mark.long),
        pytest.param({"eba": {"pieces": 3}}, marks=pytest.mark.long),
    ],
)
def test_stiffness_follows_the_mean_stretch(model: object) -> None:
    """E A (stretch - 1) with E, A and the unit of length over the stretch."""
    expected = brentq(lambda stretch: _YOUNG * _AREA * (stretch - 1.0) / stretch**3 - 2.0, 1.0, 1.4)
    compiled = pliant.compile(_strip(model, update="mean-stretch")).with_parameters({"loads.pull.force": [0, 0, 2.0]})
    tip = pliant.equilibrium(compiled).frame("strip")[2, 3]
    assert float(tip) == pytest.approx(0.1 * expected, rel=1e-8)


def test_an_update_written_in_python() -> None:
    def softer(parameters, stretch, t):
        return {"materials.rubber.young": parameters["materials.rubber.young"] / stretch["strip"]}

    model = pliant.compile(_strip("pcs"), update=softer)
    stretch = float(pliant.equilibrium(model).frame("strip")[2, 3]) / 0.1
    assert _YOUNG * _AREA * (stretch - 1.0) / stretch == pytest.approx(8.0, rel=1e-8)


def test_an_update_of_an_unknown_number_is_refused() -> None:
    model = pliant.compile(_strip("pcs"), update=lambda parameters, stretch, t: {"materials.rubber.yuong": 1.0})
    with pytest.raises(KeyError, match=r"robot 'strip'.*materials\.rubber\.yuong"):
        pliant.forward_dynamics(model, jnp.zeros(model.nq), jnp.zeros(model.nv))


RODS = {
    "gvs": {"order": 1, "quadrature": 2},
    "pcs": {"pieces": 1, "quadrature": 2},
    "rom": {"order": 2, "quadrature": 2},
    "srl": {"pieces": 1},
    "ebr": {"pieces": 1},
    "eba": {"pieces": 1},
    "cog": {},
    "integral": {},
}


def _grove(words: tuple[str, ...]) -> pliant.Robot:
    """One rod of each model, hanging side by side, each with a tendon."""
    robot = pliant.Robot("grove").material("rubber", young=_YOUNG, poisson=0.5, density=1000, viscosity=10)
    for number, word in enumerate(words):
        robot = robot.rod(
            word,
            length=0.1,
            section={"circle": {"radius": 0.01}},
            material="rubber",
            allow=PLANE if word in ("rom", "eba") else ARC,
            model={word: RODS[word]},
            parent={"link": "world", "offset": {"move": [0.1 * number, 0, 0], "rotate": {"y": "180 deg"}}},
        ).tendon(f"cable-{word}", link=word, x=0.005, tension=0.3)
    return robot


def _reports(model: pliant.Model) -> dict:
    """Everything that is told of a robot, at rest and in motion, in one state."""
    q = model.integrate(model.initial_state().q, 1e-3 * jnp.arange(1.0, model.nv + 1.0))
    v = 0.01 * jnp.arange(1.0, model.nv + 1.0)
    rest = static_report(model, q, jnp.zeros(0))
    forces = dynamic_forces(model, q, v)
    return {
        "residual": pliant.residual(model, q, v, v),
        "mass": pliant.mass_matrix(model, q),
        "energy": pliant.energy(model, q, v),
        "power": power(model, q, v),
        "poses": pliant.forward_kinematics(model, q),
        "internal at rest": rest.internal,
        "energy at rest": rest.energy,
        "internal": internal_wrench(model, q, v),
        "effort": forces.effort,
        "travel": travel(model, q),
    }


def _double(parameters, stretch, t):
    """Gravity and Young's modulus twice what the file says, tensions half, densities and lengths half as much again."""
    lengths = {path: 1.5 * value for path, value in parameters.items() if path.endswith(".length")}
    tensions = {path: 0.5 * value for path, value in parameters.items() if path.endswith(".tension")}
    return {
        "gravity": 2.0 * parameters["gravity"],
        "materials.rubber.young": 2.0 * parameters["materials.rubber.young"],
        "materials.rubber.density": 1.5 * parameters["materials.rubber.density"],
        **lengths,
        **tensions,
    }


@pytest.mark.parametrize(
    "words",
    [("pcs", "cog"), pytest.param(tuple(RODS), marks=pytest.mark.long)],
    ids=["two", "all"],
)
def test_reports_and_residual_have_the_same_numbers(words: tuple[str, ...]) -> None:
    """With an update, every report of every model is that of a robot whose file has the updated numbers."""
    updated = pliant.compile(_grove(words), update=_double)
    plain = pliant.compile(_grove(words))
    changed = plain.with_parameters(_double(plain.parameters, {}, 0.0))
    found, expected = jax.jit(_reports)(updated), jax.jit(_reports)(changed)
    jax.tree.map(lambda one, other: np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12), found, expected)
    assert not np.allclose(found["internal at rest"], jax.jit(_reports)(plain)["internal at rest"], rtol=1e-3)


def _stretched(words: tuple[str, ...], **more: object) -> pliant.Robot:
    """One rod of each model, each of its own material, weightless and stretched by a fifth."""
    robot = pliant.Robot("stretched").with_gravity([0, 0, 0])
    for word in words:
        robot = (
            robot.material(f"rubber-{word}", young=_YOUNG, poisson=0.5, density=1000, viscosity=10)
            .rod(
                word,
                length=0.1,
                section={"circle": {"radius": 0.01}},
                material=f"rubber-{word}",
                allow=PLANE if word in ("rom", "eba") else ARC,
                model={word: RODS[word]},
                **more,
            )
            .initial(word, stretch=0.2)
        )
    return robot


@pytest.mark.parametrize(
    "words",
    [("gvs", "srl"), pytest.param(("gvs", "pcs", "rom", "srl", "ebr", "eba"), marks=pytest.mark.long)],
    ids=["two", "all"],
)
def test_every_model_follows_its_mean_stretch_as_the_document_says(words: tuple[str, ...]) -> None:
    """TMTDyn's mid-step function: r / sqrt(l), E / l, and lengths times l. Forces at the strains of the moment are then
    those of a rod with E A / l^3 and E I / l^4, which a plain one with r / sqrt(l) and E / l^2 has."""
    updated, plain = pliant.compile(_stretched(words, update="mean-stretch")), pliant.compile(_stretched(words))
    start = plain.initial_state().q
    prepared = prepare(plain.structure, plain.parameters)
    tips = pliant.forward_kinematics(plain, start)
    for word, stretch in mean_stretches(plain.structure, prepared, start).items():
        # All are straight at the start; only rom, whose polynomials do not stretch at the base, is a little shorter.
        assert float(stretch) == pytest.approx(float(tips[word][2, 3]) / 0.1, rel=1e-9), word
        assert float(stretch) == pytest.approx(1.2, rel=0.02 if word == "rom" else 1e-9), word
    q = plain.integrate(start, 1e-3 * jnp.arange(1.0, plain.nv + 1.0))
    numbers = {}
    for word, stretch in mean_stretches(plain.structure, prepared, q).items():
        numbers[f"links.{word}.section.circle.radius"] = 0.01 / np.sqrt(stretch)
        numbers[f"materials.rubber-{word}.young"] = _YOUNG / stretch**2
    still = jnp.zeros(plain.nv)
    residual = jax.jit(lambda model: pliant.residual(model, q, still, still))
    found, expected = residual(updated), residual(plain.with_parameters(numbers))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert not np.allclose(found, residual(plain), rtol=0.1)
    # Mass is no part of it, and so is not weight.
    np.testing.assert_allclose(pliant.mass_matrix(updated, q), pliant.mass_matrix(plain, q), rtol=1e-12)


@pytest.mark.parametrize("word", ["cog", pytest.param("integral", marks=pytest.mark.long)])
def test_sections_of_arms_follow_their_mean_stretch_as_the_document_says(word: str) -> None:
    """Their coordinates are lengths at a distance from the axis that stays. What they have in common stretches the axis
    (E A / l^3), the rest bends it (E I / l^4); without weight both forces are linear in them."""
    updated, plain = pliant.compile(_stretched((word,), update="mean-stretch")), pliant.compile(_stretched((word,)))
    q, still = jnp.array([0.021, 0.017, 0.024]), jnp.zeros(3)
    common = jnp.full(3, jnp.mean(q))
    stretch = 1.0 + float(common[0]) / 0.1
    residual = jax.jit(lambda model, q: pliant.residual(model, q, still, still))
    expected = residual(plain, common) / stretch**3 + residual(plain, q - common) / stretch**4
    np.testing.assert_allclose(residual(updated, q), expected, rtol=1e-9)
    np.testing.assert_allclose(pliant.mass_matrix(updated, q), pliant.mass_matrix(plain, q), rtol=1e-12)
