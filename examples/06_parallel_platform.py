"""A plate on three soft legs, closed by ball joints: a parallel robot, pushed sideways, then let go."""

import numpy as np

import pliant

robot = (
    pliant.Robot("platform")
    .material("rubber", young="20 MPa", poisson=0.45, density=1100, viscosity="20 kPa*s")
    .rigid("plate", mass="0.3 kg", shape={"cylinder": {"radius": "80 mm", "length": "8 mm"}}, joint="free")
    .initial("plate", position=[0, 0, "150 mm"])
    .load("push", where="plate", force=[2, 0, 0])
)
for k, angle in enumerate(np.radians([90, 210, 330]), start=1):
    foot = [0.07 * np.cos(angle), 0.07 * np.sin(angle), 0.0]
    robot = robot.rod(
        f"leg-{k}", parent={"link": "world", "offset": {"move": foot}}, length="150 mm", material="rubber",
        section={"circle": {"radius": "6 mm"}}, model={"gvs": {"order": 1}}, allow=["bend_x", "bend_y", "stretch"],
    ).constraint(f"ball-{k}", between=[f"leg-{k}", {"link": "plate", "offset": {"move": foot}}], joint="spherical")  # fmt: skip
model = pliant.compile(robot)
print(pliant.mobility(model))
rest = pliant.equilibrium(model)
print(f"pushed, the plate is at {1000 * rest.position('plate').round(5)} mm; forces of the balls on it [N]:")
print({name: np.asarray(wrench)[3:].round(3).tolist() for name, wrench in rest.forces.reaction.items()})
start = pliant.State(rest.q, np.zeros(model.nv))
free = {"push.force": [0.0, 0.0, 0.0]}
motion = pliant.simulate(model, 0.5, state=start, inputs=free, stepper="newmark", step=5e-3, save_every=0.05)
print(f"let go, it swings to {1000 * motion.position('plate')[-1].round(5)} mm")
