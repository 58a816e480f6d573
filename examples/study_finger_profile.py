"""Which radii along its fingers let a gripper hold a ball with the weakest pressure? By derivatives through statics."""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import pliant

pliant.configure()
SIDES, HELD, FRICTION, WEIGHT = {"left": -1.0, "right": 1.0}, 2.5, 0.8, 0.05 * 9.81  # when the ball is up [s]; N
CLEARANCE, WALL = 26.7e-3, 4e-3  # of an open finger's skin from the middle, of a chamber's centre from the skin [m]
LOAD_STEPS, MARGIN = 50, 0.02  # of the weight: how much more friction could carry

# The library's gripper with fingers in two halves, so that radii are free at the base, in the middle and at the tip.
robot = pliant.library.load("soft-gripper")
half = {"length": "40 mm", "section": {"circle": {"radius": ["8 mm", "8 mm"]}}}
channel = {"radius": "3 mm", "centre": {"x": ["4 mm", "4 mm"]}}
pressed = {"ease": {"to": "200 kPa", "over": "0.8 s"}}
for side, away in SIDES.items():
    finger = {"name": side, "kind": "rod", "material": "silicone", "allow": ["bend_y"], "divisions": [half, half]}
    turned = [{"y": "180 deg"}, {"z": "180 deg" if away > 0.0 else "0 deg"}]
    place = {"link": "carriage", "offset": {"move": [0, 0, "-20 mm"], "rotate": turned}}
    robot = robot.with_value(
        f"links.{side}", {**finger, "parent": place, "model": {"gvs": {"order": 1, "quadrature": 4}}}
    )
    robot = robot.with_value(f"actuators.{side}-chamber.chamber", {"link": side, "to": 0.5, **channel})
    robot = robot.chamber(f"{side}-end", link=side, from_=0.5, pressure=pressed, **channel)
gripper = pliant.compile(robot)


def made(
    x,
):  # x: radii at base, middle and tip [mm], and the pressure [100 kPa]; chambers keep their depth below the skin
    radius, values = 1e-3 * x[:3], {}
    for side, away in SIDES.items():
        beside = CLEARANCE + 0.2 * radius[1] + 0.8 * radius[2]  # the radius where it touches the ball
        values[f"links.{side}.parent.offset.move"] = jnp.array([away * beside, 0.0, -0.02])
        for k, part in enumerate(("chamber", "end")):
            values[f"links.{side}.divisions.{k + 1}.section.circle.radius"] = radius[k : k + 2]
            values[f"actuators.{side}-{part}.chamber.centre.x"] = radius[k : k + 2] - WALL
            values[f"actuators.{side}-{part}.pressure.ease.to"] = 1e5 * x[3]
    return gripper.with_parameters(values)


first = jnp.array([8.0, 8.0, 8.0, 2.0])
grasped = pliant.quasi_static(made(first), [0.0, 0.4, 0.8, 1.0, 1.5, 2.0, HELD])
start = jax.tree.map(lambda own: own[-1], (grasped.q, grasped.memory))


def reserve(x):  # of friction, over the weight, when fingers and pressure have slowly become those of x
    def load_step(carried, share):
        q, memory = carried
        found = pliant.pure.equilibrium(made(first + share * (x - first)), q, HELD, memory=memory)
        return (found.q, found.memory), found.code

    (q, memory), codes = jax.lax.scan(load_step, start, jnp.linspace(0.0, 1.0, LOAD_STEPS + 1)[1:])
    told = pliant.pure.forces(made(x), q, HELD, memory=memory).report
    spare = [FRICTION * told[f"{side}-grip.normal_force"] - told[f"{side}-grip.tangential_force"] for side in SIDES]
    return sum(spare) / WEIGHT, jnp.max(codes)


slopes = jax.jit(lambda x: (reserve(x), jax.jacfwd(lambda x: reserve(x)[0])(x)))


def weakest(radii):
    """The pressure [100 kPa] that holds the ball, and its slope by the radii: of what keeps the reserve the same."""
    holds = pressure = 2.0
    for _ in range(12):
        (spare, code), slope = slopes(jnp.array([*radii, pressure]))
        if code:  # too weak
            pressure = 0.5 * (holds + pressure)
        else:
            holds, pressure = pressure, pressure - float((spare - MARGIN) / slope[3])
            by_radii = -slope[:3] / slope[3]
        if abs(pressure - holds) < 1e-7:
            break
    return holds, by_radii


best = minimize(weakest, first[:3], jac=True, bounds=[(6.0, 12.0)] * 3, options={"ftol": 1e-6})
figure, axes = plt.subplots(figsize=(5.0, 3.0), layout="constrained")
for word, radii in (("before", first[:3]), ("after", best.x)):
    pressure = weakest(radii)[0]
    print(
        f"{word}: radii of {np.round(radii, 2)} mm at base, middle and tip hold the ball with {100 * pressure:.1f} kPa"
    )
    for share in (1.02, 0.98):  # and so says a grasp of its own, from the floor
        own = made(jnp.array([*radii, share * pressure]))
        height = pliant.quasi_static(own, [0.0, 0.4, 0.8, 1.0, 1.5, 2.0], throw=False).position("ball")[-1, 2]
        print(f"    with {share} of it the ball {'is lifted' if height > 0.05 else 'slips'}")
    axes.plot([0, 40, 80], radii, "o-", label=f"{word}: {100 * pressure:.1f} kPa")
axes.set(xlabel="along the finger from its base [mm]", ylabel="radius [mm]", ylim=(0.0, 13.0))
axes.legend(title="weakest pressure that holds")
figure.savefig("finger_profile.png", dpi=110)
