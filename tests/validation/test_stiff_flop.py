"""The STIFF-FLOP module: its parameters are the recorded ones, and the cases say what they could not do."""

import re

import jax.numpy as jnp
import numpy as np
import pytest

from pliant.validation import run
from pliant.validation._case import Clock, find_data, shown, with_margin
from pliant.validation.measured._stiff_flop import LOAD, LOAD_SPAN, NOLOAD, NOLOAD_SPAN
from pliant.validation.measured._stiff_flop_module import MASTER, V2, robot, section, thinner


@pytest.fixture(scope="module")
def page():
    folder = find_data(None).folder
    if folder is None or not (folder / "README.md").is_file():
        pytest.skip("needs the README of the reference data")
    text = (folder / "README.md").read_text(encoding="utf-8")
    return text[text.index("## stiff_flop") : text.index("## fabric_sleeve")]


def numbers(page, pattern):
    found = re.search(pattern, page)
    assert found, pattern
    return [float(group) for group in found.groups()]


def test_master_parameters_are_those_of_the_data(page):
    master = page[page.index("Parameters of the `master`") : page.index("Parameters of the `v2`")]
    number = r"(-?[\d.]+(?:e-?\d+)?)"
    stated = {
        f"l_s = {number} mm": [MASTER.length * 1e3],
        f"radii {number} / {number} mm": [MASTER.inner_radius * 1e3, MASTER.outer_radius * 1e3],
        f"chamber radius {number} mm \\(wall {number} mm\\)": [MASTER.chamber_radius * 1e3, MASTER.chamber_wall * 1e3],
        f"chambers at {number} mm": [MASTER.chamber_offset * 1e3],
        f"pairs at {{{number}, {number}, {number}}} deg": MASTER.chamber_angles,
        f"sensor {number} g, {number} mm long, {number} mm radius": [
            MASTER.sensor_mass * 1e3, MASTER.sensor_length * 1e3, MASTER.sensor_radius * 1e3,
        ],
        f"gravity {number} along": [MASTER.gravity],
        f"E = {number} kPa": [MASTER.young / 1e3],
        f"mu_v = {number}, mu_u = {number} \\(SRL, EBR, EBA\\) or {number} \\(ROM\\)": [
            MASTER.damping["srl"][0], MASTER.damping["eba"][1], MASTER.damping["rom"][1],
        ],
    }  # fmt: skip
    for pattern, ours in stated.items():
        assert numbers(master, pattern) == pytest.approx(list(ours)), pattern
    one, other = numbers(master, rf"density {number} \* {number}")
    assert one * other == pytest.approx(MASTER.density)
    assert MASTER.split == pytest.approx(np.arccos(1 - 3**2 / (2 * 8.5**2))) and "G = E/3" in master
    assert all(MASTER.damping[kind] == MASTER.damping["srl"] for kind in ("ebr", "eba"))
    assert MASTER.damping_power == 1 and "linear damping" in master
    assert numbers(page, rf"normalised by {number} mm \(master\) or {number} mm \(v2\)") == pytest.approx(
        [MASTER.full_length * 1e3, V2.full_length * 1e3]
    )


def test_v2_parameters_and_the_authors_errors_are_those_of_the_data(page):
    number = r"(-?[\d.]+(?:e-?\d+)?)"
    length, young, power = numbers(page, rf"`v2` runs: l_s = {number} mm, E = {number} kPa, damping power {number}")
    assert [V2.length * 1e3, V2.young / 1e3, V2.damping_power] == pytest.approx([length, young, power])
    pairs = numbers(page, rf"ROM and SRL {number} / {number}, EBR {number} / {number}, EBA {number} / {number}")
    ours = [*V2.damping["rom"], *V2.damping["ebr"], *V2.damping["eba"]]
    assert ours == pytest.approx(pairs) and V2.damping["srl"] == V2.damping["rom"]
    errors = numbers(page, rf"give SRL {number}, EBR {number}, EBA {number}, ROM {number} %")
    assert [NOLOAD[kind].error for kind in ("srl", "ebr", "eba", "rom")] == errors
    loaded = numbers(page, rf"ROM\(3\) {number} %, EBA\(5\) {number} %, SRL\(3\) {number} %")
    assert [LOAD[kind].error for kind in ("rom", "eba", "srl")] == loaded
    assert numbers(page, rf"samples, {number}\.\.{number} s") == list(NOLOAD_SPAN)
    assert numbers(page, rf"Load1 runs span {number}\.\.{number} s") == list(LOAD_SPAN)


