"""Whole files of every kind that Pliant reads, to be damaged. Nothing is computed for them."""

import functools
import json
import shutil
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

import pliant
from pliant import library
from pliant.description._robot import Robot
from pliant.description.language.grammar import Tree, read_yaml
from pliant.native import _build
from pliant.results import Forces, Names, Scene, Shape, Trajectory, provenance
from pliant.simulation._checkpoint import Checkpoint, SoFar

_ROOT = Path(__file__).resolve().parent.parent
KEY = "0123456789abcdef"  # of the run whose checkpoint is damaged, and of the entry in the cache
# Small robots with what those of the library lack; nothing in them has to be closed or assembled.
_OWN = """\
robot: parts
materials:
  rubber: {young: 1 MPa, poisson: 0.5, density: 1000, viscosity: 100 Pa*s, law: {gent: {stretch_limit: 9}}}
links:
  - {name: base, kind: rigid, mass: 1 kg, shape: {box: [1 cm, 2 cm, 3 cm]}, joint: {cylindrical: {axis: [1, 1, 0]}}}
  - {name: arm, kind: rod, parent: base, length: 100 mm, section: {annulus: {inner: 2 mm, outer: [5 mm, 4 mm]}},
     material: rubber, allow: [bend_x, bend_y, stretch], model: {gvs: {order: {bend_x: 2, bend_y: 1, stretch: 0}}}}
  - {name: tail, kind: rod, parent: {link: arm, at: 0.5}, length: 50 mm, material: rubber, model: {eba: {pieces: 3}},
     section: {rectangle: {width: 3 mm, height: 2 mm}}}
frames:
  - {name: tip, link: arm, at: 1, offset: {move: [0, 0, 1 mm], rotate: [{x: 10 deg}, {y: 20 deg}]}}
  - {name: beyond, link: tip, offset: {move: "[1, 2, 3] mm"}}
loads:
  - {name: push, where: beyond, force: {ramp: {over: 1 s, to: [0, 0, 1]}}}
  - {name: weight, along: {link: arm, from: 0.2, to: 0.8}, force: [0, 0, -1 N/m], frame: body}
actuators:
  - {name: cable, tendon: {link: arm, route: {x: 3 mm, helix: {radius: 2 mm, turns: 1}}}, tension: 3 N, friction: 0.1}
  - {name: pad, chamber: {link: arm, radius: 1 mm, around: {angles: [0, 90 deg], radius: 2 mm}}, pressure: 1 kPa}
  - {name: turn, joint: base, coordinate: angle, force: {sine: {amplitude: 1 mN*m, frequency: 2 Hz}}}
springs:
  - {name: rope, between: [world, {link: base, offset: {move: [1 cm, 0, 0]}}], axial: {stiffness: 1 N/m, acts: tension}}
meshes:
  - {name: net, grid: {size: [10 cm, 10 cm], nodes: [3, 3]}, axial: {stiffness: 10 N/m}, mass: 1 g, fixed: [1-3]}
initial:
  base: {angle: 10 deg, speed: 1 cm/s}
  arm: {bend_x: 1 rad/m}
analyses:
  - statics
  - {modes: {count: 2}}
  - {simulate: {until: 1 s, stepper: newmark, step: 5 ms}}
"""


@functools.cache
def robot_texts() -> tuple[str, ...]:
    """Robot files: those of the library, those of the tests that hold everything, and one of our own."""
    files = [library.path(name) for name in library.names()]
    files += sorted((_ROOT / "tests" / "description" / "whole").glob("*.yaml"))
    return (_OWN, *(file.read_text(encoding="utf-8") for file in files))


@functools.cache
def robot_data() -> tuple[Any, ...]:
    """The same as data."""
    found = (read_yaml(text).data for text in robot_texts())
    return tuple(data for data in found if "urdf" not in data and not _has_mesh(data))


