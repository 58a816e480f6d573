"""A motion as an animated GIF."""

import io
import os
from pathlib import Path

import numpy as np
from PIL import Image

from pliant.view._colours import link_colours
from pliant.view._files import write_atomically
from pliant.view._geometry import Detail, extent, robot_surface
from pliant.view._render import build_stage, nice_number, render
from pliant.view._samples import Motion, samples_of

_MOST_FRAMES = 200
_MOST_BYTES = 2_000_000
_SHORTEST, _LONGEST = 1.0, 8.0  # seconds of film outside of which the motion is slowed down or sped up
_COLOURS = 160


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
    if fps < 1 or min(size) < 32:
        raise ValueError(f"animate_gif: fps={fps}, size={size}; expected fps >= 1 and at least 32 x 32 pixels")
    samples = samples_of(motion)
    duration = float(samples.value[-1] - samples.value[0])
    speed = _default_speed(duration) if speed is None else speed
    count = int(np.clip(round(duration / speed * fps), 1, _MOST_FRAMES))
    times = samples.value[0] + np.arange(count) * (duration / count)
    index = np.searchsorted(samples.value, times, side="right") - 1
    nearer = np.minimum(index + 1, len(samples.value) - 1)
    index = np.where(np.abs(samples.value[nearer] - times) < np.abs(samples.value[index] - times), nearer, index)

    points, scene = samples.points(), motion.scene
    point_radius = 0.015 * extent(points)
    sizes = (np.asarray(scene.half_width), np.asarray(scene.body_size) / 2, np.full((1, 1), point_radius))
    margin = max(float(array.max(initial=0.0)) for array in sizes)
    stage = build_stage(points, margin, size)
    colours = link_colours(scene)
    pace = "" if speed == 1 else f"   (speed x{speed:g})"
    frames = []
    for sample in index:
        surface = robot_surface(scene, samples.node[sample], samples.body[sample], point_radius, Detail())
        caption = f"t = {samples.value[sample]:.{3 if duration < 1 else 2}f} s"
        frames.append(render(surface, colours, stage, caption + pace, f"grid {1000 * stage.spacing:g} mm"))
    return write_atomically(path, _encoded(frames, round(1000 / fps)))


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
