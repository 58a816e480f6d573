"""A ball in the TMT language: it is thrown along x onto a soft floor, which pushes along z only."""

import numpy as np

import pliant
from pliant import configure, tmt

configure()

mass, stiffness, damping = 0.1, 4000.0, 0.6
system = tmt.System("ball")
system.world.g = [0, 0, -9.81]
system.body(1).m = mass
system.joint(1).second = 1
system.joint(1).tr(1).trans = [tmt.inf, 0, tmt.inf]
system.joint(1).dof(2).init = 0.3
# The floor: a beam from the ground whose only stiffness is along z, and which only pushes (dir -1).
system.joint(2).second = 1
system.joint(2).spring.coeff = [0, 0, stiffness, 0, 0, 0]
system.joint(2).damp.visc = [0, 0, damping, 0, 0, 0]
system.joint(2).dir = [0, 0, -1]

robot = system.robot().initial("body1-dof1", speed=0.5)
motion = pliant.simulate(pliant.compile(robot), 2.0, stepper="rk4", step=2e-4, save_every=2e-3)
x, height = np.asarray(motion.q).T
tops = height[1:-1][(height[1:-1] > height[:-2]) & (height[1:-1] >= height[2:])]
touching = np.flatnonzero(height < 0)
first = np.split(touching, np.flatnonzero(np.diff(touching) > 1) + 1)[0]
print(f"tops after each bounce: {np.round(tops[:4], 3)} m; it slides {x[-1]:.3f} m")
print(f"first contact {2e-3 * len(first):.3f} s, half a period is {np.pi * np.sqrt(mass / stiffness):.3f} s")
assert np.all(np.diff(tops) < 0) and np.isclose(x[-1], 1.0)

pliant.view.plot_path(motion, "body1").savefig("bouncing-ball.png")
