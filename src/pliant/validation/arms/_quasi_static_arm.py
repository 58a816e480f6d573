"""The quasi-static arm of Shiva et al.: against the Cosserat rod of the same section and loads, and its Young's modulus
from the tip of an arm that is known and of a measured STIFF-FLOP module.

The reference is a gvs rod with chambers. The known arm is Hooke's of 130 kPa with 400 intervals and 0.5 mm of noise, as
the document's tracking has; its pressures stay below what the printed nr laws carry at 60 kPa.
"""

import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis import equilibrium
from pliant.arms import (
    ArmLoad,
    ArmSegment,
    ModulusMap,
    QuasiStaticArm,
    RigidPiece,
    arm_shape,
    chamber_pairs,
    modulus_map,
    solve_arm,
)
from pliant.description import Robot
from pliant.mechanics import ExtensorLaw
from pliant.model import compile
from pliant.validation._case import Clock, Data, Figures, Row, below, order, shown
from pliant.validation.arms._quasi_static_plots import draw
from pliant.validation.measured._stiff_flop import NOLOAD_SPAN, conditioned
from pliant.validation.measured._stiff_flop_module import MASTER, Module

YOUNG, LOCKING = 130e3, 9.8  # Pa; stretch at which Ecoflex-0050 locks
LENGTH = 47e-3  # m
SIZES = (50, 100, 200, 400)
ORDER = 0.95  # first order, towards which it tends from below
APART = 0.03  # of the length, between the two constructions
PRESSURES = (60e3, 20e3, 0.0)  # Pa
FORCE = (0.6, 0.3, -0.3)  # N, in the axes of the base
PLACE = 0.6  # of the length, for a force on the body
TABLE_1 = ((45e3, 35e3, 45e3), (92e3, 87e3, 91e3), (133e3, 138e3, 138e3))  # Pa, of the three regulators
DOCUMENT_RATE = 170.0  # Hz, in MATLAB
NOISE, SEED, SAMPLES = 0.5e-3, 4, 40  # m
SMALL_PRESSURE = 30e3  # Pa
LOAD, POINTS = 0.15, 10  # N, standard deviation of each component; points along the body
MODULI = np.arange(60e3, 181e3, 10e3)  # Pa
EVERY = 20  # samples of the recording: 1 Hz
LAWS = {
    "Hooke": ExtensorLaw(),
    "NH-UNI": ExtensorLaw("neo-hookean", "uni"),
    "NH-NR": ExtensorLaw("neo-hookean", "nr"),
    "G-UNI": ExtensorLaw("gent", "uni"),
    "G-NR": ExtensorLaw("gent", "nr"),
}
BEST = {"Hooke": 130.0, "NH-UNI": 110.0, "NH-NR": 110.0, "G-UNI": 110.0, "G-NR": 120.0}  # kPa, Table 2, without load


def segment(
    module: Module = MASTER,
    length: float = LENGTH,
    law: ExtensorLaw | None = None,
    intervals: int = 100,
    young: float = YOUNG,
) -> ArmSegment:
    """The document's module: the one of the recordings but for its length."""
    return ArmSegment(
        length=length,
        outer_radius=module.outer_radius,
        inner_radius=module.inner_radius,
        chamber_angles=chamber_pairs(np.radians(module.chamber_angles).tolist(), module.split),
        chamber_offset=module.chamber_offset,
        chamber_radius=module.chamber_radius,
        young=young,
        density=module.density,
        limit=LOCKING**2 + 2.0 / LOCKING - 3.0,  # below Eq. 6
        law=law,
        intervals=intervals,
    )


def module_arm(construction: str = "arcs", **words: Any) -> QuasiStaticArm:
    return QuasiStaticArm((segment(**words),), construction)


def measured_arm(law: ExtensorLaw) -> QuasiStaticArm:
    """The module of the recordings with the sensor on its tip."""
    sensor = RigidPiece(MASTER.sensor_length, MASTER.sensor_mass)
    return QuasiStaticArm((segment(length=MASTER.length, law=law, young=MASTER.young, intervals=30), sensor))


