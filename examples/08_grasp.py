"""How little friction holds a ball? By bisection in statics, by the balance of forces, and in motion."""

import jax
import matplotlib.pyplot as plt
import numpy as np

import pliant

pliant.configure()
gripper = pliant.compile(pliant.library.load("soft-gripper"))
steps = {"stepper": "generalised-alpha", "step": 2e-3, "save_every": 0.01}
closed = pliant.simulate(gripper, 1.0, **steps)
held = pliant.State(*jax.tree.map(lambda own: own[-1], (closed.q, closed.v, closed.memory)))


def lifted(mu):  # in statics, off the floor
    return pliant.quasi_static(rough(mu), [1.0, 1.5, 2.0], q0=held.q, memory=held.memory, throw=False)


def rough(mu):
    return gripper.with_parameters({f"contacts.{side}-grip.friction": mu for side in ("left", "right")})


low, high = 0.2, 0.5
while high - low > 2e-4:
    middle = 0.5 * (low + high)
    low, high = (middle, high) if lifted(middle).code[-1] else (low, middle)
rest = lifted(high)
normal, across = rest.forces.report["left-grip.normal_force"][-1], (rest.position("left") - rest.position("ball"))[-1]
below = np.arctan2(-across[2], -across[0])  # where the finger touches, from the ball's equator
print(f"smallest friction {high:.4f}; by the forces {(0.05 * 9.81 / (2 * normal) - np.sin(below)) / np.cos(below):.4f}")
for share in (1.1, 0.9):
    motion = pliant.simulate(rough(share * high), 2.6, start=1.0, state=held, **steps)
    height = 1000 * motion.position("ball")[:, 2]
    print(f"{share} of it: the ball ends at {height[-1]:.2f} mm; slips {motion.slips('left-grip')}")
    plt.plot(motion.time, height, label=f"{share} of the smallest friction")
plt.xlabel("time [s]"), plt.ylabel("height of the ball [mm]"), plt.legend(), plt.savefig("grasp.png")
