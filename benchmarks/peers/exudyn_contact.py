"""Exudyn 1.13 on the problems of the suite `contact`: `python -m peers.exudyn_contact rollers <elements> <step in s>`.

Its planar ANCF cable with eight segments that touch in every element, as in its own test. Every timed run builds its
model too, a small part of it. What its energies leave open is added up here, from what its sensors tell of every
step."""

import itertools
import sys
from typing import Any, NamedTuple

import exudyn
import numpy as np
from exudyn.itemInterface import (
    LoadMassProportional,
    LoadTorqueVector,
    MarkerBodyCable2DShape,
    MarkerBodyMass,
    MarkerBodyRigid,
    MarkerNodeCoordinate,
    NodeGenericData,
    NodePoint2DSlope1,
    NodePointGround,
    NodeRigidBody2D,
    ObjectANCFCable2D,
    ObjectConnectorCoordinate,
    ObjectConnectorCoordinateSpringDamper,
    ObjectContactFrictionCircleCable2D,
    ObjectGround,
    ObjectRigidBody2D,
    SensorNode,
    SensorObject,
)

from harness.contact_problems import ROLLERS, path_error
from harness.timing import first_and_steady, report
from peers.exudyn import settings_of

_SEGMENTS = 8
_POINTS = 7  # of Gauss in an element
_AXIAL = ROLLERS.axial * ROLLERS.young * ROLLERS.height**2
_OUTPUT = exudyn.OutputVariableType


class _Model(NamedTuple):
    """The container is kept as long as its system."""

    container: Any
    system: Any
    cable: list[int]  # its nodes
    roller: int  # the node of the one that turns
    contacts: list[int]


def _cable(system, elements: int) -> tuple[list[int], list[int]]:
    """Its nodes and elements, with its weight on it."""
    part = ROLLERS.length / elements
    nodes = [
        system.AddNode(NodePoint2DSlope1(referenceCoordinates=[part * index, 0.0, 1.0, 0.0]))
        for index in range(elements + 1)
    ]
    found = []
    for pair in itertools.pairwise(nodes):
        cable = ObjectANCFCable2D(
            length=part,
            massPerLength=ROLLERS.mass_per_length,
            bendingStiffness=ROLLERS.bending,
            axialStiffness=_AXIAL,
            axialDamping=_AXIAL,
            nodeNumbers=list(pair),
        )
        found.append(system.AddObject(cable))
        whole = system.AddMarker(MarkerBodyMass(bodyNumber=found[-1]))
        system.AddLoad(LoadMassProportional(markerNumber=whole, loadVector=[0.0, -ROLLERS.weight, 0.0]))
    return nodes, found


def _coordinates(system, node: int, which: tuple[int, ...]) -> list[int]:
    return [system.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=index)) for index in which]


def _rollers(elements: int) -> _Model:
    container = exudyn.SystemContainer()
    system = container.AddSystem()
    still = _coordinates(system, system.AddNode(NodePointGround()), (0,))[0]
    nodes, cables = _cable(system, elements)
    for clamped in _coordinates(system, nodes[0], (0, 1, 3)):
        system.AddObject(ObjectConnectorCoordinate(markerNumbers=[still, clamped]))
    node = system.AddNode(NodeRigidBody2D(referenceCoordinates=[*ROLLERS.turning[:2], 0.0]))
    body = ObjectRigidBody2D(nodeNumber=node, mass=ROLLERS.mass, inertia=ROLLERS.inertia)
    turning = system.AddMarker(MarkerBodyRigid(bodyNumber=system.AddObject(body)))
    system.AddLoad(LoadTorqueVector(markerNumber=turning, loadVector=[0.0, 0.0, ROLLERS.torque]))
    for slides in _coordinates(system, node, (0, 1)):
        spring = ObjectConnectorCoordinateSpringDamper(
            markerNumbers=[still, slides], stiffness=ROLLERS.spring, damping=ROLLERS.damper
        )
        system.AddObject(spring)
    place = [*ROLLERS.fixed[:2], 0.0]
    fixed = system.AddMarker(MarkerBodyRigid(bodyNumber=system.AddObject(ObjectGround()), localPosition=place))
    radii = ROLLERS.fixed[2], ROLLERS.turning[2]
    contacts = [
        _touch(system, roller, radius, cable, ROLLERS.length / elements / _SEGMENTS)
        for roller, radius, (begin, end) in zip((fixed, turning), radii, ROLLERS.reach, strict=True)
        for cable in cables[round(begin * elements) : round(end * elements)]
    ]
    return _Model(container, system, nodes, node, contacts)


