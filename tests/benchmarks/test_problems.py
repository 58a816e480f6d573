"""The reference numbers of the problems, computed again."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from harness import problems


def test_cantilever_tip_solves_the_boundary_value_problem():
    """The heavy planar rod with bending, shear and stretch: the force at s is the weight beyond it, so one number, the
    curvature at the base, is left to shoot for: the moment has to vanish at the tip.
    Of the roots, the one between -19 and -18 rad/m is the hanging rod; the others stand or coil."""
    area, second = np.pi * problems.RADIUS**2, np.pi * problems.RADIUS**4 / 4
    bending, axial, shear = problems.YOUNG * second, problems.YOUNG * area, problems.SHEAR_MODULUS * area
    weight = problems.DENSITY * area * problems.GRAVITY

    def slope(s, state):
        angle, curvature = state[2], state[3]
        force = -weight * (problems.LENGTH - s)  # along y, on the cross-section at s
        along = 1.0 + force * np.sin(angle) / axial
        across = force * np.cos(angle) / shear
        dx = along * np.cos(angle) - across * np.sin(angle)
        dy = along * np.sin(angle) + across * np.cos(angle)
        return [dx, dy, curvature, -dx * force / bending]

    def tip(curvature):
        span = (0.0, problems.LENGTH)
        return solve_ivp(slope, span, [0.0, 0.0, 0.0, curvature], rtol=1e-11, atol=1e-13).y[:, -1]

    base_curvature = brentq(lambda curvature: tip(curvature)[3], -19.0, -18.0, xtol=1e-13)
    np.testing.assert_allclose(tip(base_curvature)[:2], problems.CANTILEVER_TIP, atol=1e-9 * problems.LENGTH)


def test_path_error_is_a_root_mean_square_in_lengths(tmp_path, monkeypatch):
    """A planar reference at rest, and a spatial path that leaves it by 2 in its last third, out of the plane."""
    folder = tmp_path / "peers"
    folder.mkdir()
    (folder / "reference_PX.csv").write_text("time_s,x,y\n0,1,0\n1,1,0\n2,1,0\n", encoding="utf-8")
    monkeypatch.setenv("PLIANT_DATA", str(tmp_path / "data"))
    path = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 2.0]])
    np.testing.assert_allclose(problems.path_error("PX", path, length=0.5), np.sqrt(4.0 / 3.0) / 0.5)
    assert problems.path_error("PX", path, length=0.5, until=1.0) == 0.0
    assert problems.path_error("PY", path, length=0.5) is None
