"""What generated C stands on: the number type, functions of libm by it, and routines for whole buffers."""

import math

from pliant.lie import SERIES_LIMIT, SERIES_TERMS
from pliant.numerics import HIGHEST_ORDER, NEAREST

_FUNCTIONS = [
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "expm1",
    "log",
    "log1p",
    "pow",
    "floor",
    "ceil",
    "fmod",
    "copysign",
    "erf",
    "hypot",
    "fabs",
]

PRELUDE = (
    """#include <math.h>
#include <string.h>

#if defined(__CUDACC__)
#define PLIANT_ROUTINE __device__ static inline
#define PLIANT_PART __device__ __noinline__ static
#define PLIANT_FUNCTION __device__ __forceinline__ static
#define PLIANT_TABLE __device__ static const
#define PLIANT_OF_THREAD
#else
#define PLIANT_ROUTINE static inline
#ifndef PLIANT_PART
#define PLIANT_PART static
#endif
#define PLIANT_FUNCTION
#define PLIANT_TABLE static const
#define PLIANT_OF_THREAD static __thread
#endif
#if defined(__cplusplus)
#define PLIANT_RESTRICT __restrict__
#else
#define PLIANT_RESTRICT restrict
#endif
/* Loops over whole vectors. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define PLIANT_LOOPS __attribute__((optimize("O3"))) static
#else
#define PLIANT_LOOPS PLIANT_ROUTINE
#endif
#define V const pliant_real

#if defined(PLIANT_SINGLE)
typedef float pliant_real;
/* What is too small for it is zero: nvcc takes no table with such a number. */
#define PLIANT_REAL(x) ((pliant_real)((x) < 1e-37 ? 0 : (x)))
"""
    + "".join(f"#define pliant_{name} {name}f\n" for name in _FUNCTIONS)
    + """#else
typedef double pliant_real;
#define PLIANT_REAL(x) x
"""
    + "".join(f"#define pliant_{name} {name}\n" for name in _FUNCTIONS)
    + """#endif
#define PLIANT_NAN ((pliant_real)NAN)
#define PLIANT_INFINITY ((pliant_real)INFINITY)

/* A whole number of any size, or none, as a place from 0 to limit. */
PLIANT_ROUTINE int pliant_inside(pliant_real i, int limit) {
  return i > 0 ? (i < limit ? (int)i : limit) : 0;
}
"""
)