def cosserat(pressures: Any, force: Any, place: float = 1.0, gravity: float = 0.0, size: int = 6) -> np.ndarray:
    """Tip (3,) [m] of the same module as a gvs rod with chambers."""
    arm = segment()
    around = {
        "radius": MASTER.chamber_offset,
        "angles": [f"{angle} deg" for angle in MASTER.chamber_angles],
        "split": MASTER.split,
    }
    mass = float(arm.density * arm.area)
    robot = (
        Robot("module")
        .with_gravity([0.0, gravity, 0.0])
        .rod(
            "module",
            length=LENGTH,
            section={
                "given": {
                    "stiffness": np.asarray(arm.stiffness).tolist(),
                    "mass": mass,
                    "rotary": [mass * 1e-5] * 3,  # not used at rest
                    "damping": [0.0] * 6,
                    "radius": MASTER.outer_radius,
                }
            },
            model={"gvs": {"order": size, "pieces": 1}},
        )
        .load("push", where={"link": "module", "at": place}, force=list(force), frame="world")
        .chamber("pair", link="module", radius=MASTER.chamber_radius, around=around, pressure=list(pressures))
    )
    return np.asarray(equilibrium(compile(robot)).position("module"))


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    yield from _against_cosserat(case, clock)
    yield from _constructions(case, clock)
    yield _rate(case, clock)
    rng = np.random.default_rng(SEED)
    pressures = rng.uniform(0.0, SMALL_PRESSURE, (SAMPLES, 3))
    known = _tips(module_arm(intervals=400), pressures) + rng.normal(0.0, NOISE, (SAMPLES, 3))
    synthetic = {name: modulus_map(module_arm(law=law), pressures, known, MODULI) for name, law in LAWS.items()}
    yield from _best(case, "known arm, 130 kPa", synthetic, clock)
    recording = conditioned(data, "NoLoad_conditioned_master.csv")
    within = (recording.time >= NOLOAD_SPAN[0]) & (recording.time <= NOLOAD_SPAN[1])
    driven, tip = recording.pressures[within][::EVERY], recording.tip[within][::EVERY]
    hanging = np.array([0.0, 0.0, MASTER.gravity])
    measured = {
        name: modulus_map(measured_arm(law), driven, tip, MODULI, gravity=hanging) for name, law in LAWS.items()
    }
    yield from _best(case, "recording without load", measured, clock)
    if data.out is not None:
        maps = {"known arm": (pressures, synthetic), "recording": (driven, measured)}
        draw(case, data, maps, _loaded(pressures, rng), MODULI)


def _against_cosserat(case: str, clock: Clock) -> Figures:
    exact = cosserat(PRESSURES, FORCE)
    for construction in ("arcs", "increments"):
        errors = []
        for size in SIZES:
            tip = solve_arm(module_arm(construction, intervals=size), PRESSURES, [ArmLoad(FORCE)]).tip
            errors.append(_distance(tip, exact))
        figure = "tip error against gvs order 6, by intervals, force of 0.73 N on the tip [L]"
        yield order(case, construction, figure, SIZES, errors, ORDER, clock)
        yield shown(case, construction, "the same with 100 intervals [L]", errors[SIZES.index(100)], None, clock)
    tip = solve_arm(module_arm(), PRESSURES, [ArmLoad(FORCE, at=PLACE)]).tip
    figure = f"tip error, 100 intervals, the force at s = {PLACE:g} [L]"
    yield below(case, "arcs", figure, _distance(tip, cosserat(PRESSURES, FORCE, PLACE, size=10)), 2e-3, clock)
    tip = solve_arm(module_arm(), PRESSURES, gravity=[0.0, 9.81, 0.0]).tip
    figure = "tip error, 100 intervals, own weight across [L]"
    yield below(case, "arcs", figure, _distance(tip, cosserat(PRESSURES, (0.0,) * 3, gravity=9.81)), 1e-3, clock)
    tip = solve_arm(module_arm(), PRESSURES).tip
    figure = "tip error, 100 intervals, pressures alone [L]"
    yield below(case, "arcs", figure, _distance(tip, cosserat(PRESSURES, (0.0,) * 3)), 1e-6, clock)


