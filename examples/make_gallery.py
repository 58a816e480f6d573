"""Make the films of docs/gallery.md: `python examples/make_gallery.py`, or with names of films, those alone."""

import sys
from pathlib import Path

import pliant

ROBOTS = (
    "soft-gripper",
    "three-finger-gripper",
    "three-finger-gripper-egg",
    "snake",
    "inchworm",
    "post-arm",
    "hole-arm",
    "coiling-rod",
    "catheter",
)
# Robots with other values, by the names of their films.
VARIANTS = {
    "three-finger-gripper-box": (
        "three-finger-gripper",
        {"links.object.shape": {"box": ["40 mm"] * 3}, "initial.object.position": [0, 0, "19.994 mm"]},
    ),
}
FOLDER = Path(__file__).parents[1] / "docs" / "images" / "gallery"


def film(name: str) -> Path:
    """The motion that the robot's file asks for."""
    robot, values = VARIANTS.get(name, (name, {}))
    described = pliant.library.load(robot)
    for path, value in values.items():
        described = described.with_value(path, value)
    model = pliant.compile(described)
    asked = next(analysis for analysis in model.structure.analyses if analysis.kind == "simulate")
    motion = pliant.simulate(
        model, asked.until, stepper=asked.stepper, step=asked.step, save_every=asked.save_every, backend="native"
    )
    return pliant.view.animate_gif(motion, FOLDER / f"{name}.gif", fps=12, size=(360, 270))


if __name__ == "__main__":
    pliant.configure()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or (*ROBOTS, *VARIANTS):
        sys.stdout.write(f"{film(name)}\n")
