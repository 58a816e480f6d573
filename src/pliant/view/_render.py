"""A small shaded 3-D renderer: faces and lines sorted by depth and drawn by Pillow.

Chosen over matplotlib's 3-D axes because it is an order of magnitude faster and casts a shadow on the ground.
"""

from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from pliant.view._colours import BACKGROUND, GRID, INK, SHADOW, Palette
from pliant.view._geometry import Lines, Surface

_SMOOTHING = 2  # pixels are drawn this many times finer and averaged
_FIELD_OF_VIEW = np.deg2rad(28.0)
_ELEVATION = np.deg2rad(18.0)
_FILL = 0.86  # of the picture by the robot
_GRID_CELLS = 10  # on the ground, each way
_LINE_WIDTH = 280  # lines that would fill the height of a picture, side by side
_HAZE = 0.45  # of the background in the colour of the farthest line


class Camera(NamedTuple):
    """Rows of ``axes`` are right, up and backward in the world; ``focal`` in image heights."""

    eye: np.ndarray
    axes: np.ndarray
    focal: float

    def project(self, points: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """World points (..., 3) [m] to pixels (..., 2) and distance (...) [m]."""
        local = (points - self.eye) @ self.axes.T
        depth = -local[..., 2]
        scale = self.focal * size[1] / np.maximum(depth, 1e-9)
        pixel = np.stack([size[0] / 2 + scale * local[..., 0], size[1] / 2 - scale * local[..., 1]], axis=-1)
        return pixel, depth


class Stage(NamedTuple):
    """What does not move: camera, light (unit vector to it), ground height [m], grid spacing [m], its picture."""

    camera: Camera
    light: np.ndarray
    ground: float
    spacing: float
    backdrop: Image.Image


def build_stage(points: np.ndarray, margin: float, size: tuple[int, int]) -> Stage:
    """A stage that shows all points (n, 3) [m] with a body of half size ``margin`` [m] around each."""
    azimuth = _side_view(points) + np.deg2rad(28.0)
    backward = np.array(
        [np.cos(_ELEVATION) * np.cos(azimuth), np.cos(_ELEVATION) * np.sin(azimuth), np.sin(_ELEVATION)]
    )
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    axes = np.stack([right, np.cross(backward, right), backward])
    local = points @ axes.T
    middle = (local.min(axis=0) + local.max(axis=0)) / 2
    focal = 0.5 / np.tan(_FIELD_OF_VIEW / 2)
    reach = (np.abs(local - middle)[:, :2] + margin) * np.array([size[1] / size[0], 1.0])
    distance = float(np.max(local[:, 2] - middle[2] + focal * reach.max(axis=1) / (0.5 * _FILL)))
    centre = middle @ axes
    camera = Camera(centre + distance * backward, axes, focal)
    light = -0.5 * axes[0] + 0.75 * axes[2] + np.array([0.0, 0.0, 0.8])
    spacing = nice_number(distance / (2 * focal * _GRID_CELLS))
    ground = float(points[:, 2].min() - margin)
    backdrop = _backdrop(camera, centre, ground, spacing, (size[0] * _SMOOTHING, size[1] * _SMOOTHING))
    return Stage(camera, light / np.linalg.norm(light), ground, spacing, backdrop)


def render(surface: Surface, lines: Lines, colours: Palette, stage: Stage, caption: str, note: str) -> Image.Image:
    """One picture; ``caption`` stands top left, ``note`` bottom left."""
    picture = stage.backdrop.copy()
    _cast_shadow(picture, surface.quads, lines.segments, stage)
    draw = ImageDraw.Draw(picture)
    normal = np.cross(surface.quads[:, 2] - surface.quads[:, 0], surface.quads[:, 3] - surface.quads[:, 1])
    length = np.linalg.norm(normal, axis=1)
    middle = surface.quads.mean(axis=1)
    towards_eye = stage.camera.eye - middle
    towards_eye /= np.linalg.norm(towards_eye, axis=1, keepdims=True)
    visible = (length > 0) & (np.einsum("ij,ij->i", normal, towards_eye) > 0)
    normal = normal[visible] / length[visible, None]
    pixels, depth = stage.camera.project(surface.quads[visible], picture.size)
    tones = _shade(normal, towards_eye[visible], stage.light, colours.link[surface.link[visible]])
    line_pixels, line_depth = stage.camera.project(lines.segments, picture.size)
    line_depth = line_depth.mean(axis=1)
    line_tones, width = _hazy(colours.line[lines.owner], line_depth), max(1, picture.height // _LINE_WIDTH)
    faces = len(depth)
    for item in np.argsort(-np.concatenate([depth.mean(axis=1), line_depth])):
        if item < faces:
            tone = tuple(tones[item])
            # The outline closes the hairline gaps that anti-aliasing would show between faces.
            draw.polygon([tuple(corner) for corner in pixels[item]], fill=tone, outline=tone)
        else:
            line = item - faces
            draw.line([tuple(end) for end in line_pixels[line]], fill=tuple(line_tones[line]), width=width)
    picture = picture.resize((picture.width // _SMOOTHING, picture.height // _SMOOTHING), Image.Resampling.BOX)
    draw = ImageDraw.Draw(picture)
    font_size = max(11, picture.height // 24)
    draw.text((12, 8), caption, fill=INK, font=ImageFont.load_default(font_size))
    small = ImageFont.load_default(max(10, picture.height // 34))
    draw.text((12, picture.height - 8), note, fill=(120, 128, 140), font=small, anchor="ls")
    return picture


def nice_number(value: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(min((factor * power for factor in (1, 2, 5, 10)), key=lambda nice: abs(np.log(nice / value))))


def _side_view(points: np.ndarray) -> float:
    """The azimuth [rad] from which the points spread widest: square to their main horizontal direction."""
    spread = points[:, :2] - points[:, :2].mean(axis=0)
    moments = spread.T @ spread
    if np.trace(moments) == 0:
        return np.deg2rad(-90.0)
    main = np.linalg.eigh(moments)[1][:, -1]
    azimuth = float(np.arctan2(-main[0], main[1]))
    return azimuth if azimuth <= 0 else azimuth - np.pi  # the front of the two: seen from negative y


def _shade(normal: np.ndarray, towards_eye: np.ndarray, light: np.ndarray, colours: np.ndarray) -> np.ndarray:
    """Colours 0..255 (n, 3): diffuse and sky light, and a soft highlight (Blinn)."""
    diffuse = np.maximum(normal @ light, 0.0)
    sky = 0.5 + 0.5 * normal[:, 2]
    half = towards_eye + light
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    highlight = np.maximum(np.einsum("ij,ij->i", normal, half), 0.0) ** 40
    rim = (1.0 - np.maximum(np.einsum("ij,ij->i", normal, towards_eye), 0.0)) ** 3
    lit = colours * (0.40 + 0.52 * diffuse + 0.22 * sky)[:, None] + (0.28 * highlight + 0.10 * rim)[:, None]
    return (255 * np.clip(lit, 0.0, 1.0)).astype(int)


def _hazy(colours: np.ndarray, depth: np.ndarray) -> np.ndarray:
    """Colours 0..255 (n, 3) of lines, fading towards the background with the depth (n,): lines have no shade."""
    near, span = depth.min(initial=np.inf), np.ptp(depth) if len(depth) else 0.0
    haze = _HAZE * ((depth - near) / span if span > 0 else np.zeros_like(depth))[:, None]
    return ((1 - haze) * 255 * colours + haze * np.array(BACKGROUND)).astype(int)


def _cast_shadow(picture: Image.Image, quads: np.ndarray, segments: np.ndarray, stage: Stage) -> None:
    mask = Image.new("L", (picture.width // 2, picture.height // 2), 0)
    draw = ImageDraw.Draw(mask)

    def fallen(points: np.ndarray) -> np.ndarray:
        drop = points - ((points[..., 2] - stage.ground) / stage.light[2])[..., None] * stage.light
        return stage.camera.project(drop, mask.size)[0]

    for corners in fallen(quads):
        draw.polygon([tuple(corner) for corner in corners], fill=150, outline=150)
    for ends in fallen(segments):
        draw.line([tuple(end) for end in ends], fill=150, width=2)
    mask = mask.filter(ImageFilter.GaussianBlur(mask.height / 90)).resize(picture.size)
    picture.paste(Image.new("RGB", picture.size, SHADOW), mask=mask)


def _backdrop(camera: Camera, centre: np.ndarray, ground: float, spacing: float, size: tuple[int, int]) -> Image.Image:
    """The ground with its grid, fading out with the distance from the centre."""
    picture = Image.new("RGB", size, BACKGROUND)
    draw = ImageDraw.Draw(picture)
    origin = np.round(centre[:2] / spacing) * spacing
    reach = _GRID_CELLS
    background, grid = np.array(BACKGROUND), np.array(GRID)
    for offset in range(-reach, reach + 1):
        for along in range(-reach, reach):
            fade = np.hypot(offset, along + 0.5) / reach
            if fade >= 1:
                continue
            tone = tuple((grid + (background - grid) * fade**2).astype(int))
            for start, end in (((offset, along), (offset, along + 1)), ((along, offset), (along + 1, offset))):
                ends = [np.append(origin + spacing * np.array(corner), ground) for corner in (start, end)]
                pixels, depth = camera.project(np.stack(ends), size)
                if (depth > 0).all():
                    draw.line([tuple(pixel) for pixel in pixels], fill=tone, width=max(2, size[1] // 400))
    return picture
