"""Which radii of the fingers lift the ball with the weakest pressure? By derivatives through the motion that grasps."""

import jax
import matplotlib.pyplot as plt
from scipy.optimize import minimize

import pliant

pliant.configure()
gripper = pliant.compile(pliant.library.load("soft-gripper"))


def lifted(x):  # radii at base and tip [cm], with chambers 1 mm below the skin, and a pressure [100 kPa]
    values = {}
    for side in ("left", "right"):
        values[f"links.{side}.section.circle.radius"] = 0.01 * x[:2]
        values[f"actuators.{side}-chamber.chamber.centre.x"] = 0.01 * x[:2] - 4e-3
        values |= {f"actuators.{side}-chamber.pressure.ease.{k}": own for k, own in (("to", 1e5 * x[2]), ("over", 0.2))}
    height = pliant.pure.simulate(gripper.with_parameters(values), 300, 1e-3).q[-1, 6] - 0.02
    return (jax.numpy.where(height < 0.0, height / 24.6e-6, height / 1e-3),) * 2  # of the ball's weight, or in mm


slopes = jax.jit(jax.jacfwd(lifted, has_aux=True))
holds = {"type": "ineq", "fun": lambda x: float(slopes(x)[1]) + 0.05, "jac": lambda x: slopes(x)[0].tolist()}
for bounds in ([(1.0, 1.0), (0.7, 0.7), (0.2, 4.0)], [(0.8, 1.4), (0.7, 1.3), (0.2, 4.0)]):
    best = minimize(lambda x: (x[2], [0.0, 0.0, 1.0]), [1.0, 0.7, 1.5], jac=True, bounds=bounds, constraints=holds)
    print(f"{100 * best.x[2]:.1f} kPa hold the ball with radii of {10 * best.x[:2]} mm at base and tip: {best.message}")
    plt.plot([0, 80], 10 * best.x[:2], label=f"{100 * best.x[2]:.1f} kPa")
plt.legend(title="radius [mm] along the finger [mm]").figure.savefig("finger_profile.png")
