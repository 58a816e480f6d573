"""Physical quantities as people write them ("50 mm", "205 kPa"), turned into SI numbers."""

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any


@dataclass(frozen=True)
class Kind:
    """A kind of physical quantity: the words used in messages, its SI unit, and an example."""

    words: str
    unit: str
    example: str


KINDS: dict[str, Kind] = {
    "number": Kind("a number", "", "0.5"),
    "fraction": Kind("a fraction of the rod's length", "", "0.5"),
    "length": Kind("a length", "m", "50 mm"),
    "time": Kind("a time", "s", "20 ms"),
    "frequency": Kind("a frequency in cycles per second", "Hz", "2 Hz"),
    "angle": Kind("an angle", "rad", "90 deg"),
    "velocity": Kind("a velocity", "m/s", "0.1 m/s"),
    "angular velocity": Kind("an angular velocity", "rad/s", "2 rad/s"),
    "acceleration": Kind("an acceleration", "m/s^2", "9.81 m/s^2"),
    "mass": Kind("a mass", "kg", "5 g"),
    "inertia": Kind("a moment of inertia", "kg*m^2", "2e-6 kg*m^2"),
    "density": Kind("a density", "kg/m^3", "1070 kg/m^3"),
    "modulus": Kind("a modulus", "Pa", "205 kPa"),
    "viscosity": Kind("a viscosity", "Pa*s", "300 Pa*s"),
    "force": Kind("a force", "N", "0.2 N"),
    "moment": Kind("a moment", "N*m", "0.1 N*m"),
    "force per length": Kind("a force per length", "N/m", "2 N/m"),
    "moment per length": Kind("a moment per length", "N*m/m", "0.1 N*m/m"),
    "curvature": Kind("a curvature", "rad/m", "2 rad/m"),
    "curvature rate": Kind("a rate of curvature", "rad/m/s", "2 rad/m/s"),
    "strain": Kind("a strain", "", "0.05"),
    "stretch": Kind("a stretch", "", "2.5"),
    "strain rate": Kind("a rate of strain", "1/s", "0.1 1/s"),
    "joint stiffness": Kind("a rotational stiffness", "N*m/rad", "0.5 N*m/rad"),
    "joint damping": Kind("a rotational damping", "N*m*s/rad", "0.01 N*m*s/rad"),
    "linear stiffness": Kind("a linear stiffness", "N/m", "200 N/m"),
    "hertz stiffness": Kind("a stiffness of Hertz's law", "N/m^1.5", "1e6 N/m^1.5"),
    "contact damping": Kind("a damping per rate of penetration", "s/m", "0.5 s/m"),
    "linear damping": Kind("a linear damping", "N*s/m", "5 N*s/m"),
    "pitch": Kind("a pitch, the length per turn,", "m", "5 mm"),
    "turns": Kind("a number of turns", "turn", "1.5"),
    "push": Kind("a force along the spring", "N", "0.2 N"),
    "angular acceleration": Kind("an angular acceleration", "rad/s^2", "2 rad/s^2"),
    "proportional gain": Kind("a gain", "1/s^2", "400 1/s^2"),
    "derivative gain": Kind("a gain", "1/s", "40 1/s"),
    "integral gain": Kind("a gain", "1/s^3", "100 1/s^3"),
    "angle per length": Kind("an angle per length", "rad/m", "20 rad/m"),
    "length per angle": Kind("a length per angle", "m/rad", "5 mm/rad"),
    "tension": Kind("a tension", "N", "3 N"),
    "tendon stiffness": Kind("a tendon stiffness EA", "N", "2 kN"),
    "friction": Kind("a friction coefficient", "", "0.2"),
    "pressure": Kind("a pressure", "Pa", "20 kPa"),
    "area": Kind("an area", "m^2", "12 mm^2"),
    "bending stiffness": Kind("a bending or torsion stiffness", "N*m^2", "0.02 N*m^2"),
    "axial stiffness": Kind("a shear or stretch stiffness", "N", "100 N"),
    "bending damping": Kind("a bending or torsion damping", "N*m^2*s", "1e-4 N*m^2*s"),
    "axial damping": Kind("a shear or stretch damping", "N*s", "0.1 N*s"),
    "mass per length": Kind("a mass per length", "kg/m", "0.5 kg/m"),
    "rotary inertia": Kind("a rotary inertia per length", "kg*m", "1e-5 kg*m"),
}