def _touch(system, roller: int, radius: float, cable: int, segment: float) -> int:
    """Between a roller and an element of the cable; segment [m]: the length of one of its segments."""
    shape = system.AddMarker(MarkerBodyCable2DShape(bodyNumber=cable, numberOfSegments=_SEGMENTS))
    memory = [0.1] * _SEGMENTS + [-2.0] * _SEGMENTS + [0.0] * _SEGMENTS  # apart, neither sticking nor slipping
    node = NodeGenericData(initialCoordinates=memory, numberOfDataCoordinates=len(memory))
    contact = ObjectContactFrictionCircleCable2D(
        markerNumbers=[roller, shape],
        nodeNumber=system.AddNode(node),
        numberOfContactSegments=_SEGMENTS,
        contactStiffness=ROLLERS.stiffness * segment,
        frictionVelocityPenalty=ROLLERS.slip_damping * segment,
        frictionStiffness=ROLLERS.sticking * segment,
        frictionCoefficient=ROLLERS.friction,
        circleRadius=radius,
    )
    return system.AddObject(contact)


def _settings(step: float, save: float):
    settings = settings_of(ROLLERS.until, save, round(ROLLERS.until / step))
    # To keep Newton's matrix is slower or as fast here, and does not converge with longer steps.
    settings.timeIntegration.newton.useModifiedNewton = False
    return settings


class _Watch:
    """Sensors of a model, stored at equal intervals [s]."""

    def __init__(self, model: _Model, save: float) -> None:
        self.model, self.save = model, save

    def node(self, number: int, kind: Any) -> int:
        return self._added(SensorNode(nodeNumber=number, storeInternal=True, outputVariableType=kind))

    def contact(self, number: int, kind: Any) -> int:
        return self._added(SensorObject(objectNumber=number, storeInternal=True, outputVariableType=kind))

    def _added(self, sensor: Any) -> int:
        return self.model.system.AddSensor(sensor)

    def run(self, step: float) -> None:
        self.model.system.Assemble()
        if not self.model.system.SolveDynamic(_settings(step, self.save)):
            raise RuntimeError("Exudyn's solver gave up")

    def __getitem__(self, sensor: int) -> np.ndarray:
        """(n, k) what a sensor stored, at the times to be saved."""
        rows = self.model.system.GetSensorStoredData(sensor)
        times = np.linspace(0.0, ROLLERS.until, round(ROLLERS.until / self.save) + 1)
        return np.stack([np.interp(times, rows[:, 0], column) for column in rows[:, 1:].T], axis=1)


