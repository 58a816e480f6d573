"""A motion, or a mode that swings, as an animated GIF."""

import io
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from pliant._files import write_bytes
from pliant.results import Modes, Scene
from pliant.view._colours import palette
from pliant.view._geometry import Detail, extent, robot_lines, robot_surface
from pliant.view._mode_shapes import mode_scale, mode_shape
from pliant.view._refine import refine
from pliant.view._render import build_stage, nice_number, render
from pliant.view._samples import Configuration, Motion, samples_of

_MOST_FRAMES = 200
_MOST_BYTES = 2_000_000
_SHORTEST, _LONGEST = 1.0, 8.0  # seconds of film outside of which the motion is slowed down or sped up
_COLOURS = 160
_MODE_AMPLITUDE = 0.15  # largest displacement of a mode, of the robot's size
_MODE_PERIOD = 1.6  # s of film in which a mode swings once


def animate_gif(
    motion: Motion,
    path: str | os.PathLike[str],
    fps: int = 25,
    size: tuple[int, int] = (560, 420),
    speed: float | None = None,
) -> Path:
    """Film ``motion`` and write the GIF, at most 2 MB (long films are made smaller to fit).

    Every picture is a configuration of the result, the nearest in time: a quasi-static sequence steps from stage to
    stage.

    ``size`` is width and height in pixels. ``speed`` is film time over robot time inverted: 0.5 is slow motion; by
    default 1, unless the film would last less than a second or more than eight.
    """
    _refuse_tiny("animate_gif", fps, size)
    motion = refine(motion)
    samples = samples_of(motion)
    duration = float(samples.value[-1] - samples.value[0])
    speed = _default_speed(duration) if speed is None else speed
    count = int(np.clip(round(duration / speed * fps), 1, _MOST_FRAMES))
    times = samples.value[0] + np.arange(count) * (duration / count)
    index = np.searchsorted(samples.value, times, side="right") - 1
    nearer = np.minimum(index + 1, len(samples.value) - 1)
    index = np.where(np.abs(samples.value[nearer] - times) < np.abs(samples.value[index] - times), nearer, index)

    pace = "" if speed == 1 else f"   (speed x{speed:g})"
    digits = 3 if duration < 1 else 2
    captions = [f"t = {samples.value[sample]:.{digits}f} s{pace}" for sample in index]
    configurations = [samples.at(sample) for sample in index]
    frames = _pictures(motion.scene, configurations, captions, samples.points(), size)
    return write_bytes(path, _encoded(frames, round(1000 / fps)))


def animate_mode(
    modes: Modes,
    mode: int,
    path: str | os.PathLike[str],
    fps: int = 25,
    size: tuple[int, int] = (560, 420),
) -> Path:
    """Film one mode (0: the lowest) that swings about the equilibrium, and write the GIF, which repeats itself.

    The amplitude is that of a picture, a share of the robot's size; the pace is the same for every mode.
    """
    _refuse_tiny("animate_mode", fps, size)
    count = len(modes.frequency)
    if not 0 <= mode < count:
        raise ValueError(f"animate_mode: mode={mode}; expected an index into {count} modes")
    modes = refine(modes)
    rest = samples_of(modes).points()
    scale = mode_scale(modes, mode, _MODE_AMPLITUDE * extent(rest))
    quarter = max(1, round(_MODE_PERIOD * fps / 4))
    # From one end to the other; the way back shows the same pictures.
    swing = np.sin(0.5 * np.pi * np.arange(-quarter, quarter + 1) / quarter)
    configurations = [mode_shape(modes, mode, scale * share) for share in swing]
    reached = [configurations[0].points(), configurations[-1].points()]
    caption = _mode_caption(float(modes.frequency[mode]), float(modes.damping_ratio[mode]), mode)
    frames = _pictures(modes.scene, configurations, [caption] * len(swing), np.concatenate([rest, *reached]), size)
    return write_bytes(path, _encoded(frames[quarter:] + frames[-2::-1] + frames[1:quarter], round(1000 / fps)))


def _mode_caption(frequency: float, damping_ratio: float, mode: int) -> str:
    damping = f"   damping ratio {damping_ratio:.3g}" if np.isfinite(damping_ratio) and damping_ratio != 0 else ""
    return f"mode {mode + 1}: {frequency / (2 * np.pi):.4g} Hz{damping}"


def _refuse_tiny(name: str, fps: int, size: tuple[int, int]) -> None:
    if fps < 1 or min(size) < 32:
        raise ValueError(f"{name}: fps={fps}, size={size}; expected fps >= 1 and at least 32 x 32 pixels")


def _pictures(
    scene: Scene,
    configurations: Sequence[Configuration],
    captions: Sequence[str],
    points: np.ndarray,
    size: tuple[int, int],
) -> list[Image.Image]:
    """A picture of every configuration, on a stage that has room for the points (n, 3) [m]."""
    whole = extent(points)
    point_radius = 0.015 * whole
    sizes = (np.asarray(scene.half_width), np.asarray(scene.body_size) / 2, np.full((1, 1), point_radius))
    margin = max(float(array.max(initial=0.0)) for array in sizes)
    stage = build_stage(points, margin, size)
    colours, note = palette(scene), f"grid {1000 * stage.spacing:g} mm"
    return [
        render(
            robot_surface(scene, placed.node, placed.body, point_radius, Detail()),
            robot_lines(scene, placed.line, stage.camera.axes[2], whole),
            colours,
            stage,
            caption,
            note,
        )
        for placed, caption in zip(configurations, captions, strict=True)
    ]


def _default_speed(duration: float) -> float:
    film = np.clip(duration, _SHORTEST, _LONGEST)
    return 1.0 if film == duration or duration == 0 else nice_number(duration / float(film))


def _encoded(frames: list[Image.Image], milliseconds: int) -> bytes:
    """The GIF, scaled down until it fits."""
    scale = 1.0
    while True:
        width, height = (max(32, round(scale * pixels)) for pixels in frames[0].size)
        scaled = frames if scale == 1 else [frame.resize((width, height)) for frame in frames]
        # One palette for the whole film, so that colours do not flicker.
        strip = Image.new("RGB", (width, height * 3))
        for row, frame in enumerate((scaled[0], scaled[len(scaled) // 2], scaled[-1])):
            strip.paste(frame, (0, row * height))
        palette = strip.quantize(_COLOURS)
        indexed = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in scaled]
        buffer = io.BytesIO()
        indexed[0].save(
            buffer, "GIF", save_all=True, append_images=indexed[1:], duration=milliseconds, loop=0, optimize=False
        )
        if buffer.tell() <= _MOST_BYTES or width <= 96:
            return buffer.getvalue()
        scale *= 0.8
