"""Results pass through jit, vmap and grad."""

import dataclasses
import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.results import Scene


def test_vmap_over_a_function_that_returns_a_trajectory(trajectory):
    def solve(speed):
        return dataclasses.replace(trajectory, q=speed * trajectory.q, time=trajectory.time / speed, provenance="")

    speeds = jnp.array([1.0, 2.0, 4.0])
    batch = jax.jit(jax.vmap(solve))(speeds)
    assert type(batch) is type(trajectory)
    assert batch.q.shape == (3, *trajectory.q.shape)
    assert batch.scene.links == trajectory.scene.links
    assert batch.position("pulp").shape == (3, trajectory.time.size, 3)
    member = jax.tree.map(lambda leaf: leaf[1], batch)
    np.testing.assert_allclose(member.q, 2.0 * trajectory.q)


def test_grad_through_a_result(modes):
    def stiffened(factor):
        return dataclasses.replace(modes, frequency=jnp.sqrt(factor) * modes.frequency)

    slope = jax.grad(lambda factor: stiffened(factor).frequency[0])(4.0)
    np.testing.assert_allclose(slope, modes.frequency[0] / 4)


def test_frames_by_name(result):
    np.testing.assert_array_equal(result.position("nail"), result.frame("nail")[..., :3, 3])
    np.testing.assert_array_equal(result.frame("nail"), result.shape.frame_pose[..., 1, :, :])
    with pytest.raises(ValueError, match="no frame named 'elbow'; frames: pulp, nail"):
        result.frame("elbow")


def test_summary_is_plain_json(result):
    summary = result.summary()
    json.dumps(summary, allow_nan=False)
    assert summary["kind"] == type(result).__name__
    assert summary["robot"] == "synthetic"
    assert set(summary["frames"]) == set(result.names.frames)
    assert list(summary["tips"]) == ["finger"]
    assert list(summary["bodies"]) == ["base", "nail"]
    assert isinstance(summary["message"], str)


def test_summary_of_modes_has_hertz_and_radians(modes):
    summary = modes.summary()
    assert summary["frequency_Hz"][0] == pytest.approx(1.0)
    assert summary["frequency_rad_per_s"][1] == 31.0


def test_summary_reports_the_last_shape_and_the_failed_points(trajectory, load_path):
    np.testing.assert_array_equal(trajectory.summary()["frames"]["pulp"], trajectory.position("pulp")[-1])
    assert load_path.summary()["code"] == 2
    assert load_path.summary()["failed_points"] == 1
    assert load_path.summary()["largest_residual"] is None


def test_summary_of_a_quasi_static_sequence_has_its_stages(quasi_static):
    stages = quasi_static.summary()["stages"]
    assert [stage["time_s"] for stage in stages] == [0.0, 0.5, 2.0]
    assert [stage["code"] for stage in stages] == [0, 2, 0] and stages[1]["residual"] is None
    np.testing.assert_array_equal(stages[1]["frames"]["nail"], quasi_static.position("nail")[1])
    assert stages[2]["effort"] == {name: float(series[2]) for name, series in quasi_static.forces.effort.items()}
    np.testing.assert_array_equal(stages[0]["reaction"]["loop"], quasi_static.forces.reaction["loop"][0])


def test_summary_refuses_a_batch(result):
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), result)
    with pytest.raises(ValueError, match="not a batch"):
        batch.summary()


def test_rods_of_a_scene(trajectory):
    assert trajectory.scene.rods() == {"finger": slice(0, 4)}


def test_divisions_belong_to_one_rod(trajectory):
    scene = dataclasses.replace(
        trajectory.scene, links=("base", "finger/1", "nail", "finger/2", "thumb"), node_link=(1, 1, 3, 4)
    )
    assert scene.whole_rods() == {"finger": (slice(0, 2), slice(2, 3)), "thumb": (slice(3, 4),)}
    tips = dataclasses.replace(trajectory, scene=scene).summary()["tips"]
    np.testing.assert_array_equal(tips["finger"], trajectory.shape.node_pose[-1, 2, :3, 3])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"node_fraction": (0.0,)}, "one entry for every node"),
        ({"body_link": (0,)}, "one entry for every body"),
        ({"body_link": (0, 3)}, "outside the 3 links"),
        ({"body_shape": ("box", "cone")}, "unknown body shape .'cone'.; expected one of box"),
        ({"line_kind": ("mesh",)}, "one entry for every mesh and spring"),
        ({"line_link": (0, 2)}, "outside the 2 meshes and springs"),
    ],
)
def test_scene_checks_its_lists(trajectory, change, expected):
    fields = {field.name: getattr(trajectory.scene, field.name) for field in dataclasses.fields(Scene)}
    with pytest.raises(ValueError, match=expected):
        Scene(**(fields | change))


def test_import_needs_no_xarray():
    code = (
        "import sys, pliant.results; sys.exit(any(name in sys.modules for name in ('xarray', 'h5netcdf', 'pydantic')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
