"""A STIFF-FLOP module under recorded pressures, and under a recorded load at its tip, against its measured tip and the
TMTDyn authors' own runs (data/stiff_flop).

Their paths without load lag behind: their solver reads the pressures one sample (50 ms) late and holds them for a
sample, which is 75 ms late on average. With this lag Pliant follows their paths, so that distance has the bar.

The load was measured by a sensor that turns with the tip. The conditioned file turns it into the base's axes by
R0^-1 R (R: of the tip in the tracker's axes, R0: at rest), which is the turn seen from the sensor at rest; in the
tracker's axes, along which the base stands, the tip turns by R R0^-1. The sensor hangs upside down in them, so that the
two bend to opposite sides: the tip's axis by R R0^-1 points where the tip is, that by R0^-1 R does not, and a load so
turned pushes the tip the wrong way. The case applies what the sensor read in the axes of the tip.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from pliant.library import load
from pliant.model import Model, compile
from pliant.optimisation import Identification, identify
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below, shown, with_margin
from pliant.validation.measured._stiff_flop_module import MASTER, PIECEWISE, V2, Module, model_word, robot, thinner

STEP = 0.01  # s
SAMPLE = 0.05  # s, of the recordings
MARGIN = 1.0  # percentage points above the authors' error
PATH_TOLERANCE = 2.0  # % of length, rms
FIT_STEP = 0.025  # s; the error of the tip changes by 0.01 % of the length
FITTED = {"materials.silicone.young": (20e3, 1e6), "materials.silicone.viscosity": (10.0, 10e3)}  # Pa, Pa s
LATE = 0.075  # s: one sample, and half a sample for the hold


class Authors(NamedTuple):
    """What the authors ran: pieces or order; their mean error [%]; their stored path, if any."""

    size: int
    error: float | None = None
    path: str | None = None


# GVS stands beside them, with as many coordinates as ROM.
NOLOAD = {
    "srl": Authors(3, 4.58, "author_sim_master_exp1_SRL_2n_l.csv"),
    "ebr": Authors(3, 4.96, "author_sim_master_exp2_EBR_3n_l.csv"),
    "eba": Authors(3, 7.84, "author_sim_master_exp3_EBA_4n_l.csv"),
    "rom": Authors(3, 5.38, "author_sim_master_exp4_ROM_3n_p.csv"),
    "gvs": Authors(2),
}
NOLOAD_SPAN = (7.0, 54.0)  # s
LOAD = {"srl": Authors(3, 18.9), "ebr": Authors(5, 20.44), "eba": Authors(5, 17.6), "rom": Authors(3, 14.09)}
LOAD |= {"gvs": Authors(2)}
LOAD_SPAN = (5.0, 55.4)  # s
LOAD_BAR = 14.1  # %, of ROM
_REST = (3.0, 5.0)  # s in which the module stands straight


class Recording(NamedTuple):
    """time (n,); pressures (n, 3) [Pa]; tip (n, 3) [m] in the axes of the base; force, moment (n, 3)."""

    time: np.ndarray
    pressures: np.ndarray
    tip: np.ndarray
    force: np.ndarray
    moment: np.ndarray


class Path(NamedTuple):
    """Where a tip was: time (n,), place (n, 3) [m]."""

    time: np.ndarray
    place: np.ndarray

    def at(self, time: np.ndarray) -> np.ndarray:
        return np.stack([np.interp(time, self.time, column) for column in self.place.T], axis=1)


def conditioned(data: Data, name: str) -> Recording:
    """A recording as the authors conditioned it."""
    table = data.table(f"stiff_flop/{name}")
    return Recording(table[:, 0], table[:, 1:4], table[:, 4:7], table[:, 7:10], table[:, 10:13])


def drive(recording: Recording, late: float = 0.0) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Inputs of the robot. late: by how much [s] they come after the recorded ones."""
    time = recording.time + late
    pressures = {f"pair-{index + 1}": (time, recording.pressures[:, index]) for index in range(3)}
    return {**pressures, "contact.force": (time, recording.force), "contact.moment": (time, recording.moment)}