# The units nearly every robot file is written in: reading them does not wait for pint to load (0.4 s).
COMMON_UNITS: dict[str, dict[str, float]] = {
    "length": {"mm": 1e-3, "cm": 1e-2, "um": 1e-6},
    "time": {"ms": 1e-3, "us": 1e-6},
    "angle": {"deg": math.pi / 180},
    "mass": {"g": 1e-3},
    "modulus": {"kPa": 1e3, "MPa": 1e6, "GPa": 1e9},
    "viscosity": {"kPa*s": 1e3},
    "force": {"mN": 1e-3, "kN": 1e3},
    "moment": {"mN*m": 1e-3, "N*mm": 1e-3},
    "pitch": {"mm": 1e-3},
    "tension": {"mN": 1e-3, "kN": 1e3},
    "tendon stiffness": {"kN": 1e3},
    "pressure": {"kPa": 1e3, "MPa": 1e6, "bar": 1e5},
    "area": {"mm^2": 1e-6, "cm^2": 1e-4},
}

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_LONGEST_QUANTITY = 200  # characters, without those around it
# What a unit may contain. Powers are one digit, or Hertz's 1.5, and are not chained, so that no text can ask pint for a
# giant power.
_UNIT = re.compile(r"(?:[^\W\d_]|[%°*/^(). ·²³\d_-])+")
_POWERS = re.compile(r"(?:\*\*|\^)(?! ?-?(?:\d|1\.5)(?![\d.*^]*(?:\*\*|\^|\d)))")
_LONGEST_UNIT = 60
# Radian counts as 1 in dimensional analysis, so cycles and radians per second have to be told apart by name.
_CYCLES = ("hertz", "count")


class NotAQuantity(ValueError):
    """The text or value is no quantity of the kind asked for; the message says what is wrong, or is empty."""


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(cache_folder=None)


@lru_cache(maxsize=1024)
def _factor(unit_text: str, kind_name: str) -> float:
    """SI value of one of the unit written as `unit_text`. kind_name: a kind, or an SI unit that no kind has."""
    si = KINDS[kind_name].unit if kind_name in KINDS else kind_name
    if unit_text == si:
        return 1.0
    if unit_text in COMMON_UNITS.get(kind_name, {}):
        return COMMON_UNITS[kind_name][unit_text]
    if len(unit_text) > _LONGEST_UNIT or not _UNIT.fullmatch(unit_text) or _POWERS.search(unit_text):
        raise NotAQuantity(f'"{unit_text}" is not a unit')
    registry = _registry()
    # pint's small parser reports bad text through several unrelated exception types.
    try:
        unit = registry.parse_units(unit_text)
        # The unit of every kind is pint's base unit, except the turn.
        factor = float(registry.get_base_units(unit)[0] / registry.get_base_units(si)[0])
    except (AttributeError, ValueError, TypeError, AssertionError, ArithmeticError, KeyError, SyntaxError) as error:
        raise NotAQuantity(f'"{unit_text}" is not a unit') from error
    wanted = registry.parse_units(si)
    if unit.dimensionality != wanted.dimensionality:
        raise NotAQuantity(f'"{unit_text}" does not convert to {si or "a plain number"}')
    parts = str(unit)
    angular = any(word in parts for word in ("radian", "degree", "revolution", "turn"))
    if kind_name == "frequency" and angular:
        raise NotAQuantity("the unit is an angle per time")
    if kind_name == "angular velocity" and any(word in parts for word in _CYCLES):
        raise NotAQuantity("the unit is cycles per time")
    nearest = round(factor)
    return float(nearest) if nearest and math.isclose(nearest, factor, rel_tol=1e-14) else factor


def to_si(value: Any, kind_name: str) -> float:
    """The SI number of `value`: a plain number is SI already, a text is a number with a unit."""
    if isinstance(value, bool):
        raise NotAQuantity("")
    if isinstance(value, (int, float)):
        try:
            number = float(value)
        except OverflowError as error:
            raise NotAQuantity("") from error
    elif isinstance(value, str):
        text = value.strip()
        match = _NUMBER.match(text) if len(text) <= _LONGEST_QUANTITY else None
        if match is None:
            raise NotAQuantity("")
        number, unit = float(match[0]), text[match.end() :].strip()
        if unit:
            factor = _factor(unit, kind_name)
            # 12 mm is 12 / 1000, not 12 * 0.001: the division rounds to the number one would write in metres.
            inverse = round(1 / factor) if 0 < factor < 1 else 0
            exact = bool(inverse) and math.isclose(inverse * factor, 1, rel_tol=1e-14)
            number = number / inverse if exact else number * factor
    else:
        raise NotAQuantity("")
    if not math.isfinite(number):
        raise NotAQuantity("")
    return number


def to_si_unit(value: Any, unit: str) -> float:
    """`to_si` for what is known by its SI unit alone."""
    return to_si(value, next((name for name, kind in KINDS.items() if kind.unit == unit), unit))
