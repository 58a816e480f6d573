"""A force of your own: a spring from the tip of an arm to a point in the world."""

import dataclasses

import jax.numpy as jnp

import pliant

pliant.configure()


@dataclasses.dataclass(frozen=True)
class Spring(pliant.Force):
    stiffness: float = 5.0  # N/m; float fields become parameters, here extra.spring.stiffness

    def wrenches(self, numbers, at):
        pose = at.pose("tip")
        pull = numbers["stiffness"] * (jnp.array([0.3, 0.0, 0.1]) - pose[:3, 3])
        return {"tip": jnp.concatenate([jnp.zeros(3), pose[:3, :3].T @ pull])}  # [moment; force] in the frame


robot = pliant.library.load("silicone-arm").with_value("links.arm.model", {"pcs": {"pieces": 2}})
model = pliant.compile(robot, extra=[Spring("spring")])
for stiffness in (1.0, 5.0, 10.0):
    rest = pliant.equilibrium(model.with_parameters({"extra.spring.stiffness": stiffness}))
    print(f"{stiffness:4.1f} N/m: the tip hangs at z = {1000 * rest.position('tip')[2]:.1f} mm")
