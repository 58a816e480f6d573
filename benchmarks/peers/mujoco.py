"""MuJoCo on the problems of the suite `contact`: `python -m peers.mujoco pinch 1e-3`.

Elliptic cones, Newton's method, implicit steps, friction ten times as stiff as the normal (its setting against slip).
"""

import sys

import mujoco
import numpy as np

from harness.contact_problems import HELD, PINCH, SLIPS
from harness.timing import report, steady

_PINCH = f"""
<mujoco>
  <option timestep="{{step}}" gravity="0 0 0" cone="elliptic" impratio="10" solver="Newton" integrator="implicitfast"/>
  <default><geom friction="{PINCH.friction} 0 0" condim="3"/></default>
  <worldbody>
    <body name="ball">
      <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 1 0"/>
      <geom type="sphere" size="{PINCH.radius}" mass="{PINCH.mass}"/>
    </body>
    <body name="left" pos="{-PINCH.radius - 0.5 * PINCH.pad} 0 0">
      <joint type="slide" axis="1 0 0"/>
      <geom type="box" size="{0.5 * PINCH.pad} {0.5 * PINCH.pad_size} {0.5 * PINCH.pad_size}" mass="{PINCH.pad_mass}"/>
    </body>
    <body name="right" pos="{PINCH.radius + 0.5 * PINCH.pad} 0 0">
      <joint type="slide" axis="1 0 0"/>
      <geom type="box" size="{0.5 * PINCH.pad} {0.5 * PINCH.pad_size} {0.5 * PINCH.pad_size}" mass="{PINCH.pad_mass}"/>
    </body>
  </worldbody>
</mujoco>
"""


def _pinch(step: float, share: float, until: float) -> np.ndarray:
    """(n,) heights of the ball after each step."""
    model = mujoco.MjModel.from_xml_string(_PINCH.format(step=step))
    data = mujoco.MjData(model)
    ball, left, right = (model.body(name).id for name in ("ball", "left", "right"))
    force = share * PINCH.least
    data.xfrc_applied[left, 0], data.xfrc_applied[right, 0] = force, -force
    heights = np.zeros(round(until / step))
    for index in range(len(heights)):
        data.xfrc_applied[ball, 2] = -PINCH.weight(data.time)
        mujoco.mj_step(model, data)
        heights[index] = data.qpos[1]
    return heights


def pinch(step: float) -> None:
    held = _pinch(step, HELD, PINCH.until)
    exact = PINCH.fall(SLIPS)
    report(
        time=steady(lambda: _pinch(step, HELD, PINCH.until)),
        drift=float(np.ptp(held[-round(PINCH.watched / step) :])),
        slip_error=float(abs(-_pinch(step, SLIPS, PINCH.slips_until)[-1] - exact) / exact),
        steps=len(held),
    )


if __name__ == "__main__":
    {"pinch": pinch}[sys.argv[1]](float(sys.argv[2]))
