"""A hanging silicone tentacle pulled by two tendons, against motion capture (data/tentacle_mocap).

Young's modulus and density are fitted to one recording of each tendon alone; the other recordings are predicted. What
the recordings do not say is the authors' own (tud-phi/soromox, examples/system_identification): tendons 60 degrees to
either side of local x, 11.4 mm from the axis at the base and 29.5 mm/m less along it, tied where the slender end
begins; markers on stalks; the base beside its marker; gravity along the axis.

`identify` over all six recordings agrees: gravity is 0.3 +- 0.9 degrees from the axis, and tendon offsets fitted freely
stay within 2.3 standard errors of the authors'. Those errors are 20 %, since tension times offset bends against
stiffness and weight: scaling all three together changes almost nothing.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis import equilibrium_configuration
from pliant.description import Robot
from pliant.dynamics import forward_kinematics
from pliant.model import Model, compile
from pliant.optimisation import identify
from pliant.validation._case import Clock, Data, Figures, below

PULLEY = 0.0325  # m
TORQUES = {  # N m, of the motors of the two tendons
    "m1_u01": (0.1, 0.0),
    "m1_u02": (0.2, 0.0),
    "m2_u015": (0.0, 0.15),
    "m12_u001": (0.1, 0.1),
    "m12_u002": (0.2, 0.2),
    "m12_u002001": (0.2, 0.1),
}
FITTED = ("m1_u02", "m2_u015")  # each tendon alone
LENGTHS = (0.305, 0.055)  # m
LENGTH = sum(LENGTHS)
TENDON_ANGLE = np.deg2rad(60.0)  # from local x, to either side
TENDON_OFFSET = np.array([0.0114, 0.0114 - 0.0295 * LENGTHS[0]])  # m, base and end
MARKERS = {  # m along the rod, and from it in local axes
    "marker-1": (0.1291, (0.025, 0.0, 0.0)),
    "marker-2": (0.2195, (-0.021, 0.0, 0.0)),
    "marker-3": (0.2800, (0.020, 0.0, 0.0)),
    "marker-4": (LENGTH, (0.0, 0.0, 0.008)),
}
BASE_FROM_MARKER = np.array([-0.030, 0.0, -0.013])  # m
NOMINAL = {"young": 505e3, "density": 1500.0}
# Of the authors' own model (9 degrees of freedom) with 315 kPa and 1318 kg/m^3, which they fitted to their eight
# recordings of one tendon alone.
PUBLISHED_RMSE = (11.3, 18.4, 19.2, 35.6)  # mm


def robot() -> Robot:
    """Hanging along z, which points down."""
    x, y = TENDON_OFFSET * np.cos(TENDON_ANGLE), TENDON_OFFSET * np.sin(TENDON_ANGLE)
    tied = LENGTHS[0] / LENGTH
    built = (
        Robot("tentacle")
        .with_gravity([0, 0, 9.81])
        .material("silicone", poisson=0.45, **NOMINAL)
        .rod(
            "tentacle",
            material="silicone",
            allow=["bend_x", "bend_y", "twist", "stretch"],
            divisions=[
                {
                    "length": LENGTHS[0],
                    "section": {"circle": {"radius": ["15.41 mm", "6.42 mm"]}},
                    "model": {"gvs": {"order": 4}},
                },
                {
                    "length": LENGTHS[1],
                    "section": {"circle": {"radius": ["6.42 mm", "4.80 mm"]}},
                    "model": {"gvs": {"order": 1}},
                },
            ],
        )
        .tendon("t1", link="tentacle", route={"to": tied, "x": x, "y": -y}, tension=0.0)
        .tendon("t2", link="tentacle", route={"to": tied, "x": x, "y": y}, tension=0.0)
    )
    for name, (s, offset) in MARKERS.items():
        built = built.frame(name, link="tentacle", at=s / LENGTH, offset={"move": list(offset)})
    return built


def marker_places(table: np.ndarray) -> np.ndarray:
    """(4, 3) mean places of the four markers on the body, base to tip, from the base.

    The recordings have y down; the rod's axes x, y, z are their x, -z, y. Markers come in no fixed order: the base
    marker is the topmost, the others follow in the order of the shortest path through all of them.
    """
    recorded = table[:, 2:].mean(axis=0).reshape(5, 3)
    places = np.stack([recorded[:, 0], -recorded[:, 2], recorded[:, 1]], axis=1)
    base, *rest = places[np.argsort(places[:, 2])]
    paths = [np.array([base, *path]) for path in itertools.permutations(rest)]
    shortest = min(paths, key=lambda path: np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    return shortest[1:] - (base + BASE_FROM_MARKER)


def markers(model: Model) -> tuple[Array, Array]:
    """Places (n, 4, 3) of the markers in the n recordings, and the codes of the n solves."""

    def one(tension: Array) -> tuple[Array, Array]:
        inputs = {"t1": tension[0], "t2": tension[1]}
        rest = equilibrium_configuration(model, model.neutral(), 0.0, inputs)
        poses = forward_kinematics(model, rest.q)
        return jnp.array([poses[name][:3, 3] for name in MARKERS]), rest.code

    return jax.vmap(one)(jnp.array(list(TORQUES.values())) / PULLEY)


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    tables = [np.loadtxt(data.file(f"tentacle_mocap/{name}.csv"), delimiter=",") for name in TORQUES]
    places = np.array([marker_places(table) for table in tables])
    fit = identify(
        compile(robot()),
        markers,
        places,
        over={f"materials.silicone.{name}": (0.2 * value, 5.0 * value) for name, value in NOMINAL.items()},
        weights=np.array([name in FITTED for name in TORQUES])[:, None, None],
    )
    young, density = fit.parameters.values()
    label = f"gvs order 4 and 1; fitted {young / 1e3:.0f} kPa, {density:.0f} kg/m^3"
    others = [index for index, name in enumerate(TORQUES) if name not in FITTED]
    distances = np.linalg.norm(fit.residuals[others], axis=2) * 1e3
    for marker, error, limit in zip(MARKERS, np.sqrt(np.mean(distances**2, axis=0)), PUBLISHED_RMSE, strict=True):
        figure = f"{marker}, rms distance over the {len(others)} recordings not fitted [mm]"
        yield below(case, label, figure, float(error), limit, clock)