def simulated(
    model: Model, recording: Recording, span: tuple[float, float], late: float = 0.0, step: float = STEP
) -> Path:
    """Path of the tip from straight and at rest, as far as it was solved."""
    begin, until = span
    inputs = {port: table for port, table in drive(recording, late).items() if port in model.input_names}
    run = simulate(
        model, until, start=begin, stepper="newmark", step=step, save_every=SAMPLE, inputs=inputs, throw=False,
        accuracy=None,
    )  # fmt: skip
    return Path(np.asarray(run.time), np.asarray(run.position("tip")))


def mean_error(module: Module, path: Path, measured: Path) -> float:
    """Mean distance [%] over the length of module and sensor."""
    apart = np.linalg.norm(path.place - measured.at(path.time), axis=1)
    return float(apart.mean() / module.full_length * 100.0)


def rms_distance(module: Module, path: Path, other: Path) -> float:
    """Root mean square distance [%] over the length of module and sensor."""
    apart = np.linalg.norm(path.place - other.at(path.time), axis=1)
    return float(np.sqrt(np.mean(apart**2)) / module.full_length * 100.0)


def figures(case: str, data: Data) -> Figures:
    paths: dict[str, Path] = {}
    if case == "stiff-flop-noload":
        recording = conditioned(data, "NoLoad_conditioned_master.csv")
        yield from _without_load(case, data, recording, paths)
    else:
        recording = conditioned(data, "Load1_conditioned_v2.csv")
        yield from _with_load(case, data, recording, paths)
    if data.out is not None:
        _draw(case, data, Path(recording.time, recording.tip), paths)


def _without_load(case: str, data: Data, recording: Recording, paths: dict[str, Path]) -> Figures:
    clock, measured = Clock(), Path(recording.time, recording.tip)
    for kind, authors in NOLOAD.items():
        label, model = _label(kind, authors.size), compile(robot(MASTER, kind, authors.size))
        path = paths[label] = simulated(model, recording, NOLOAD_SPAN)
        error, figure = mean_error(MASTER, path, measured), _figure(path, NOLOAD_SPAN)
        if authors.error is None or authors.path is None:
            yield shown(case, label, figure, error, None, clock)
            continue
        yield with_margin(case, label, figure, error, authors.error, MARGIN, clock)
        table = data.table(f"stiff_flop/{authors.path}")
        theirs = Path(table[:, 0], table[:, 1:])
        figure = "rms distance from the authors' path"
        yield shown(case, label, f"{figure} [%]", rms_distance(MASTER, path, theirs), None, clock)
        late = simulated(model, recording, NOLOAD_SPAN, late=LATE)
        figure = f"{figure}, inputs 75 ms late as theirs [%]"
        yield below(case, label, figure, rms_distance(MASTER, late, theirs), PATH_TOLERANCE, clock)
    for kind, authors in NOLOAD.items():
        fit, path = fitted(kind, authors.size, recording)
        young, viscosity = fit.parameters.values()
        label = f"{_label(kind, authors.size)}; fitted {young / 1e3:.0f} kPa, {viscosity:.0f} Pa s"
        yield shown(case, label, _figure(path, NOLOAD_SPAN), mean_error(MASTER, path, measured), authors.error, clock)


def fitted(
    kind: str, size: int, recording: Recording, span: tuple[float, float] = NOLOAD_SPAN
) -> tuple[Identification, Path]:
    """What the model can reach: Young's modulus and viscosity of the library's module fitted to the recording."""
    model = compile(load("stiff-flop").with_value("links.module.model", model_word(kind, size)))
    measured = Path(recording.time, recording.tip)
    times = span[0] + SAMPLE * np.arange(round((span[1] - span[0]) / SAMPLE) + 1)

    def tip(model: Model) -> np.ndarray:
        return simulated(model, recording, span, step=FIT_STEP).at(times)

    fit = identify(model, tip, measured.at(times), over=FITTED, differences=1e-3, tolerance=1e-4, throw=False)
    return fit, Path(times, fit.predicted)


