"""Forces on a STIFF-FLOP module estimated from its pressures and its pose (Shiva et al., section C).

**Synthetic.** The module of 47 mm and 130 kPa, poses of 4 markers at s/L = 0.25, 0.5, 0.75, 1, each with noise of
0.5 mm and 0.5 deg, 10 samples averaged; loads of 0.46 to 1.79 N (the document's range) in three postures.

- Across the body at a known place the force is found to a few per cent of the largest load.
- Along the body it is not: the module is 1 N/mm and more stiff in stretch, so that noise of 0.5 mm alone is half a
  newton. This, and a force at an unknown place, is as good as the markers allow: the error is compared with the
  Cramer-Rao bound, which is printed. The places are those of markers, where the poses of the quasi-static arm, unlike
  those of gvs, have a kink in the place: it shears and stretches only up to the force.

**Measured** (`Load1`: four pushes on a sensor at the tip; the pose of the tip alone). With the v2 parameters the
unloaded model misses the tip by as much as the load moves it, and the estimate reads this as a force, most of all as
one along the body: R^2 is negative at the v2 modulus and at the best of the scan. Taring helps: the pose at the
beginning of each hold of the pressures, which is free of contact, is made to agree with the model, so that what is
estimated is the change. The pushes against one pressed pair are then followed in size and direction; those with two
pressed pairs are read too small by the modulus that suits the others. The module also creeps by a few millimetres
within a hold. The document reaches 0.04 N with ten markers along the body and a modulus fitted to its own module.
"""

import math
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from pliant.arms import ArmSegment, QuasiStaticArm, chamber_pairs
from pliant.estimation import ForceEstimator, StreamingForceEstimator
from pliant.model import Model, compile
from pliant.numerics import SolveError
from pliant.validation._case import Clock, Data, Figures, below, shown
from pliant.validation.measured._stiff_flop import LOAD_SPAN, conditioned
from pliant.validation.measured._stiff_flop_module import MASTER, V2, Module, robot, thinner

MARKERS = (0.25, 0.5, 0.75, 1.0)
NOISE = (0.5e-3, np.radians(0.5))  # m, rad
AVERAGED = 10  # samples
LARGEST = 1.8  # N
RANGE = (0.46, 1.79)  # N: of the document's external loads
TRANSVERSE_BAR = 5.0  # % of LARGEST
BOUND_RATIO = 1.2
NORMAL_WITHIN = 68.3  # % of a normal distribution within its deviation
PLACES = (0.5, 0.75, 1.0)
POSTURES = ((0.0, 0.0, 0.0), (45e3, 0.0, 0.0), (30e3, 30e3, 10e3))  # Pa
TRIALS = 20  # per place and posture

# Of the measured module: what model and tracker are trusted to, and the forces that are expected.
MEASURED_NOISE = (2e-3, np.radians(3.0))
MEASURED_PRIOR = 1.0  # N
MODULI = (60e3, 80e3, 100e3, 120e3, 140e3, 160e3, 180e3, 205e3, 230e3, 260e3)  # Pa
UNLOADED = 0.05  # N
_STIFFNESS = "links.module.section.given.stiffness"
_REST = (3.0, 5.0)  # s in which the module stands straight
_STEADY = 3e3  # Pa by which pressures change within _SETTLING during a hold
_SETTLING = 1.0  # s


def figures(case: str, data: Data) -> Figures:
    yield from _synthetic(case)
    yield from _measured(case, data)


def module() -> Module:
    """The document's: 47 mm of 130 kPa."""
    return MASTER._replace(length=47e-3, young=130e3)


def arm() -> QuasiStaticArm:
    """The module as a quasi-static arm, without weight and sensor."""
    own = module()
    pairs = chamber_pairs([math.radians(angle) for angle in own.chamber_angles], own.split)
    segment = ArmSegment(
        length=own.length,
        outer_radius=own.outer_radius,
        inner_radius=own.inner_radius,
        chamber_angles=pairs,
        chamber_offset=own.chamber_offset,
        chamber_radius=own.chamber_radius,
        young=own.young,
    )
    return QuasiStaticArm((segment,))


def _inputs(given: object, pressures: tuple[float, ...]) -> object:
    if isinstance(given, QuasiStaticArm):
        return np.asarray(pressures)
    return {f"pair-{index + 1}": np.float64(value) for index, value in enumerate(pressures)}


