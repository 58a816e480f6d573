"""Make the inside of the tube of the library's catheter: python examples/make_catheter_tube.py

A channel of radius 4 mm in millimetres: straight along z, a quarter turn of radius 50 mm towards x, straight again; its
ends are closed. The robot file gives the scale.
"""

import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent.parent / "src/pliant/library/robots/catheter-tube.stl"
RADIUS, BEND, STRAIGHT, BEHIND, BEYOND = 4.0, 50.0, 120.0, 10.0, 40.0  # mm
AROUND, TURN = 24, 24  # facets


def rings() -> np.ndarray:
    """(rings, AROUND, 3) places around the channel, from its beginning to its end."""
    angles = np.linspace(0.0, 0.5 * np.pi, TURN + 1)
    centres = np.stack([BEND * (1.0 - np.cos(angles)), STRAIGHT + BEND * np.sin(angles)], axis=1)
    centres = np.concatenate([[[0.0, -BEHIND]], centres, [[BEND + BEYOND, STRAIGHT + BEND]]])
    angles = np.concatenate([[0.0], angles, [0.5 * np.pi]])
    turn = np.arange(AROUND) * 2.0 * np.pi / AROUND
    across = RADIUS * np.cos(turn)
    places = [
        np.stack([x + across * np.cos(a), RADIUS * np.sin(turn), z - across * np.sin(a)], axis=1)
        for (x, z), a in zip(centres, angles, strict=True)
    ]
    return np.array(places)


def triangles() -> np.ndarray:
    """(n, 3, 3) corners, in order seen from outside of the channel."""
    here = rings()
    after = np.roll(here, -1, axis=1)
    sides = [
        np.stack(corners, axis=2).reshape(-1, 3, 3)
        for corners in ((here[:-1], after[:-1], after[1:]), (here[:-1], after[1:], here[1:]))
    ]
    first, last = (np.broadcast_to(ring.mean(axis=0), ring.shape) for ring in (here[0], here[-1]))
    ends = [np.stack([first, after[0], here[0]], axis=1), np.stack([last, here[-1], after[-1]], axis=1)]
    return np.concatenate([*sides, *ends])


def write_stl(path: Path, corners: np.ndarray) -> None:
    """Binary STL."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    facets = np.zeros(len(corners), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("none", "<u2")])
    facets["normal"], facets["corners"] = normal, corners
    path.write_bytes(bytes(80) + np.uint32(len(facets)).tobytes() + facets.tobytes())


if __name__ == "__main__":
    write_stl(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE, triangles())
