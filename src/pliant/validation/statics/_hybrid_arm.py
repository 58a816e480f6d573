"""SoRoSim's Case 1: a rigid arm with a soft buffer and a soft gripper at six stages of actuation.

The article gives topology, joints, strains and the tensions, and pictures of the stages but no lengths: what can be
compared are the counts, that every stage is an equilibrium reached from the one before, and that the gripper closes.
"""

import numpy as np

from pliant import library
from pliant.analysis import quasi_static
from pliant.blueprint import Statics
from pliant.dynamics import constraint_residual
from pliant.model import compile
from pliant.validation._case import Clock, Data, Figures, below, compare

LINKS, FREEDOMS, INPUTS, STAGES = 11, 39, 7, 6
TOLERANCE = 1e-8  # relative residual; m or rad for the loops
GRIPPED = 0.5  # of the distance before the cable is pulled


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    robot = library.load("hybrid-arm")
    model = compile(robot)
    inputs = sum(int(np.prod(model.input_shapes[name])) for name in model.actuator_names)
    yield compare(case, "pcs", "links [1]", len(robot.description.links), LINKS, 0.0, clock)
    yield compare(case, "pcs", "degrees of freedom [1]", model.nv, FREEDOMS, 0.0, clock)
    yield compare(case, "pcs", "inputs [1]", inputs, INPUTS, 0.0, clock)
    times = next(own.times or () for own in model.structure.analyses if isinstance(own, Statics))
    stages = quasi_static(model, times)
    gaps = np.linalg.norm(np.asarray(stages.position("finger-1") - stages.position("finger-2")), axis=1)
    open_by = [float(np.abs(constraint_residual(model, q, t)).max()) for q, t in zip(stages.q, times, strict=True)]
    yield compare(case, "pcs", "stages solved [1]", len(stages.time), STAGES, 0.0, clock)
    yield below(case, "pcs", "largest relative residual [1]", float(stages.residual.max()), TOLERANCE, clock)
    yield below(case, "pcs", "widest gap of a loop [m or rad]", max(open_by), TOLERANCE, clock)
    for stage, gap in enumerate(gaps, start=1):
        limit = GRIPPED * gaps[0] if stage == STAGES else 1.001 * gaps[0]
        yield below(case, "pcs", f"distance of the fingertips at stage {stage} [m]", float(gap), limit, clock)
