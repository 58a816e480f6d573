"""The labelled dataset: names, units, provenance."""

import dataclasses
import json

import numpy as np


def test_every_variable_has_units_and_a_long_name(result):
    for name, variable in result.to_xarray().variables.items():
        assert variable.attrs.get("units"), name
        assert variable.attrs.get("long_name"), name


def test_units_and_labels(trajectory):
    dataset = trajectory.to_xarray()
    assert dataset["time"].attrs["units"] == "s"
    assert dataset["energy_kinetic"].attrs == {"units": "J", "long_name": "kinetic energy"}
    tip = dataset["node_pose"].isel(time=-1, node=-1, column=3)[:3]
    np.testing.assert_array_equal(tip, trajectory.shape.node_pose[-1, -1, :3, 3])
    np.testing.assert_array_equal(dataset["frame_pose"].sel(frame="nail", time=0.0), trajectory.frame("nail")[0])
    assert list(dataset["component"].values) == ["bend_x", "bend_y", "twist", "shear_x", "shear_y", "stretch"]


def test_lines(trajectory):
    dataset = trajectory.to_xarray()
    assert dataset["line_ends"].dims == ("time", "line", "end", "axis") and dataset["line_ends"].attrs["units"] == "m"
    thread = list(dataset["line_name"].values).index("thread")
    (line,) = np.flatnonzero(dataset["line_link"] == thread)
    np.testing.assert_array_equal(dataset["line_ends"].isel(line=line), trajectory.shape.line_ends[:, 3])


def test_every_actuator_has_its_own_unit(trajectory):
    dataset = trajectory.to_xarray()
    units = {name: dataset[name].attrs["units"] for name in ("effort_pad", "travel_pad", "far_end_flexor")}
    assert units == {"effort_pad": "Pa", "travel_pad": "m^3", "far_end_flexor": "N"}
    unknown = dataclasses.replace(trajectory, names=dataclasses.replace(trajectory.names, actuators=()))
    assert unknown.to_xarray()["effort_pad"].attrs["units"].startswith("N (tendon), Pa (chamber)")


def test_frequencies_are_labelled_in_rad_per_s(modes):
    assert modes.to_xarray()["frequency"].attrs["units"] == "rad/s"


def test_complex_numbers_are_stored_in_two_parts(modes):
    stored = modes.to_xarray()["eigenvalues"]
    assert stored.dims == ("eigenvalue", "part") and stored.attrs["units"] == "1/s"
    np.testing.assert_array_equal(stored.sel(part="imaginary"), modes.eigenvalues.imag)


def test_provenance_is_in_the_attributes(result):
    attributes = result.to_xarray().attrs
    assert attributes["pliant_result"] == type(result).__name__
    assert attributes["robot"] == "synthetic"
    assert attributes["description_hash"] == "sha256:abc"
    record = json.loads(attributes["provenance"])
    assert set(record["versions"]) == {"pliant", "jax", "numpy", "python"}
    assert record["settings"] == {"step": 0.004, "tolerances": [1e-9, 1e-6]}
    assert record["created"].endswith("+00:00")
    assert attributes["jax_version"] == record["versions"]["jax"]
