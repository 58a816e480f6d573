"""A rigid arm from a URDF file with a soft tentacle on its tool flange, reaching for a point."""

import pliant

pliant.configure()

arm = pliant.Robot.from_urdf(pliant.library.path("ur-tentacle").with_name("ur-like.urdf"), drive="motion")
robot = (
    arm.material("silicone", young="200 kPa", poisson=0.45, density=1070, viscosity="500 Pa*s")
    .rod("tentacle", parent="tool0", length="250 mm", section={"circle": {"radius": ["15 mm", "6 mm"]}},
         material="silicone", allow=["bend_x", "bend_y"], model={"gvs": {"order": 2}})
    .tendon("up", link="tentacle", y=["12 mm", "4 mm"], tension=0)
)  # fmt: skip
model = pliant.compile(robot)
print(f"{model.nv} degrees of freedom, inputs {', '.join(model.actuator_names)}")
pose = {"upper_arm": -1.2, "forearm": 1.4, "wrist_1": -1.77, "wrist_2": -1.57, "up": 1.0}  # the flange looks down
rest = pliant.equilibrium(model, inputs=pose)
print(f"at this pose the tip of the tentacle hangs at {1000 * rest.position('tentacle').round(4)} mm")
wanted = rest.position("tentacle") + 0.03
found = pliant.inverse_kinematics(model, {"tentacle": wanted}, start=pose, q0=rest.q)
print(f"to reach {1000 * wanted.round(4)} mm: " + ", ".join(f"{k} {float(v):.3f}" for k, v in found.inputs.items()))