ROUTINES = {
    "pliant_copy": """PLIANT_ROUTINE void pliant_copy(int n, const pliant_real *from, pliant_real *to) {
  if (n < 16)
    for (int i = 0; i < n; ++i) to[i] = from[i];
  else
    memcpy(to, from, (size_t)n * sizeof(pliant_real));
}""",
    "pliant_fill": """PLIANT_ROUTINE void pliant_fill(int n, pliant_real value, pliant_real *to) {
  for (int i = 0; i < n; ++i) to[i] = value;
}""",
    "pliant_sign": """PLIANT_ROUTINE pliant_real pliant_sign(pliant_real x) {
  return x > 0 ? (pliant_real)1 : (x < 0 ? (pliant_real)-1 : x);
}""",
    "pliant_square": """PLIANT_ROUTINE pliant_real pliant_square(pliant_real x) { return x * x; }""",
    # NaN goes through, as in JAX.
    "pliant_min": """PLIANT_ROUTINE pliant_real pliant_min(pliant_real a, pliant_real b) {
  return a < b || a != a ? a : b;
}""",
    "pliant_max": """PLIANT_ROUTINE pliant_real pliant_max(pliant_real a, pliant_real b) {
  return a > b || a != a ? a : b;
}""",
    # Eight sums at a time, which the compiler computes together.
    "pliant_dot": """PLIANT_LOOPS pliant_real pliant_dot(int n, const pliant_real *a, const pliant_real *x) {
  pliant_real sums[8] = {0}, sum = 0;
  int k = 0;
  for (; k + 8 <= n; k += 8)
    for (int j = 0; j < 8; ++j) sums[j] += a[k + j] * x[k + j];
  for (; k < n; ++k) sum += a[k] * x[k];
  for (int j = 0; j < 4; ++j) sum += sums[j] + sums[j + 4];
  return sum;
}""",
    # y = A x
    "pliant_of_rows": """PLIANT_LOOPS void pliant_of_rows(int rows, int columns, const pliant_real *a,
    const pliant_real *x, pliant_real *y) {
  for (int i = 0; i < rows; ++i) y[i] = pliant_dot(columns, a + i * columns, x);
}""",
    # y = A' x
    "pliant_of_columns": """PLIANT_LOOPS void pliant_of_columns(int rows, int columns,
    const pliant_real *PLIANT_RESTRICT a, const pliant_real *PLIANT_RESTRICT x, pliant_real *PLIANT_RESTRICT y) {
  for (int k = 0; k < columns; ++k) y[k] = 0;
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < columns; ++k) y[k] += x[i] * a[i * columns + k];
}""",
    # The row right of a pivot holds the column below it while that is taken from the rest.
    "pliant_cholesky": """PLIANT_LOOPS void pliant_cholesky(int n, const pliant_real *a, pliant_real *l) {
  int failed = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k <= i; ++k) l[i * n + k] = a[i * n + k];
  for (int j = 0; j < n; ++j) {
    pliant_real *PLIANT_RESTRICT column = l + j * n;
    failed = failed || column[j] <= 0;
    column[j] = pliant_sqrt(column[j]);
    const pliant_real inverse = 1 / column[j];
    for (int i = j + 1; i < n; ++i) column[i] = l[i * n + j] *= inverse;
    for (int i = j + 1; i < n; ++i) {
      pliant_real *PLIANT_RESTRICT row = l + i * n;
      const pliant_real factor = row[j];
      for (int k = j + 1; k <= i; ++k) row[k] -= factor * column[k];
    }
    for (int i = j + 1; i < n; ++i) column[i] = 0;
  }
  if (failed)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) l[i * n + j] = PLIANT_NAN;
}""",
    "pliant_triangular": """PLIANT_LOOPS void pliant_triangular(int n, int m, int lower, int unit,
    const pliant_real *a, const pliant_real *b, pliant_real *x) {
  for (int r = 0; r < n; ++r) {
    const int i = lower ? r : n - 1 - r, begin = lower ? 0 : i + 1, end = lower ? i : n;
    pliant_real *PLIANT_RESTRICT row = x + i * m;
    for (int j = 0; j < m; ++j) row[j] = b[i * m + j];
    if (m == 1) {
      row[0] -= pliant_dot(end - begin, a + i * n + begin, x + begin);
    } else {
      for (int k = begin; k < end; ++k)
        for (int j = 0; j < m; ++j) row[j] -= a[i * n + k] * x[k * m + j];
    }
    if (!unit) {
      const pliant_real inverse = 1 / a[i * n + i];
      for (int j = 0; j < m; ++j) row[j] *= inverse;
    }
  }
}""",
    # Factors, then pivots, then the permutation.
    "pliant_lu": """PLIANT_LOOPS void pliant_lu(int n, const pliant_real *a, pliant_real *out) {
  pliant_real *lu = out, *pivots = out + n * n, *order = pivots + n;
  for (int i = 0; i < n * n; ++i) lu[i] = a[i];
  for (int i = 0; i < n; ++i) order[i] = i;
  for (int j = 0; j < n; ++j) {
    int best = j;
    for (int i = j + 1; i < n; ++i)
      if (pliant_fabs(lu[i * n + j]) > pliant_fabs(lu[best * n + j])) best = i;
    pivots[j] = best;
    if (best != j) {
      for (int k = 0; k < n; ++k) {
        const pliant_real kept = lu[j * n + k];
        lu[j * n + k] = lu[best * n + k];
        lu[best * n + k] = kept;
      }
      const pliant_real kept = order[j];
      order[j] = order[best];
      order[best] = kept;
    }
    if (lu[j * n + j] == 0) continue;
    const pliant_real inverse = 1 / lu[j * n + j];
    for (int i = j + 1; i < n; ++i) {
      const pliant_real factor = lu[i * n + j] * inverse;
      lu[i * n + j] = factor;
      for (int k = j + 1; k < n; ++k) lu[i * n + k] -= factor * lu[j * n + k];
    }
  }
}""",
    "pliant_permutation": """PLIANT_ROUTINE void pliant_permutation(int n, int size, const pliant_real *pivots,
    pliant_real *order) {
  for (int i = 0; i < size; ++i) order[i] = i;
  for (int i = 0; i < n; ++i) {
    const int j = (int)pivots[i];
    const pliant_real kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}""",
}


