"""Nothing that is written takes for ever to read: files, values, quantities, names and messages have their limits."""

import time

import pytest

import pliant
from pliant.description import RobotFileError, load, parse, parse_value
from pliant.description.language.grammar import to_si
from pliant.description.language.grammar._units import NotAQuantity

BALL = "robot: a\nlinks:\n  - {name: ball, kind: rigid, mass: 1 kg, shape: {sphere: {radius: 5 cm}}, joint: free}\n"
MESH = """\
robot: a
meshes:
  - {name: m, grid: {size: [1, 1], nodes: [3, 3]}, axial: {stiffness: 1}, mass: 1, fixed: FIXED}
"""
ROD = """\
robot: a
materials: {m: {young: 1 MPa, poisson: 0.5, density: 1000}}
links:
  - {name: r, kind: rod, length: 1, section: {circle: {radius: 0.01}}, material: m, model: {gvs: {order: ORDER}}}
"""
QUICK = 1.0  # s; each of these took from some seconds to for ever


def refusal(ask) -> str:
    began = time.process_time()
    with pytest.raises(RobotFileError) as refused:
        ask()
    assert time.process_time() - began < QUICK
    text = str(refused.value)
    assert len(text) < 20_000, len(text)
    return text


@pytest.mark.parametrize("size", [20_000, 1_000_000])
@pytest.mark.parametrize("text", ["1{} mm", "{}1 mm x", "1 mm{} x", "1{}x", "[1,{} 2] mm x", "[1]{} mm x"])
def test_long_quantities(text, size):
    for filling in (" ", "1", "\t", "e", "["):
        value = text.format(filling * size)
        began = time.process_time()
        with pytest.raises(NotAQuantity):
            to_si(value, "length")
        robot = pliant.Robot("a").rigid("ball", mass=value, shape={"sphere": {"radius": 1}}, joint="free")
        assert "expected a mass" in refusal(robot.blueprint)
        assert time.process_time() - began < QUICK


def test_quantities_are_read_as_before():
    for text in ("1.5 mm", " 1.5mm ", "+1.5e0\tmm\n", ".0015", "1.5e-3", "0.0015 m", "1500 um"):
        assert to_si(text, "length") == 0.0015, text
    for text in ("", "mm", "1 2", "1.5.5", "--1", "e5", "1e", "0x10", "1 mm x"):
        with pytest.raises(NotAQuantity):
            to_si(text, "length")
    texts = ("[1, 2, 3] mm", " [1,2,3]mm ", "[ 1, 2, 3 ]\tmm")
    robots = [parse(f"{BALL}initial: {{ball: {{position: '{text}'}}}}") for text in texts]
    assert all(robot.description.initial["ball"].position == (0.001, 0.002, 0.003) for robot in robots)
    assert "expected a list of 3" in refusal(lambda: parse(f"{BALL}initial: {{ball: {{position: '[[1], 2, 3] mm'}}}}"))


def test_large_files(tmp_path):
    path = tmp_path / "large.yaml"
    path.write_text(BALL + "#" * 5_000_000)
    assert "larger than 2 MB" in refusal(lambda: load(path))
    assert "larger than 2 MB" in refusal(lambda: load("/dev/zero"))
    assert "expected at most 2000000" in refusal(lambda: parse(BALL + "#" * 5_000_000))


@pytest.mark.parametrize("text", ["[" * 10_000, "a: {" * 10_000, "- " * 10_000, "? " * 10_000, "[[" * 30 + "&a [*a]"])
def test_deep_files(text):
    assert "too many entries, nested too deeply" in refusal(lambda: parse(text)) or "not readable" in refusal(
        lambda: parse(text)
    )


def test_values_obey_the_limits_of_files():
    """--set once had a parser of its own, which made objects that contain themselves."""
    assert parse_value("1 mm") == "1 mm" and parse_value("[1, 2.5, x]") == [1, 2.5, "x"] and parse_value("") is None
    laughs = (
        "&a [x, x]",
        *(f"&{new} [*{old}, *{old}, *{old}, *{old}]" for old, new in zip("abcdefghij", "bcdefghijk", strict=True)),
    )
    for text in (
        "&a [*a]",
        "&a {b: *a}",
        "[" * 5000,
        f"[{', '.join(laughs)}]",
        "!!python/object:os.system x",
        "x" * 200_000,
    ):
        told = refusal(lambda text=text: parse_value(text, source="--set links.arm"))
        assert told.startswith("--set links.arm: "), told


def test_paths_and_python_values_have_a_depth():
    robot = parse(BALL)
    assert "there is nothing to go into" in refusal(lambda: robot.with_value(".".join("a" * 5000), 1))
    inside: list = []
    inside.append(inside)
    assert "inside itself" in refusal(lambda: robot.with_value("gravity", inside))
    for digits in (5000, 50_000):
        assert "expected" in refusal(lambda digits=digits: robot.with_value("links.ball.mass", 10**digits).blueprint())
        assert "expected" in refusal(
            lambda digits=digits: parse(f"{BALL}analyses: [{{modes: {{count: 0x{'F' * digits}}}}}]")
        )