def _with_load(case: str, data: Data, recording: Recording, paths: dict[str, Path]) -> Figures:
    clock, measured = Clock(), Path(recording.time, recording.tip)
    raw = data.table("stiff_flop/Load1.csv")
    read = recording._replace(force=raw[:, 24:27], moment=raw[:, 27:30] * 1e-3)  # by the sensor; moments in N mm
    for turn, cosine in _tip_axis_cosines(raw, recording).items():
        figure = f"cosine of the tip's axis by {turn} with the measured direction, mean [1]"
        yield shown(case, "recording", figure, cosine, 1.0, clock)
    for kind, authors in LOAD.items():
        label = _label(kind, authors.size)
        path = paths[label] = simulated(_loaded(kind, follow=thinner), read, LOAD_SPAN)
        error, figure = mean_error(V2, path, measured), _figure(path, LOAD_SPAN)
        if kind == "rom":
            yield below(case, label, figure, error, LOAD_BAR, clock)
        else:
            yield shown(case, label, figure, error, authors.error, clock)
    none = read._replace(force=0.0 * read.force, moment=0.0 * read.moment)
    others = {
        "load as the conditioned file turns it": (_loaded("rom", frame="world", follow=thinner), recording),
        "no load": (_loaded("rom", follow=thinner), none),
        "section unchanged": (_loaded("rom"), read),
        "update: mean-stretch (lengths too)": (_loaded("rom", update="mean-stretch"), read),
    }
    for what, (model, given) in others.items():
        path = simulated(model, given, LOAD_SPAN)
        label = f"{_label('rom', LOAD['rom'].size)}, {what}"
        yield shown(case, label, _figure(path, LOAD_SPAN), mean_error(V2, path, measured), LOAD["rom"].error, clock)


def _loaded(
    kind: str, frame: str = "body", update: str | None = None, follow: Callable[..., Any] | None = None
) -> Model:
    """frame: axes of the load; update, follow: how the section follows the stretch, by a word or by a function."""
    return compile(robot(V2, kind, LOAD[kind].size, update, frame), update=follow)


def _figure(path: Path, span: tuple[float, float]) -> str:
    solved = "" if path.time[-1] >= span[1] - SAMPLE else f", solved to {path.time[-1]:.4g} s"
    return f"mean distance from the measured tip, {span[0]:g}..{span[1]:g} s{solved} [%]"


def _tip_axis_cosines(raw: np.ndarray, recording: Recording) -> dict[str, float]:
    """How well each turn of the tip agrees with the direction of an arc from the base to the measured tip."""
    quaternion = raw[:, [21, 22, 23, 20]]
    turned = Rotation.from_quat(quaternion)
    rest = turned[(recording.time > _REST[0]) & (recording.time < _REST[1])].mean()
    across = np.linalg.norm(recording.tip[:, :2], axis=1)
    angle = 2.0 * np.arctan2(across, recording.tip[:, 2])
    sideways = recording.tip[:, :2] / np.maximum(across, 1e-9)[:, None]
    arc = np.concatenate([np.sin(angle)[:, None] * sideways, np.cos(angle)[:, None]], axis=1)
    moving = recording.time >= LOAD_SPAN[0]
    turns = {"R R0^-1": turned * rest.inv(), "R0^-1 R": rest.inv() * turned}
    axes = {name: turn.apply([0.0, 0.0, 1.0]) for name, turn in turns.items()}
    return {name: float(np.mean(np.sum(axis * arc, axis=1)[moving])) for name, axis in axes.items()}


def _label(kind: str, size: int) -> str:
    return f"{kind} {size} pieces" if kind in PIECEWISE else f"{kind} order {size}"


def _draw(case: str, data: Data, measured: Path, paths: dict[str, Path]) -> None:
    from pliant.view import plot_compared, save_figure

    assert data.out is not None
    begin, until = NOLOAD_SPAN if case == "stiff-flop-noload" else LOAD_SPAN
    within = (measured.time >= begin) & (measured.time <= until)
    figure = plot_compared((measured.time[within], measured.place[within]), paths, f"{case}: tip of the sensor")
    save_figure(figure, data.out / f"{case}.png")