def _constructions(case: str, clock: Clock) -> Figures:
    """The nine stages of Table 1 and the force on the tip: the two constructions beside each other."""
    alone = [np.eye(3)[regulator] * level for level in TABLE_1 for regulator in range(3)]
    arms = {name: module_arm(name) for name in ("arcs", "increments")}
    for what, loads in (("no load", ()), ("force on the tip", (ArmLoad(FORCE),))):
        tips = {name: np.stack([solve_arm(arm, p, loads).tip[:3, 3] for p in alone]) for name, arm in arms.items()}
        apart = np.linalg.norm(tips["arcs"] - tips["increments"], axis=1) / LENGTH
        figure = f"largest distance of the tips of the two, 100 intervals, stages of Table 1, {what} [L]"
        yield below(case, "arcs, increments", figure, float(apart.max()), APART, clock)


def _rate(case: str, clock: Clock) -> Row:
    """Evaluations in a loop inside one compiled function: shape, internal forces and all, load in the tip's axes."""
    arm, rounds = module_arm(), 2000

    @jax.jit
    def loop(force: Array) -> Array:
        def again(_: int, force: Array) -> Array:
            shape = arm_shape(arm, jnp.asarray(PRESSURES), (ArmLoad(force, frame="tip"),))
            return force + 1e-12 * (jnp.sum(shape.pose) + jnp.sum(shape.force) + jnp.sum(shape.moment))

        return jax.lax.fori_loop(0, rounds, again, force)

    jax.block_until_ready(loop(jnp.asarray(FORCE)))
    seconds = []
    for _ in range(5):
        begin = time.perf_counter()
        jax.block_until_ready(loop(jnp.asarray(FORCE)))
        seconds.append(time.perf_counter() - begin)
    figure = "evaluations per second, 100 intervals, compiled loop, beside the document's [1/s]"
    return shown(case, "arcs", figure, rounds / min(seconds), DOCUMENT_RATE, clock)


def _best(case: str, what: str, maps: dict[str, ModulusMap], clock: Clock) -> Figures:
    for name, found in maps.items():
        missing = 100.0 * float(1.0 - found.carried.mean())
        if missing > 0.0:
            figure = f"{what}: samples and moduli that the law cannot carry [%]"
            yield shown(case, name, figure, missing, None, clock)
        if np.isnan(found.best):
            continue
        row = int(np.nanargmin(found.mean_error))
        figure = f"{what}: E of the smallest error, beside Table 2 [kPa]"
        yield shown(case, name, figure, found.best / 1e3, BEST[name], clock)
        yield shown(case, name, f"{what}: mean error there [%]", 100.0 * found.mean_error[row], None, clock)
        yield shown(case, name, f"{what}: smallest R2 of x, y, z there [1]", float(found.r2[row].min()), None, clock)


def _loaded(pressures: np.ndarray, rng: np.random.Generator) -> dict[str, dict[str, np.ndarray]]:
    """Distances (m, n, points) over the length, of points along the body from those of the known arm, under a force in
    the axes of the tip on the tip, and one across the body at PLACE."""
    forces = jnp.asarray(rng.normal(0.0, LOAD, (pressures.shape[0], 3)))

    truth = module_arm(intervals=400)

    def error(where: str, law: ExtensorLaw) -> np.ndarray:
        arm = module_arm(law=law)

        def body(arm: QuasiStaticArm, pressure: Array, force: Array) -> Array:
            load = ArmLoad(force, at=PLACE, frame="body") if "body" in where else ArmLoad(force, frame="tip")
            shape = arm_shape(arm, pressure, (load,))
            place = shape.pose[:: shape.stretch.shape[0] // POINTS, :3, 3][1:]
            return jnp.where(shape.valid, place, jnp.nan)

        def compared(pressure: Array, force: Array) -> Array:
            known = body(truth, pressure, force)
            each = jax.lax.map(lambda young: body(arm.with_young(young), pressure, force), jnp.asarray(MODULI))
            return jnp.linalg.norm(each - known, axis=-1) / LENGTH

        return np.asarray(jax.jit(jax.vmap(compared, out_axes=1))(jnp.asarray(pressures), forces))

    places = ("load on the tip", "load on the body")
    return {where: {name: error(where, law) for name, law in LAWS.items()} for where in places}


def _tips(arm: QuasiStaticArm, pressures: np.ndarray) -> np.ndarray:
    tip = jax.jit(jax.vmap(lambda pressure: arm_shape(arm, pressure).tip[:3, 3]))
    return np.asarray(tip(jnp.asarray(pressures)))


def _distance(tip: Array, exact: np.ndarray) -> float:
    return float(np.linalg.norm(np.asarray(tip)[:3, 3] - exact)) / LENGTH