def _moved(elements: int, step: float) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) places of the tip, and (n, 3) displacements and angle of the roller that turns."""
    model = _rollers(elements)
    watch = _Watch(model, ROLLERS.save)
    tip, roller = watch.node(model.cable[-1], _OUTPUT.Position), watch.node(model.roller, _OUTPUT.Coordinates)
    watch.run(step)
    return watch[tip][:, :2], watch[roller]


def _balance(elements: int, step: float) -> float:
    """What its energies leave open over the energy lost; powers are added up by the trapezoidal rule."""
    model = _rollers(elements)
    watch, part = _Watch(model, step), ROLLERS.length / elements
    moving = _OUTPUT.Coordinates, _OUTPUT.Coordinates_t
    nodes = [[watch.node(node, kind) for kind in moving] for node in model.cable]
    roller = [watch.node(model.roller, kind) for kind in moving]
    touches = [[watch.contact(own, kind) for kind in (*moving, _OUTPUT.ForceLocal)] for own in model.contacts]
    watch.run(step)
    straight = [[part * index, 0.0, 1.0, 0.0] for index in range(elements + 1)]
    stored, lost = _of_cable(
        np.stack([watch[place] for place, _ in nodes], axis=1) + np.array(straight),
        np.stack([watch[rate] for _, rate in nodes], axis=1),
        part,
    )
    place, rate = (watch[own] for own in roller)
    stored += 0.5 * (rate**2 @ [ROLLERS.mass, ROLLERS.mass, ROLLERS.inertia]) - ROLLERS.torque * place[:, 2]
    stored += 0.5 * ROLLERS.spring * np.sum(place[:, :2] ** 2, axis=1)
    lost += ROLLERS.damper * np.sum(rate[:, :2] ** 2, axis=1)
    for sensors in touches:  # tangential and normal numbers of the segments take turns
        gaps, rates, forces = (watch[own] for own in sensors)
        depths = np.minimum(gaps[:, 1::2], 0.0)
        stored += 0.5 * ROLLERS.stiffness * part / _SEGMENTS * np.sum(depths**2, axis=1)
        # With what its springs store of it.
        lost += np.sum(forces[:, ::2] * rates[:, ::2], axis=1)
    loss = np.concatenate([[0.0], np.cumsum(0.5 * step * (lost[1:] + lost[:-1]))])
    return float(np.abs(stored - stored[0] + loss).max() / loss[-1])


def _of_cable(nodes: np.ndarray, rates: np.ndarray, part: float) -> tuple[np.ndarray, np.ndarray]:
    """Energy (n,) of the cable with that of its weight, and power lost in it. nodes, rates (n, nodes, 4): places and
    slopes, and their rates; its elements are cubic."""
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    u, weights = 0.5 * (points + 1.0), 0.5 * part * weights
    shape = np.array([1 - 3 * u**2 + 2 * u**3, part * (u - 2 * u**2 + u**3), 3 * u**2 - 2 * u**3, part * (u**3 - u**2)])
    slope = (
        np.array([6 * u**2 - 6 * u, part * (1 - 4 * u + 3 * u**2), 6 * u - 6 * u**2, part * (3 * u**2 - 2 * u)]) / part
    )
    bend = np.array([12 * u - 6, part * (6 * u - 4), 6 - 12 * u, part * (6 * u - 2)]) / part**2

    def along(values: np.ndarray, functions: np.ndarray) -> np.ndarray:
        ends = [values[:, :-1, :2], values[:, :-1, 2:], values[:, 1:, :2], values[:, 1:, 2:]]
        return np.einsum("teid,ip->tepd", np.stack(ends, axis=2), functions)

    def total(values: np.ndarray) -> np.ndarray:
        return np.sum(values * weights, axis=(1, 2))

    tangent, second = along(nodes, slope), along(nodes, bend)
    length = np.linalg.norm(tangent, axis=-1)
    curvature = (tangent[..., 0] * second[..., 1] - tangent[..., 1] * second[..., 0]) / length**2
    stretching = np.sum(tangent * along(rates, slope), axis=-1) / length
    kinetic = 0.5 * ROLLERS.mass_per_length * total(np.sum(along(rates, shape) ** 2, axis=-1))
    weight = ROLLERS.mass_per_length * ROLLERS.weight * total(along(nodes, shape)[..., 1])
    elastic = 0.5 * ROLLERS.bending * total(curvature**2) + 0.5 * _AXIAL * total((length - 1.0) ** 2)
    return kinetic + weight + elastic, _AXIAL * total(stretching**2)


def rollers(elements: int, step: float) -> None:
    first, seconds, (tip, roller) = first_and_steady(lambda: _moved(elements, step))
    report(
        time=seconds,
        compile=first - seconds,
        error=path_error(tip, _moved(elements, 0.25 * step)[0], ROLLERS.length),
        balance=_balance(elements, step),
        roller_x=float(roller[-1, 0]),
        roller_y=float(roller[-1, 1]),
        turned=float(roller[-1, 2]),
        steps=round(ROLLERS.until / step),
        freedoms=4 * elements + 4,
        tip=tip.tolist(),
    )


if __name__ == "__main__":
    {"rollers": rollers}[sys.argv[1]](int(sys.argv[2]), float(sys.argv[3]))