class Trials(NamedTuple):
    """Errors (n, 3 or 4) of forces, and of places where those are unknown, across x, across y, along the body; and the
    Cramer-Rao bounds (n, k, k) of their covariance."""

    errors: np.ndarray
    bounds: np.ndarray

    @property
    def ratio(self) -> float:
        """Root mean square error of all unknowns over the bound; 1 for an efficient estimate."""
        squares = [e @ np.linalg.solve(b, e) / len(e) for e, b in zip(self.errors, self.bounds, strict=True)]
        return float(np.sqrt(np.mean(squares)))

    def ratio_of(self, index: int) -> float:
        """Figures of one unknown."""
        return float(np.sqrt(np.mean(self.errors[:, index] ** 2 / self.bounds[:, index, index])))

    def bound_of(self, index: int) -> float:
        return float(np.sqrt(np.mean(self.bounds[:, index, index])))

    def error_of(self, index: int) -> float:
        """Root mean square."""
        return float(np.sqrt(np.mean(self.errors[:, index] ** 2)))

    @property
    def within(self) -> float:
        """Share [%] of the errors, of all unknowns, that are below the deviation of the bound."""
        variances = np.diagonal(self.bounds, axis1=1, axis2=2)
        return 100.0 * float(np.mean(self.errors**2 <= variances))


def run_trials(given: Model | QuasiStaticArm, place: float, known: bool, along: bool, seed: int) -> Trials:
    """Random forces across the body at the place of a marker, or along it, found again from noisy poses."""
    rng = np.random.default_rng(seed)
    deviation = (NOISE[0] / np.sqrt(AVERAGED), NOISE[1] / np.sqrt(AVERAGED))
    estimator = ForceEstimator(given, MARKERS, location=place if known else None, noise=deviation)
    errors, bounds = [], []
    for pressures in POSTURES:
        inputs = _inputs(given, pressures)
        free = np.asarray(estimator.predict(inputs, np.zeros(3), place))
        axes = free[MARKERS.index(place), :3, :3]  # of the section before it is loaded
        for _ in range(TRIALS):
            turn = rng.uniform(0.0, 2.0 * np.pi)
            direction = np.array([0.0, 0.0, 1.0]) if along else np.array([np.cos(turn), np.sin(turn), 0.0])
            force = axes @ (rng.uniform(*RANGE) * direction)
            truth = np.asarray(estimator.predict(inputs, force, place))
            found = estimator.estimate(inputs, _disturbed(truth, deviation, rng))
            bound = np.asarray(estimator.bound(inputs, force, place))
            turned = np.eye(len(bound))
            turned[:3, :3] = axes.T
            error = np.append(np.asarray(found.force) - force, float(found.location) - place)[: len(bound)]
            errors.append(turned @ error)
            bounds.append(turned @ bound @ turned.T)
    return Trials(np.array(errors), np.array(bounds))


def _disturbed(poses: np.ndarray, deviation: tuple[float, float], rng: np.random.Generator) -> np.ndarray:
    noisy = poses.copy()
    noisy[:, :3, 3] += deviation[0] * rng.normal(size=(len(poses), 3))
    noisy[:, :3, :3] = (
        poses[:, :3, :3] @ Rotation.from_rotvec(deviation[1] * rng.normal(size=(len(poses), 3))).as_matrix()
    )
    return noisy


def _synthetic(case: str) -> Figures:
    clock = Clock()
    robots: dict[str, Model | QuasiStaticArm] = {
        "gvs order 2": compile(robot(module(), "gvs", 2)),
        "quasi-static arm": arm(),
    }
    setting = f"{len(MARKERS)} markers, {AVERAGED} samples averaged"
    for label, given in robots.items():
        for number, place in enumerate(PLACES):
            found = run_trials(given, place, known=True, along=False, seed=number)
            error = float(np.mean(np.abs(found.errors[:, :2]))) / LARGEST * 100.0
            figure = f"transverse force at known s/L = {place:g}, {setting}: MAE [% of {LARGEST:g} N]"
            yield below(case, label, figure, error, TRANSVERSE_BAR, clock)
        found = run_trials(given, 1.0, known=True, along=True, seed=10)
        yield shown(
            case, label, "axial force at the tip: Cramer-Rao bound of its deviation [N]", found.bound_of(2), None, clock
        )
        figure = "axial force at the tip: rms error over the bound [1]"
        yield below(case, label, figure, found.ratio_of(2), BOUND_RATIO, clock)
        for number, place in enumerate(PLACES[:2]):
            found = run_trials(given, place, known=False, along=False, seed=20 + number)
            where = f"unknown place, s/L = {place:g}"
            yield shown(case, label, f"{where}: rms error of the place [1]", found.error_of(3), None, clock)
            yield shown(case, label, f"{where}: bound of its deviation [1]", found.bound_of(3), None, clock)
            yield shown(case, label, f"{where}: rms error of a transverse force [N]", found.error_of(0), None, clock)
            yield shown(case, label, f"{where}: bound of a transverse force [N]", found.bound_of(0), None, clock)
            yield below(
                case, label, f"{where}: rms error over the bound, force and place [1]", found.ratio, BOUND_RATIO, clock
            )
            figure = f"{where}: errors below the bound, beside a normal distribution's [%]"
            yield shown(case, label, figure, found.within, NORMAL_WITHIN, clock)
        yield shown(case, label, "one step of the streaming estimate, least of 200 [ms]", _step_time(given), 2.0, clock)


