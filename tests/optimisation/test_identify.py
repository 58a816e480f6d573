"""Identification: known parameters are found again, and what the data cannot tell is said."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant import ResultCode, SolveError, forward_kinematics, pure
from pliant.optimisation import identify
from robots import arm

YOUNG, DENSITY, PULL = "materials.rubber.young", "materials.rubber.density", "loads.pull.force"
VISCOSITY = "materials.rubber.viscosity"
TRUE = {YOUNG: 2.4e5, DENSITY: 1150.0}
FORCES = jnp.array([[0.0, 0.05, 0.0], [0.0, 0.0, 0.1], [0.05, 0.0, -0.05]])
TIMES = np.linspace(0.0, 1.0, 8)


def tips(model):
    """Position of the ball under three pulls."""

    def under(force):
        rest = pure.equilibrium(model, jnp.zeros(4), 0.0, {"pull.force": force})
        return forward_kinematics(model, rest.q)["ball"][:3, 3], rest.code

    return jax.vmap(under)(FORCES)


_tips = jax.jit(tips)


def line(model):
    """Linear in two parameters of very different size."""
    return model.parameters[YOUNG] / 1e5 + model.parameters[DENSITY] / 1e3 * TIMES


@pytest.mark.long
def test_finds_modulus_and_density_of_a_bent_arm():
    exact = np.asarray(_tips(arm().with_parameters(TRUE))[0])
    noise = 2e-4 * np.random.default_rng(1).normal(size=exact.shape)
    over = {YOUNG: (2e4, 2e6), DENSITY: None}
    clean = identify(arm(), tips, exact, over)
    assert clean.success and clean.rms < 1e-9 and not clean.notes
    noisy = identify(arm(), tips, exact + noise, over, sigma=2e-4)
    for path, value in TRUE.items():
        assert clean.parameters[path] == pytest.approx(value, rel=1e-6)
        assert abs(noisy.parameters[path] - value) < 3 * noisy.standard_errors[path] < 0.2 * value
    np.testing.assert_allclose(noisy.model.parameters[YOUNG], noisy.parameters[YOUNG])
    np.testing.assert_allclose(noisy.predicted + noisy.residuals, exact + noise)


def test_a_prediction_that_is_no_jax_function_is_differenced():
    """It runs on the host, here through NumPy, and is one that may fail."""

    def predict(model):
        if float(model.parameters[YOUNG]) > 5e5:
            raise SolveError(ResultCode.NOT_CONVERGED, "too stiff")
        return np.asarray(_tips(model)[0]).copy()

    exact = np.asarray(_tips(arm().with_parameters(TRUE))[0])
    found = identify(arm(), predict, exact, {YOUNG: (2e4, 2e6), DENSITY: None}, differences=1e-5, tolerance=1e-8)
    smooth = identify(arm(), tips, exact, {YOUNG: (2e4, 2e6), DENSITY: None})
    assert found.success and found.rms < 1e-7
    assert found.parameters == pytest.approx(smooth.parameters, rel=1e-4)
    with pytest.raises(SolveError, match="no prediction"):
        identify(arm(), predict, exact, {YOUNG: None}, start={YOUNG: 6e5}, differences=1e-5)


@pytest.mark.parametrize("given", [{}, {"sigma": 0.01}, {"weights": np.where(TIMES > 0.5, 4.0, 1.0)}])
def test_covariance_is_the_spread_of_repeated_fits(given):
    deviation = 0.01 / np.sqrt(np.broadcast_to(given.get("weights", 1.0), TIMES.shape))
    rng = np.random.default_rng(2)
    exact = np.asarray(line(arm().with_parameters(TRUE)))
    over = {YOUNG: None, DENSITY: (100.0, 1e4)}
    fits = [identify(arm(), line, exact + deviation * rng.normal(size=8), over, **given) for _ in range(300)]
    found = np.array([[fit.parameters[YOUNG], fit.parameters[DENSITY]] for fit in fits])
    stated = np.mean([fit.covariance for fit in fits], axis=0)
    np.testing.assert_allclose(found.mean(axis=0), list(TRUE.values()), rtol=0.01)
    ratio = np.cov(found.T) / stated
    np.testing.assert_allclose(ratio, 1.0, atol=0.25)  # 300 draws tell a variance to 8 %, three times that
    np.testing.assert_allclose(fits[0].correlation[0, 1], np.corrcoef(found.T)[0, 1], atol=0.1)


def test_robust_loss_resists_an_outlier():
    rng = np.random.default_rng(3)
    data = np.asarray(line(arm().with_parameters(TRUE))) + 0.01 * rng.normal(size=8)
    data[6] += 3.0
    over = {YOUNG: None, DENSITY: None}
    plain = identify(arm(), line, data, over)
    for loss in ("soft_l1", "huber", "cauchy"):
        robust = identify(arm(), line, data, over, loss=loss, loss_scale=0.01)
        error = abs(robust.parameters[DENSITY] - TRUE[DENSITY])
        assert error < 0.1 * abs(plain.parameters[DENSITY] - TRUE[DENSITY])
        assert robust.standard_errors[DENSITY] < plain.standard_errors[DENSITY]


def test_a_measurement_of_weight_zero_is_left_out():
    data = np.array(line(arm().with_parameters(TRUE)))
    data[2] = np.nan
    weights = np.isfinite(data).astype(float)
    fit = identify(arm(), line, data, {YOUNG: None, DENSITY: None}, weights=weights)
    assert fit.parameters[YOUNG] == pytest.approx(TRUE[YOUNG]) and fit.rms < 1e-9
    with pytest.raises(ValueError, match=r"1 measurements are not finite, the first at \(2,\)"):
        identify(arm(), line, data, {YOUNG: None})


def test_a_bound_that_holds_is_named():
    data = line(arm().with_parameters(TRUE))
    fit = identify(arm(), line, data, {YOUNG: (1e5, 2.2e5), DENSITY: (0.0, 1e4)})
    assert fit.parameters[YOUNG] == pytest.approx(2.2e5, rel=1e-4)
    assert any("young is at its upper bound, 220000" in note for note in fit.notes)
    assert np.isnan(fit.standard_errors[YOUNG]) and np.isfinite(fit.standard_errors[DENSITY])


def test_what_the_data_cannot_tell_is_named():
    def product(model):
        return model.parameters[YOUNG] * model.parameters[DENSITY] * (1.0 + TIMES) * 1e-8 + model.parameters[PULL][1]

    data = product(arm()) * 1.1
    fit = identify(arm(), product, data, {YOUNG: None, DENSITY: None, PULL: None})
    assert np.isinf(fit.standard_errors[YOUNG]) and np.isinf(fit.standard_errors[DENSITY])
    np.testing.assert_array_equal(np.isfinite(fit.standard_errors[PULL]), [False, True, False])
    text = str(fit)
    assert "a joint change of materials.rubber.young, materials.rubber.density leaves the predictions" in text
    assert "loads.pull.force[0] has no influence" in text and "kg/m^3" in text
    assert fit.parameters[PULL].shape == (3,) and fit.names[3] == "loads.pull.force[1]"


def test_directions_that_share_unknowns_are_told_together():
    def product(model):
        return model.parameters[YOUNG] * model.parameters[DENSITY] * model.parameters[PULL][1] * (1.0 + TIMES) * 1e-8

    fit = identify(arm(), product, product(arm()) * 1.1, {YOUNG: None, DENSITY: None, PULL: None})
    together = "materials.rubber.young, materials.rubber.density, loads.pull.force[1]"
    assert f"not identifiable: 2 independent changes of {together} leave the predictions as they are" in fit.notes


def test_few_data_give_no_errors_without_sigma():
    data = line(arm().with_parameters(TRUE))[:2]
    over = {YOUNG: None, DENSITY: None}
    unknown = identify(arm(), lambda model: line(model)[:2], data, over)
    assert np.isnan(unknown.standard_errors[YOUNG]) and "no more measurements than unknowns" in unknown.notes[-1]
    assert np.isfinite(identify(arm(), lambda m: line(m)[:2], data, over, sigma=0.01).standard_errors[YOUNG])


def test_predictions_that_fail_are_not_used():
    def from_log(model):
        return jnp.log(model.parameters[YOUNG] - 1.5e5) * (1.0 + TIMES)

    with pytest.raises(SolveError, match=r"no prediction at materials\.rubber\.young = 100000") as refused:
        identify(arm(), from_log, TIMES, {YOUNG: (0.0, 1e6)}, start={YOUNG: 1e5})
    assert refused.value.code is ResultCode.NOT_FINITE

    def failing(model):
        return line(model), jnp.where(model.parameters[YOUNG] > 2.1e5, ResultCode.SINGULAR, ResultCode.SUCCESS)

    data = line(arm().with_parameters(TRUE))
    with pytest.raises(SolveError, match=r"materials\.rubber\.young = 2[1-4]"):
        identify(arm(), failing, data, {YOUNG: (1e5, 1e6)})
    below = identify(arm(), failing, line(arm().with_parameters({YOUNG: 1.5e5})), {YOUNG: None}, start={YOUNG: 2e5})
    assert below.parameters[YOUNG] == pytest.approx(1.5e5)

    def kinked(model):
        return jnp.sqrt(jnp.abs(model.parameters[YOUNG] - 2e5)) * TIMES

    with pytest.raises(SolveError, match=r"derivative of the prediction by materials\.rubber\.young is not"):
        identify(arm(), kinked, TIMES, {YOUNG: None})


def test_a_search_cut_short_says_so_and_keeps_what_it_has():
    data = np.exp(np.asarray(line(arm().with_parameters(TRUE))))
    steps = []
    settings = {"max_evaluations": 2, "progress": lambda *step: steps.append(step)}
    with pytest.raises(SolveError, match="not reached in max_evaluations") as ended:
        identify(arm(), lambda model: jnp.exp(line(model)), data, {YOUNG: None, DENSITY: None}, **settings)
    assert not ended.value.partial.success
    assert [number for number, _, _ in steps] == list(range(len(steps))) and set(steps[0][2]) == {YOUNG, DENSITY}


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"over": {}}, ValueError, "names no parameter"),
        ({"over": {"materials.rubber.yuong": None}}, KeyError, r"did you mean materials\.rubber\.young"),
        ({"over": {YOUNG: (3e5, 1e5)}}, ValueError, "low below high"),
        ({"over": {YOUNG: (3e5, 4e5)}}, ValueError, "outside its bounds"),
        ({"start": {DENSITY: 1.0}}, KeyError, "over= names only"),
        ({"start": {YOUNG: 0.0}}, ValueError, "got 0 Pa; expected greater than 0 Pa"),
        ({"over": {VISCOSITY: None}, "start": {VISCOSITY: 0.0}}, ValueError, "starts at zero and has no bounds"),
        ({"loss": "square"}, ValueError, "there are: linear, soft_l1, huber, cauchy"),
        ({"sigma": 0.0}, ValueError, "sigma must be positive"),
        ({"sigma": 1.0, "weights": 1.0}, ValueError, "not both"),
        ({"measured": TIMES[:3]}, ValueError, r"predict returned shape \(8,\); the measurements have \(3,\)"),
    ],
)
def test_bad_requests_are_refused(change, error, text):
    settings = {"measured": TIMES, "over": {YOUNG: None}} | change
    with pytest.raises(error, match=text):
        identify(arm(), line, **settings)
