"""TMTDyn's high-level language: systems of bodies, joints, a mesh and loads, lowered to robots of Pliant.

    from pliant import tmt

    ball = tmt.System("ball")
    ball.body(1).m = 0.1
    ball.joint(1).second = 1
    ball.joint(1).tr(1).trans = [tmt.inf, 0, tmt.inf]
    model = pliant.compile(ball.robot())

See docs/tmt-language.md.
"""

from math import inf, nan

from pliant.description.formats.tmt import SUFFIXES, System, load, sym

__all__ = ["SUFFIXES", "System", "inf", "load", "nan", "sym"]