def _has_mesh(data: Any) -> bool:
    """Whether a surface stands in a file beside the robot's."""
    return any("mesh" in surface for surface in data.get("surfaces", ()))


@functools.cache
def robots() -> tuple[Robot, ...]:
    return tuple(Robot._of(Tree(data), "robot.yaml") for data in robot_data())


@functools.cache
def system_texts() -> tuple[str, ...]:
    """Systems of the TMT language."""
    files = sorted((_ROOT / "examples" / "tmt").glob("*.tmt.yaml"))
    return tuple(file.read_text(encoding="utf-8") for file in files)


@functools.cache
def urdf_text() -> str:
    return (library.path("ur-tentacle").parent / "ur-like.urdf").read_text(encoding="utf-8")


NET = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nv 0.5 0.5 1\nf 1 2 3 4\nl 1 5 3\nf -1/1/1 -2/2/2 -3/3/3\n"  # an OBJ file


def motion() -> Trajectory:
    """A motion of a ball with numbers of no meaning."""
    lead, numbers = (4,), np.random.default_rng(0)

    def some(*shape: int) -> Any:
        return jnp.asarray(numbers.normal(size=shape))

    shape = Shape(some(*lead, 0, 4, 4), some(*lead, 0, 6), some(*lead, 1, 4, 4), some(*lead, 2, 4, 4))
    scene = Scene(
        links=("ball",), node_link=(), node_fraction=(), node_round=(), half_width=some(0, 2), body_link=(0,),
        body_shape=("sphere",), body_size=some(1, 3), line_names=(), line_kind=(), line_link=(),
    )  # fmt: skip
    return Trajectory(
        time=jnp.linspace(0.0, 1.0, 4), q=some(4, 2), v=some(4, 2), shape=shape, energy={"kinetic": some(4)},
        forces=Forces({"motor": some(4)}, {"motor": some(4)}, {}, {}), code=jnp.asarray(0), steps=jnp.asarray(9),
        scene=scene, names=Names(("a", "b"), ("a", "b"), ("ball", "tip"), (("motor", "N", "m"),)),
        provenance=provenance({"step": 0.1}, "ball", "none"),
    )  # fmt: skip


def write_result(folder: Path) -> Path:
    return motion().save(folder / "result.nc")


def write_models(folder: Path) -> list[Path]:
    """Saved models of the robots that make one."""
    return [pliant.compile(robot).save(folder / f"{index}.npz") for index, robot in enumerate(robots()[:6])]


def begin() -> SoFar:
    """The beginning of a run of which only the sizes matter."""
    state = (np.arange(3.0), np.zeros((2, 2)), np.asarray(1))
    return SoFar(0, 1, 0, state, None, [state], np.zeros(4))  # type: ignore[arg-type, list-item]


def write_checkpoint(folder: Path) -> Path:
    path, run = folder / "run.npz", begin()
    run.position, run.reached, run.steps = 1, 2, 1
    run.kept.append(tuple(leaf[None] for leaf in run.moving))  # type: ignore[arg-type]
    Checkpoint(path, KEY, every=0.0).save(run)
    return path


def write_entry() -> Path:
    """An entry in the cache of native code; $PLIANT_CACHE says where."""
    return _build.build(KEY, ["int seven(void) { return 7; }\n"]).parent


def write_recording(folder: Path) -> Path:
    path = folder / "tip.csv"
    rows = [f"{0.1 * index},{0.01 * index},0,0,1" for index in range(5)]
    path.write_text("\n".join(["time_s,tip_x_m,tip_y_m,tip_z_m,force", *rows]) + "\n")
    return path


def model_text(path: Path) -> Any:
    """The blueprint in a saved model, as data."""
    from pliant._arrays import read_arrays

    return json.loads(read_arrays(path)["blueprint"].tobytes())


def has_compiler() -> bool:
    return any(shutil.which(name) for name in ("cc", "gcc", "clang"))
