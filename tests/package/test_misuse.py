"""Public functions that are given what they cannot take answer with one sentence: which argument, what was given, what
is expected. One small robot serves for all of them; most calls end before anything is compiled."""

import dataclasses
import functools
import inspect
import math
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import Model, Robot, State
from pliant.simulation._inputs import within

NAN, INF = math.nan, math.inf
YOUNG = "materials.rubber.young"


def finger_robot() -> Robot:
    """A rod of two coordinates with a tendon, whose tension has a limit, and a force at its tip."""
    return (
        Robot("finger")
        .material("rubber", young="200 kPa", poisson=0.4, density=1000.0, viscosity="2 kPa*s")
        .rod(
            "rod",
            length=0.1,
            section={"circle": {"radius": 0.01}},
            material="rubber",
            allow=["bend_y"],
            model={"pcs": {"pieces": 2}},
        )
        .tendon("cable", link="rod", x=0.006, tension=0.0)
        .load("push", where={"link": "rod"}, force=[0, 0, 0])
    )


@functools.cache
def finger() -> Model:
    return pliant.compile(finger_robot())


def q() -> jax.Array:
    return jnp.array([1.0, -2.0])


def v() -> jax.Array:
    return jnp.array([0.5, 0.25])


def run(**settings):
    return pliant.simulate(finger(), **{"until": 0.01, "stepper": "rk4", "step": 1e-3, **settings})


# A misuse and its answer: the error, then words of its sentence in their order, with anything between.
# First, arrays of a state that are too short, too long, a batch; in every function that takes a state.
TAKES = {
    "forward_dynamics": "qv", "mass_matrix": "q", "bias": "qv", "energy": "qv", "forward_kinematics": "q",
    "inverse_dynamics": "qva", "residual": "qva", "stiffness_matrix": "q", "damping_matrix": "qv",
    "actuation_matrix": "q", "twist": "qv",
}  # fmt: skip
MEANING = {"q": "coordinates (Model.coordinate_names)", "v": "velocities", "a": "accelerations"}


def with_wrong(function, argument, wrong):
    given = {name: wrong if name == argument else v() for name in TAKES[function]}
    return lambda: getattr(pliant, function)(finger(), *given.values())


STATES = {
    f"{function}, {argument} of shape {wrong.shape}": (
        with_wrong(function, argument, wrong),
        f"ValueError: {argument} must be ... (2,), {MEANING[argument]} ... robot 'finger' ... got shape {wrong.shape}",
    )
    for function, arguments in TAKES.items()
    for argument in arguments
    for wrong in (np.zeros(1), np.zeros(3), np.zeros((5, 2)))
}

WRONG_Q = {
    "complex": (lambda: q() + 0j, "TypeError: q must be ... float64 ... got dtype complex128"),
    "bool": (lambda: q() > 0, "TypeError: q must be ... float64 ... got dtype bool"),
    "half": (lambda: q().astype(jnp.float16), "TypeError: q must be ... float64 ... got dtype float16"),
    "words": (lambda: ["a", "b"], "TypeError: q must be an array ... got ['a', 'b']"),
    "nothing": (lambda: None, "TypeError: q must be an array of shape (2,) ... got None"),
    "one number": (lambda: 0.3, "ValueError: q must be an array of shape (2,) ... got shape ()"),
    "a list": (lambda: [0.3], "ValueError: q must be an array of shape (2,) ... got shape (1,)"),
    "a batch": (lambda: jnp.zeros((5, 2)), "ValueError: q must be ... got shape (5, 2) ... jax.vmap"),
}

