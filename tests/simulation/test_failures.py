"""Runs that fail say when, with which step and where; settings and states that cannot be are refused."""

import dataclasses
import functools
import json

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.simulation._largest_residuals import largest_residuals


@dataclasses.dataclass(frozen=True)
class Bang(pliant.Force):
    """Pushes a slider back from a line with all its might, at once: no acceleration balances it there."""

    force: float = 1e6  # N
    line: float = 0.1  # m

    def wrenches(self, numbers, at):
        push = jnp.where(at.pose("slider")[2, 3] > numbers["line"], -numbers["force"], numbers["force"] * 0.0)
        return {"slider": jnp.zeros(6).at[5].set(push)}


@functools.cache
def _doomed() -> pliant.Model:
    """A slider that reaches the line after about 0.1 s, and a hinged bar beside it."""
    robot = (
        pliant.Robot("doomed")
        .with_gravity([0, 0, 0])
        .rigid("slider", mass=1.0, inertia=[1e-3] * 3, joint={"prismatic": "z"})
        .rigid("bar", mass=1.0, inertia=[1e-2] * 3, centre=[0, 0, 0.1], joint={"revolute": "y"})
    )
    return pliant.compile(robot, extra=[Bang("bang")])


def _start() -> pliant.State:
    model = _doomed()
    v = jnp.zeros(model.nv).at[model.velocity_names.index("slider.speed")].set(0.9731)
    return pliant.State(model.initial_state().q, v)


STEPS = {
    "fixed": (1e-3, r"newmark with a step of 0\.001 s, halved 6 times to 1\.\d+e-05 s, failed"),
    "adaptive": ((1e-5, 1e-2), r"newmark with its shortest step, \S+e-0[56] s, failed"),
}


@pytest.mark.parametrize("way", STEPS)
def test_a_failure_names_time_step_and_links(way: str) -> None:
    step, words = STEPS[way]
    stepper = pliant.Stepper(_doomed(), "newmark", step, adapt="newton")
    settings = {"save_every": 5e-3, "state": _start()}
    with pytest.raises(pliant.SolveError, match=words) as failure:
        pliant.simulate(stepper, 0.3, **settings)
    message = str(failure.value)
    assert "after t = 0.102" in message  # 0.1 m at 0.9731 m/s
    # The slider first, with about the force of the bang; then the bar, which is at peace.
    assert "what is left unbalanced: slider" in message
    force, unit, link, moment, other = message.split("unbalanced: slider ")[1].split(";")[0].split(maxsplit=4)
    assert 1e5 < float(force) < 2e6 and (unit, link, other) == ("N,", "bar", "N m") and float(moment) < 1e-6
    kept = failure.value.partial
    assert (
        kept.time.shape == (21,) and np.all(np.isfinite(kept.q)) and f"{len(kept.time)} samples up to 0.1 s" in message
    )
    same = pliant.simulate(stepper, 0.3, throw=False, **settings)
    assert pliant.ResultCode(int(same.code)) is failure.value.code is pliant.ResultCode.NOT_CONVERGED
    np.testing.assert_array_equal(same.q, kept.q)
    assert json.loads(same.provenance)["settings"]["failure"] in message


def test_links_are_sorted_by_what_their_residual_does_and_have_units() -> None:
    section = {"section": {"circle": {"radius": 0.01}}, "material": "rubber", "length": 0.1}
    robot = pliant.Robot("mixed").material("rubber", young=1e6, poisson=0.4, density=1000.0)
    robot = robot.rod("soft", allow=["bend_y", "stretch"], model={"pcs": {"pieces": 2}}, **section)
    robot = robot.rod("lumped", allow=["bend_y"], model={"srl": {"pieces": 2}}, **section)
    for name in "abcd":
        robot = robot.rigid(name, mass=1.0, inertia=[1e-2] * 3, joint="free")
    model = pliant.compile(robot.constraint("pin", between=["a", "b"], fix=["z"]))
    residual, acceleration = np.zeros(model.nv + 1), np.ones(model.nv)
    at = {name: index for index, name in enumerate(model.velocity_names)}
    residual[[at["soft.piece0.bend_y[0]"], at["soft.piece1.stretch[0]"], at["c.linear_x"], at["c.linear_y"]]] = (
        2.0,
        0.5,
        3.0,
        4.0,
    )
    residual[-1] = 0.25
    acceleration[at["soft.piece0.bend_y[0]"]] = 100.0
    found = largest_residuals(model, residual, acceleration)
    assert found.startswith("soft 2 N m^2 and 0.5 N m, c 0 N m and 5 N, ")
    assert found.endswith("less on 2 other links, constraint pin 0.25 m/s^2 or rad/s^2")


