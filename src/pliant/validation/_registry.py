"""The list of cases and how to run some of them."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pliant.numerics import forget_programs_when_many
from pliant.validation._case import CaseSkipped, Clock, Row, find_data


class _Entry(NamedTuple):
    module: str
    summary: str


_CASES = {
    "elastica": _Entry("statics._elastica", "cantilever with a dead tip load against elliptic integrals"),
    "follower-force": _Entry("statics._follower_force", "SoRoSim Test 1: follower tip force up to 130 kN"),
    "roll-up": _Entry("statics._roll_up", "an end moment closes a rod to a circle"),
    "bend-45": _Entry("statics._bend_45", "45 degree bend under a tip force out of its plane"),
    "l-frame": _Entry("statics._l_frame", "SoRoSim Test 2: L of two beams clamped at both ends, under gravity"),
    "frequencies": _Entry("motion._frequencies", "cantilever frequencies: Euler-Bernoulli, Rayleigh, Timoshenko"),
    "buckling": _Entry("statics._buckling", "Euler's columns, clamped-free and pinned-pinned: the critical load"),
    "limit-point": _Entry("statics._limit_point", "snap-through of a truss, and a deep arch, past their limit loads"),
    "flutter": _Entry("motion._flutter", "Beck's column under a follower force: where its modes meet, damped or not"),
    "models-agree": _Entry(
        "arms._models_agree", "two arms with every rod model against refined gvs, at rest and released"
    ),
    "energy": _Entry("motion._energy", "SoRoSim Test 4: energy balance of a released beam"),
    "flying-spaghetti": _Entry("motion._flying_spaghetti", "SoRoSim Test 3: free flexible rod under dead loads"),
    "gyroscope": _Entry("motion._gyroscope", "free rigid body near its unstable axis for 1000 s"),
    "rigid-chains": _Entry("motion._rigid_chains", "random rigid trees of all joints against Pinocchio"),
    "hybrid-arm": _Entry("statics._hybrid_arm", "SoRoSim Case 1: arm, buffer and gripper at six stages"),
    "tentacle": _Entry("measured._tentacle", "measured two-tendon tentacle: fit on two recordings, predict the others"),
    "stiff-flop-noload": _Entry(
        "measured._stiff_flop", "measured STIFF-FLOP module under pressure, all models, TMTDyn's paths"
    ),
    "stiff-flop-load": _Entry(
        "measured._stiff_flop", "measured STIFF-FLOP module under pressure and a load at its tip"
    ),
    "fabric-sleeve": _Entry(
        "measured._fabric_sleeve", "measured fabric sleeve, imported from CAD, on a recorded pendulum"
    ),
    "cmtm-gradients": _Entry("motion._cmtm_gradients", "PCS chains: closed derivatives of the dynamics against AD"),
    "cmtm-silicone": _Entry(
        "motion._cmtm_silicone", "silicone cantilever let go: explicit, implicit and adaptive steps"
    ),
    "cmtm-prosthesis": _Entry("motion._cmtm_prosthesis", "leaf of carbon fibre let go: three steps give one motion"),
    "stepper-order": _Entry(
        "motion._stepper_order", "newmark and generalised-alpha: a thrown rod and closed four-bars"
    ),
    "stepper-energy": _Entry(
        "motion._stepper_energy", "newmark and generalised-alpha: energy over 100 s without damping"
    ),
    "no-tunnel": _Entry(
        "motion._no_tunnel", "a fast ball on a spring that only pushes, and on a floor, saved rarely: it comes back"
    ),
    "hertz": _Entry("statics._hertz", "a rigid sphere pressed onto a soft block: how deep"),
    "restitution": _Entry("motion._restitution", "a ball with Hunt and Crossley's damping: how fast it leaves"),
    "incline": _Entry("motion._incline", "a block on a plane that is tilted: it holds without creep, and slides"),
    "rolling": _Entry("motion._rolling", "a ball and a rod on a slope: they roll, and slip where it is steep"),
    "coulomb-oscillator": _Entry(
        "motion._coulomb_oscillator", "a mass on a spring and a rough floor: what every swing loses, where it stays"
    ),
    "falling-rod": _Entry("motion._falling_rod", "a stiff rod falls over on a smooth floor: how fast it turns"),
    "sag-on-floor": _Entry("statics._sag_on_floor", "a clamped rod sags onto a floor: what floor and clamp carry"),
    "ring-between-plates": _Entry("statics._ring_between_plates", "a ring is pressed flat: its height and width"),
    "capstan": _Entry("statics._capstan", "a thick rod round a drum that turns: how its tension grows"),
    "pinch": _Entry("statics._pinch", "a ball between two pads: how hard they have to press, and that it stays"),
    "plectoneme": _Entry("statics._plectoneme", "two strands wind round each other: angle, pressure, what tails carry"),
    "contact-ledger": _Entry("motion._contact_ledger", "a soft rod dropped on a rough floor: its energy is all found"),
    "loop-drift": _Entry("motion._loop_drift", "40 links with 4 closed loops swing for 10 s: the loops stay closed"),
    "cog-energy": _Entry(
        "arms._cog_energy", "CoG arm: shaped energy against discs along the arc, its forces, its drift"
    ),
    "cog-experiments": _Entry(
        "arms._cog_experiments", "CoG arm: three pressure programmes beside integral and rod models"
    ),
    "braided-extensor": _Entry("arms._braided_extensor", "braided chambers: printed laws against their energies"),
    "quasi-static-arm": _Entry(
        "arms._quasi_static_arm", "quasi-static arm against the statics of the same rod; map of E"
    ),
    "force-estimation": _Entry("arms._force_estimation", "contact force from pressures and pose, made up and measured"),
    "cross-tool-planar": _Entry("motion._cross_tool", "two-piece PCS arm against SoRoSim, planar"),
    "cross-tool-spatial": _Entry("motion._cross_tool", "two-piece PCS arm against SoRoSim, spatial"),
}


def cases() -> dict[str, str]:
    """Name and one-line summary of every case."""
    return {name: entry.summary for name, entry in _CASES.items()}


def run(only: list[str] | None = None, data: Path | None = None, out: Path | None = None) -> Iterator[Row]:
    """Rows of the named cases (default: all), as they are computed. A case that lacks data gives one row whose
    `passed` is None and whose figure says what is missing; a case that raises ends with a row that failed and tells the
    error, and the others go on. out: folder for the plots of the cases that draw."""
    unknown = [name for name in only or [] if name not in _CASES]
    if unknown:
        raise KeyError(f"unknown case {', '.join(unknown)}; the cases are: {', '.join(_CASES)}")
    found = find_data(data, out)
    for name in only if only is not None else _CASES:
        clock = Clock()
        module = importlib.import_module(f"pliant.validation.{_CASES[name].module}")
        try:
            yield from module.figures(name, found)
        except CaseSkipped as skipped:
            yield Row(name, "", f"skipped: {skipped}", None, None, None, None, None, clock.lap())
        except Exception as error:  # noqa: BLE001 - whatever a case raises is its result, and the next case's turn
            told = " ".join(f"{type(error).__name__}: {error}".split())
            yield Row(name, "", f"raised {told}", None, None, None, None, False, clock.lap())
        forget_programs_when_many()