# Keyword arguments of `equilibrium`.
EQUILIBRIUM = {
    "q0, short": ({"q0": np.zeros(1)}, "ValueError: q0 must be ... got shape (1,)"),
    "q0, nan": ({"q0": [0.0, NAN]}, "ValueError: q0 must hold finite numbers ... got nan at index 1"),
    "memory": ({"memory": {"grip": 1.0}}, "ValueError: memory must be ... remembers nothing ... got {'grip': 1.0}"),
    "t, text": ({"t": "soon"}, "ValueError: t must be a plain number [s] ... got 'soon'"),
    "t, kg": ({"t": "1 kg"}, "ValueError: t must be a plain number [s] ... got '1 kg': \"kg\" does not convert to s"),
    "t, None": ({"t": None}, "TypeError: t must be one number ... got None"),
    "t, True": ({"t": True}, "TypeError: t must be one number ... got True"),
    "t, inf": ({"t": INF}, "ValueError: t must be any finite number [s]; got inf s"),
    "t, two": ({"t": [0.0, 1.0]}, "TypeError: t must be one number ... got [0.0, 1.0]"),
    "steps, nan": ({"steps": NAN}, "ValueError: steps must be a whole number ... got nan"),
    "steps, half": ({"steps": 2.5}, "ValueError: steps must be a whole number ... got 2.5"),
    "steps, none": ({"steps": 0}, "ValueError: steps must be at least 1; got 0"),
    "steps, many": ({"steps": 10**9}, "ValueError: steps must be at most 1e+06; got 1e+09"),
    "steps, text": ({"steps": "ten"}, "TypeError: steps must be a whole number ... got 'ten'"),
    "inputs, law": ({"inputs": lambda t, state: {}}, "TypeError: inputs must be a dict ... are for simulate"),
    "inputs, port": ({"inputs": {"cabel": 1.0}}, "KeyError: no input 'cabel' ... are: cable ... did you mean cable?"),
    "inputs, limit": ({"inputs": {"cable": -1.0}}, "ValueError: input 'cable' ... got -1 N; expected at least 0 N"),
    "inputs, unit": ({"inputs": {"cable": "2 m"}}, "ValueError: input 'cable' ... [N] ... got '2 m'"),
    "inputs, nan": ({"inputs": {"push.force": [0, 0, NAN]}}, "ValueError: input 'push.force' ... finite; got [0"),
    "inputs, None": ({"inputs": {"cable": None}}, "TypeError: input 'cable' ... must be a number ... got None"),
    "inputs, shape": ({"inputs": {"push.force": [1, 2]}}, "ValueError: input 'push.force' ... (3,); got (2,)"),
    "inputs, programme": (
        {"inputs": {"cable": {"ramp": {"to": 1, "over": 1}}}},
        "TypeError: input 'cable' ... must be a value here, not a programme, which is for simulate",
    ),
}

# Keyword arguments of `simulate`.
SIMULATE = {
    "step, inf": ({"step": INF}, "ValueError: step must be greater than 0 s; got inf s, which is not finite"),
    "step, nan": ({"step": NAN}, "ValueError: step must be greater than 0 s; got nan s"),
    "step, tiny": ({"step": 1e-300}, "ValueError: step = 1e-300 s ... 1e+298 steps ... give more than 1e-12 s"),
    "step, mm": ({"step": "1 mm"}, "ValueError: step must be a plain number [s] ... got '1 mm'"),
    "step, three": (
        {"stepper": "newmark", "step": (1e-3, 1e-2, 1e-1)},
        "ValueError: step must be a shortest step ... and a longest ... got (0.001, 0.01, 0.1) s",
    ),
    "step, up to inf": ({"stepper": "newmark", "step": (1e-3, INF)}, "ValueError: step[1] must be ... got inf s"),
    "until, nan": ({"until": NAN}, "ValueError: until must be greater than start = 0.0 s, and finite; got nan s"),
    "until, None": ({"until": None}, "TypeError: until must be one number ... got None"),
    "start, -inf": ({"start": -INF}, "ValueError: start must be any finite number [s]; got -inf s"),
    "save_every, nan": ({"save_every": NAN}, "ValueError: save_every must be from 0 s to the 0.01 s ... got nan s"),
    "save_every, tiny": ({"save_every": 1e-300}, "ValueError: save_every = 1e-300 s ... samples ... more than 1e-09 s"),
    "rate, inf": ({"rate": INF}, "ValueError: rate must be greater than 0 Hz; got inf Hz"),
    "rate, huge": ({"rate": 1e300}, "ValueError: rate = 1e+300 Hz ... controller ... give less than 1e+09 Hz"),
    "rtol, inf": ({"rtol": INF}, "ValueError: rtol must be any finite number; got inf"),
    "rtol, one": ({"rtol": 1.0}, "ValueError: rtol must be less than 1 ... got 1.0"),
    "stepper": ({"stepper": "newmarck"}, "ValueError: stepper 'newmarck' ... legal: tsit5 ... did you mean newmark?"),
    "state, tuple": ({"state": ([0, 0], [0, 0])}, "TypeError: state must be a pliant.State(q, v) of robot 'finger'"),
    "state, v": ({"state": State(np.zeros(2), np.zeros(1))}, "ValueError: state.v must be ... got shape (1,)"),
    "state, nan": ({"state": State([NAN, 0.0], [0, 0])}, "ValueError: state.q must hold finite ... nan at index 0"),
    "checkpoint_every": ({"checkpoint_every": NAN}, "ValueError: checkpoint_every must be ... got nan s"),
    "inputs, list": ({"inputs": [1.0]}, "TypeError: inputs must be a function u(t, state) ... got [1.0]"),
    "inputs, law of t": ({"inputs": lambda t: {}}, "TypeError: inputs must be a function of t and state ... (t)"),
    "table, nan": ({"inputs": {"cable": ([0, NAN], [0, 1])}}, "ValueError: input 'cable' ... finite, increasing times"),
    "table, one": ({"inputs": {"cable": ([0], [0])}}, "ValueError: input 'cable' ... two or more"),
    "table, inf": ({"inputs": {"cable": ([0, 1], [0, INF])}}, "ValueError: input 'cable' ... values ... finite"),
}

