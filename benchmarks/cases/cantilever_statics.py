"""The cantilever at rest by GVS: Newton from the straight rod."""

import jax

import pliant
from cases.robots import PLANAR, cantilever
from harness import problems
from harness.timing import first_and_steady, report

# The smallest order, and the fewest points at it, that bring the tip within 1e-4 L (its bar holds it there).
_ORDER, _POINTS = 4, 9


def solved(allow: list[str] | None) -> dict[str, float]:
    model = pliant.compile(cantilever({"gvs": {"order": _ORDER, "quadrature": _POINTS}}, allow=allow))
    start = model.neutral()
    first, seconds, found = first_and_steady(lambda: jax.block_until_ready(pliant.pure.equilibrium(model, start)))
    if int(found.code) != pliant.ResultCode.SUCCESS:
        raise RuntimeError(f"no equilibrium: {pliant.ResultCode(int(found.code)).name}")
    tip = pliant.forward_kinematics(model, found.q)["tip"][:3, 3]
    return {
        "time": seconds,
        "compile": first - seconds,
        "error": problems.tip_error(tip),
        "freedoms": model.nv,
        "iterations": int(found.iterations),
    }


if __name__ == "__main__":
    spatial = {f"spatial-{name}": value for name, value in solved(None).items()}
    report(**solved(PLANAR), **spatial)
