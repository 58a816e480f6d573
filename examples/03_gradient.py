"""How far does the tip move when the silicone gets stiffer? Differentiate through the equilibrium."""

import jax

import pliant

pliant.configure()

robot = pliant.library.load("silicone-arm").with_value("links.arm.model", {"pcs": {"pieces": 2}})
model = pliant.compile(robot)
start = pliant.equilibrium(model).q


def tip_height(young):
    changed = model.with_parameters({"materials.silicone.young": young})
    found = pliant.pure.equilibrium(changed, start)
    return pliant.forward_kinematics(changed, found.q)["tip"][2, 3]


young, step = 400e3, 1e3
height, slope = jax.jit(jax.value_and_grad(tip_height))(young)
difference = (tip_height(young + step) - tip_height(young - step)) / (2 * step)
print(f"tip height {1000 * height:.2f} mm at E = 400 kPa")
print(f"d(height)/dE = {1e6 * slope:.6f} mm/kPa; by finite differences {1e6 * difference:.6f} mm/kPa")
