"""Rod models written in Python: they are found by their word, do what a built-in one does, and are refused in words."""

import dataclasses
import functools

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.elements import RodModel
from robots import MATERIAL
from user_rods import LinearStrainRod, LogarithmicRod

WORDS = "gvs, pcs, rom, srl, ebr, eba, cog, integral"
TEXT = """
robot: finger
materials:
  rubber: {young: 200 kPa, poisson: 0.4, density: 1000}
links:
  - name: finger
    kind: rod
    length: 100 mm
    section: {circle: {radius: 6 mm}}
    material: rubber
    model: %s
"""


def _robot(model, **fields) -> pliant.Robot:
    settings = {"length": 0.2, "section": {"circle": {"radius": [0.012, 0.01]}}, "material": "rubber", **fields}
    return (
        pliant.Robot("arm")
        .material("rubber", **MATERIAL)
        .rod("rod", allow=["bend_x", "stretch"], model=model, **settings)
        .rigid("ball", mass=0.01, shape={"sphere": {"radius": 0.01}}, parent={"link": "rod", "at": 0.7})
        .tendon("cable", link="rod", y=0.006, tension=0.3)
        .load("wind", along={"link": "rod", "from": 0.2, "to": 0.8}, force=[0.0, 0.4, 0.1])
        .initial("rod", bend_x=2.0, strain_rate={"stretch": 0.1})
    )


@functools.cache
def _pair():
    own = pliant.compile(_robot({"linear-strain": {"points": 5}}, damping_power=1.4), rods=[LinearStrainRod])
    return own, pliant.compile(_robot({"gvs": {"order": 1, "quadrature": 5}}, damping_power=1.4))


