"""Native functions of robots equal JAX's; exported C builds without a warning and prints what JAX computes."""

import dataclasses
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.native import MismatchError, compare
from pliant.simulation import export_c, native_functions
from pliant.simulation._schedule import NATIVE_CHUNK_SAVES
from robots import arm

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter")


@pytest.fixture(scope="module")
def native():
    # The build itself compares with JAX at random states, to 1e-10.
    return pliant.compile_native(arm(), ("forward_dynamics", "energy", "rk4_step", "forward_kinematics"))


def test_functions_take_the_file_s_numbers_and_others_without_a_build(native):
    model = native.model
    q, v = 0.1 * np.ones(model.nq), np.linspace(-1.0, 1.0, model.nv)
    np.testing.assert_allclose(native.forward_dynamics(q, v), pliant.forward_dynamics(model, q, v), rtol=1e-10)
    path = next(path for path in model.parameters if path.endswith(".young"))
    softer = native.with_parameters({path: 0.5 * float(model.parameters[path])})
    expected = pliant.forward_dynamics(softer.model, q, v)
    np.testing.assert_allclose(softer.forward_dynamics(q, v), expected, rtol=1e-10, atol=1e-9)
    assert np.max(np.abs(softer.forward_dynamics(q, v) - native.forward_dynamics(q, v))) > 1e-3
    poses = pliant.forward_kinematics(model, q)
    for frame, pose in zip(model.structure.frames, native.forward_kinematics(q), strict=True):
        np.testing.assert_allclose(pose, poses[frame.name], rtol=0, atol=1e-12)
    total = pliant.energy(model, jnp.asarray(q), jnp.asarray(v))["total"]
    np.testing.assert_allclose(native.energy(q, v=v)[3], total, rtol=1e-12)
    stepped = native.rk4_step(q=q, v=v, h=1e-6)
    np.testing.assert_allclose((stepped["v_next"] - v) / 1e-6, native.forward_dynamics(q, v), rtol=1e-3, atol=1.0)


def test_wrong_names_and_shapes_are_told(native):
    with pytest.raises(
        AttributeError, match="has no 'mass_matrix'; built: forward_dynamics, energy, rk4_step, forward"
    ):
        native.mass_matrix(np.zeros(native.model.nq))
    with pytest.raises(ValueError, match=r"forward_dynamics: q has shape \(\d+,\); got \(2,\)"):
        native.forward_dynamics(np.zeros(2))
    with pytest.raises(TypeError, match="takes q, v, t, u; got 0 and"):
        native.forward_dynamics(speed=1.0)
    with pytest.raises(KeyError, match="there is no native function 'mass'; known: forward_dynamics"):
        pliant.compile_native(native.model, ("mass",))
    with pytest.raises(KeyError, match="has no input 'engine'"):
        pliant.compile_native(native.model, ("energy",), inputs=("engine",))


def test_a_build_that_differs_from_jax_is_refused(monkeypatch):
    from pliant.native import _function
    from pliant.simulation.native_code import _native_model

    monkeypatch.setattr(_native_model, "TOLERANCE", 1e-30)
    monkeypatch.setattr(_function, "ROUNDING", 0)
    with pytest.raises(MismatchError, match=r"differs from JAX by .* 1e-30 is allowed"):
        pliant.compile_native(arm(), ("forward_dynamics",))


class _Off:
    """A native function whose result is off by a share of itself."""

    symbol = "off"

    def __init__(self, function, share):
        self.function, self.share = function, share

    def __call__(self, x):
        return self.function(x) * (1.0 + self.share)


def test_a_comparison_allows_what_rounding_the_arguments_changes():
    def steep(x):
        return 1.0 / (x - 1.0 + 1e-9)  # a wrong last digit of x changes it by 2e-7

    sample = (jnp.asarray(1.0),)
    assert compare(_Off(steep, 1e-6), steep, [sample], 1e-10) == pytest.approx(1e-6, rel=0.1)
    with pytest.raises(
        MismatchError, match=r"off: native code differs from JAX by .* what rounding the arguments changes"
    ):
        compare(_Off(steep, 1e-4), steep, [sample], 1e-10)
    with pytest.raises(MismatchError, match="differs from JAX by 1e-09 of"):
        compare(_Off(jnp.sin, 1e-9), jnp.sin, [sample], 1e-10)


def test_a_run_in_native_code_is_the_run():
    model = arm()
    count = NATIVE_CHUNK_SAVES + 40  # more samples than one call takes, and a block that is not full
    settings = {"stepper": "rk4", "step": 1e-3, "save_every": 0.02 / count}
    by_jax, native = (pliant.simulate(model, 0.02, backend=name, **settings) for name in ("jax", "native"))
    assert len(native.time) == count + 1 and isinstance(native.q, np.ndarray)
    # Estimates of an error that is next to nothing are rounding.
    errors = [run.estimated_error for run in (native, by_jax)]
    assert errors[0].keys() == errors[1].keys() == {"position", "energy"}
    assert max(float(error) for found in errors for error in found.values()) < 1e-6
    native, by_jax = (dataclasses.replace(run, estimated_error={}) for run in (native, by_jax))
    for one, other in zip(jax.tree.leaves(native), jax.tree.leaves(by_jax), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.max(np.abs(other), initial=1e-9))
    assert '"backend": "native"' in native.provenance
    with pytest.raises(ValueError, match="backend 'c' is unknown; legal: jax, native"):
        pliant.simulate(model, 0.02, backend="c")