# Programmes given in Python: port, programme.
FORCE, CABLE = "push.force", "cable"
PROGRAMMES = {
    "backwards": (FORCE, {"ramp": {"to": [0, 0, 1], "over": -1}}, "ramp.over: got -1 s; expected greater than 0 s"),
    "one number": (FORCE, {"ramp": {"to": 1.0, "over": 1}}, "ramp.to: expected 3 finite numbers; got 1.0"),
    "to nan": (FORCE, {"ramp": {"to": [0, 0, NAN], "over": 1}}, "ramp.to: got [ 0.,  0., nan] N"),
    "without an end": (FORCE, {"ramp": {"over": 1}}, "a ramp has start, over, to, from; got over without to"),
    "a word": (
        FORCE,
        {"ramp": {"to": [0, 0, 1], "ovre": 1}},
        "has start, over, to, from; got to, ovre without over",
    ),
    "a kind": (FORCE, {"rampe": {"to": [0, 0, 1]}}, "expected one programme out of ... rampe ... did you mean ramp"),
    "a duration": (CABLE, {"ramp": {"to": "2 N", "over": "3 N"}}, "ramp.over must be a plain number [s] ... '3 N'"),
    "no frequency": (CABLE, {"sine": {"amplitude": 0, "frequency": 0}}, "sine.frequency: got 0 Hz; expected greater"),
    "for ever": (CABLE, {"pulse": {"width": INF, "value": 1}}, "pulse.width: got inf s; expected greater than 0 s"),
    "below zero": (CABLE, {"sine": {"amplitude": 1, "frequency": 1}}, "got -1 N; expected at least 0 N"),
}

# What a law of the state returns.
LAWS = {
    "a port": (lambda t, state: {"cabel": t}, "KeyError: returns 'cabel' ... no input ... did you mean cable?"),
    "a shape": (lambda t, state: {FORCE: t}, "ValueError: returns a value of shape () for 'push.force' ... (3,)"),
    "a value": (lambda t, state: {CABLE: "much"}, "TypeError: returns 'much' for 'cable'; expected numbers"),
    "a limit": (lambda t, state: {CABLE: -1.0}, "ValueError: returns 'cable': got -1 N; expected at least 0 N"),
    "nothing": (lambda t, state: None, "TypeError: must be a dict {port: value}; got None"),
    "NumPy": (
        lambda t, state: {CABLE: np.sin(state.q[0])},
        "TypeError: cannot be traced: controllers must be JAX functions",
    ),
    "if": (lambda t, state: {CABLE: 1.0 if t > 0 else 0.0}, "TypeError: cannot be traced ... jnp.where in place of if"),
    "float": (lambda t, state: {CABLE: float(t)}, "TypeError: cannot be traced ... no float() or int()"),
}

