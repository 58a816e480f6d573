"""How little friction holds a ball? By bisection in statics, by the forces there, and in motion."""

import jax
import matplotlib.pyplot as plt

import pliant

pliant.configure()
gripper = pliant.compile(pliant.library.load("soft-gripper"))
steps = {"stepper": "generalised-alpha", "step": 2e-3, "save_every": 0.01}
closed = pliant.simulate(gripper, 1.0, **steps)
held = pliant.State(*jax.tree.map(lambda own: own[-1], (closed.q, closed.v, closed.memory)))


def lifted(mu):
    rough = gripper.with_parameters(dict.fromkeys(("contacts.left-grip.friction", "contacts.right-grip.friction"), mu))
    return rough, pliant.quasi_static(rough, [1.0, 2.0], q0=held.q, memory=held.memory, throw=False)


low, high = 0.2, 0.5
while high - low > 2e-4:
    low, high = (low, mu) if lifted(mu := (low + high) / 2)[1].position("ball")[-1, 2] > 0.05 else (mu, high)
pressed, carried = (lifted(high)[1].forces.report[f"left-grip.{own}_force"][-1] for own in ("normal", "tangential"))
print(f"smallest friction that holds: {high:.4f}; a finger carries {carried / pressed:.4f} of what it presses with")
for share, line in ((1.1, "g"), (0.9, "r")):
    run = pliant.simulate(lifted(share * high)[0], 2.6, start=1.0, state=held, **steps)
    print(f"with {share} of it the ball slips at {run.slips('left-grip')}")
    plt.plot(run.time, run.position("ball")[:, 2], line, label=f"with {share} of the smallest friction")
plt.legend(title="height [m] of the ball against time [s]").figure.savefig("grasp.png")
