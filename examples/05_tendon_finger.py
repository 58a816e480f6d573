"""A finger pulled by a tendon: by tension, by length, and the tension that puts its tip on a target."""

import numpy as np

import pliant

pliant.configure()

finger = (
    pliant.Robot("finger")
    .material("silicone", young="300 kPa", poisson=0.45, density=1070)
    .rod("finger", length="100 mm", section={"circle": {"radius": ["8 mm", "5 mm"]}}, material="silicone",
         parent={"link": "world", "offset": {"rotate": {"x": "180 deg"}}}, allow=["bend_x", "bend_y", "stretch"])
)  # fmt: skip
pulled = pliant.compile(finger.tendon("flexor", link="finger", y=["6 mm", "3 mm"], tension="2 N"))
rest = pliant.equilibrium(pulled)
length = float(rest.forces.travel["flexor"])
print(f"2 N shorten the tendon to {1000 * length:.3f} mm; the tip is at {1000 * rest.position('finger').round(5)} mm")

reeled = pliant.compile(finger.tendon("flexor", link="finger", y=["6 mm", "3 mm"], length=length))
same = pliant.equilibrium(reeled)
print(f"reeled in to that length it carries {float(same.forces.effort['flexor']):.6f} N")
assert np.allclose(same.position("finger"), rest.position("finger"), atol=1e-9)

wanted = pliant.equilibrium(pulled, inputs={"flexor": 3.0}).position("finger")
found = pliant.inverse_kinematics(pulled, {"finger": wanted})
print(f"{found.inputs['flexor']:.6f} N bring the tip to {1000 * wanted.round(5)} mm")