# Functions of the host under jit, grad and vmap.
AT_REST = "works on the host and cannot be called under jit, grad or vmap; use pliant.pure.equilibrium"
IN_MOTION = "TypeError: pliant.simulate works on the host ... use pliant.pure.simulate"
HOST = {
    "equilibrium": (
        lambda: jax.jit(lambda x: pliant.equilibrium(finger(), q0=x).q)(q()),
        f"TypeError: pliant.equilibrium {AT_REST}",
    ),
    "equilibrium of known numbers": (
        lambda: jax.jit(lambda: pliant.equilibrium(finger()).q)(),
        f"TypeError: pliant.equilibrium {AT_REST}",
    ),
    "equilibrium under grad": (
        lambda: jax.grad(lambda x: pliant.equilibrium(finger().with_parameters({YOUNG: x})).q[0])(1e5),
        f"TypeError: pliant.equilibrium {AT_REST}",
    ),
    "equilibrium_path": (
        lambda: jax.jit(lambda x: pliant.equilibrium_path(finger(), [x]).q)(1.0),
        f"TypeError: pliant.equilibrium_path {AT_REST}",
    ),
    "quasi_static": (
        lambda: jax.vmap(lambda x: pliant.quasi_static(finger(), [0.0], q0=x).q)(jnp.zeros((2, 2))),
        f"TypeError: pliant.quasi_static {AT_REST}",
    ),
    "simulate": (lambda: jax.jit(lambda x: run(state=State(x, v())).q)(q()), IN_MOTION),
    "simulate under vmap": (lambda: jax.vmap(lambda x: run(inputs={CABLE: x}).q)(jnp.ones(3)), IN_MOTION),
    "simulate by a Stepper": (
        lambda: jax.jit(lambda h: pliant.simulate(pliant.Stepper(finger(), "rk4", h), 0.01).q)(1e-3),
        IN_MOTION,
    ),
    "modes": (
        lambda: jax.jit(lambda x: pliant.modes(finger(), x).frequency)(q()),
        "TypeError: pliant.modes works on the host ... pliant.stiffness_matrix",
    ),
    "assemble": (
        lambda: jax.jit(lambda x: pliant.assemble(finger(), x))(q()),
        "TypeError: pliant.assemble works on the host ... call it before",
    ),
    "inverse_kinematics": (
        lambda: jax.jit(lambda x: pliant.inverse_kinematics(finger(), {"rod": x}).iterations)(jnp.zeros(3)),
        "TypeError: pliant.inverse_kinematics works on the host ... pliant.pure.equilibrium",
    ),
    "within identify": (
        lambda: pliant.identify(finger(), lambda model: pliant.equilibrium(model).q, np.zeros(2), {YOUNG: None}),
        f"TypeError: pliant.equilibrium {AT_REST}",
    ),
}


def fit(**settings):
    known = {"predict": lambda model: model.parameters[YOUNG], "measured": 1.0, "over": {YOUNG: None}}
    return pliant.identify(finger(), **{**known, **settings})


def reach(**settings):
    return pliant.inverse_kinematics(finger(), **{"targets": {"rod": [0, 0, 0.1]}, **settings})


