"""What a path is: shape, unit, legal range and meaning, from the language; and who keeps to it."""

import dataclasses
import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.blueprint import Blueprint, ParameterInfo, from_json, to_json
from pliant.dynamics import check_inputs
from pliant.library import load, names


@dataclasses.dataclass(frozen=True)
class Tether(pliant.Force):
    """Pulls a bar towards the world's origin."""

    stiffness: float = dataclasses.field(default=2.0, metadata={"unit": "N/m", "low": 0.0, "meaning": "stiffness"})
    reach: float = 1.0

    @property
    def ports(self):
        return (pliant.interactions.Port("slack", (), "m", "slack of the tether", low=0.0, high=0.5),)

    def energy(self, numbers, at):
        far = jnp.sum(at.pose("bar")[:3, 3] ** 2) - at.input("slack") * numbers["reach"]
        return 0.5 * numbers["stiffness"] * far


RAMP = {"ramp": {"to": 1.0, "over": 1.0}}
POISSON = "materials.s.poisson"


def _bar() -> pliant.Robot:
    return (
        pliant.Robot("bar")
        .material("s", young=4e5, poisson=0.5, density=1070)
        .rigid(
            "bar",
            shape={"box": [0.1, 0.02, 0.02]},
            material="s",
            joint={"helical": {"axis": [0, 1, 1], "pitch": 0.01, "damping": 0.1}},
        )
        .tendon(
            "cable", route=["world", {"link": "bar", "move": [0.05, 0, 0.1]}], tension={"ramp": {"to": 1, "over": 1}}
        )
    )


@pytest.fixture(scope="module")
def model() -> pliant.Model:
    return pliant.compile(_bar(), extra=[Tether("tether")])


def test_a_path_says_what_it_is(model):
    info = model.parameter_info
    assert set(info) == set(model.parameters)
    assert info["materials.s.young"] == ParameterInfo(
        (), "Pa", "Young's modulus of the material s", low=0.0, low_open=True
    )
    assert info["materials.s.poisson"].range == "greater than -1 and at most 0.5"
    assert info["links.bar.joint.helical.pitch"].range == "other than 0 m"
    assert info["links.bar.joint.helical.axis"].nonzero and info["links.bar.joint.helical.axis"].shape == (3,)
    assert info["links.bar.joint.helical.damping"].unit == "N*m*s/rad"
    assert info["actuators.cable.tension.ramp.to"].meaning == "value after the change: tension of the actuator cable"
    assert info["actuators.cable.tension.ramp.over"].range == "greater than 0 s"
    assert info["extra.tether.stiffness"] == ParameterInfo((), "N/m", "stiffness of the force tether", 0.0)
    assert info["extra.tether.reach"].meaning == "reach of the force tether"


@pytest.mark.parametrize("name", names())
def test_every_number_of_the_library_is_legal_and_told(name):
    blueprint, parameters = load(name).blueprint()
    assert blueprint.parameters.keys() == parameters.keys()
    for path, value in parameters.items():
        info = blueprint.parameters[path]
        assert info.shape == value.shape and info.allows(value), path
        assert not f" {info.meaning}".count("  "), path  # two blanks are where it should say what the number is
    plain = json.loads(json.dumps(to_json(blueprint), allow_nan=False))
    assert from_json(Blueprint, plain) == blueprint


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (
            "materials.s.young",
            -4e5,
            r"young: got -400000 Pa; expected greater than 0 Pa \(Young's modulus of the material s\)",
        ),
        ("materials.s.young", 0.0, "greater than 0 Pa"),
        ("materials.s.poisson", 0.6, "greater than -1 and at most 0.5"),
        ("materials.s.density", np.nan, r"got nan kg/m\^3; expected greater than 0"),
        ("gravity", [0.0, 0.0, np.inf], "any finite number"),
        ("links.bar.joint.helical.pitch", 0.0, "other than 0 m"),
        ("links.bar.joint.helical.axis", [0.0, 0.0, 0.0], "other than 0"),
        ("actuators.cable.tension.ramp.to", -1.0, "at least 0 N"),
        ("extra.tether.stiffness", -1.0, "at least 0 N/m"),
    ],
)
def test_numbers_beyond_what_is_legal_are_refused(model, path, value, told):
    with pytest.raises(ValueError, match=told):
        model.with_parameters({path: value})


