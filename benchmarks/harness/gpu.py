"""The suite `gpu`: batches of the 18-DoF arm, by vmap and by CUDA kernels. It needs a GPU."""

from collections.abc import Mapping

from harness.parts import MEMORY, case
from harness.suite import Derived, Figure, Measurement, Suite, Values

BATCHES = (1, 100, 10_000, 100_000, 1_000_000)
_MEANINGS = {
    "forward_dynamics": "forward dynamics, numbers of the robot as arguments",
    "forward_dynamics_constants": "forward dynamics, numbers of the robot in the code",
    "forward_dynamics_single": "forward dynamics in float32",
    "rk4_rollout": "rk4 steps, 100 in one call",
    "newmark_rollout": "newmark steps of 1 ms, 20 in one call",
}
# vmap compiles for every batch, a minute and more where there are steps; beyond these it is left out.
LARGEST_VMAP = {
    "forward_dynamics": 1_000_000,
    "forward_dynamics_constants": 100,
    "forward_dynamics_single": 100,
    "rk4_rollout": 100,
    "newmark_rollout": 10_000,
}
_OPERATIONS = 31_000  # of forward dynamics; the suite native measures them
_PEAK = 33.5e12  # operations per second of an H200 in float64, a multiplication with its addition counted as two


def _measurement(name: str, meaning: str) -> Measurement:
    figures: list[tuple[str, str, str]] = []
    for count in BATCHES:
        figures.append((f"cuda-{count}", "Hz", f"{meaning}: CUDA, {count} robots"))
        if count <= LARGEST_VMAP[name]:
            figures.append((f"vmap-{count}", "Hz", f"the same by vmap, {count} robots"))
            figures.append((f"differ-{count}", "1", "largest difference of the two over the largest element"))
    figures += [("build", "s", "tracing, printing and nvcc, where the library was built"), MEMORY]
    return case(f"gpu/{name}", "gpu_batches", tuple(figures), name)


def _share(raw: Mapping[str, Values]) -> float | None:
    found = raw.get("gpu/forward_dynamics_constants")
    return found[f"cuda-{BATCHES[-1]}"] * _OPERATIONS / _PEAK if found else None


GPU = Suite(
    measurements=tuple(_measurement(*pair) for pair in _MEANINGS.items()),
    derived=(
        Derived(Figure("gpu/share-of-peak", "1", "operations per second over an H200's peak in float64"), _share),
    ),
)
