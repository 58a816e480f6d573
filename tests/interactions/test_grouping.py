"""The program of a robot does not grow with the number of things of one kind that act on it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxprs_in_params

import pliant
from pliant import Robot
from pliant.blueprint import programme_at
from pliant.mechanics import programme_table

FEW, MANY = 1, 40
GROWTH = 0.1
_MATERIAL = {"young": 1e6, "poisson": 0.4, "density": 1000.0, "viscosity": 500.0}


def _robot() -> Robot:
    """A rod of three pieces."""
    return (
        Robot("arm")
        .material("rubber", **_MATERIAL)
        .rod(
            "rod",
            parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},
            length=0.3,
            section={"circle": {"radius": [0.02, 0.01]}},
            material="rubber",
            model={"pcs": {"pieces": 3}},
        )
    )


def _programme(index: int, value):
    """A constant, a ramp, a sine, or a table of one of two lengths."""
    zero = [0.0] * len(value) if isinstance(value, list) else 0.0
    return (
        value,
        {"ramp": {"from": zero, "to": value, "over": 1.0 + index}},
        {"sine": {"amplitude": value, "frequency": 1.0 + index, "offset": value}},
        {"table": {"times": [0.0, 1.0 + index], "values": [zero, value]}},
        {"table": {"times": [0.0, 1.0, 2.0 + index], "values": [zero, value, zero]}},
    )[index % 5]


def _place(index: int) -> dict:
    """A place on the rod, each its own."""
    return {"link": "rod", "at": (1 + index % 4) / 4, "offset": {"move": [0.001 * index, 0.0, 0.0]}}


def _point_loads(robot: Robot, count: int) -> Robot:
    for i in range(count):
        robot = robot.load(
            f"load-{i}",
            where=_place(i),
            force=_programme(i, [0.0, 0.1, 0.2]),
            moment=_programme(i + 1, [0.01, 0.0, 0.0]),
        )
    return robot


def _distributed_loads(robot: Robot, count: int) -> Robot:
    for i in range(count):
        along = {"link": "rod", "from": (i % 3) / 4, "to": 1.0}
        robot = robot.load(f"load-{i}", along=along, force=_programme(i, [0.0, 0.1, 0.2]), frame="body")
    return robot


def _springs(rest):
    def add(robot: Robot, count: int) -> Robot:
        for i in range(count):
            anchor = {"link": "world", "offset": {"move": [0.1, 0.01 * i, 0.2]}}
            law = {"stiffness": 10.0 + i, "damping": 0.1, "rest": rest}
            robot = robot.spring(f"spring-{i}", between=[anchor, _place(i)], axial=law, force=_programme(i, 0.3))
        return robot

    return add


def _beams(robot: Robot, count: int) -> Robot:
    for i in range(count):
        anchor = {"link": "world", "offset": {"move": [0.1, 0.01 * i, 0.2]}}
        law = {"stiffness": {"z": 10.0 + i}, "rest": [0.0] * 6}
        robot = robot.spring(f"spring-{i}", between=[anchor, _place(i)], beam=law)
    return robot


def _tendons(robot: Robot, count: int) -> Robot:
    for i in range(count):
        robot = robot.tendon(f"tendon-{i}", link="rod", x=0.0001 * i, y=0.005, tension=_programme(i, 2.0))
    return robot


def _routed(robot: Robot, count: int) -> Robot:
    for i in range(count):
        anchor = {"link": "world", "offset": {"move": [0.0, 0.001 * i, 0.0]}}
        robot = robot.tendon(
            f"tendon-{i}", route=[anchor, {"link": "rod", "to": 0.75, "y": 0.005}], tension=_programme(i, 2.0)
        )
    return robot


def _chambers(robot: Robot, count: int) -> Robot:
    for i in range(count):
        centre = {"x": 0.0001 * i, "y": 0.003}
        robot = robot.chamber(f"chamber-{i}", link="rod", centre=centre, radius=0.002, pressure=_programme(i, 1e4))
    return robot


def _stresses(robot: Robot, count: int) -> Robot:
    for i in range(count):
        stress = _programme(i, [0.0, 0.01, 0.0, 0.0, 0.0, 0.1])
        robot = robot.internal(f"stress-{i}", link="rod", from_=(i % 3) / 4, stress=stress)
    return robot


def _joint_forces(robot: Robot, count: int) -> Robot:
    """Motors on a robot with as many fingers on hinges as are driven at most."""
    for i in range(MANY):
        finger = {"mass": 0.01, "shape": {"sphere": {"radius": 0.01}}, "joint": {"revolute": "y"}}
        robot = robot.rigid(f"finger-{i}", parent=_place(i), **finger)
    for i in range(count):
        robot = robot.drive(f"motor-{i}", joint=f"finger-{i}", force=_programme(i, 0.1))
    return robot


KINDS = {
    "point loads": _point_loads,
    "distributed loads": _distributed_loads,
    "springs": _springs("0.1 m"),
    "springs from the initial configuration": _springs("initial"),
    "beam springs": _beams,
    "tendons along a rod": _tendons,
    "tendons from the world": _routed,
    "chambers": _chambers,
    "stresses": _stresses,
    "joint forces": _joint_forces,
}


def _equations(jaxpr) -> int:
    """Equations at any depth."""
    inner = sum(_equations(getattr(j, "jaxpr", j)) for e in jaxpr.eqns for j in jaxprs_in_params(e.params))
    return len(jaxpr.eqns) + inner


def _size(robot: Robot) -> int:
    """Equations of the residual."""
    model = pliant.compile(robot)
    still = jnp.zeros(model.nv)
    return _equations(jax.make_jaxpr(pliant.residual)(model, model.neutral(), still, still).jaxpr)


@pytest.mark.parametrize("name", KINDS)
def test_many_of_a_kind_take_no_longer_program_than_one(name):
    few, many = (_size(KINDS[name](_robot(), count)) for count in (FEW, MANY))
    assert many < (1.0 + GROWTH) * few, f"from {few} to {many} equations"


def test_tables_of_different_lengths_are_evaluated_together():
    """Each has its own values, held before its first time and after its last, and its own slope."""
    rng = np.random.default_rng(8)
    tables = [(np.sort(rng.uniform(0.0, 2.0, size)), rng.normal(size=(size, 3))) for size in (4, 2, 7, 4)]
    programmes = [programme_at("table", str(i)) for i in range(len(tables))]
    parameters = {f"{i}.times": jnp.asarray(times) for i, (times, _) in enumerate(tables)}
    parameters |= {f"{i}.values": jnp.asarray(values) for i, (_, values) in enumerate(tables)}
    together = programme_table(programmes, (3,), {path: value.shape for path, value in parameters.items()})
    assert len(together.alike) == 1
    moments = np.concatenate([[-1.0, 3.0], *(times for times, _ in tables), rng.uniform(0.0, 2.0, 10)])

    def values(t):
        return together.values(together.prepare(parameters), t)

    found, slopes = jax.vmap(lambda t: jax.jvp(values, (t,), (jnp.ones(()),)))(jnp.asarray(moments))
    for i, (times, points) in enumerate(tables):
        expected = np.stack([np.interp(moments, times, column) for column in points.T], axis=1)
        np.testing.assert_allclose(found[:, i], expected, rtol=0, atol=1e-14)
        piece = np.searchsorted(times, moments, side="right") - 1
        slope = np.append(np.diff(points, axis=0) / np.diff(times)[:, None], np.zeros((1, 3)), axis=0)
        inside = (moments >= times[0]) & (moments < times[-1])
        np.testing.assert_allclose(slopes[inside, i], slope[piece[inside]], rtol=1e-12)
        np.testing.assert_array_equal(slopes[(moments < times[0]) | (moments > times[-1]), i], 0.0)
