"""Exudyn 1.13 on the problems of the suites: `python -m peers.exudyn <problem> <elements> <step in s>`.

Its planar geometrically exact beam, quadratic, with its own Kelvin-Voigt damping: three freedoms per node where a
spatial rod has six. Every timed run builds its model too, a small part of it.
"""

import sys

import exudyn
import numpy as np
from exudyn.beams import GenerateBeamElementsAlongLine
from exudyn.itemInterface import ObjectBeamGeometricallyExact2D, SensorNode

from harness import problems
from harness.timing import first_and_steady, report

_SPECTRAL_RADIUS = 0.9
_NODES_PER_ELEMENT = 3  # quadratic


def _cantilever(rod: problems.Release, elements: int):
    """The container, kept as long as its system, the system, and the number of its tip's sensor."""
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    beam = ObjectBeamGeometricallyExact2D(
        nodeNumbers=[exudyn.InvalidIndex()] * _NODES_PER_ELEMENT,
        massPerLength=rod.density * rod.area,
        crossSectionInertia=rod.density * rod.second_moment,
        bendingStiffness=rod.young * rod.second_moment,
        axialStiffness=rod.young * rod.area,
        shearStiffness=rod.shear_modulus * rod.area,
        bendingDamping=3.0 * rod.viscosity * rod.second_moment,
        axialDamping=3.0 * rod.viscosity * rod.area,
        shearDamping=rod.viscosity * rod.area,
    )
    parts = GenerateBeamElementsAlongLine(
        system,
        [0.0, 0.0, 0.0],
        [problems.LENGTH, 0.0, 0.0],
        elements,
        beam,
        gravity=[0.0, -problems.GRAVITY, 0.0],
        groundConstraintsStart=[True, True, True],
    )
    position = exudyn.OutputVariableType.Position
    tip = system.AddSensor(SensorNode(nodeNumber=parts["nodes"][-1], storeInternal=True, outputVariableType=position))
    system.Assemble()
    return container, system, tip


def _settings(rod: problems.Release, steps: int):
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = rod.save
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    integration = settings.timeIntegration
    integration.verboseMode = 0
    integration.numberOfSteps, integration.endTime = steps, rod.until
    integration.generalizedAlpha.spectralRadius = _SPECTRAL_RADIUS
    integration.newton.useModifiedNewton = True
    # Its own 1e-8 and 1e-10 take up to 1.7 times as long for the same error.
    integration.newton.relativeTolerance, integration.newton.absoluteTolerance = 1e-5, 1e-8
    integration.adaptiveStep = False
    return settings


def _release(rod: problems.Release, elements: int, step: float) -> None:
    steps = round(rod.until / step)

    def run() -> np.ndarray:
        _container, system, tip = _cantilever(rod, elements)
        if not system.SolveDynamic(_settings(rod, steps)):
            raise RuntimeError("Exudyn's solver gave up")
        return system.GetSensorStoredData(tip)

    first, seconds, rows = first_and_steady(run)
    times = np.linspace(0.0, rod.until, rod.samples)
    path = np.stack([np.interp(times, rows[:, 0], rows[:, axis]) for axis in (1, 2)], axis=1)
    nodes = elements * (_NODES_PER_ELEMENT - 1) + 1
    report(time=seconds, compile=first - seconds, **rod.errors(path), freedoms=3 * nodes, steps=steps)


if __name__ == "__main__":
    _problems = {"released_cantilever": problems.RELEASED, "stiff_cantilever": problems.STIFF}
    _release(_problems[sys.argv[1]], int(sys.argv[2]), float(sys.argv[3]))
