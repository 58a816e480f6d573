"""A spider's web in the TMT language: threads that only pull, hung from six twigs, and a fly that drops in."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import pliant

pliant.configure()
arms, rings = 6, 3
spokes = [np.array([np.cos(angle), np.sin(angle), 0]) for angle in np.arange(arms) * 2 * np.pi / arms]
places = [np.zeros(3), *(0.04 * ring * spoke for ring in range(1, rings + 2) for spoke in spokes)]
node = lambda ring, arm: 2 + arms * (ring - 1) + arm % arms if ring else 1  # noqa: E731
lines = [(node(ring - 1, arm), node(ring, arm)) for ring in range(1, rings + 2) for arm in range(arms)]
lines += [(node(ring, arm), node(ring, arm + 1)) for ring in range(1, rings + 1) for arm in range(arms)]
text = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in places] + [f"l {first} {second}" for first, second in lines]
Path("web.obj").write_text("\n".join(text), encoding="utf-8")

web = pliant.tmt.System("web")
web.mesh.file_name = "web.obj"  # nodes where one line ends are fixed: the six twigs
web.mesh.body.m = 1e-5
web.mesh.joint(1).tr.trans = [pliant.tmt.inf, pliant.tmt.inf, pliant.tmt.inf]
web.mesh.joint(2).spring.coeff, web.mesh.joint(2).damp.visc = 2.0, 0.02
web.mesh.joint(2).spring.init, web.mesh.joint(2).spring.compr = pliant.tmt.nan, 0.9  # drawn tight
web.mesh.joint(2).dir = 1
web.exload(1).exbody = 1
web.exload(1).ftau = {"step": {"at": 0.1, "to": [0, 0, -9.81 * 2e-4]}}
motion = pliant.simulate(pliant.compile(web.robot()), 0.5, stepper="newmark", step=5e-4, save_every=5e-3)
sag = -1000 * np.asarray(motion.q)[:, 2]
print(f"a fly of 0.2 g: the hub sinks {sag.max():.1f} mm and swings about {sag[-50:].mean():.1f} mm")

now = np.array(places)
now[:-arms] += np.asarray(motion.q)[-1].reshape(-1, 3)  # a net's coordinates are how far its nodes have moved
figure = Figure()
axes = figure.add_subplot(projection="3d")
for first, second in lines:
    axes.plot(*np.transpose([now[first - 1], now[second - 1]]), "k-", linewidth=0.8)
figure.savefig("spider-web.png")
