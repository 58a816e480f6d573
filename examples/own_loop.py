"""A loop of your own: a controller written in plain Python steps a tendon arm at 100 Hz, in native code; then the
gradient of the final tip by every sample of the inputs, through the same steps, with a closed loop in the robot."""

import time

import jax
import jax.numpy as jnp
import numpy as np

import pliant

pliant.configure()

PERIOD, SAMPLES = 0.01, 100  # s

arm = (
    pliant.Robot("tendon-arm")
    .material("silicone", young="300 kPa", poisson=0.45, density=1070, viscosity="300 Pa*s")
    .rod(
        "arm",
        length="300 mm",
        section={"circle": {"radius": ["12 mm", "8 mm"]}},
        material="silicone",
        allow=["bend_x", "bend_y", "twist", "shear_x", "shear_y", "stretch"],
        model={"pcs": {"pieces": 3}},
    )
    .tendon("left", link="arm", x="8 mm", tension=0)
    .tendon("right", link="arm", x="-8 mm", tension=0)
)
model = pliant.compile(arm)
stepper = pliant.Stepper(model, "newmark", PERIOD, backend="native")
now = stepper.begin()
now = stepper.step(now, {"left": 0.0, "right": 0.0})  # builds the native code, or finds it
goal, summed, seconds = 0.05, 0.0, []
for _ in range(SAMPLES):
    tip = np.asarray(pliant.forward_kinematics(model, now.q)["arm"])[0, 3]  # along world x [m]
    summed += PERIOD * (goal - tip)
    pull = 2.0 * (goal - tip) + 15.0 * summed  # N: an ordinary PI controller
    begun = time.perf_counter()
    now = stepper.step(now, {"left": max(pull, 0.0), "right": max(-pull, 0.0)})
    seconds.append(time.perf_counter() - begun)
    if now.code != pliant.ResultCode.SUCCESS:
        raise SystemExit(f"the step at {float(now.time):.2f} s failed")
print(f"{model.nv} degrees of freedom, {1e3 * np.median(seconds):.3f} ms a step; the tip is at {1e3 * tip:.2f} mm")

# The tip of a smaller arm slides along a wall: the same steps, closed loop included, as a function of all inputs.
planar = arm.with_value("links.arm.allow", ["bend_y", "stretch"]).with_value("links.arm.model", {"pcs": {"pieces": 2}})
walled = pliant.compile(
    planar.constraint("wall", between=["world", {"link": "arm", "at": 1}], fix=["x"], frame="first")
)
by_hand = pliant.Stepper(walled, "newmark", PERIOD, newton_tolerance=1e-12)
begin = by_hand.begin(inputs={"left": 0.0})


@jax.jit
def final_tip(tensions):
    def advance(now, tension):
        return by_hand.step(now, {"left": tension}), None

    last, _ = jax.lax.scan(jax.checkpoint(advance), begin, tensions)
    return pliant.forward_kinematics(walled, last.q)["arm"][2, 3]


tensions = jnp.linspace(0.1, 1.0, 10)
gradient = jax.jit(jax.grad(final_tip))(tensions)
differences = [
    (final_tip(tensions.at[k].add(1e-4)) - final_tip(tensions.at[k].add(-1e-4))) / 2e-4 for k in range(len(tensions))
]
error = np.abs(np.asarray(gradient) - np.asarray(differences)).max() / np.abs(gradient).max()
print("d(final tip)/d(tension) [mm/N]:", np.array2string(1e3 * np.asarray(gradient), precision=3))
print(f"against differences: {error:.1e} of the largest")
assert error < 1e-6