def test_numbers_that_were_0_or_1_in_the_code_may_be_others():
    straight, curved = arm(), arm().with_parameters({"links.rod.reference.bend_y": 2.0})
    ends = []
    for model in (straight, curved, straight):
        settings = {"stepper": "rk4", "step": 1e-3, "save_every": 5e-3}
        runs = [pliant.simulate(model, 0.02, backend=name, **settings) for name in ("jax", "native")]
        np.testing.assert_allclose(runs[1].q, runs[0].q, rtol=0, atol=1e-9 * np.max(np.abs(runs[0].q)))
        for name, energy in runs[0].energy.items():
            np.testing.assert_allclose(runs[1].energy[name], energy, rtol=0, atol=1e-9 * np.max(np.abs(energy)) + 1e-18)
        ends.append(np.asarray(runs[1].position("ball")[-1]))
    assert np.linalg.norm(ends[1] - ends[0]) > 1e-3
    np.testing.assert_array_equal(ends[2], ends[0])


def test_without_a_compiler_the_run_uses_jax_and_says_so(monkeypatch):
    from pliant.native import CompilerError
    from pliant.simulation.native_code import _native_run

    def missing():
        raise CompilerError("no C compiler: none was found")

    monkeypatch.setattr(_native_run, "compiler", missing)
    with pytest.warns(RuntimeWarning, match=r"no C compiler: none was found\. This run uses JAX"):
        pliant.simulate(arm(), 0.02, stepper="rk4", step=1e-3, backend="native")


def _printed(folder, word):
    """What the example prints, by name."""
    command = ["gcc", *STRICT, "-O0", "-fsanitize=address,undefined", "-I..", "main.c", f"../{word}.c", "-lm"]
    subprocess.run([*command, "-o", "example"], cwd=folder / "example", check=True)
    done = subprocess.run(["./example"], cwd=folder / "example", check=True, capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[0]: np.array(row[1:], dtype=float) for row in rows}


def test_exported_c_prints_the_same_tip(tmp_path):
    model = arm()
    written = export_c(model, ("forward_dynamics", "forward_kinematics", "mass_matrix"), tmp_path, inputs=())
    assert [path.name for path in written.files] == ["arm.h", "arm.c", "arm_mex.c", "main.c", "CMakeLists.txt"]
    printed, start = _printed(tmp_path, "arm"), model.initial_state()
    np.testing.assert_allclose(printed["a"], pliant.forward_dynamics(model, start.q, start.v), rtol=1e-10)
    frame, tip = model.structure.frames[-1].name, pliant.forward_kinematics(model, start.q)
    np.testing.assert_allclose(printed[frame], np.asarray(tip[frame])[:3, 3], rtol=0, atol=1e-12)
    (tmp_path / "mex.h").write_text(MEX_STUB)
    subprocess.run(["gcc", *STRICT, "-I.", "-c", "arm_mex.c", "-o", "mex.o"], cwd=tmp_path, check=True)


@pytest.mark.long
@pytest.mark.parametrize("name", ["three-section-arm", "four-bar", "stiff-flop"])
def test_exported_newmark_steps_of_library_robots(name, tmp_path):
    """Ten steps of a millisecond in C, with sanitizers, beside the same ten steps by JAX."""
    from pliant.simulation.native_code._native_functions import exported

    model = pliant.compile(pliant.library.load(name))
    written = export_c(model, ("forward_dynamics", "forward_kinematics", "newmark_step"), tmp_path)
    printed = _printed(tmp_path, written.files[0].stem)
    known, prepared = exported(model, ("all",)), _prepared(model)
    state = _start(model)
    q, v = jnp.asarray(state.q), jnp.asarray(state.v)
    u = np.zeros(known["newmark_step"].arguments["u"])
    (a,) = known["forward_dynamics"].call(prepared, q, v, 0.0, u)
    np.testing.assert_allclose(printed["a"], a, rtol=0, atol=1e-10 * np.max(np.abs(a)))
    (step_state,) = known["newmark_start"].call(prepared)
    for k in range(10):
        q, v, _, step_state, _ = known["newmark_step"].call(prepared, q, v, step_state, 1e-3 * k, u, 1e-3, 0.0)
    np.testing.assert_allclose(printed["q"], q, rtol=0, atol=1e-10 * np.max(np.abs(q)))
    frame = model.structure.frames[-1].name
    np.testing.assert_allclose(printed[frame], pliant.forward_kinematics(model, q)[frame][:3, 3], rtol=0, atol=1e-12)


def _prepared(model):
    from pliant.model import prepare

    return prepare(model.structure, model.parameters)


def _start(model):
    from pliant.simulation._start import starting_state

    return starting_state(model, None, 0.0, pliant.simulation.make_inputs(model, None))[0]


@pytest.mark.long
@pytest.mark.parametrize("name", pliant.library.names())
def test_every_function_of_every_library_robot(name, monkeypatch):
    """compile_native compares with JAX at random states and refuses more than 1e-10, or than ten times what rounding
    the arguments changes."""
    monkeypatch.setenv("PLIANT_CFLAGS", "-O0")
    model = pliant.compile(pliant.library.load(name))
    for function in native_functions(model):
        pliant.compile_native(model, (function,), inputs=("all",))


MEX_STUB = """/* What arm_mex.c uses of MATLAB's mex.h. */
#include <stddef.h>
typedef struct mxArray_tag mxArray;
typedef enum { mxREAL } mxComplexity;
int mxIsDouble(const mxArray *);
size_t mxGetNumberOfElements(const mxArray *);
double *mxGetPr(const mxArray *);
int mxGetString(const mxArray *, char *, size_t);
mxArray *mxCreateDoubleMatrix(size_t, size_t, mxComplexity);
void mexErrMsgIdAndTxt(const char *, const char *, ...);
"""