def _windows(name: str, buffers: tuple[str, ...], legal_only: bool, action: str) -> str:
    """A routine that does something with every element of every window. A start out of bounds is moved inside, or its
    window is left to `legal`."""
    legal = "\n      legal = legal && i >= 0 && i <= limit[k];" if legal_only else ""
    given = ", ".join(f"const pliant_real *{buffer}" for buffer in buffers)
    return f"""PLIANT_ROUTINE void {name}(int count, int size, int known, const int *inside, const int *batch,
    const int *strides, const int *limit, {given}, pliant_real *to) {{
  for (int b = 0; b < count; ++b) {{
    int start = batch[b]{", legal = 1" if legal_only else ""};
    for (int k = 0; k < known; ++k) {{
      const pliant_real i = at[b * known + k];{legal}
      start += strides[k] * pliant_inside(i, limit[k]);
    }}
    for (int s = 0; s < size; ++s) {action};
  }}
}}"""


ROUTINES["pliant_take"] = """PLIANT_ROUTINE void pliant_take(int size, int stride, int limit, const pliant_real *from,
    const pliant_real *at, pliant_real *to) {
  const pliant_real *const start = from + stride * pliant_inside(at[0], limit);
  for (int s = 0; s < size; ++s) to[s] = start[s];
}"""


ROUTINES |= {
    name: _windows(name, *how)
    for name, how in {
        "pliant_gather": (("from", "at"), False, "to[b * size + s] = from[start + inside[s]]"),
        "pliant_gather_filled": (
            ("from", "at", "outside"),
            True,
            "to[b * size + s] = legal ? from[start + inside[s]] : outside[0]",
        ),
        "pliant_scatter": (("at", "from"), True, "if (legal) to[start + inside[s]] = from[b * size + s]"),
        "pliant_scatter_add": (("at", "from"), True, "if (legal) to[start + inside[s]] += from[b * size + s]"),
        "pliant_scatter_clipped": (("at", "from"), False, "to[start + inside[s]] = from[b * size + s]"),
        "pliant_scatter_add_clipped": (("at", "from"), False, "to[start + inside[s]] += from[b * size + s]"),
    }.items()
}


def _factorials(count: int) -> str:
    return ", ".join(f"PLIANT_REAL({1.0 / math.factorial(k)!r})" for k in range(count))


# Stumpff functions c_0 to c_highest of n numbers (lie/_coefficients.py): the series for the last two, and downward from
# there, or trigonometry for the first two, and upward. Terms beyond those taken are below 1e-17 of the sum.
ROUTINES["pliant_stumpff"] = f"""PLIANT_TABLE pliant_real pliant_inverse_factorials[] = {{{_factorials(44)}}};
PLIANT_ROUTINE void pliant_stumpff(int n, int highest, const pliant_real *from, pliant_real *to) {{
  const pliant_real *const f = pliant_inverse_factorials;
  for (int i = 0; i < n; ++i) {{
    const pliant_real x = from[i];
    pliant_real *const c = to + i * (highest + 1);
    if (x < {SERIES_LIMIT}) {{
      const int terms = x < 0.01 ? 5 : x < 0.5 ? 7 : (x < 3 ? 10 : {SERIES_TERMS});
      pliant_real even = f[highest - 3 + 2 * terms], odd = f[highest - 2 + 2 * terms];
      for (int k = highest - 5 + 2 * terms; k >= highest - 1; k -= 2) {{
        even = f[k] - x * even;
        odd = f[k + 1] - x * odd;
      }}
      c[highest - 1] = even;
      c[highest] = odd;
      for (int k = highest - 2; k >= 0; --k) c[k] = f[k] - x * c[k + 2];
    }} else {{
      const pliant_real angle = pliant_sqrt(x), inverse = 1 / x;
      c[0] = pliant_cos(angle);
      c[1] = pliant_sin(angle) / angle;
      for (int k = 0; k + 2 <= highest; ++k) c[k + 2] = (f[k] - c[k]) * inverse;
    }}
  }}
}}"""


