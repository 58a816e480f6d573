"""Try every feature with every rod model and write the table into docs/features.md:
python examples/make_feature_matrix.py

A cell works when the feature changes the equations of motion as it should, or is refused by a sentence that names the
feature and the model. `make test-long` tries the same cells.
"""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import jax.numpy as jnp
import numpy as np

import pliant
from pliant.dynamics import generic

pliant.configure()

PAGE = Path(__file__).parent.parent / "docs" / "features.md"
BEGIN, END = "<!-- features -->", "<!-- /features -->"
MODELS = {
    "gvs": {"order": 1, "quadrature": 3},
    "pcs": {"pieces": 2, "quadrature": 2},
    "rom": {"order": 2, "quadrature": 4},
    "srl": {"pieces": 2},
    "ebr": {"pieces": 2},
    "eba": {"pieces": 2},
    "cog": {},
    "integral": {},
}
ARC = ["bend_x", "bend_y", "stretch"]  # what sections of arms can do
PLANE = ["bend_y", "shear_x", "stretch"]  # and rods that move whole poses


@dataclasses.dataclass(frozen=True)
class Feature:
    """rod, material: words of the robot that switch it on; add: what else; generic: whether the independent path knows
    it and has to agree."""

    name: str
    about: str
    rod: dict = dataclasses.field(default_factory=dict)
    material: dict = dataclasses.field(default_factory=dict)
    add: Callable[[pliant.Robot], pliant.Robot] = lambda robot: robot
    generic: bool = True


def _stressed(robot: pliant.Robot) -> pliant.Robot:
    return robot.internal("muscle", link="rod", stress={"bend_y": 0.01})


def _with_tendon(robot: pliant.Robot) -> pliant.Robot:
    return robot.tendon("cable", link="rod", x=0.005, tension=1.0)


def _with_chamber(robot: pliant.Robot) -> pliant.Robot:
    return robot.chamber("bore", link="rod", centre={"x": 0.004}, radius=0.002, pressure=2e4)


def _in_the_wind(robot: pliant.Robot) -> pliant.Robot:
    return robot.load("wind", along={"link": "rod"}, force=[0.5, 0, 0])


def _pinned(robot: pliant.Robot) -> pliant.Robot:
    return robot.constraint("pin", between=["world", {"link": "rod", "at": 1}], fix=["x"], frame="first")


_LIST = (
    Feature("update", "`update: mean-stretch`", rod={"update": "mean-stretch"}, generic=False),
    Feature("hyperelastic", "`law: neo-hookean`", material={"law": "neo-hookean"}),
    Feature("damping power", "`damping_power`", rod={"damping_power": 1.5}),
    Feature("internal stress", "an actuator `internal`", add=_stressed),
    Feature("tendon", "an actuator `tendon`", add=_with_tendon),
    Feature("chamber", "an actuator `chamber`", add=_with_chamber),
    Feature("distributed load", "`along` a rod", add=_in_the_wind),
    Feature("loop", "a closed loop", add=_pinned, generic=False),
)
FEATURES = {feature.name: feature for feature in _LIST}
COLUMNS = (*FEATURES, "native")


def robot(word: str, feature: Feature | None = None) -> pliant.Robot:
    words = {} if feature is None else feature.rod
    material = {} if feature is None else feature.material
    allow = PLANE if word in ("rom", "eba") else ARC
    plain = (
        pliant.Robot("matrix")
        .material("rubber", young=2e5, poisson=0.5, density=1000.0, viscosity=100.0, **material)
        .rod("rod", length=0.2, section={"circle": {"radius": 0.01}}, material="rubber", allow=allow,
             model={word: MODELS[word]}, **words)
    )  # fmt: skip
    return plain if feature is None else feature.add(plain)


def _state(model: pliant.Model) -> tuple[jnp.ndarray, ...]:
    rng = np.random.default_rng(1)
    sizes = (1e-2, 0.1, 0.1)
    moved, v, a = (jnp.asarray(size * rng.uniform(0.5, 1.0, size=model.nv)) for size in sizes)
    return model.integrate(model.initial_state().q, moved), v, a


def cell(word: str, name: str) -> str:
    """ "works", or the sentence that refuses it. AssertionError where it neither works nor is refused as it should."""
    if name == "native":
        pliant.compile_native(pliant.compile(robot(word)), ("inverse_dynamics",))  # compares with JAX
        return "works"
    feature = FEATURES[name]
    try:
        model = pliant.compile(robot(word, feature))
    except (ValueError, pliant.RobotFileError) as refusal:
        text = " ".join(str(refusal).split())
        named = feature.about.replace("`", "").split(":")[0].split()[-1]
        assert named in text and word in text, f"{name} with {word} is refused without naming both: {text}"
        return text
    q, v, a = _state(model)
    multipliers = jnp.ones(model.structure.constraint_count)
    found = pliant.residual(model, q, v, a, multipliers=multipliers)
    plain = pliant.residual(pliant.compile(robot(word)), q, v, a)
    assert np.all(np.isfinite(found)), f"{name} with {word} is not finite"
    assert np.abs(found - plain).max() > 1e-6 * np.abs(plain).max(), f"{name} changes nothing with {word}"
    if feature.generic:
        expected = generic.residual(model, q, v, a)
        np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max(), err_msg=f"{name} with {word}")
    return "works"


def main() -> None:
    lines = [f"| | {' | '.join(COLUMNS)} |", f"| --- |{' --- |' * len(COLUMNS)}"]
    refusals = []
    for word in MODELS:
        cells = []
        for name in COLUMNS:
            found = cell(word, name)
            if found != "works":
                refusals.append(f"- {name} with `{word}`: {found}")
                found = "refused"
            cells.append(found)
        lines.append(f"| `{word}` | {' | '.join(cells)} |")
    table = "\n".join([*lines, "", *(refusals or ["Nothing is refused."])])
    text = PAGE.read_text()
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{head}\n{table}\n{tail}")
    print(table)


if __name__ == "__main__":
    main()