REST = {
    "jit": (
        lambda: jax.jit(pliant.forward_dynamics)(finger(), q()[:1], v()),
        "ValueError: q must be ... got shape (1,)",
    ),
    "vmap": (
        lambda: jax.vmap(pliant.forward_dynamics, (None, 0, None))(finger(), jnp.zeros((4, 3)), v()),
        "ValueError: q must be ... got shape (3,)",
    ),
    "t of bias": (lambda: pliant.bias(finger(), v(), v(), NAN), "ValueError: t must be ... finite ... got nan s"),
    "t of energy": (lambda: pliant.energy(finger(), v(), v(), np.zeros(2)), "ValueError: t must be one ... shape (2,)"),
    "t in kg": (lambda: pliant.bias(finger(), v(), v(), "1 kg"), "ValueError: t must be ... [s] ... got '1 kg'"),
    "input of bias": (
        lambda: pliant.bias(finger(), v(), v(), 0.0, {"cabel": 1.0}),
        "KeyError: robot 'finger' has no input 'cabel'; its inputs are: cable",
    ),
    "limit of bias": (
        lambda: pliant.bias(finger(), v(), v(), 0.0, {CABLE: -1.0}),
        "ValueError: input 'cable' of robot 'finger': got -1 N; expected at least 0 N",
    ),
    "multipliers": (
        lambda: pliant.residual(finger(), q(), v(), v(), multipliers=jnp.zeros(3)),
        "ValueError: multipliers must be an array of shape (0,) ... got shape (3,)",
    ),
    "jacobian": (lambda: pliant.jacobian(finger(), q()[:1], "rod"), "ValueError: q must be ... got shape (1,)"),
    "frame": (lambda: pliant.jacobian(finger(), q(), "tip"), "KeyError: no frame 'tip'; its frames are: rod"),
    "jacobian_rate": (
        lambda: pliant.jacobian_rate(finger(), q(), np.zeros(3), "rod"),
        "ValueError: v must be ... got shape (3,)",
    ),
    "integrate": (lambda: finger().integrate(q(), v()[:1]), "ValueError: v must be ... (2,) ... got shape (1,)"),
    "difference": (lambda: finger().difference(q(), np.zeros(3)), "ValueError: q0 must be ... (2,) ... shape (3,)"),
    "pure.equilibrium": (lambda: pliant.pure.equilibrium(finger(), q()[:1]), "ValueError: q0 must be ... shape (1,)"),
    "pure.simulate, steps": (lambda: pliant.pure.simulate(finger(), 2.5, 1e-3), "ValueError: steps ... got 2.5"),
    "pure.simulate, traced steps": (
        lambda: jax.jit(lambda n: pliant.pure.simulate(finger(), n, 1e-3).q)(3),
        "TypeError: steps must be a whole number that is known while JAX traces; got a traced value",
    ),
    "pure.simulate, step": (lambda: pliant.pure.simulate(finger(), 3, INF), "ValueError: step must be ... got inf s"),
    "pure.simulate, state": (
        lambda: pliant.pure.simulate(finger(), 3, 1e-3, state=State(q()[:1], v())),
        "ValueError: state.q must be ... got shape (1,)",
    ),
    "Stepper, beta": (
        lambda: pliant.Stepper(finger(), "newmark", 1e-3, beta=INF, gamma=INF),
        "ValueError: beta must be any finite number; got inf",
    ),
    "Stepper.begin": (
        lambda: pliant.Stepper(finger(), "rk4", 1e-3).begin(State(q(), np.zeros(3))),
        "ValueError: state.v must be ... got shape (3,)",
    ),
    "Stepper.step": (
        lambda: pliant.Stepper(finger(), "rk4", 1e-3).step(State(q(), v())),
        "TypeError: now must be what Stepper.begin or Stepper.step returns; got",
    ),
    "quasi_static, nan": (
        lambda: pliant.quasi_static(finger(), [0.0, NAN, 1.0]),
        "ValueError: times[1] must be any finite number [s]; got nan s",
    ),
    "quasi_static, back": (
        lambda: pliant.quasi_static(finger(), [0.0, 1.0, 0.5]),
        "ValueError: times must be an increasing list ... got 0.5 s after 1 s",
    ),
    "quasi_static, none": (lambda: pliant.quasi_static(finger(), []), "ValueError: times must be ... list ... got []"),
    "path, nan": (lambda: pliant.equilibrium_path(finger(), [0.5, NAN]), "ValueError: factors[1] must be ... got nan"),
    "path, inf": (lambda: pliant.equilibrium_path(finger(), [INF]), "ValueError: factors[0] must be ... got inf"),
    "path, none": (lambda: pliant.equilibrium_path(finger(), []), "ValueError: factors must be a list ... got []"),
    "path, arc": (
        lambda: pliant.equilibrium_path(finger(), [1.0], arc_length="yes"),
        "TypeError: arc_length must be True, False or a pliant.ArcLength; got 'yes'",
    ),
    "arc, step": (lambda: pliant.ArcLength(step=NAN), "ValueError: step of ArcLength must be ... got nan"),
    "arc, points": (lambda: pliant.ArcLength(points=1), "ValueError: points of ArcLength must be at least 2; got 1"),
    "arc, branch": (lambda: pliant.ArcLength(branch=0.5), "ValueError: branch of ArcLength must be ... got 0.5"),
    "path, one": (lambda: pliant.equilibrium_path(finger(), 1.0), "ValueError: factors must be a list ... got 1.0"),
    "assemble": (lambda: pliant.assemble(finger(), q()[:1]), "ValueError: q0 must be ... got shape (1,)"),
    "mobility": (lambda: pliant.mobility(finger(), q()[:1]), "ValueError: q must be ... got shape (1,)"),
    "modes, count": (lambda: pliant.modes(finger(), count=NAN), "ValueError: count must be a whole ... got nan"),
    "modes, 3": (lambda: pliant.modes(finger(), 3), "ValueError: about must be ... shape (2,) ... count= ... shape ()"),
    "modes, words": (lambda: pliant.modes(finger(), "rest"), "TypeError: about must be an Equilibrium ... got 'rest'"),
    "linearise, v": (lambda: pliant.linearise(finger(), q(), v()[:1]), "ValueError: v must be ... got shape (1,)"),
    "linearise, frame": (lambda: pliant.linearise(finger(), q(), frames=["tip"]), "KeyError: no frame 'tip'"),
    "linearise, frames": (
        lambda: pliant.linearise(finger(), q(), frames="rod"),
        "TypeError: frames must be a list of names of frames; got 'rod'",
    ),
    "turn_length": (lambda: reach(turn_length=0.0), "ValueError: turn_length must be greater than 0 m; got 0.0 m"),
    "tolerance": (lambda: reach(tolerance=NAN), "ValueError: tolerance must be greater than 0 m; got nan m"),
    "target": (lambda: reach(targets={"rod": [0, 0, NAN]}), "ValueError: target 'rod' must be finite; got [0.0"),
    "targets": (lambda: reach(targets={}), "ValueError: targets must be a dict {frame: position ... got none"),
    "over": (lambda: reach(over="cable"), "TypeError: over must be a list of names of inputs; got 'cable'"),
    "bounds": (lambda: reach(bounds={CABLE: 3.0}), "ValueError: bounds of 'cable' must be (low, high) ... got 3.0"),
    "predict": (lambda: fit(predict=3.0), "TypeError: predict must be a function of the model; got 3.0"),
    "predict in NumPy": (
        lambda: fit(predict=lambda model: np.sin(model.parameters[YOUNG])),
        "TypeError: predict cannot be traced: without differences= it must be a JAX function of the model",
    ),
    "bounds of a path": (lambda: fit(over={YOUNG: 1e5}), f"ValueError: bounds of {YOUNG} must be (low, high) or None"),
    "measured": (lambda: fit(measured="data"), "TypeError: measured must be an array of numbers; got 'data'"),
    "max_evaluations": (lambda: fit(max_evaluations=NAN), "ValueError: max_evaluations must be a whole ... got nan"),
    "no model": (
        lambda: pliant.forward_dynamics({}, q(), v()),
        "TypeError: model must be a compiled pliant.Model, a pliant.Robot, or the path of a robot file; got {}",
    ),
    "no robot": (lambda: pliant.compile(None), "TypeError: robot must be a pliant.Robot, or the path ... got None"),
    "a compiled robot": (lambda: pliant.compile(finger()), "TypeError: robot must be ... which is compiled already"),
    "extra": (lambda: pliant.compile(finger_robot(), extra=3), "TypeError: extra must be a list of forces ... got 3"),
    "no force": (lambda: pliant.compile(finger_robot(), extra=["x"]), "TypeError: extra must be ... got 'x' in it"),
    "update": (lambda: pliant.compile(finger_robot(), update={}), "TypeError: update must be a function ... got {}"),
    "load_model": (lambda: pliant.load_model(3), "TypeError: path must be the path of a file; got 3"),
    "load_result": (lambda: pliant.load_result(None), "TypeError: path must be the path of a file; got None"),
    "compile_native": (
        lambda: pliant.compile_native(finger(), "energy"),
        "TypeError: functions must be a list of names of functions; got 'energy'",
    ),
    "inputs of native code": (
        lambda: pliant.compile_native(finger(), ["energy"], inputs="cable"),
        "TypeError: inputs must be a list of names of inputs; got 'cable'",
    ),
}

