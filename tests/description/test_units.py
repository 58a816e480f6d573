"""Quantities as text."""

import math
import subprocess
import sys

import pytest

from pliant.description.language.grammar._units import COMMON_UNITS, KINDS, NotAQuantity, to_si


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("50 mm", "length", 0.05),
        ("12mm", "length", 0.012),
        ("1e-3 m", "length", 0.001),
        ("-5 cm", "length", -0.05),
        ("2 in", "length", 0.0508),
        ("0.3", "length", 0.3),
        (3, "length", 3.0),
        ("205 kPa", "modulus", 205e3),
        ("2 GPa", "modulus", 2e9),
        ("300 Pa*s", "viscosity", 300.0),
        ("300 Pa s", "viscosity", 300.0),
        ("2 rad/m", "curvature", 2.0),
        ("2 1/m", "curvature", 2.0),
        ("90 deg", "angle", math.pi / 2),
        ("1 g/cm^3", "density", 1000.0),
        ("60 rpm", "angular velocity", 2 * math.pi),
        ("2 Hz", "frequency", 2.0),
        ("50 %", "fraction", 0.5),
        ("0.5 N*m/rad", "joint stiffness", 0.5),
        ("2 g*mm^2", "inertia", 2e-9),
        ("9.81 m/s**2", "acceleration", 9.81),
    ],
)
def test_conversion(text, kind, value):
    assert to_si(text, kind) == pytest.approx(value, rel=1e-14)


def test_millimetres_round_like_metres():
    for number in range(1, 2000):
        assert to_si(f"{number} mm", "length") == float(f"{number}e-3")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_example_is_accepted(kind):
    assert math.isfinite(to_si(KINDS[kind].example, kind))
    assert to_si(f"2 {KINDS[kind].unit}", kind) == 2.0


def test_the_short_cuts_agree_with_pint():
    for kind, units in COMMON_UNITS.items():
        for unit, factor in units.items():
            # Parentheses are no short cut, so this goes through pint.
            assert to_si(f"1 ({unit})", kind) == pytest.approx(factor, rel=1e-14)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_si_unit_of_every_kind_agrees_with_pint(kind):
    assert not KINDS[kind].unit or to_si(f"3 ({KINDS[kind].unit})", kind) == pytest.approx(3.0, rel=1e-14)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("5 N", "length"),
        ("5 foo", "length"),
        ("5 m+s", "length"),
        ("m", "length"),
        ("", "length"),
        ("nan", "length"),
        ("inf m", "length"),
        ("1e999 m", "length"),
        (math.nan, "length"),
        (math.inf, "length"),
        (10**400, "length"),
        (True, "length"),
        (None, "length"),
        ([1], "length"),
        ("5 m**9**9**9", "length"),
        ("5 m^99999999", "length"),
        ("5 m/", "length"),
        ("5 __import__('os')", "length"),
        ("2 rad/s", "frequency"),
        ("2 Hz", "angular velocity"),
        ("5 mm", "number"),
    ],
)
def test_refusal(value, kind):
    with pytest.raises(NotAQuantity):
        to_si(value, kind)


def test_plain_numbers_and_common_units_need_neither_pint_nor_jax():
    code = (
        "import sys, pliant.description as d\n"
        "d.Robot('a').material('m', young=1e5, poisson=0.5, density=1000)"
        ".rod('a', length='100 mm', section={'circle': {'radius': 0.01}}, material='m').blueprint()\n"
        "assert not {'pint', 'jax'} & set(sys.modules), sorted({'pint', 'jax'} & set(sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
