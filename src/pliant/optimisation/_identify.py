"""Parameters of a model from measurements: bounded nonlinear least squares with derivatives by JAX."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from pliant.arguments import count, did_you_mean, mapping, number, shown
from pliant.blueprint import ParameterInfo
from pliant.dynamics import host_model
from pliant.model import Model
from pliant.numerics import ResultCode, SolveError
from pliant.optimisation._identification import Identification
from pliant.optimisation._misfit import Misfit, Predict, Progress
from pliant.optimisation._uncertainty import WEIGHT_OF_LOSS, correlation, uncertainty
from pliant.optimisation._unknowns import Bounds, Unknowns

_AT_BOUND = 1e-4  # of the unit of an unknown
_STRONG_CORRELATION = 0.99
_POSITIVE = ParameterInfo((), "", "a scale", low=0.0, low_open=True)
_FRACTION = ParameterInfo((), "", "a small fraction", low=0.0, high=1.0, low_open=True, high_open=True)


def identify(
    model: Model,
    predict: Predict,
    measured: Any,
    over: Bounds,
    *,
    start: Mapping[str, Any] | None = None,
    sigma: Any = None,
    weights: Any = None,
    loss: str = "linear",
    loss_scale: float = 1.0,
    scale: Mapping[str, Any] | None = None,
    tolerance: float = 1e-10,
    max_evaluations: int = 200,
    progress: Progress | None = None,
    differences: float | None = None,
    throw: bool = True,
) -> Identification:
    """Fit the parameters named in `over` so that predict(model) agrees with the measurements.

        >>> fit = pliant.identify(model, tip, measured, over={"materials.rubber.young": (1e4, 1e7)})
        >>> print(fit)

    predict: a pure JAX function of the model; it returns an array of the shape of `measured`, or (array, code) with the
    ResultCodes of the solves inside it, so that one that failed is noticed. over: {path: (low, high)}, or {path: None};
    a bound is a number, an array of the parameter's shape, or None: that of what is legal (`model.parameter_info`),
    beyond which none may lie. start: other starting values than
    the model's.

    differences: for a prediction that is no pure JAX function, as one that calls `simulate`: it is differenced with
    this step, relative to the size of each unknown, instead of differentiated; one more prediction for each unknown.

    sigma: standard deviation of the measurements, a number or an array; the covariance then rests on it. Without it,
    the deviation is estimated from the residuals. weights: relative weights of the squared residuals; a measurement of
    weight 0 is left out (and may be nan). loss: linear, or soft_l1, huber, cauchy, which limit the pull of residuals
    beyond `loss_scale` (in sigmas, or in the unit of the measurements without sigma).

    The search works in parameters over their unit: `scale[path]`, by default the smaller of the starting value and the
    distance of the bounds. A trial step to where the model gives no finite prediction is shortened. SolveError when the
    start is such a point, when the search ends at one, and, unless throw=False, when the tolerance is not reached in
    max_evaluations predictions. progress(iteration, half the sum of squares, parameters) is called at every step.
    """
    model = host_model("pliant.identify", "call it outside", model, measured, start, sigma, weights, scale)
    if not callable(predict):
        raise TypeError(f"predict must be a function of the model; got {shown(predict)}")
    mapping("over", over, "a dict {path: (low, high) or None}")
    if loss not in WEIGHT_OF_LOSS:
        raise ValueError(
            f"no loss {loss!r}; there are: {', '.join(WEIGHT_OF_LOSS)}{did_you_mean(loss, WEIGHT_OF_LOSS)}"
        )
    loss_scale, tolerance = number("loss_scale", loss_scale, _POSITIVE), number("tolerance", tolerance, _FRACTION)
    differences = None if differences is None else number("differences", differences, _FRACTION)
    max_evaluations = count("max_evaluations", max_evaluations)
    unknowns = Unknowns(model, over, start or {}, scale or {})
    misfit = Misfit(model, predict, measured, unknowns, sigma, weights, progress, differences)
    # Residuals over their size at the start, so that the tolerances of the search do not depend on units.
    level = float(np.sqrt(np.mean(misfit.residuals(unknowns.start) ** 2))) or 1.0
    found = least_squares(
        lambda x: misfit.residuals(x) / level,
        unknowns.start,
        jac=lambda x: misfit.accepted_jacobian(x) / level,
        bounds=(unknowns.low, unknowns.high),
        method="trf",
        ftol=tolerance,
        xtol=tolerance,
        gtol=tolerance,
        loss=loss,
        f_scale=loss_scale / level,
        max_nfev=max_evaluations,
    )
    at_edge = misfit.refusals_of_last_step > 0 and found.optimality > np.sqrt(tolerance)
    result = _result(misfit, found, level, loss, loss_scale, sigma is not None)
    if at_edge:
        where = f"The search ended beside parameters at which the model gives no prediction: {unknowns.text(found.x)}."
        raise SolveError(ResultCode.NOT_CONVERGED, where, partial=result)
    if not result.success and throw:
        raise SolveError(ResultCode.NOT_CONVERGED, f"{result.message} At {unknowns.text(found.x)}.", partial=result)
    return result


def _result(
    misfit: Misfit, found: Any, level: float, loss: str, loss_scale: float, known_sigma: bool
) -> Identification:
    unknowns, x = misfit.unknowns, found.x
    weighted, jacobian = misfit.residuals(x), misfit.jacobian(x)
    gradient = jacobian.T @ (WEIGHT_OF_LOSS[loss]((weighted / loss_scale) ** 2) * weighted)
    at_low = (x - unknowns.low < _AT_BOUND) & (gradient > 0.0)
    at_high = (unknowns.high - x < _AT_BOUND) & (gradient < 0.0)
    free = ~(at_low | at_high)
    covariance, null = uncertainty(jacobian, weighted, free, known_sigma, loss, loss_scale)
    covariance = covariance * np.outer(unknowns.unit, unknowns.unit)
    notes = [
        *_bound_notes(unknowns, at_low, "lower", unknowns.low),
        *_bound_notes(unknowns, at_high, "upper", unknowns.high),
        *_null_notes(unknowns, null),
        *_correlation_notes(unknowns, covariance),
    ]
    if not known_sigma and len(weighted) <= free.sum():
        notes.append("no more measurements than unknowns: nothing tells the errors; give sigma= if it is known")
    if misfit.refused:
        notes.append(f"{misfit.refused} trial steps were shortened because the model gave no prediction there")
    residuals = misfit.measured - misfit.predicted(x)
    parameters = unknowns.parameters(x)
    return Identification(
        parameters=parameters,
        model=misfit.model.with_parameters(parameters),
        predicted=misfit.predicted(x),
        residuals=residuals,
        measurements=len(weighted),
        rms=float(np.sqrt(np.mean(residuals[misfit.used] ** 2))),
        names=unknowns.names,
        covariance=covariance,
        standard_errors=unknowns.by_path(np.sqrt(np.diag(covariance))),
        cost=float(found.cost * level**2),
        iterations=misfit.iterations - 1,
        evaluations=misfit.evaluations,
        success=found.status > 0,
        message="Converged." if found.status > 0 else "The tolerance was not reached in max_evaluations predictions.",
        notes=tuple(notes),
    )


def _bound_notes(unknowns: Unknowns, active: np.ndarray, side: str, bound: np.ndarray) -> Iterator[str]:
    for i in np.flatnonzero(active):
        value = bound[i] * unknowns.unit[i]
        yield (
            f"{unknowns.names[i]} is at its {side} bound, {value:.6g}: the data want it beyond, and the other standard "
            "errors hold with it fixed there"
        )


def _null_notes(unknowns: Unknowns, null: tuple[tuple[int, ...], ...]) -> Iterator[str]:
    groups: list[tuple[set[int], int]] = []  # directions that share an unknown are one statement about all of theirs
    for direction in null:
        members, count = set(direction), 1
        for group in [group for group in groups if group[0] & members]:
            groups.remove(group)
            members, count = members | group[0], count + group[1]
        groups.append((members, count))
    for members, count in groups:
        together = ", ".join(unknowns.names[i] for i in sorted(members))
        if len(members) == 1:
            yield f"not identifiable: {together} has no influence on the predictions"
        elif count == 1:
            yield f"not identifiable: a joint change of {together} leaves the predictions as they are"
        else:
            yield f"not identifiable: {count} independent changes of {together} leave the predictions as they are"


def _correlation_notes(unknowns: Unknowns, covariance: np.ndarray) -> Iterator[str]:
    correlations = np.triu(correlation(covariance), 1)
    for i, j in np.argwhere(np.nan_to_num(np.abs(correlations)) > _STRONG_CORRELATION):
        names = f"{unknowns.names[i]} and {unknowns.names[j]}"
        yield f"{names} are hard to tell apart: their correlation is {correlations[i, j]:.4f}"
