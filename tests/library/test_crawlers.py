"""The robots of the library that crawl get ahead."""

import numpy as np
import pytest

import pliant
from pliant import library


def _crawled(name: str, until: float, step: float) -> pliant.results.Trajectory:
    model = pliant.compile(library.load(name))
    return pliant.simulate(model, until, stepper="generalised-alpha", step=step, save_every=20e-3, ledger=True)


def _open_balance(run: pliant.results.Trajectory) -> float:
    total = np.asarray(run.energy["total"])
    return float(np.abs(total - total[0]).max() / np.asarray(run.energy["dissipated"])[-1])


@pytest.mark.long
def test_the_snake_slithers_ahead():
    """PyElastica's goes 56 mm in a period."""
    run = _crawled("snake", 6.0, 5e-3)
    place = np.asarray(run.position("middle"))[::100]
    third = place[3] - place[2]
    assert np.linalg.norm(third) == pytest.approx(0.056, rel=0.05)
    assert third[0] > 0.05
    assert np.abs(place[:, 2] - place[0, 2]).max() < 1e-5
    assert _open_balance(run) < 1e-2


@pytest.mark.long
def test_the_inchworm_crawls_ahead():
    run = _crawled("inchworm", 2.0, 2e-3)
    head, tail = (np.asarray(run.position(name)) for name in ("head", "tail"))
    for end in (head, tail):
        assert end[100, 0] - end[50, 0] == pytest.approx(0.0476, abs=1e-3)
    assert np.abs(head[::50, 2] - 5e-3).max() < 2e-4, "it lies down after every period"
    assert _open_balance(run) < 1e-3