def _step_time(given: Model | QuasiStaticArm) -> float:
    estimator = ForceEstimator(given, MARKERS, location=0.75, noise=NOISE)
    inputs = _inputs(given, POSTURES[1])
    poses = np.asarray(estimator.predict(inputs, np.array([0.2, 0.1, 0.0])))
    stream = StreamingForceEstimator(estimator, drift=1.0)
    state, least = stream.begin(inputs), np.inf
    for _ in range(201):
        begin = time.perf_counter()
        state = stream.update(state, inputs, poses, 0.05)
        state.force.block_until_ready()
        least = min(least, time.perf_counter() - begin)
    return 1e3 * least


class Contact(NamedTuple):
    """The loaded recording: time (n,), pressures (n, 3), pose (n, 4, 4) and force (n, 3) on the tip in the axes of the
    base, and the sample (n,) at which each hold of the pressures began; -1 while they change."""

    time: np.ndarray
    pressures: np.ndarray
    pose: np.ndarray
    force: np.ndarray
    hold: np.ndarray

    def inputs(self, index: int) -> dict[str, np.float64]:
        return {f"pair-{port + 1}": self.pressures[index, port] for port in range(3)}


def contact(data: Data) -> Contact:
    """Turns of the tip as in `stiff-flop-load`: by R R0^-1, the force as the sensor read it in these axes."""
    recording = conditioned(data, "Load1_conditioned_v2.csv")
    raw = data.table("stiff_flop/Load1.csv")
    turned = Rotation.from_quat(raw[:, [21, 22, 23, 20]])
    rest = turned[(recording.time > _REST[0]) & (recording.time < _REST[1])].mean()
    pose = np.tile(np.eye(4), (len(recording.time), 1, 1))
    pose[:, :3, :3] = (turned * rest.inv()).as_matrix()
    pose[:, :3, 3] = recording.tip
    force = np.einsum("tij,tj->ti", pose[:, :3, :3], raw[:, 24:27])
    hold = np.full(len(recording.time), -1)
    for index, moment in enumerate(recording.time):
        window = (recording.time >= moment - _SETTLING) & (recording.time <= moment)
        steady = np.ptp(recording.pressures[window], axis=0).max() < _STEADY
        if steady and moment >= LOAD_SPAN[0]:
            hold[index] = hold[index - 1] if hold[index - 1] >= 0 else index
    return Contact(recording.time, recording.pressures, pose, force, hold)


def followed(model: Model, recording: Contact, samples: np.ndarray, tared: bool) -> np.ndarray:
    """(n, 3) estimated forces on the tip. tared: poses are moved by what the model lacks where the hold began."""
    estimator = ForceEstimator(model, ("tip",), location="tip", noise=MEASURED_NOISE, prior=MEASURED_PRIOR)
    found, last, forces, tares = None, -1, [], np.eye(4)
    for index in samples:
        inputs, pose = recording.inputs(index), recording.pose[index].copy()
        begin = recording.hold[index]
        if tared and begin >= 0:
            if begin != last:
                last, observed = begin, recording.pose[begin]
                free = np.asarray(estimator.predict(recording.inputs(begin), np.zeros(3)))[0]
                tares = np.eye(4)
                tares[:3, :3] = free[:3, :3] @ observed[:3, :3].T
                tares[:3, 3] = free[:3, 3] - observed[:3, 3]
            pose[:3, :3] = tares[:3, :3] @ pose[:3, :3]
            pose[:3, 3] += tares[:3, 3]
        warm = estimator.estimate(inputs, pose[None], start=found, throw=False)
        found = warm if int(warm.code) == 0 else estimator.estimate(inputs, pose[None], throw=False)
        forces.append(np.asarray(found.force) if int(found.code) == 0 else np.full(3, np.nan))
    return np.array(forces)


