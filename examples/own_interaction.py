"""A force of your own from its energy: a magnet at the tip of a catheter, near a dipole that stands in the world.

Forces and moments are derived from the energy; the current in the coil is an input, the field at the magnet is reported
with the results, and a line between the two is drawn."""

import dataclasses
from pathlib import Path

import jax.numpy as jnp

import pliant
from pliant.interactions import Drawing, Port

pliant.configure()

PERMEABILITY = 1.25663706e-6  # N/A^2, of the vacuum
COIL = (0.08, 0.0, 0.12)  # m: where the coil stands


@dataclasses.dataclass(frozen=True)
class Magnet(pliant.Force):
    """A permanent magnet along z of the frame `tip`, in the field of a coil along world x."""

    moment: float = 0.05  # A m^2: float fields become parameters, here extra.magnet.moment
    turns_area: float = 0.5  # m^2: turns of the coil times its area

    @property
    def ports(self):
        return (Port("coil.current", (), "A", "current in the coil", low=-20.0, high=20.0),)

    @property
    def reported(self):
        return {"magnet.field": "T", "magnet.distance": "m"}

    @property
    def drawings(self):
        return (Drawing("line", self.name, "magnet", ("tip", COIL), value="magnet.field"),)

    def _field(self, numbers, at):
        """Field of the coil, a dipole, where the magnet is [T], and how far that is [m]."""
        apart = at.pose("tip")[:3, 3] - jnp.array(COIL)
        distance = jnp.linalg.norm(apart)
        along = apart / distance
        dipole = numbers["turns_area"] * at.input("coil.current") * jnp.array([1.0, 0.0, 0.0])
        return PERMEABILITY / (4 * jnp.pi * distance**3) * (3 * along * (along @ dipole) - dipole), distance

    def energy(self, numbers, at):
        field, _ = self._field(numbers, at)
        return -numbers["moment"] * at.pose("tip")[:3, 2] @ field

    def report(self, numbers, at):
        field, distance = self._field(numbers, at)
        return {"magnet.field": jnp.linalg.norm(field), "magnet.distance": distance}


catheter = (
    pliant.Robot("catheter")
    .material("silicone", young="200 kPa", poisson=0.45, density=1070, viscosity="200 Pa*s")
    .rod(
        "catheter",
        length="100 mm",
        section={"circle": {"radius": "1.5 mm"}},
        material="silicone",
        allow=["bend_x", "bend_y"],
        model={"pcs": {"pieces": 2}},
    )
    .frame("tip", link="catheter", at=1)
)
model = pliant.compile(catheter, extra=[Magnet("magnet")])
for current in (0.0, 5.0, 10.0):
    rest = pliant.equilibrium(model, inputs={"coil.current": current})
    field = float(rest.forces.report["magnet.field"])
    print(f"{current:4.1f} A: {1e3 * field:.3f} mT, the tip is at x = {1e3 * float(rest.position('tip')[0]):.2f} mm")
print("drawn:", ", ".join(rest.scene.line_names))
picture = Path("runs/own_interaction.png")
picture.parent.mkdir(exist_ok=True)
pliant.view.plot_shape(rest).savefig(picture)
print(f"the picture is {picture}")