PARAMETERS = {
    "below zero": ({YOUNG: -4e5}, f"ValueError: {YOUNG}: got -400000 Pa; expected greater than 0 Pa (Young's modulus"),
    "nan": ({YOUNG: NAN}, f"ValueError: {YOUNG}: got nan Pa; expected greater than 0 Pa"),
    "in metres": ({YOUNG: "4 mm"}, f"ValueError: {YOUNG} must be ... [Pa] ... '4 mm': \"mm\" does not convert to Pa"),
    "none": ({YOUNG: None}, f"TypeError: {YOUNG} must be greater than 0 Pa ... got None"),
    "two": ({YOUNG: [1e5, 2e5]}, f"ValueError: {YOUNG} has shape (); got (2,)"),
    "misspelt": ({"materials.rubber.yuong": 1e5}, f"KeyError: no parameter ... yuong'; did you mean {YOUNG} [Pa]"),
    "no dict": ([1.0], "TypeError: values must be a dict {path: number}; got [1.0]"),
}


def misuses():
    """Name -> (what is called, its answer)."""
    yield from (("state: " + name, case) for name, case in STATES.items())
    for name, (wrong, answer) in WRONG_Q.items():
        yield f"q: {name}", (lambda wrong=wrong: pliant.forward_dynamics(finger(), wrong(), v()), answer)
    for name, (given, answer) in EQUILIBRIUM.items():
        yield f"equilibrium: {name}", (lambda given=given: pliant.equilibrium(finger(), **given), answer)
    for name, (given, answer) in SIMULATE.items():
        yield f"simulate: {name}", (lambda given=given: run(**given), answer)
    for name, (port, words, answer) in PROGRAMMES.items():
        call = lambda port=port, words=words: run(inputs={port: words})  # noqa: E731
        yield f"programme: {name}", (call, f"ValueError: input {port!r} ... {answer}")
    for name, (function, answer) in LAWS.items():
        yield f"law: {name}", (lambda function=function: run(inputs=function), answer)
    for name, (given, answer) in PARAMETERS.items():
        yield f"with_parameters: {name}", (lambda given=given: finger().with_parameters(given), answer)
    yield from (("host: " + name, case) for name, case in HOST.items())
    yield from REST.items()