def test_a_number_that_is_none_names_its_link() -> None:
    doomed = _doomed()  # the number is refused where numbers are checked, which is not how such things come about
    model = pliant.Model(doomed.structure, {**doomed.parameters, "extra.bang.force": jnp.asarray(jnp.nan)})
    with pytest.raises(pliant.SolveError, match=r"failed after t = .* unbalanced: slider nan N, ") as failure:
        pliant.simulate(model, 0.3, stepper="newmark", step=1e-3, save_every=5e-3, state=_start())
    assert failure.value.code is pliant.ResultCode.NOT_FINITE


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": 0.0}, r"step must be greater than 0 s; got 0\.0 s"),
        ({"step": -1e-3, "kind": "tsit5"}, r"step must be greater than 0 s; got -0\.001 s"),
        ({"step": float("nan")}, "step must be greater than 0 s; got nan s"),
        ({"step": (0.0, 1e-3)}, r"shortest step above 0 s and a longest .* got \(0\.0, 0\.001\) s"),
        ({"gamma": 0.4}, r"beta = 0\.25 and gamma = 0\.4 .*grows .* 1 \+ 0\.05 \(w h\)\^2 .*gamma >= 1/2"),
        ({"beta": 0.0}, r"beta = 0\.0 and gamma = 0\.5 .*faster than 2 / h rad/s grow .*beta >= gamma / 2"),
        ({"spectral_radius": 1.1}, r"spectral_radius must be from 0 .* to 1 .*; got 1\.1"),
    ],
)
def test_bad_settings_of_a_step_are_refused_with_their_value_and_what_is_legal(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pliant.Stepper(_doomed(), **{"kind": "newmark", **settings})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": 0.0}, r"step must be greater than 0 s; got 0\.0 s"),
        ({"step": -1e-3, "stepper": "tsit5"}, r"step must be greater than 0 s; got -0\.001 s"),
        ({"save_every": 2.0}, r"save_every must be from 0 s to the 1 s of the run; got 2\.0 s"),
        ({"until": -1.0}, r"until must be greater than start = 0\.0 s, and finite; got -1\.0 s"),
        ({"until": float("inf")}, "finite; got inf s"),
    ],
)
def test_bad_settings_are_refused_with_their_value_and_what_is_legal(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pliant.simulate(_doomed(), **{"until": 1.0, "stepper": "newmark", **settings})


@pytest.mark.parametrize(("beta", "gamma"), [(0.25, 0.5), (0.3, 0.6), (0.3025, 0.6)])
def test_what_newmark_takes_does_not_grow(beta: float, gamma: float) -> None:
    """The amplification of an undamped vibration over a step, for steps short and long."""
    for angle in np.logspace(-2, 3, 200):
        ahead = np.array([[1.0 + beta * angle**2, 0.0], [gamma * angle**2, 1.0]])
        behind = np.array([[1.0 - (0.5 - beta) * angle**2, 1.0], [-(1.0 - gamma) * angle**2, 1.0]])
        assert np.abs(np.linalg.eigvals(np.linalg.solve(ahead, behind))).max() < 1.0 + 1e-9
    assert pliant.Stepper(_doomed(), "newmark", beta=beta, gamma=gamma).settings.coefficients[:2] == (beta, gamma)


@functools.cache
def _pinned() -> pliant.Model:
    """Two bars whose ends are held at one height."""
    bar = {"mass": 1.0, "inertia": [1e-2] * 3, "joint": {"revolute": "y"}}
    beside = {"link": "world", "offset": {"move": [0.2, 0, 0]}}
    end = {"offset": {"move": [0, 0, 0.1]}}
    return pliant.compile(
        pliant.Robot("pinned")
        .rigid("left", **bar)
        .rigid("right", parent=beside, **bar)
        .constraint("pin", between=[{"link": "left", **end}, {"link": "right", **end}], fix=["z"], frame="world")
    )


def test_a_state_off_its_loops_is_refused() -> None:
    model = _pinned()
    closed = pliant.State(jnp.array([0.3, 0.3]), jnp.zeros(2))
    off = pliant.State(jnp.array([0.3, 0.5]), jnp.zeros(2))
    gap = 0.1 * (np.cos(0.3) - np.cos(0.5))
    with pytest.raises(ValueError, match=r"robot 'pinned': pin is open by \d+(\.\d+)? mm and 0 deg") as refusal:
        pliant.simulate(model, 0.1, state=off)
    assert "pliant.assemble(model, state.q)" in str(refusal.value) and "1e-06 m or rad" in str(refusal.value)
    assert f"open by {1e3 * gap:.4g} mm" in str(refusal.value)
    cured = pliant.State(pliant.assemble(model, off.q), off.v)
    for state in (closed, cured):
        assert float(pliant.simulate(model, 0.01, state=state, stepper="rk4", step=5e-3).time[-1]) == 0.01
