"""How accurate a run was: what the steps that were taken twice say of it."""

from typing import Any

import numpy as np

from pliant.results import Shape
from pliant.simulation._checked_steps import Pairs
from pliant.simulation._forgetting import Forgetting
from pliant.simulation._step_settings import StepSettings
from pliant.simulation.stepping._flow import StepState
from pliant.simulation.stepping._step_check import no_checks_yet

ACCURACY = 0.01  # of the size of the motion, and of the largest energy exchanged
_EVERY = 200.0  # steps between checks: a check costs four to five, since its Newton starts cold
_FEWEST = 6  # checks, of a short run too
SPECIAL = 6  # more for steps that are cut by a touch or begin with a jump
_SAMPLES_EACH = 5  # at least so many samples for each check, whose energies and shapes are computed with theirs
_HALF = 0.5  # of the motion in the end: from there on errors count as shares of it
_EXCHANGED = ("kinetic", "gravity", "elastic")
_STILL = 1e-6  # of the extent of the robot: what moves less does not count as moving


class InaccurateWarning(RuntimeWarning):
    """The steps of a run were too long for the accuracy that was asked for."""


def pair_count(steps: float, samples: int) -> int:
    """How many regular checks are made in a run of about so many steps and samples."""
    return max(_FEWEST, int(min(steps / _EVERY, samples / _SAMPLES_EACH)))


def with_checks(begin: StepState, steps: float, pairs: int) -> StepState:
    """The start of a run of about so many steps, `pairs` of which are to be checked."""
    return begin._replace(check=no_checks_yet(begin.q, begin.v, max(1.0, np.floor(steps / pairs))))


def estimated_error(
    pairs: Pairs,
    energies: dict[str, Any],
    shapes: Shape,
    twice: tuple[dict[str, Any], Shape],
    order: int,
    memory: Forgetting | None,
) -> dict[str, np.ndarray]:
    """What the steps of a run add up to in error: `position`, over the size of the motion, and `energy`, over the
    largest energy exchanged. energies, shapes: of the samples; twice: of the states of the pairs, whole steps first;
    memory: what is left of errors later; None: all of it.

    Both are taken at every check over the motion and the energy up to then, from when these are half of what they
    become in the end, and at the last check: a motion that grows by its errors is not measured by what they made of it.
    The difference of a step and its two halves is 1 - 2^-order of the error that the step makes. Errors of position are
    added up as if none were ever undone; those of energy, which come and go in a swing, with their sign.
    """
    size, count = 1.0 - 2.0**-order, len(pairs.time)
    points, own = _points(shapes), _points(twice[1])
    extent = np.ptp(points[0], axis=0).max(initial=0.0)
    apart = np.linalg.norm(own[:count] - own[count:], axis=-1).max(axis=1, initial=0.0)
    moved = np.maximum.accumulate(np.linalg.norm(points - points[:1], axis=-1).max(axis=1, initial=0.0))
    at_check = np.linalg.norm(own - points[:1], axis=-1).max(axis=1, initial=0.0).reshape(2, -1).max(axis=0)
    motion = np.maximum(np.maximum(moved[pairs.seen], at_check), _STILL * extent)
    made = np.asarray(twice[0]["total"])[:count] - np.asarray(twice[0]["total"])[count:]
    real = pairs.stands_for > 0.0  # the other rows hold no state
    apart, made = np.where(real, apart, 0.0), np.where(real, made, 0.0)
    left = _left(pairs, memory) / size
    # A step with a touch that was not looked at may err to the other side than the one that stands for it.
    known = np.where(pairs.regular, 1.0, 1.0 / np.maximum(pairs.stands_for, 1.0))
    drift = np.abs(left @ (known * made)) + left @ ((1.0 - known) * np.abs(made))
    changed = _changed(energies, twice[0], pairs)
    return {
        "position": np.asarray(_largest(left @ apart, motion, moved[-1], real)),
        "energy": np.asarray(_largest(drift, changed, exchanged(energies), real)),
    }


