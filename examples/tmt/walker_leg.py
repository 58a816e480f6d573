"""A passive leg in the TMT language: hip and knee with springs, and a knee stop that acts on one side."""

import numpy as np

import pliant
from pliant import configure, tmt

configure()

leg = tmt.System("leg")
leg.world.g = [0, 0, -9.81]
for number, (mass, length) in enumerate([(0.5, 0.25), (0.3, 0.25)], start=1):
    leg.body(number).m = mass
    leg.body(number).I = mass * length**2 / 12 * np.diag([1, 1, 0.01])
    leg.body(number).l.com = [0, 0, -length / 2]
    leg.joint(number).first, leg.joint(number).second = number - 1, number
leg.joint(1).tr.rot = [2, tmt.inf]
leg.joint(1).dof.init, leg.joint(1).dof.spring.coeff, leg.joint(1).dof.damp.visc = -0.6, 0.4, 0.01
leg.joint(2).tr(1).trans = [0, 0, -0.25]
leg.joint(2).tr(2).rot = [2, tmt.inf]
# The knee bends one way; below zero it meets a stiff stop.
leg.joint(2).dof.init, leg.joint(2).dof.spring.coeff, leg.joint(2).dof.damp.visc = 0.8, 60.0, 0.3
leg.joint(2).dof.dir = -1
# A rope from hip to shank pulls when the knee bends far.
leg.joint(3).second = 2
leg.joint(3).tr.trans, leg.joint(3).tr2nd.trans = [-0.05, 0, 0], [-0.02, 0, -0.05]
leg.joint(3).spring.coeff, leg.joint(3).spring.init, leg.joint(3).damp.visc, leg.joint(3).dir = 300.0, 0.29, 1.0, 1

model = pliant.compile(leg.robot())
motion = pliant.simulate(model, 2.0, stepper="newmark", step=2e-3, save_every=1e-2)
hip, knee = np.degrees(np.asarray(motion.q).T)
print(f"the hip swings from {hip.min():.1f} to {hip.max():.1f} degrees; the knee bends to {knee.max():.1f} and is "
      f"stopped at {knee.min():.1f}")  # fmt: skip
held = [pliant.energy(model, q, v) for q, v in ((motion.q[0], motion.v[0]), (motion.q[-1], motion.v[-1]))]
print(f"energy falls from {held[0]['total']:.4f} to {held[1]['total']:.4f} J")
pliant.view.plot_path(motion, "body2-tip").savefig("walker-leg.png")
