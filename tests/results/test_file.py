"""Files: what is saved is what is loaded, and a file is complete or absent."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray

from pliant.results import Forces, Names, ResultFileError, Shape, load_result


def assert_same(one, other) -> None:
    leaves, structure = jax.tree.flatten(one)
    other_leaves, other_structure = jax.tree.flatten(other)
    assert structure == other_structure  # static fields too: scene, names, provenance
    for leaf, other_leaf in zip(leaves, other_leaves, strict=True):
        assert leaf.dtype == other_leaf.dtype
        assert leaf.shape == other_leaf.shape
        assert np.asarray(leaf).tobytes() == np.asarray(other_leaf).tobytes()


def test_round_trip_is_exact(result, tmp_path):
    path = result.save(tmp_path / "result.nc")
    loaded = load_result(path)
    assert type(loaded) is type(result)
    assert_same(loaded, result)
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.nc"]


def test_round_trip_of_a_batch(trajectory, tmp_path):
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf, 2 * leaf]), trajectory)
    assert_same(load_result(batch.save(tmp_path / "batch.nc")), batch)
    assert batch.to_xarray()["q"].dims == ("batch", "time", "coordinate")


def test_round_trip_without_rods_frames_lines_and_energy(trajectory, tmp_path):
    samples = trajectory.time.size
    nothing = dict.fromkeys(("node_link", "node_fraction", "node_round", "line_names", "line_kind", "line_link"), ())
    scene = dataclasses.replace(trajectory.scene, **nothing, half_width=jnp.zeros((0, 2)))
    empty = dataclasses.replace(
        trajectory,
        scene=scene,
        names=Names(trajectory.names.coordinates, trajectory.names.velocities, ()),
        energy={},
        forces=Forces({}, {}, {}, {}),
        shape=Shape(
            jnp.zeros((samples, 0, 4, 4)),
            jnp.zeros((samples, 0, 6)),
            trajectory.shape.body_pose,
            jnp.zeros((samples, 0, 4, 4)),
        ),
        provenance="",
    )
    assert_same(load_result(empty.save(tmp_path / "empty.nc")), empty)


def test_save_replaces_an_older_file(modes, trajectory, tmp_path):
    path = tmp_path / "result.nc"
    modes.save(path)
    trajectory.save(str(path))
    assert_same(load_result(str(path)), trajectory)


def test_failed_write_leaves_the_old_file_and_nothing_else(trajectory, tmp_path, monkeypatch):
    path = trajectory.save(tmp_path / "result.nc")
    before = path.read_bytes()

    def write_half(self, target, **_):
        target.write_bytes(b"half a file")
        raise OSError("disk full")

    monkeypatch.setattr(xarray.Dataset, "to_netcdf", write_half)
    with pytest.raises(OSError, match="disk full"):
        trajectory.save(path)
    with pytest.raises(OSError, match="disk full"):
        trajectory.save(tmp_path / "new.nc")
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.nc"]


def test_missing_file(tmp_path):
    with pytest.raises(ResultFileError, match=r"nothing\.nc: no such file; expected a NetCDF file"):
        load_result(tmp_path / "nothing.nc")


def test_file_that_is_not_netcdf(tmp_path):
    path = tmp_path / "robot.nc"
    path.write_text("robot: finger")
    with pytest.raises(ResultFileError, match=r"robot\.nc: it cannot be read"):
        load_result(path)


def test_truncated_file(trajectory, tmp_path):
    path = trajectory.save(tmp_path / "result.nc")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(ResultFileError, match=r"result\.nc"):
        load_result(path)


def test_foreign_netcdf(tmp_path):
    path = tmp_path / "weather.nc"
    xarray.Dataset({"rain": ("day", [1.0, 2.0])}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(ResultFileError, match=r"weather\.nc: it has no 'pliant_result' attribute"):
        load_result(path)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda dataset: dataset.assign_attrs(pliant_result="Dream"),
            "kind 'Dream'.*Equilibrium, LoadPath, QuasiStatic",
        ),
        (lambda dataset: dataset.assign_attrs(pliant_format=99), "its format is 99"),
        (lambda dataset: dataset.assign_attrs(pliant_format=2), "its format is 2, this version reads format"),
        (lambda dataset: dataset.drop_vars("q"), "incomplete or damaged"),
    ],
)
def test_damaged_result(trajectory, tmp_path, change, expected):
    path = tmp_path / "result.nc"
    change(trajectory.to_xarray()).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(ResultFileError, match=expected):
        load_result(path)
