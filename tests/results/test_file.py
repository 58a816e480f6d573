"""Files: what is saved is what is loaded, and a file is complete or absent."""

import dataclasses
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray

from little_room import little_room
from pliant._files import WriteError, seal
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

    def write_half(self, content):
        with self.open("wb") as file:
            file.write(content[:10])
        raise OSError("disk full")

    monkeypatch.setattr(type(path), "write_bytes", write_half)
    with pytest.raises(OSError, match=r"result\.nc: cannot be written \(disk full\)"):
        trajectory.save(path)
    with pytest.raises(OSError, match="disk full"):
        trajectory.save(tmp_path / "new.nc")
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.nc"]


@pytest.mark.parametrize("size", [500, 5000, 30_000])
def test_a_disk_without_room_is_one_sentence(trajectory, tmp_path, size):
    path = trajectory.save(tmp_path / "result.nc")
    before = path.read_bytes()
    assert len(before) > size
    with little_room(size), pytest.raises(WriteError) as ended:
        trajectory.save(path)
    assert str(ended.value).startswith(f"{path}: cannot be written (") and "\n" not in str(ended.value)
    assert path.read_bytes() == before and [entry.name for entry in tmp_path.iterdir()] == ["result.nc"]


def test_missing_file(tmp_path):
    with pytest.raises(ResultFileError, match=r"nothing\.nc: there is no such file; expected a NetCDF file"):
        load_result(tmp_path / "nothing.nc")
    with pytest.raises(ResultFileError, match="this is a folder; expected a NetCDF file"):
        load_result(tmp_path)


def test_file_that_is_not_netcdf(tmp_path):
    path = tmp_path / "robot.nc"
    path.write_text("robot: finger")
    with pytest.raises(ResultFileError, match=r"robot\.nc: it is too short"):
        load_result(path)
    seal(path)
    with pytest.raises(ResultFileError, match=r"robot\.nc: it cannot be read"):
        load_result(path)


def test_truncated_file(trajectory, tmp_path):
    path = trajectory.save(tmp_path / "result.nc")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(ResultFileError, match=r"result\.nc: it does not end with a seal of Pliant: it was cut short"):
        load_result(path)


_DAMAGED = """
import sys
from pathlib import Path
from random import Random
from pliant.results import ResultFileError, load_result

path, random = Path(sys.argv[1]), Random(0)
whole = path.read_bytes()
for index in range(400):
    place, kind = random.randrange(len(whole)), index % 4
    wrong = random.randbytes(8) if kind < 2 else bytes(8)
    path.write_bytes(whole[:place] if kind == 3 else whole[:place] + wrong + whole[place + 8 :])
    if path.read_bytes() == whole:
        continue
    try:
        load_result(path)
    except ResultFileError as error:
        assert str(error).startswith(str(path)) and chr(10) not in str(error)
    else:
        raise AssertionError("a damaged file was read")
"""


def test_no_damaged_file_is_read_or_spins_for_ever(trajectory, tmp_path):
    """HDF5 may spin for ever in a file that is damaged: such a file does not get that far."""
    path = trajectory.save(tmp_path / "result.nc")
    subprocess.run([sys.executable, "-c", _DAMAGED, str(path)], check=True, timeout=120)


def test_foreign_netcdf(tmp_path):
    path = tmp_path / "weather.nc"
    xarray.Dataset({"rain": ("day", [1.0, 2.0])}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(ResultFileError, match=r"weather\.nc: .*another program wrote it"):
        load_result(path)
    seal(path)
    with pytest.raises(ResultFileError, match=r"weather\.nc: it has no 'pliant_result' attribute"):
        load_result(path)


def test_other_programs_read_a_result(trajectory, tmp_path):
    """The seal stands behind the NetCDF file."""
    with xarray.open_dataset(trajectory.save(tmp_path / "result.nc"), engine="h5netcdf") as dataset:
        np.testing.assert_array_equal(dataset["q"].values, trajectory.q)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda dataset: dataset.assign_attrs(pliant_result="Dream"),
            "kind 'Dream'.*Equilibrium, LoadPath, QuasiStatic",
        ),
        (lambda dataset: dataset.assign_attrs(pliant_format=99), "its format is 99"),
        (lambda dataset: dataset.assign_attrs(pliant_format=2), "its format is 2, this version reads format"),
        (lambda dataset: dataset.assign_attrs(pliant_format="five"), "its format is five, this version reads format"),
        (lambda dataset: dataset.drop_vars("q"), "incomplete or damaged"),
        (lambda dataset: dataset.assign_attrs(provenance="{"), "incomplete or damaged"),
        (lambda dataset: dataset.assign_attrs(provenance="[]"), "its provenance is no record"),
        (lambda dataset: dataset.isel(actuator=slice(0, 1)).drop_vars("actuator_effort"), "incomplete or damaged"),
        (lambda dataset: dataset.assign(q=("x", ["a", "b"])), "incomplete or damaged"),
    ],
)
def test_damaged_result(trajectory, tmp_path, change, expected):
    path = tmp_path / "result.nc"
    change(trajectory.to_xarray()).to_netcdf(path, engine="h5netcdf")
    seal(path)
    with pytest.raises(ResultFileError, match=expected):
        load_result(path)
