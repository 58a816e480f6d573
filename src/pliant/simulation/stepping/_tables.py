"""Butcher tables of the explicit steppers. Tests hold them to the order conditions of all rooted trees."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Table(NamedTuple):
    """Butcher table: stage matrix a (s, s), nodes c (s,), weights of the solution and of its error (s,), and the order
    of the error estimate's step control."""

    a: np.ndarray
    c: np.ndarray
    solution: np.ndarray
    error: np.ndarray
    order: int


def _table(
    rows: Sequence[Sequence[float]],
    nodes: Sequence[float],
    solution: Sequence[float],
    embedded: Sequence[float],
    order: int,
) -> Table:
    """rows: of the stages after the first, below the diagonal; embedded: weights of the solution of lower order, whose
    distance is the error."""
    a = np.zeros((len(nodes), len(nodes)))
    for row, lower in enumerate(rows, start=1):
        a[row, : len(lower)] = lower
    return Table(a, np.array(nodes), np.array(solution), np.array(solution) - np.array(embedded), order)


# Tsitouras (2011), Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying assumption, Computers
# and Mathematics with Applications 62, 770-775.
_TSIT5_WEIGHTS = (
    0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774,
)  # fmt: skip
_TSIT5_EMBEDDED = (
    0.09468075576583945, 0.009183565540343254, 0.4877705284247616, 1.234297566930479, -2.7077123499835256,
    1.866628418170587, 1 / 66,
)  # fmt: skip
TSIT5 = _table(
    rows=(
        (0.161,),
        (-0.008480655492356989, 0.335480655492357),
        (2.8971530571054935, -6.359448489975075, 4.3622954328695815),
        (5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525),
        (5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383),
        _TSIT5_WEIGHTS,
    ),
    nodes=(0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0),
    solution=(*_TSIT5_WEIGHTS, 0.0),
    embedded=_TSIT5_EMBEDDED,
    order=5,
)

# Prince and Dormand (1981), High order embedded Runge-Kutta formulae, Journal of Computational and Applied Mathematics
# 7, 67-75: the pair RK8(7)13M.
DOPRI8 = _table(
    rows=(
        (1 / 18,),
        (1 / 48, 1 / 16),
        (1 / 32, 0, 3 / 32),
        (5 / 16, 0, -75 / 64, 75 / 64),
        (3 / 80, 0, 0, 3 / 16, 3 / 20),
        (29443841 / 614563906, 0, 0, 77736538 / 692538347, -28693883 / 1125000000, 23124283 / 1800000000),
        (
            16016141 / 946692911, 0, 0, 61564180 / 158732637, 22789713 / 633445777, 545815736 / 2771057229,
            -180193667 / 1043307555,
        ),
        (
            39632708 / 573591083, 0, 0, -433636366 / 683701615, -421739975 / 2616292301, 100302831 / 723423059,
            790204164 / 839813087, 800635310 / 3783071287,
        ),
        (
            246121993 / 1340847787, 0, 0, -37695042795 / 15268766246, -309121744 / 1061227803, -12992083 / 490766935,
            6005943493 / 2108947869, 393006217 / 1396673457, 123872331 / 1001029789,
        ),
        (
            -1028468189 / 846180014, 0, 0, 8478235783 / 508512852, 1311729495 / 1432422823, -10304129995 / 1701304382,
            -48777925059 / 3047939560, 15336726248 / 1032824649, -45442868181 / 3398467696, 3065993473 / 597172653,
        ),
        (
            185892177 / 718116043, 0, 0, -3185094517 / 667107341, -477755414 / 1098053517, -703635378 / 230739211,
            5731566787 / 1027545527, 5232866602 / 850066563, -4093664535 / 808688257, 3962137247 / 1805957418,
            65686358 / 487910083,
        ),
        (
            403863854 / 491063109, 0, 0, -5068492393 / 434740067, -411421997 / 543043805, 652783627 / 914296604,
            11173962825 / 925320556, -13158990841 / 6184727034, 3936647629 / 1978049680, -160528059 / 685178525,
            248638103 / 1413531060, 0,
        ),
    ),
    nodes=(
        0, 1 / 18, 1 / 12, 1 / 8, 5 / 16, 3 / 8, 59 / 400, 93 / 200, 5490023248 / 9719169821, 13 / 20,
        1201146811 / 1299019798, 1, 1,
    ),
    solution=(
        14005451 / 335480064, 0, 0, 0, 0, -59238493 / 1068277825, 181606767 / 758867731, 561292985 / 797845732,
        -1041891430 / 1371343529, 760417239 / 1151165299, 118820643 / 751138087, -528747749 / 2220607170, 1 / 4,
    ),
    embedded=(
        13451932 / 455176623, 0, 0, 0, 0, -808719846 / 976000145, 1757004468 / 5645159321, 656045339 / 265891186,
        -3867574721 / 1518517206, 465885868 / 322736535, 53011238 / 667516719, 2 / 45, 0,
    ),
    order=8,
)  # fmt: skip

RK4 = _table(
    rows=((0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    nodes=(0.0, 0.5, 0.5, 1.0),
    solution=(1 / 6, 2 / 6, 2 / 6, 1 / 6),
    embedded=(1 / 6, 2 / 6, 2 / 6, 1 / 6),
    order=4,
)

ADAPTIVE = {"tsit5": TSIT5, "dopri8": DOPRI8}
