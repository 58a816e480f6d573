"""Which links a step that failed could not balance."""

from collections import defaultdict

import numpy as np
from jax import Array

from pliant.dynamics import dynamic_balance, inertial_solver
from pliant.model import Model
from pliant.simulation.stepping._flow import Drive, StepState, with_integral

_SHOWN = 4  # links and constraints in a message


def unbalanced(drive: Drive, last: StepState) -> tuple[Array, Array]:
    """Residual (nv + m,) of the equations of motion at the end of a step that failed (see `where_it_ends`), and the
    accelerations (nv,) that would cause it."""
    model, q, v, end = drive.model, last.q, last.v, last.time + last.step
    ports = with_integral(model, drive.ports(end, q, v), last.integral)
    residual = dynamic_balance(model, drive.prepared, last.state, last.a, last.multipliers, drive.inside(end), ports)
    return residual, inertial_solver(model, drive.prepared, q, drive.inside(end))(residual)[: model.nv]


def largest_residuals(model: Model, residual: np.ndarray, acceleration: np.ndarray) -> str:
    """The links with the largest residuals, the worst first: by the power of the residual along the accelerations it
    causes, since forces of different units do not compare. Then the constraints, by name."""
    forces: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for member in model.structure.members:
        for index, unit in enumerate(member.element.force_units()):
            forces[member.link][unit].append(member.v_start + index)
    found = []
    for link, parts in forces.items():
        own = [index for indices in parts.values() for index in indices]
        power = abs(float(residual[own] @ acceleration[own]))
        wrong = not np.all(np.isfinite(residual[own]))
        norms = [f"{np.linalg.norm(residual[indices]):.3g} {unit}" for unit, indices in parts.items()]
        found.append((wrong, np.nan_to_num(power), f"{link} {' and '.join(norms)}"))
    worst = sorted(found, key=lambda one: one[:2], reverse=True)
    texts = [text for _, _, text in worst[:_SHOWN]]
    if len(worst) > _SHOWN:
        texts.append(f"less on {len(worst) - _SHOWN} other links")
    rows = residual[model.nv :]
    gaps = {name: float(np.linalg.norm(rows[at])) for name, at in model.structure.constraint_slices.items()}
    for name in sorted(gaps, key=lambda name: -gaps[name])[:_SHOWN]:
        texts.append(f"constraint {name} {gaps[name]:.3g} m/s^2 or rad/s^2")
    return ", ".join(texts)
