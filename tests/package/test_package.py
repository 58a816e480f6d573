"""The package as a whole: its names, what it imports, what its programs are made of, its cache."""

import ast
import functools
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax.extend.core import jaxprs_in_params

import pliant
from pliant.simulation import STEPPERS, Stepper, _chunk_program, make_inputs
from pliant.simulation._checks import BY_HAND
from pliant.simulation.stepping._flow import begin_step
from pliant.simulation.stepping._implicit import Caches
from pliant.simulation.stepping._put_aside import packed_size
from pliant.simulation.stepping._step_check import no_checks_yet
from pliant.simulation.stepping._step_newton import empty_cache
from robots import arm, linkage

PUBLIC = {
    "ArcLength", "Force", "Model", "NativeModel", "ResultCode", "Robot", "RobotFileError", "SolveError", "State",
    "Stepper", "UserBasis", "actuation_matrix", "assemble", "bias", "compile", "compile_native", "configure",
    "damping_matrix", "energy", "equilibrium", "equilibrium_path", "forward_dynamics", "forward_kinematics", "identify",
    "inverse_dynamics",
    "inverse_kinematics", "jacobian", "jacobian_rate", "library", "linearise", "load", "load_model", "load_result",
    "mass_matrix", "mobility", "modes", "parse", "pure", "quasi_static", "residual", "results", "simulate",
    "stiffness_matrix", "tmt", "twist", "view",
}  # fmt: skip


def test_public_names_are_frozen():
    assert set(pliant.__all__) == set(dir(pliant)) == PUBLIC
    for name in PUBLIC:
        assert getattr(pliant, name) is not None


def test_editors_see_the_same_names():
    tree = ast.parse(Path(pliant.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for statement in block.body for alias in statement.names}
    assert seen | {"library", "pure", "results", "tmt", "view"} == PUBLIC


_COMPUTE = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {blocked!r}:
            raise ImportError('blocked: ' + name)
sys.meta_path.insert(0, Block())
import pliant, pliant.simulation, pliant.analysis, pliant.arms, pliant.results
model = pliant.load_model({path!r})
print(model.name)
"""


def test_compute_folders_need_no_description_layer(tmp_path):
    blocked = {"pydantic", "ruamel", "pint", "xarray", "h5netcdf", "typer", "rich", "matplotlib", "PIL"}
    path = str(arm().save(tmp_path / "arm"))
    code = _COMPUTE.format(blocked=blocked, path=path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.strip() == "arm", done.stderr


# What the residual and the steppers of our own are made of. The native code generator has to know each of these;
# a new one is a decision.
PRIMITIVES = {
    "abs", "add", "add_any", "and", "broadcast_in_dim", "ceil", "cholesky", "clamp", "concatenate", "cond",
    "convert_element_type", "copy", "cos", "custom_jvp_call", "div", "dot_general", "dynamic_slice",
    "dynamic_update_slice", "eq", "exp", "gather", "ge", "grid_spline", "gt", "integer_pow", "iota", "is_finite",
    "jit", "le", "log", "lt", "lu", "lu_pivots_to_permutation", "max", "min", "mul", "ne", "nearest_piece", "neg",
    "nextafter", "not", "or", "pad", "pjit", "pow", "reduce_and", "reduce_max", "reduce_min", "reduce_or",
    "reduce_sum", "reshape", "rev", "running_sum", "scan", "scatter", "scatter-add", "select_n", "sign", "sin",
    "slice", "split", "sqrt", "square", "squeeze", "stack", "stop_gradient", "stumpff", "sub", "symmetric", "tanh",
    "transpose", "triangular_solve", "unstack", "while",
}  # fmt: skip


def _primitives(jaxpr, found):
    for equation in jaxpr.eqns:
        found.add(equation.primitive.name)
        for inner in jaxprs_in_params(equation.params):
            _primitives(inner, found)
    return found


EVERY = [*((stepper, None) for stepper in STEPPERS), ("newmark", "error")]


@pytest.mark.parametrize(
    ("robot", "kinds"),
    [
        pytest.param(arm, EVERY, id="arm"),
        pytest.param(linkage, [("rk4", None), ("newmark", "error")], id="linkage"),
        pytest.param(linkage, EVERY, id="linkage by every stepper", marks=pytest.mark.long),
    ],
)
def test_primitives_are_frozen(robot, kinds):
    model = robot()
    q, state = jnp.zeros(model.nq), model.initial_state()
    found = _primitives(jax.make_jaxpr(pliant.residual)(model, q, q, q).jaxpr, set())
    zero = jnp.zeros(())
    begun = begin_step(model, state._replace(q=q, v=q), 0.0)
    inputs = make_inputs(model, None)
    targets = jnp.linspace(0.01, 0.65, 65)
    for kind, adapt in kinds:
        how = Stepper(model, kind, 1e-3).settings
        numbers = _chunk_program.ChunkNumbers(zero + 1e-6, zero + 1e-9, how.coefficients, zero + 1e-2)
        settings = _chunk_program.ChunkSettings("implicit" if how.implicit else kind, True, False, adapt)
        cache = Caches(empty_cache(model), empty_cache(model)) if how.implicit else None
        checked = adapt is None and kind in BY_HAND
        moving = begun._replace(check=no_checks_yet(q, q, 10.0)) if checked else begun
        chunk = functools.partial(_chunk_program._run_chunk.__wrapped__, model, inputs, settings, numbers)
        aside = jnp.zeros(packed_size(_chunk_program._shapes_aside(inputs, settings, moving)))
        times = _chunk_program.ChunkTimes(zero, zero + 1.0, targets, zero > 0.0, zero == 0.0)
        given = (times, zero + 1e-3, jnp.int32(100))
        jaxpr = jax.make_jaxpr(lambda m, k, chunk=chunk, given=given, aside=aside: chunk(m, aside, k, *given))(
            moving, cache
        )
        _primitives(jaxpr.jaxpr, found)
    assert found <= PRIMITIVES, sorted(found - PRIMITIVES)


_PENDULUM = """
import pliant
pliant.configure()
robot = pliant.Robot("pendulum")
robot = robot.rigid("bob", mass=1.0, inertia=[1, 1, 1], centre=[0, 0, 1], joint={"revolute": "y"})
pliant.simulate(pliant.compile(robot), 0.1, save_every=0.05)
"""


def test_second_process_hits_the_compilation_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path))

    def entries_after_a_run():
        subprocess.run([sys.executable, "-c", _PENDULUM], check=True)
        return {path.name for path in tmp_path.iterdir() if path.name.endswith("-cache")}

    first = entries_after_a_run()
    assert any("run_chunks" in name for name in first), "the stepper itself must be in the cache"
    assert entries_after_a_run() == first, "the second process compiled something anew"


def test_float32_is_never_silent():
    with jax.enable_x64(False), pytest.raises(RuntimeError, match="float64"):
        from robots import block_robot

        pliant.compile(block_robot())