def test_a_user_rod_equals_the_built_in_one():
    own, known = _pair()
    q, v, a = 0.3 * jnp.arange(1.0, 5.0), jnp.arange(4.0), jnp.ones(4)
    expected = np.asarray(pliant.residual(known, q, v, a))
    np.testing.assert_allclose(pliant.residual(own, q, v, a), expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())
    assert own.coordinate_names == known.coordinate_names
    for found, wanted in zip(own.initial_state()[:2], known.initial_state()[:2], strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_rods_of_the_same_word_and_other_code_share_nothing():
    class Other(LinearStrainRod):
        pass

    models = [pliant.compile(_robot("linear-strain"), rods=[rod]) for rod in (LinearStrainRod, Other, LinearStrainRod)]
    assert models[0].structure == models[2].structure != models[1].structure
    assert hash(models[0].structure) == hash(models[2].structure)


def test_a_model_with_a_user_rod_is_not_written(tmp_path):
    own, known = _pair()
    with pytest.raises(ValueError, match=r"model 'arm' holds Python code and cannot be saved: .* rod models"):
        own.save(tmp_path / "own")
    assert not list(tmp_path.iterdir())
    with pytest.raises(
        ValueError, match="robot 'arm' cannot be written as a robot file: its rod model 'linear-strain'"
    ):
        _robot("linear-strain").to_yaml()
    assert known.save(tmp_path / "known").exists()
    unused = pliant.compile(_robot("gvs"), rods=[LinearStrainRod])
    assert unused.save(tmp_path / "unused").exists()


@pytest.mark.parametrize(("word", "meant"), [("gsv", "gvs"), ("fem", ""), ("linear-strains", "linear-strain")])
def test_an_unknown_word_is_kept_and_refused_when_it_is_compiled(word, meant, tmp_path):
    path = tmp_path / "finger.yaml"
    path.write_text(TEXT % word)
    robot = pliant.load(path)
    assert robot.description.links[0].model.word == word
    with pytest.raises(pliant.RobotFileError) as caught:
        pliant.compile(path, rods=[LinearStrainRod])
    hint = f'did you mean "{meant}"? ' if meant else ""
    expected = f'got "{word}"; {hint}expected a rod model: {WORDS}, linear-strain'
    assert str(caught.value) == f"{path}:11: links.finger.model: {expected}"
    with pytest.raises(pliant.RobotFileError, match=f"finger.yaml:11: .*expected a rod model: {WORDS}$"):
        pliant.compile(robot)


def test_a_robot_file_may_name_a_user_rod(tmp_path):
    path = tmp_path / "finger.yaml"
    path.write_text(TEXT % "{log-stretch: {terms: 3}}")
    model = pliant.compile(path, rods=[LogarithmicRod, LinearStrainRod])
    assert model.nv == 18 and model.coordinate_names[0] == "finger.bend_x[0]"
    # The shape of a rod without strains is the same whatever its model.
    rigid = pliant.load(path).with_value("links.finger.allow", [])
    assert pliant.compile(rigid, rods=[LogarithmicRod]).nv == 0


def test_divisions_have_models_of_their_own():
    divisions = [{"length": "50 mm", "model": "log-strech"}, {"length": "50 mm"}]
    robot = (
        pliant.Robot("arm")
        .material("rubber", **MATERIAL)
        .rod("rod", divisions=divisions, section={"circle": {"radius": 0.01}}, material="rubber", model="fem")
    )
    with pytest.raises(pliant.RobotFileError) as caught:
        pliant.compile(robot, rods=[LogarithmicRod])
    own = f"{WORDS}, log-stretch"
    assert str(caught.value).splitlines() == [
        f'arm: links.rod.model: got "fem"; expected a rod model: {own}',
        f'arm: links.rod.divisions.1.model: got "log-strech"; did you mean "log-stretch"? expected a rod model: {own}',
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"terms": 2, "order": 3}, "rod 'rod': the model log-stretch has no number 'order'; legal: terms, points"),
        ({"points": 2}, "rod 'rod': the model log-stretch needs the number 'terms'"),
    ],
)
def test_options_that_a_user_rod_has_not(options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        pliant.compile(_robot({"log-stretch": options}), rods=[LogarithmicRod])


def test_options_are_plain():
    with pytest.raises(
        pliant.RobotFileError, match="expected numbers, words and lists of them beside the word of a rod"
    ):
        _ = _robot({"log-stretch": {"terms": {"bend_x": 2}}}).description


def test_what_is_no_rod_model_is_refused():
    class Nameless(RodModel):
        pass

    class Clash(LinearStrainRod):
        word = "gvs"

    class Spaced(LinearStrainRod):
        word = "my rod"

    class Unfinished(RodModel):
        word = "unfinished"

    @dataclasses.dataclass(frozen=True)
    class Lengths(LinearStrainRod):
        word = "lengths"
        lengths: tuple[float, ...] = ()

    robot = _robot("linear-strain")
    for rods, kind, message in (
        ([Nameless], TypeError, "Nameless is no rod model: derive it from pliant.elements.RodModel"),
        ([dict], TypeError, "dict is no rod model"),
        ([Clash], ValueError, f"Clash: there is a rod model 'gvs' already; the models are: {WORDS}"),
        (
            [LinearStrainRod, LinearStrainRod],
            ValueError,
            "LinearStrainRod: there is a rod model 'linear-strain' already",
        ),
        ([Spaced], ValueError, "Spaced: the word 'my rod' is no name"),
    ):
        with pytest.raises(kind, match=message):
            pliant.compile(robot, rods=rods)
    with pytest.raises(TypeError, match="abstract"):
        pliant.compile(_robot("unfinished"), rods=[Unfinished])
    (group, *_) = pliant.compile(_robot({"lengths": {"lengths": [1, 2.5]}}), rods=[Lengths]).structure.groups
    assert group.element.lengths == (1, 2.5)


def test_anything_with_a_word_that_builds_is_a_rod_model():
    class Halves:
        """The built-in class with settings of one's own."""

        word = "halves"

        def build(self, plan):
            return LinearStrainRod.build(plan._replace(options={"points": 2}))

    model = pliant.compile(_robot("halves"), rods=[Halves()])
    assert isinstance(model.structure.groups[0].element, LinearStrainRod)
