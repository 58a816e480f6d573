"""What a run leaves: its samples as a Trajectory, and whether they are as accurate as was asked for."""

import math
import warnings
from typing import Any, NamedTuple

import jax
import numpy as np

from pliant.dynamics import names, scene
from pliant.model import Model
from pliant.numerics import ResultCode
from pliant.results import Trajectory
from pliant.simulation._accuracy import (
    InaccurateWarning,
    advised_step,
    balance_error,
    estimated_error,
    estimated_imbalance,
)
from pliant.simulation._balance import unexplained
from pliant.simulation._checked_steps import Pairs, checked_pairs
from pliant.simulation._checkpoint import SoFar
from pliant.simulation._forgetting import forgetting
from pliant.simulation._inputs import InputSet
from pliant.simulation._samples import SampleOutputs
from pliant.simulation._step_settings import StepSettings


class Check(NamedTuple):
    """How a run was checked: how many checked steps are looked at, the step [s], the order of the stepper, and the
    accuracy asked for."""

    pairs: int
    step: float
    order: int
    accuracy: float


def make_trajectory(
    model: Model, inputs: InputSet, times: np.ndarray, run: SoFar, code: ResultCode, ledger: bool, native: bool,
    check: Check | None, outputs: SampleOutputs,
) -> Trajectory:  # fmt: skip
    """The samples of a run at times (N,), and their outputs. A run that did not reach its end is not checked: its user
    waits."""

    def series(name: str) -> Any:
        first, *rest = (jax.tree.map(np.asarray, getattr(part, name)) for part in run.kept)
        # An interrupt may have come before the last samples that were kept were counted.
        return jax.tree.map(lambda one, *others: np.concatenate([one[None], *others])[: len(times)], first, *rest)

    wanted = ("q", "v", "integral", "memory", *(("lost", "work") if ledger else ()))
    own: Any = {name: series(name) for name in wanted}
    own |= {"time": times, "code": np.asarray(int(code)), "steps": np.asarray(run.steps)}
    samples = (own["time"], own["q"], own["v"], own["integral"], own["memory"])
    checked = check if code is ResultCode.SUCCESS else None
    if checked is not None:
        pairs = checked_pairs(series("check"), checked.pairs, checked.step)
        rest = jax.tree.map(lambda x: np.asarray(x)[pairs.seen], samples[3:])
        whole = (pairs.time, pairs.q, pairs.v, *rest)
        halves = (pairs.time, pairs.half_q, pairs.half_v, *rest)
        samples = jax.tree.map(lambda *parts: np.concatenate(parts), samples, whole, halves)
    found = outputs.of(*samples)
    # By NumPy: JAX would compile a program for each slice.
    energies, shapes, forces, beyond = jax.tree.map(lambda x: x[: len(times)], found)
    error: dict[str, Any] = {}
    if checked is not None:
        again = jax.tree.map(lambda x: x[len(times) :], found[:2])
        error = estimated_error(pairs, energies, shapes, again, checked.order, None)
        if any(float(value) > checked.accuracy for value in error.values()):
            # As if nothing were forgotten, it would be marked. How much is takes a look at the tangents.
            ends = (float(times[0]), float(times[-1]))
            memory = forgetting(model, inputs, whole, pairs, checked.step, checked.order, ends)
            error = estimated_error(pairs, energies, shapes, again, checked.order, memory)
        if float(error["energy"]) > checked.accuracy:
            error["energy"] = min(error["energy"], _imbalance(model, inputs, samples, found[0], len(times), pairs))
    clamped: Any = {port: np.asarray(int(np.sum(samples))) for port, samples in beyond.items()}
    if ledger:
        energies |= {"dissipated": own["lost"], "work": own["work"]}
        energies["total"] = energies["total"] + own["lost"] - own["work"]
        energies["numerical"] = energies["total"][0] - energies["total"]
    if not native:  # whose results stay NumPy's: to put them on the device takes longer than a short run
        own, energies, shapes, forces = jax.device_put((own, energies, shapes, forces))
    return Trajectory(
        time=own["time"],
        q=own["q"],
        v=own["v"],
        shape=shapes,
        energy=energies,
        forces=forces,
        code=own["code"],
        steps=own["steps"],
        scene=scene(model),
        names=names(model),
        provenance="",
        memory=own["memory"] or (),
        clamped=clamped,
        estimated_error=error,
    )


def _imbalance(
    model: Model, inputs: InputSet, states: Any, energies: dict[str, Any], samples: int, pairs: Pairs
) -> np.ndarray:
    """What of the energy of a run no power explains, over the largest energy exchanged. states, energies: of its
    samples, and after the whole steps of the checks and halves of them."""
    checks = np.where(pairs.stands_for > 0.0, samples + np.arange(len(pairs.time)), samples - 1)
    every = np.concatenate([np.arange(samples), checks])  # as many for every run: rows that hold no state are the last
    order = every[np.argsort(states[0][every], kind="stable")]
    states, energies = jax.tree.map(lambda x: np.asarray(x)[order], (states, energies))
    left = unexplained(model, inputs, states, energies["total"])
    return np.asarray(estimated_imbalance(left, energies))


def judged(
    result: Trajectory, robot: str, how: StepSettings, accuracy: float, step: float | None, order: int | None,
    ledger: bool, recorded: dict[str, Any],
) -> ResultCode:  # fmt: skip
    """Whether a whole run is as accurate as was asked for; a warning says if not, and which step would do."""
    errors = {name: float(value) for name, value in result.estimated_error.items()}
    if ledger:
        # What generalised-alpha takes from fast vibrations is taken on purpose.
        gained = {**result.energy, "total": np.minimum(result.energy["numerical"], 0.0)}
        errors["balance"] = balance_error(gained if how.kind == "generalised-alpha" else result.energy)
    worst = max(errors, key=lambda name: errors[name] if errors[name] == errors[name] else math.inf, default=None)
    if worst is None or errors[worst] <= accuracy:
        return ResultCode.SUCCESS
    whole = "size of the motion" if worst == "position" else "largest energy exchanged"
    advice = "Take shorter steps"
    if order is not None and step is not None:
        recorded["advised_step"] = advised_step(step, errors[worst], accuracy, order)
        advice = f"Take step={recorded['advised_step']:g} (s), or shorter"
    what = {"position": "the error of position", "energy": "the error of energy", "balance": "what the ledger lacks"}
    recorded["inaccurate"] = (
        f"{how.kind}{'' if step is None else f' with a step of {step:g} s'}: {what[worst]} is estimated at "
        f"{100 * errors[worst]:.3g} % of the {whole}, above accuracy = {100 * accuracy:g} %. {advice}"
    )
    warnings.warn(
        f"robot {robot!r}, {recorded['inaccurate']}; the result has the code INACCURATE",
        InaccurateWarning,
        stacklevel=3,
    )
    return ResultCode.INACCURATE