MISUSES = dict(misuses())


def test_there_are_many():
    assert len(MISUSES) >= 50


@pytest.mark.parametrize("name", MISUSES)
def test_a_misuse_is_answered_by_its_sentence(name):
    call, answer = MISUSES[name]
    error, _, words = answer.partition(": ")
    with pytest.raises((TypeError, ValueError, KeyError)) as refusal:
        call()
    said = refusal.value.args[0]
    assert type(refusal.value).__name__ == error, said
    assert re.search(".*".join(map(re.escape, words.split(" ... "))), said), said
    assert len(said) < 500 and "\n" not in said, said


def test_short_arrays_no_longer_give_wrong_numbers():
    """What was returned for one coordinate of two was that of another configuration."""
    right = pliant.forward_dynamics(finger(), q(), v())
    assert right.shape == (2,) and np.all(np.isfinite(right))
    for given in (list(q()), tuple(q()), np.asarray(q())):
        np.testing.assert_array_equal(pliant.forward_dynamics(finger(), given, v()), right)
    whole = pliant.forward_dynamics(finger(), jnp.array([1, -2]), v())
    np.testing.assert_allclose(whole, right, rtol=1e-14)
    batch = jax.vmap(pliant.forward_dynamics, (None, 0, None))(finger(), jnp.stack([q(), -q()]), v())
    np.testing.assert_allclose(batch[0], right, rtol=1e-12)


def test_a_robot_is_compiled_where_a_model_is_needed(tmp_path):
    robot = finger_robot()
    expected = pliant.forward_dynamics(finger(), q(), v())
    np.testing.assert_array_equal(pliant.forward_dynamics(robot, q(), v()), expected)
    path = tmp_path / "finger.yaml"
    path.write_text(robot.to_yaml())
    np.testing.assert_array_equal(pliant.forward_dynamics(str(path), q(), v()), expected)
    np.testing.assert_array_equal(pliant.jacobian(robot, q(), "rod"), pliant.jacobian(finger(), q(), "rod"))
    np.testing.assert_array_equal(pliant.equilibrium(robot).q, pliant.equilibrium(finger()).q)
    assert pliant.Stepper(robot, "rk4", 1e-3).model.name == "finger"


def test_texts_with_units_stand_for_numbers():
    same = finger().with_parameters({YOUNG: "300 kPa"}).parameters[YOUNG]
    assert float(same) == 3e5
    numbers = pliant.equilibrium(finger(), t=2.0, inputs={"cable": 0.5, "push.force": [0.0, 0.001, 0.0]})
    texts = pliant.equilibrium(finger(), t="2000 ms", inputs={"cable": "500 mN", "push.force": "[0, 1, 0] mN"})
    np.testing.assert_array_equal(texts.q, numbers.q)
    plain = run(save_every=5e-3, rate=1e3, inputs={"cable": {"ramp": {"to": 0.5, "over": 0.005}}})
    words = {"until": "10 ms", "step": "1 ms", "save_every": "5 ms", "rate": "1 kHz"}
    written = run(inputs={"cable": {"ramp": {"to": "0.5 N", "over": "5 ms"}}}, **words)
    np.testing.assert_array_equal(written.q, plain.q)
    np.testing.assert_array_equal(written.time, plain.time)
    assert plain.clamped == {}  # they were known, and within


