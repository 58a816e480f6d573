"""A silicone arm built in Python: where does it hang?"""

from pathlib import Path

import pliant

pliant.configure()  # keeps compiled programs, so that a second run starts at once

arm = (
    pliant.Robot("first-arm")
    .material("silicone", young="400 kPa", poisson=0.5, density=1070)
    .rod(
        "arm",
        parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},  # out of a wall, along world x
        length="300 mm",
        section={"circle": {"radius": ["20 mm", "10 mm"]}},
        material="silicone",
        allow=["bend_x", "bend_y"],
        model={"pcs": {"pieces": 4}},
    )
    .frame("tip", link="arm", at=1)
)
rest = pliant.equilibrium(pliant.compile(arm))
x, y, z = 1000 * rest.position("tip")
print(f"the tip hangs at ({x:.1f}, {y:.1f}, {z:.1f}) mm")

for picture in pliant.view.save_plots(rest, Path("runs") / "first-arm"):
    print(f"wrote {picture}")