def test_what_is_legal_and_what_is_traced_passes(model):
    same = model.with_parameters({"materials.s.poisson": 0.5, "links.bar.joint.helical.axis": [0.0, 0.0, 1.0]})
    assert same.structure == model.structure

    def density(value):
        return model.with_parameters({"materials.s.density": value}).parameters["materials.s.density"]

    assert jax.jit(density)(-1.0) == -1.0 and jax.vmap(density)(jnp.array([-1.0, 2.0])).tolist() == [-1.0, 2.0]


def test_inputs_beyond_the_range_of_their_port_are_refused(model):
    assert (model.structure.ports["cable"].low, model.structure.ports["slack"].high) == (0.0, 0.5)
    with pytest.raises(ValueError, match=r"input 'cable' of robot 'bar': got -1 N; expected at least 0 N \(tension of"):
        pliant.equilibrium(model, inputs={"cable": -1.0})
    with pytest.raises(ValueError, match=r"input 'slack' .* at least 0 and at most 0.5 m \(slack of the tether\)"):
        check_inputs(model, {"slack": 0.6})
    jax.eval_shape(lambda tension: check_inputs(model, {"cable": tension}), -1.0)  # what is traced is not looked at
    for wrong in (-1.0, {"step": {"to": -1.0}}, {"sine": {"amplitude": 2.0, "frequency": 1.0, "offset": 1.0}}):
        with pytest.raises(ValueError, match="input 'cable' of robot 'bar': got -1"):
            pliant.simulate(model, 0.1, inputs={"cable": wrong})
    for backend in ("jax", "native"):
        stepper = pliant.Stepper(model, "newmark", 1e-3, backend=backend)
        with pytest.raises(ValueError, match="input 'cable' of robot 'bar': got -1 N"):
            stepper.step(stepper.begin(), {"cable": -1.0})
    with pytest.raises(ValueError, match="input 'cable': a ramp has start, over, to, from; got to, until"):
        pliant.simulate(model, 0.1, inputs={"cable": {"ramp": {"to": 1.0, "until": 1.0}}})


def test_identification_keeps_to_what_is_legal(model):
    def mass(model):
        return jnp.stack([model.parameters["materials.s.poisson"]])

    fit = pliant.identify(model, mass, np.array([0.9]), {POISSON: None}, start={POISSON: 0.3})
    assert fit.parameters[POISSON] == pytest.approx(0.5, abs=1e-6) and "upper bound, 0.5" in fit.notes[0]
    with pytest.raises(ValueError, match=r"bounds of materials.s.poisson, \(0.0, 0.6\), go beyond greater than -1"):
        pliant.identify(model, mass, np.array([0.9]), {POISSON: (0.0, 0.6)})
    with pytest.raises(ValueError, match="got -2"):
        pliant.identify(model, mass, np.array([0.9]), {POISSON: None}, start={POISSON: -2})


def test_a_saved_model_loads_and_solves_without_pydantic(tmp_path):
    model = pliant.compile(_bar())
    path = model.save(tmp_path / "bar")
    again = pliant.load_model(path)
    assert again.parameter_info == model.parameter_info and again.structure.blueprint == model.structure.blueprint
    q = model.neutral() + 0.1
    code = f"""
import sys
sys.modules["pydantic"] = sys.modules["pydantic_core"] = None
import pliant, jax.numpy as jnp
model = pliant.load_model({str(path)!r})
print(float(pliant.forward_dynamics(model, jnp.full(1, 0.1), jnp.zeros(1))[0]).hex())
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert float.fromhex(told) == pytest.approx(float(pliant.forward_dynamics(model, q, 0 * q)[0]), rel=1e-12)