_PLAIN = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in ('pydantic', 'pint'):
            raise ImportError(f'no module {{name}}', name=name)
sys.meta_path.insert(0, Block())
import pliant
model = pliant.load_model({path!r})
try:
    pliant.equilibrium(model, t="1 s")
except ValueError as error:
    print(error)
"""


def test_without_the_language_layer_a_text_is_refused_in_a_sentence(tmp_path):
    path = str(finger().save(tmp_path / "finger"))
    done = subprocess.run([sys.executable, "-c", _PLAIN.format(path=path)], capture_output=True, text=True, check=False)
    assert re.search(r"t was given as '1 s'.*pydantic and pint.*give a plain number \[s\]", done.stdout), done.stderr


@dataclasses.dataclass(frozen=True)
class Swing:
    """A tension about a mean, with a period of 10 ms."""

    mean: float
    size: float

    def __call__(self, t, state):
        return {CABLE: self.mean + self.size * jnp.sin(2.0 * jnp.pi * t / 0.01)}


def test_what_a_law_asks_for_is_kept_within_limits_and_counted():
    """A tension below zero would push: the tendon is slack instead, and the result says how often."""
    motion = run(inputs=Swing(0.0, 0.2), save_every=1e-3, accuracy=None)
    effort = np.asarray(motion.forces.effort[CABLE])
    assert np.all(effort[6:10] == 0.0) and effort.min() == 0.0 and effort[2] == pytest.approx(0.2 * np.sin(0.4 * np.pi))
    # Those at 0, 5 and 10 ms are zero but for rounding, of either sign.
    assert 4 <= int(motion.clamped[CABLE]) <= 6
    assert motion.summary()["clamped_samples"] == {CABLE: int(motion.clamped[CABLE])}
    within = run(inputs=Swing(0.3, 0.2), save_every=1e-3, accuracy=None)
    assert int(within.clamped[CABLE]) == 0


def test_traced_inputs_of_a_pure_motion_are_kept_within_limits_and_counted():
    @jax.jit
    def clamped(tension):
        found = pliant.pure.simulate(finger(), 2, 1e-3, stepper="rk4", inputs={CABLE: tension})
        return found.q[-1], found.clamped[CABLE]

    (below, twice), (slack, never), (pulled, still) = clamped(-0.1), clamped(0.0), clamped(0.1)
    np.testing.assert_array_equal(below, slack)
    assert (int(twice), int(never), int(still)) == (2, 0, 0) and not np.array_equal(pulled, slack)


def test_on_a_limit_the_derivative_is_that_beside_it():
    legal = finger().structure.port_limits[CABLE]
    slopes = [float(jax.grad(lambda value: within(legal, value))(value)) for value in (-1.0, 0.0, 1.0)]
    assert slopes == [0.0, 1.0, 1.0]


def test_the_checks_add_no_equations():
    """The residual is what it was: shapes are looked at while it is traced."""
    model = finger()
    inner = jax.make_jaxpr(pliant.residual)(model, q(), v(), v()).jaxpr
    (call,) = inner.eqns
    assert call.params["name"] == "residual"
    bare = jax.make_jaxpr(inspect.unwrap(pliant.residual))(model, q(), v(), v()).jaxpr
    assert len(call.params["jaxpr"].jaxpr.eqns) == len(bare.eqns)


def test_a_sequence_whose_first_time_fails_is_returned():
    # The number is refused where numbers are checked, which is not how such things come about.
    lost = Model(finger().structure, {**finger().parameters, YOUNG: jnp.asarray(NAN)})
    with pytest.raises(pliant.SolveError) as failure:
        pliant.quasi_static(lost, [0.0, 1.0])
    found = pliant.quasi_static(lost, [0.0, 1.0], throw=False)
    assert int(found.code[0]) == int(failure.value.code) == pliant.ResultCode.NOT_FINITE
    assert found.time.shape == found.code.shape == (1,) and float(found.time[0]) == 0.0
    assert found.q.shape == (1, 2) and found.position("rod").shape == (1, 3)
    np.testing.assert_array_equal(found.q[0], finger().initial_state().q)
    assert type(found) is type(pliant.quasi_static(finger(), [0.0]))