# Cubic B-splines on a grid and their derivatives up to an order (numerics/_grid_spline.py): for every point the weights
# and their derivatives along each axis, then sums along z, y and x, so that every coefficient is read once.
ROUTINES["pliant_grid_spline"] = f"""PLIANT_ROUTINE void pliant_grid_spline(int n, int nx, int ny, int nz, int order,
    const pliant_real *coefficients, const pliant_real *place, pliant_real *to) {{
  const int size[3] = {{nx, ny, nz}};
  for (int p = 0; p < n; ++p) {{
    pliant_real weight[3][{HIGHEST_ORDER + 1}][4] = {{{{{{0}}}}}};
    int first[3];
    for (int axis = 0; axis < 3; ++axis) {{
      const pliant_real x = place[3 * p + axis];
      first[axis] = pliant_inside(pliant_floor(x), size[axis] - 4);
      const pliant_real t = x - first[axis], s = 1 - t;
      const pliant_real of[4][4] = {{
        {{s * s * s / 6, (4 - 6 * t * t + 3 * t * t * t) / 6, (4 - 6 * s * s + 3 * s * s * s) / 6, t * t * t / 6}},
        {{-s * s / 2, t * (3 * t - 4) / 2, s * (4 - 3 * s) / 2, t * t / 2}},
        {{s, 3 * t - 2, 3 * s - 2, t}},
        {{-1, 3, -3, 1}}}};
      for (int d = 0; d <= order && d < 4; ++d)
        for (int a = 0; a < 4; ++a) weight[axis][d][a] = of[d][a];
    }}
    pliant_real along[4][{HIGHEST_ORDER + 1}][{HIGHEST_ORDER + 1}] = {{{{{{0}}}}}};
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {{
        const pliant_real *const c = coefficients + ((first[0] + a) * ny + first[1] + b) * nz + first[2];
        for (int dz = 0; dz <= order; ++dz) {{
          const pliant_real *const w = weight[2][dz];
          const pliant_real sum = w[0] * c[0] + w[1] * c[1] + w[2] * c[2] + w[3] * c[3];
          for (int dy = 0; dy + dz <= order; ++dy) along[a][dy][dz] += weight[1][dy][b] * sum;
        }}
      }}
    for (int total = 0; total <= order; ++total)
      for (int dx = total; dx >= 0; --dx)
        for (int dy = total - dx; dy >= 0; --dy) {{
          const pliant_real *const w = weight[0][dx];
          const int dz = total - dx - dy;
          *to++ = w[0] * along[0][dy][dz] + w[1] * along[1][dy][dz] + w[2] * along[2][dy][dz] + w[3] * along[3][dy][dz];
        }}
  }}
}}"""


# numerics/_nearest_piece.py. Distances are only known where one has its minimum, which at most pieces is not so.
ROUTINES["pliant_nearest_piece"] = f"""PLIANT_ROUTINE void pliant_nearest_piece(int n, int pieces,
    const pliant_real *place, const pliant_real *direction, const pliant_real *radius, const pliant_real *length,
    const pliant_real *point, const pliant_real *low, const pliant_real *high, pliant_real *to) {{
  for (int i = 0; i < n; ++i) {{
    const pliant_real *const p = point + 3 * i;
    pliant_real arc = 0, best = 0, rate[2] = {{0, 0}}, chosen[4] = {{0, 0, 0, 0}};
    for (int k = 0; k <= pieces; ++k) {{
      const pliant_real *const x = place + 3 * k, *const d = direction + 3 * k;
      const pliant_real a = p[0] - x[0], b = p[1] - x[1], c = p[2] - x[2];
      rate[0] = rate[1];
      rate[1] = -(a * d[0] + b * d[1] + c * d[2]) / pliant_sqrt(a * a + b * b + c * c + PLIANT_REAL({NEAREST**2!r}));
      if (k == 0) continue;
      const pliant_real l = length[k - 1], growth = (radius[k] - radius[k - 1]) / l;
      const pliant_real begin = rate[0] - growth, end = rate[1] - growth;
      const int inside = begin < 0 && end >= 0;
      const pliant_real share = inside ? -begin / (end - begin) : (end < 0 && k == pieces ? 1 : 0);
      const pliant_real where = arc + share * l;
      const int open = inside || (begin >= 0 && k == 1) || (end < 0 && k == pieces);
      arc += l;
      if (k == 1) {{
        chosen[1] = share;
        chosen[2] = inside;
      }}
      if (!open || !(where >= low[i] && where <= high[i])) continue;
      pliant_real square = 0;
      for (int j = 0; j < 3; ++j) {{
        const pliant_real away = p[j] - (x[j - 3] + share * (x[j] - x[j - 3]));
        square += away * away;
      }}
      const pliant_real score = pliant_sqrt(square) - (radius[k - 1] + share * (radius[k] - radius[k - 1]));
      if (chosen[3] != 0 && !(score < best)) continue;
      best = score;
      chosen[0] = k - 1;
      chosen[1] = share;
      chosen[2] = inside;
      chosen[3] = 1;
    }}
    for (int j = 0; j < 4; ++j) to[j * n + i] = chosen[j];
  }}
}}"""