def scores(found: np.ndarray, measured: np.ndarray) -> tuple[float, float]:
    """Mean absolute error [N] of the force vector, and R^2 of its components."""
    good = np.all(np.isfinite(found), axis=1)
    error = found[good] - measured[good]
    spread = measured[good] - measured[good].mean(axis=0)
    return float(np.mean(np.linalg.norm(error, axis=1))), float(1.0 - np.sum(error**2) / np.sum(spread**2))


def _with_young(model: Model, young: float) -> Model:
    return model.with_parameters({_STIFFNESS: model.parameters[_STIFFNESS] * (young / V2.young)})


def _scan_error(model: Model, recording: Contact, samples: np.ndarray, tared: bool) -> float:
    """Mean error [N]; infinite for a module too soft to rest under the recorded pressures."""
    try:
        return scores(followed(model, recording, samples, tared), recording.force[samples])[0]
    except SolveError:
        return math.inf


def _measured(case: str, data: Data) -> Figures:
    clock, recording = Clock(), contact(data)
    model = compile(robot(V2, "gvs", 2), update=thinner)
    within = np.flatnonzero((recording.time >= LOAD_SPAN[0]) & (recording.time <= LOAD_SPAN[1]))
    coarse, fine = within[::10], within[::2]
    lines: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for what, tared in (("Load1", False), ("Load1, tared in each hold", True)):
        of = {"coarse": coarse, "fine": fine}
        if tared:
            of = {name: samples[recording.hold[samples] >= 0] for name, samples in of.items()}
        tried = {young: _scan_error(_with_young(model, young), recording, of["coarse"], tared) for young in MODULI}
        best = min(tried, key=lambda young: tried[young])
        for note, young in (("v2 modulus", V2.young), ("best of the scan", best)):
            samples = of["fine"]
            found = followed(_with_young(model, young), recording, samples, tared)
            error, square = scores(found, recording.force[samples])
            label = f"gvs order 2, {young / 1e3:.0f} kPa ({note})"
            yield shown(case, label, f"{what}: mean error of the tip force [N]", error, None, clock)
            yield shown(case, label, f"{what}: R^2 [1]", square, None, clock)
            lines[f"{what}, {young / 1e3:.0f} kPa"] = (recording.time[samples], found)
    loaded = np.linalg.norm(recording.force[fine], axis=1)
    yield shown(
        case,
        "recording",
        "mean of the measured force while loaded [N]",
        float(loaded[loaded > UNLOADED].mean()),
        None,
        clock,
    )
    if data.out is not None:
        _draw(case, data, recording, within, lines)


def _draw(
    case: str, data: Data, recording: Contact, within: np.ndarray, lines: dict[str, tuple[np.ndarray, np.ndarray]]
) -> None:
    from matplotlib.figure import Figure

    from pliant.view import save_figure

    assert data.out is not None
    figure = Figure(figsize=(9.0, 7.5), layout="constrained")
    panels = figure.subplots(4, 1, sharex=True)
    for panel, name, values in _panels(panels, recording.force[within]):
        panel.plot(recording.time[within], values, color="black", linewidth=1.2, label="sensor")
        panel.set_ylabel(f"{name} [N]")
    for label, (moments, found) in lines.items():
        for panel, _, values in _panels(panels, found):
            panel.plot(moments, values, linewidth=0.9, label=label)
    panels[0].set_title(f"{case}: force on the tip, measured and estimated from its pose")
    panels[0].legend(fontsize=7, ncols=3, loc="upper left")
    panels[0].set_ylim(0.0, 2.5)
    panels[-1].set_xlabel("time [s]")
    save_figure(figure, data.out / f"{case}.png")


def _panels(panels: np.ndarray, force: np.ndarray) -> Iterator[tuple[Any, str, np.ndarray]]:
    columns = [np.linalg.norm(force, axis=1), *force.T]
    return zip(panels, ("|F|", "Fx", "Fy", "Fz"), columns, strict=True)
