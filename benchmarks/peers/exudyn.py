"""Exudyn 1.13 on the problems of the suites: `python -m peers.exudyn <problem> <elements> <step in s>`.

Cantilevers: its planar geometrically exact beam, quadratic, with its own Kelvin-Voigt damping: three freedoms per node
where a spatial rod has six. The flying spaghetti: its spatial one, linear. Every timed run builds its model too, a
small part of it.
"""

import itertools
import sys

import exudyn
import numpy as np
from exudyn.beams import GenerateBeamElementsAlongLine
from exudyn.itemInterface import (
    LoadForceVector,
    LoadTorqueVector,
    MarkerNodeRigid,
    NodeRigidBodyEP,
    ObjectBeamGeometricallyExact,
    ObjectBeamGeometricallyExact2D,
    SensorNode,
)
from exudyn.rigidBodyUtilities import RotationMatrix2EulerParameters

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
    return container, system, _watched(system, parts["nodes"][-1])


def _watched(system, node: int) -> int:
    """The number of a sensor of a node's place; the system is put together."""
    position = exudyn.OutputVariableType.Position
    sensor = system.AddSensor(SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=position))
    system.Assemble()
    return sensor


def settings_of(until: float, save: float, steps: int):
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = save
    settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
    integration = settings.timeIntegration
    integration.verboseMode = 0
    integration.numberOfSteps, integration.endTime = steps, until
    integration.generalizedAlpha.spectralRadius = _SPECTRAL_RADIUS
    integration.newton.useModifiedNewton = True
    # Its own 1e-8 and 1e-10 take up to 1.7 times as long for the same error.
    integration.newton.relativeTolerance, integration.newton.absoluteTolerance = 1e-5, 1e-8
    integration.adaptiveStep = False
    return settings


def _solved(build, until: float, save: float, step: float) -> tuple[float, float, np.ndarray]:
    """Seconds of the first run and of a later one, and the path at the times to be saved. build() gives the container,
    the system and its sensor."""
    settings = settings_of(until, save, round(until / step))

    def run() -> np.ndarray:
        _container, system, sensor = build()
        if not system.SolveDynamic(settings):
            raise RuntimeError("Exudyn's solver gave up")
        return system.GetSensorStoredData(sensor)

    first, seconds, rows = first_and_steady(run)
    times = np.linspace(0.0, until, round(until / save) + 1)
    return first, seconds, np.stack([np.interp(times, rows[:, 0], rows[:, axis]) for axis in (1, 2, 3)], axis=1)


def _release(rod: problems.Release, elements: int, step: float) -> None:
    first, seconds, path = _solved(lambda: _cantilever(rod, elements), rod.until, rod.save, step)
    nodes = elements * (_NODES_PER_ELEMENT - 1) + 1
    steps = round(rod.until / step)
    report(time=seconds, compile=first - seconds, **rod.errors(path[:, :2]), freedoms=3 * nodes, steps=steps)


def _spaghetti(elements: int):
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    section = exudyn.BeamSection()
    section.massPerLength = problems.SPAGHETTI_MASS
    section.inertia = problems.SPAGHETTI_ROTARY * np.eye(3)
    stiffness = [problems.SPAGHETTI_AXIAL] * 3 + [problems.SPAGHETTI_BENDING] * 3
    section.stiffnessMatrix = np.diag(stiffness)
    start, end = np.array(problems.SPAGHETTI_A), np.array(problems.SPAGHETTI_B)
    along, across = (end - start) / problems.SPAGHETTI_LENGTH, np.array([0.0, 0.0, 1.0])
    turned = list(RotationMatrix2EulerParameters(np.stack([along, np.cross(across, along), across], axis=1)))
    part = problems.SPAGHETTI_LENGTH / elements
    nodes = [
        system.AddNode(NodeRigidBodyEP(referenceCoordinates=[*(start + along * part * index), *turned]))
        for index in range(elements + 1)
    ]
    for pair in itertools.pairwise(nodes):
        system.AddObject(ObjectBeamGeometricallyExact(nodeNumbers=list(pair), length=part, sectionData=section))
    loaded = system.AddMarker(MarkerNodeRigid(nodeNumber=nodes[0]))
    for kind, peak in ((LoadForceVector, problems.SPAGHETTI_FORCE), (LoadTorqueVector, problems.SPAGHETTI_MOMENT)):
        system.AddLoad(
            kind(
                markerNumber=loaded,
                loadVector=[0.0, 0.0, 0.0],
                loadVectorUserFunction=lambda _, time, __, peak=peak: [_level(time) * value for value in peak],
            )
        )
    return container, system, _watched(system, nodes[0])


def _level(time: float) -> float:
    return max(0.0, 1.0 - abs(time - problems.SPAGHETTI_RISE) / problems.SPAGHETTI_RISE)


def flying_spaghetti(elements: int, step: float) -> None:
    until, save = problems.SPAGHETTI_UNTIL, problems.SPAGHETTI_SAVE
    first, seconds, path = _solved(lambda: _spaghetti(elements), until, save, step)
    error, freedoms = problems.spaghetti_error(path), 6 * (elements + 1)
    report(time=seconds, compile=first - seconds, error=error, freedoms=freedoms, steps=round(until / step))


if __name__ == "__main__":
    _releases = {"released_cantilever": problems.RELEASED, "stiff_cantilever": problems.STIFF}
    _elements, _step = int(sys.argv[2]), float(sys.argv[3])
    if sys.argv[1] in _releases:
        _release(_releases[sys.argv[1]], _elements, _step)
    else:
        {"flying_spaghetti": flying_spaghetti}[sys.argv[1]](_elements, _step)
