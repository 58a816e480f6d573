"""How little friction holds a ball? Found in statics, compared with the balance of forces, and tried in motion."""

import matplotlib.pyplot as plt
import numpy as np

import pliant

pliant.configure()

grips, heights = ("left-grip", "right-grip"), np.linspace(1.0, 1.4, 9)  # s: lifted off the floor within
gripper = pliant.compile(pliant.library.load("soft-gripper"))
closed = pliant.simulate(gripper, 1.0, stepper="generalised-alpha", step=1e-3, save_every=0.1)
held = pliant.State(*(pliant.results.last(part) for part in (closed.q, closed.v, closed.memory)))