def estimated_imbalance(left: np.ndarray, energies: dict[str, Any]) -> float:
    """What of the energy no power explains, left (N,) [J] at states with these energies, in order of time: another
    estimate of its error. Single steps tell their share of an error that comes and goes in a swing; a few of them,
    which stand for all, do not cancel as all of them do."""
    return _largest(left, exchanged_so_far(energies), exchanged(energies), np.full(len(left), True))


def _left(pairs: Pairs, memory: Forgetting | None) -> np.ndarray:
    """(P, P) by how many steps each check (column) counts at the time of each (row): none before it, and no less than
    its own where it is made."""
    since = pairs.time[:, None] - pairs.time[None, :]
    real = pairs.stands_for > 0.0
    past = (since >= 0.0) & real[:, None] & real[None, :]
    since = np.where(past, since, 0.0)
    steps = pairs.stands_for * (1.0 if memory is None else memory.share(since, pairs.span))
    own = (since == 0.0) & (steps < 1.0)
    return np.where(past, np.where(own, np.minimum(pairs.stands_for, 1.0), steps), 0.0)


def _largest(errors: np.ndarray, sizes: np.ndarray, final: float, real: np.ndarray) -> float:
    """The largest of errors (P,) over sizes (P,) at the checks that count, all of which are real (P,)."""
    real = np.flatnonzero(real)
    if not len(real) or not sizes[real[-1]] > 0.0:
        return 0.0
    counts = real[(sizes[real] >= _HALF * final) | (real == real[-1])]
    return float(np.max(errors[counts] / sizes[counts]))


def _changed(energies: dict[str, Any], checked: dict[str, Any], pairs: Pairs) -> np.ndarray:
    """(P,) the largest change of one of the energies up to each check [J]. A touch turns kinetic energy round, though
    no sample may see that."""
    turned = np.where(pairs.touched, np.asarray(checked["kinetic"]).reshape(2, -1).max(axis=0), 0.0)
    found = np.maximum(np.maximum.accumulate(turned), exchanged_so_far(energies)[pairs.seen])
    for name in _EXCHANGED:
        own = np.abs(np.asarray(checked[name]) - np.asarray(energies[name])[0]).reshape(2, -1).max(axis=0)
        found = np.maximum(found, own)
    return found


def exchanged_so_far(energies: dict[str, Any]) -> np.ndarray:
    """(N,) the largest change of one of the energies since the start, up to each sample [J]."""
    series = np.stack([np.asarray(energies[name]) for name in _EXCHANGED])
    return np.maximum.accumulate(np.abs(series - series[:, :1]).max(axis=0))


def exchanged(energies: dict[str, Any]) -> float:
    """The largest change of one of the energies since the start [J]."""
    return float(exchanged_so_far(energies)[-1])


def balance_error(energies: dict[str, Any]) -> float:
    """The largest departure of a ledger's total, over the largest energy exchanged."""
    total = np.asarray(energies["total"])
    return _over(float(np.abs(total - total[0]).max()), exchanged(energies))


def _over(part: float, whole: float) -> float:
    return part / whole if whole > 0.0 else 0.0


def _points(shapes: Shape) -> np.ndarray:
    """(N, k, 3) places of nodes, bodies and frames."""
    poses = (shapes.node_pose, shapes.body_pose, shapes.frame_pose)
    places = [np.asarray(pose)[..., :3, 3] for pose in poses]
    lines = np.asarray(shapes.line_ends)
    return np.concatenate([*places, lines.reshape(len(lines), -1, 3)], axis=1)


def advised_step(step: float, error: float, accuracy: float, order: int) -> float:
    """The step [s] that would keep the accuracy, as far as errors that are large can tell: two digits, and no less than
    a thousandth of the step there was."""
    factor = 1e-3 if not np.isfinite(error) else max(1e-3, 0.9 * (accuracy / error) ** (1.0 / order))
    return float(f"{factor * step:.1e}")


def checked_order(settings: StepSettings) -> int | None:
    """The order of a stepper whose fixed steps can be checked; None of those that choose their own."""
    if settings.adapt_by is not None:
        return None
    return {"rk4": 4, "newmark": 2, "generalised-alpha": 2}.get(settings.kind)
