"""A plate on three soft legs, closed by ball joints: a parallel robot, pushed sideways."""

import numpy as np

import pliant

pliant.configure()

robot = (
    pliant.Robot("platform")
    .material("rubber", young="20 MPa", poisson=0.45, density=1100)
    .rigid("plate", mass="0.3 kg", shape={"cylinder": {"radius": "80 mm", "length": "8 mm"}}, joint="free")
    .initial("plate", position=[0, 0, "150 mm"])
    .load("push", where="plate", force=[2, 0, 0])
)
for k, angle in enumerate(np.radians([90, 210, 330]), start=1):
    foot = {"move": [0.07 * np.cos(angle), 0.07 * np.sin(angle), 0.0]}
    robot = robot.rod(
        f"leg-{k}", parent={"link": "world", "offset": foot}, length="150 mm", material="rubber",
        section={"circle": {"radius": "6 mm"}}, model={"gvs": {"order": 1}}, allow=["bend_x", "bend_y", "stretch"],
    )  # fmt: skip
    robot = robot.constraint(f"ball-{k}", between=[f"leg-{k}", {"link": "plate", "offset": foot}], joint="spherical")
model = pliant.compile(robot)
print(pliant.mobility(model))
for force in (0.0, 1.0, 2.0):
    rest = pliant.equilibrium(model, inputs={"push.force": [force, 0.0, 0.0]})
    print(f"pushed with {force} N, the plate is at {1000 * rest.position('plate').round(5)} mm")
print("forces of the balls on the plate [N]:")
print({name: np.asarray(wrench)[3:].round(3).tolist() for name, wrench in rest.forces.reaction.items()})