def test_long_names():
    assert parse(BALL.replace("ball", "b" * 100)).description.links[0].name == "b" * 100
    assert "at most 100 characters" in refusal(lambda: parse(BALL.replace("ball", "b" * 101)))
    assert "at most 100 characters" in refusal(lambda: parse(BALL.replace("robot: a", f"robot: {'a' * 100_000}")))
    assert "unknown field" in refusal(lambda: parse(f"{BALL}{'x' * 1000}: 1"))


def test_many_mistakes_are_told_in_a_short_message():
    frames = "\n".join(f"  - {{name: f{index}, link: nowhere{index}}}" for index in range(1000))
    told = refusal(lambda: parse(f"{BALL}frames:\n{frames}"))
    assert told.endswith("and 950 more problems") and told.count("\n") == 50 and "and 962 more" in told
    links = "\n".join(f"  - {{name: l{index}}}" for index in range(1000))
    assert "missing; expected one of: rod, rigid" in refusal(lambda: parse(f"robot: a\nlinks:\n{links}"))


def _chain(count: int, reverse: bool) -> str:
    rows = [
        f"  - {{name: f{k}, link: {f'f{k - 1}' if k else 'ball'}, offset: {{move: [1, 0, 0]}}}}" for k in range(count)
    ]
    return f"{BALL}frames:\n" + "\n".join(reversed(rows) if reverse else rows)


@pytest.mark.parametrize("reverse", [False, True])
def test_chains_of_frames(reverse):
    """Each carries the offsets of all before it, so that time grows with the square of their number."""
    began = time.process_time()
    plan, _ = parse(_chain(100, reverse)).blueprint()
    assert time.process_time() - began < 2 * QUICK
    last = next(frame for frame in plan.frames if frame.name == "f99")
    assert [offset.move for offset in last.where.offsets] == [f"frames.f{k}.offset.move" for k in range(100)]
    assert "at most 100 frames between it and its link" in refusal(lambda: parse(_chain(1000, reverse)))


def test_links_in_any_order_stand_behind_their_parents():
    rows = [("c", "b"), ("a", "world"), ("e", "world"), ("b", "f"), ("d", "c")]
    body = "kind: rigid, mass: 1, inertia: [1, 1, 1], joint: free"
    links = "".join(f"  - {{name: {name}, {body}, parent: {parent}}}\n" for name, parent in rows)
    plan, _ = parse(f"robot: a\nlinks:\n{links}frames: [{{name: f, link: a}}]").blueprint()
    assert [link.name for link in plan.links] == ["a", "e", "b", "c", "d"]


def test_a_cycle_of_many_links_is_told_shortly():
    frames = "\n".join(f"  - {{name: f{index}, link: f{(index + 1) % 1000}}}" for index in range(1000))
    told = refusal(lambda: parse(f"{BALL}frames:\n{frames}"))
    assert "f0 hangs on f1" in told and "... hangs on f0; expected parents that lead to the world" in told


@pytest.mark.parametrize(("order", "expected"), [("{twist: 0.0}", 0), ("{twist: 2.0}", 2), ("2.0", 2), ("2", 2)])
def test_a_whole_number_may_have_a_point(order, expected):
    """The order of a polynomial was kept as 0.0, which ended in a traceback where it is an index."""
    plan, _ = parse(ROD.replace("ORDER", order)).blueprint()
    found = plan.links[0].model.options["order"]["twist"]
    assert found == expected and isinstance(found, int)
    assert pliant.compile(parse(ROD.replace("ORDER", order))).nv > 0


def test_half_an_order_is_refused():
    for order in ("2.5", "{twist: 0.5}", "{twist: .nan}", "-1.0"):
        assert "expected a polynomial order" in refusal(lambda order=order: parse(ROD.replace("ORDER", order)))


def test_a_mesh_without_a_node_that_moves_is_refused():
    assert pliant.compile(parse(MESH.replace("FIXED", "[1-8]"))).nv == 3
    for fixed in ("[1-9]", "[9, 1-8]"):
        told = refusal(lambda fixed=fixed: parse(MESH.replace("FIXED", fixed)))
        assert told.endswith("meshes.m.fixed: got all 9 nodes; expected at least one node that moves"), told
    assert "expected nodes from 1 to 9" in refusal(lambda: parse(MESH.replace("FIXED", "[1-10]")))


def test_a_long_name_does_not_stand_before_every_problem():
    links = "".join(f"  - {{name: l{number}, kind: rigid, mass: 1 kg, inertia: [1, 1, 1]}}\n" for number in range(60))
    robot = parse(f"robot: arm\nlinks:\n{links}").with_value("robot", "arm" * 200)
    for number in range(60):
        robot = robot.with_value(f"links.l{number}.mass", -1.0)
    told = refusal(lambda: robot.description)
    assert told.startswith("armarm") and "links.l0" in told and "arm" * 100 not in told
