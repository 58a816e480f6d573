"""A robot from the library, held by a load and let go; the motion becomes a GIF."""

from pathlib import Path

import pliant

pliant.configure()

robot = pliant.library.load("silicone-arm").with_value("links.arm.model", {"pcs": {"pieces": 3}})
model = pliant.compile(robot)
held = pliant.equilibrium(model)
motion = pliant.simulate(
    model,
    until=2.0,
    state=pliant.State(held.q, 0 * model.initial_state().v),
    inputs={"pull.force": [0.0, 0.0, 0.0]},  # the load is gone
    stepper="newmark",
    step=4e-3,
    save_every=20e-3,
)
print(f"the tip came to {1000 * motion.position('tip')[-1].round(4)} mm")

folder = Path("runs") / "release"
folder.mkdir(parents=True, exist_ok=True)
print(f"wrote {pliant.view.animate_gif(motion, folder / 'release.gif')}")