def test_section_is_the_integral_over_the_wall():
    given = section(MASTER, (0.1, 1e-5), None)["given"]
    r = MASTER.outer_radius
    line = (np.arange(1500) + 0.5) / 750 * r - r
    x, y = np.meshgrid(line, line)
    inside = (np.hypot(x, y) < r) & (np.hypot(x, y) > MASTER.inner_radius)
    for middle in np.radians(MASTER.chamber_angles):
        for angle in (middle - MASTER.split, middle + MASTER.split):
            centre = MASTER.chamber_offset * np.array([np.cos(angle), np.sin(angle)])
            inside &= np.hypot(x - centre[0], y - centre[1]) > MASTER.chamber_radius
    cell = (line[1] - line[0]) ** 2
    area, second_x, second_y = inside.sum() * cell, (y**2 * inside).sum() * cell, (x**2 * inside).sum() * cell
    bend_x, bend_y, _, shear, _, stretch = given["stiffness"]
    integrals = [MASTER.young * second_x, MASTER.young * second_y, MASTER.young * area, MASTER.density * area]
    np.testing.assert_allclose([bend_x, bend_y, stretch, given["mass"]], integrals, rtol=2e-3)
    assert shear == pytest.approx(stretch / 3) and given["damping"] == [1e-5] * 3 + [0.1] * 3


def test_a_damper_of_a_piece_is_spread_over_its_length():
    """Power of mu |x'|^(p+1), x = h strain, equals that of D |strain'|^(p+1) over the length h."""
    piece, rate = V2.length / 5, 0.7
    spread = section(V2, V2.damping["ebr"], piece)["given"]["damping"][5]
    lumped = V2.damping["ebr"][0] * (piece * rate) ** (V2.damping_power + 1)
    assert spread * rate ** (V2.damping_power + 1) * piece == pytest.approx(lumped)


def test_radii_and_moduli_follow_the_stretch():
    stiffness, centre = "links.module.section.given.stiffness", "actuators.pair-1.channels.0.x"
    before = {stiffness: jnp.ones(6), centre: jnp.asarray(2.0), "links.module.length": jnp.asarray(0.05)}
    after = thinner(before, {"module": jnp.asarray(1.21)}, jnp.asarray(0.0))
    np.testing.assert_allclose(after[stiffness], 1.21 ** -np.array([3.0, 3.0, 3.0, 2.0, 2.0, 2.0]))
    assert float(after[centre]) == pytest.approx(2.0 / 1.1) and set(after) == {stiffness, centre}


@pytest.mark.parametrize("kind", list(NOLOAD))
def test_robots_are_complete(kind):
    for module, sizes in ((MASTER, NOLOAD), (V2, LOAD)):
        description = robot(module, kind, sizes[kind].size).description
        assert [link.name for link in description.links] == ["module", "sensor"]
        assert (description.links[0].damping_power or 1) == module.damping_power


@pytest.mark.parametrize("case", ["stiff-flop-noload", "stiff-flop-load"])
def test_without_the_recording_a_case_is_skipped(case, tmp_path):
    (row,) = run([case], data=tmp_path)
    assert row.passed is None and row.value is None and "conditioned" in row.figure


def test_rows_beside_others():
    clock = Clock()
    assert with_margin("c", "m", "f", 5.5, 4.58, 1.0, clock).passed
    assert not with_margin("c", "m", "f", 5.6, 4.58, 1.0, clock).passed
    row = shown("c", "m", "f", 3.0, None, clock)
    assert row.value == 3.0 and row.tolerance is row.passed is row.error is None
