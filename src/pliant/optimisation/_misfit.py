"""Weighted residuals of a prediction and their derivatives, as functions of the unknowns."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import call_traced, plain_numbers
from pliant.model import Model
from pliant.numerics import ResultCode, SolveError
from pliant.optimisation._unknowns import Shapes, Unknowns, split

_MOST_REFUSALS = 12  # in a row; each quarters the step, which is then 6e-8 of what it was

_PREDICTION = "without differences= it must be a JAX function of the model"

Predict = Callable[[Model], Any]
Progress = Callable[[int, float, dict[str, Any]], None]


@eqx.filter_jit
def _evaluate(predict: Predict, model: Model, shapes: Shapes, unit: Array, x: Array) -> tuple[Array, Array, Array]:
    """Prediction, its derivative by x, and the largest code of the solves inside."""

    def predicted(x: Array) -> tuple[Array, tuple[Array, Array]]:
        returned = call_traced("predict", _PREDICTION, predict, model.with_parameters(split(shapes, unit * x)))
        value, code = returned if isinstance(returned, tuple) else (returned, int(ResultCode.SUCCESS))
        value = jnp.asarray(value)
        return value, (value, jnp.max(jnp.asarray(code)))

    jacobian, (value, code) = jax.jacfwd(predicted, has_aux=True)(x)
    return value, jacobian, code


class Misfit:
    """What the search asks for. One compiled function gives residuals and derivatives, and the last evaluation is
    kept: compilation costs more than the derivatives that a refused step wastes."""

    def __init__(
        self,
        model: Model,
        predict: Predict,
        measured: Any,
        unknowns: Unknowns,
        sigma: Any,
        weights: Any,
        progress: Progress | None,
        differences: float | None = None,
    ) -> None:
        self.model, self.predict, self.unknowns, self.progress = model, predict, unknowns, progress
        self.differences = differences
        self.measured = plain_numbers("measured", measured, "an array of numbers")
        self.root_weight = _root_weight(self.measured, sigma, weights)
        self.used = self.root_weight > 0.0
        self.evaluations = self.iterations = 0
        self.refused = self.refusals = self.refusals_of_last_step = 0
        self._x = unknowns.start
        self._value, self._jacobian = self._evaluated(unknowns.start)

    def predicted(self, x: np.ndarray) -> np.ndarray:
        """A prediction in the shape of the measurements; nan throughout where the model gives no prediction."""
        if not np.array_equal(x, self._x):
            self._value, self._jacobian = self._evaluated(x)
            self._x = np.array(x)
        return self._value

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """(m,) predicted minus measured, of the measurements that have a weight."""
        return ((self.predicted(x) - self.measured) * self.root_weight)[self.used]

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """(m, n) derivative of the residuals."""
        self.predicted(x)
        jacobian = (self._jacobian * self.root_weight[..., None])[self.used]
        bad = ~np.all(np.isfinite(jacobian), axis=0)
        if bad.any():
            names = ", ".join(name for name, is_bad in zip(self.unknowns.names, bad, strict=True) if is_bad)
            where = self.unknowns.text(x)
            raise SolveError(ResultCode.NOT_FINITE, f"The derivative of the prediction by {names} is not, at {where}.")
        return jacobian

    def accepted_jacobian(self, x: np.ndarray) -> np.ndarray:
        """The derivative at a step of the search, which asks for it at the start and where it accepts one."""
        jacobian = self.jacobian(x)
        if self.progress is not None:
            residuals = self.residuals(x)
            self.progress(self.iterations, 0.5 * float(residuals @ residuals), self.unknowns.parameters(x))
        self.iterations += 1
        self.refusals, self.refusals_of_last_step = 0, self.refusals
        return jacobian

    def _evaluated(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, jacobian, code = self._differentiated(x) if self.differences is None else self._differenced(x)
        if value.shape != self.measured.shape:
            raise ValueError(f"predict returned shape {value.shape}; the measurements have {self.measured.shape}")
        self.evaluations += 1
        ending = ResultCode(int(code))
        if ending is ResultCode.SUCCESS and not np.all(np.isfinite(value[self.used])):
            ending = ResultCode.NOT_FINITE
        if ending is ResultCode.SUCCESS:
            return value, jacobian
        self.refused += 1
        self.refusals += 1
        if self.evaluations == 1 or self.refusals > _MOST_REFUSALS:
            raise SolveError(ending, f"The model gives no prediction at {self.unknowns.text(x)}.")
        return np.full_like(value, np.nan), jacobian

    def _differentiated(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        unit = jnp.asarray(self.unknowns.unit)
        value, jacobian, code = _evaluate(self.predict, self.model, self.unknowns.shapes, unit, jnp.asarray(x))
        return np.asarray(value), np.asarray(jacobian), int(code)

    def _differenced(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """Prediction, its derivative by forward differences (backward where the upper bound is in the way), code."""
        value, code = self._predicted_once(x)
        columns: list[np.ndarray] = []
        for index in range(len(x)):
            step = (self.differences or 0.0) * max(abs(float(x[index])), 1.0)
            step = -step if x[index] + step > self.unknowns.high[index] else step
            beside, other = self._predicted_once(np.where(np.arange(len(x)) == index, x + step, x))
            columns.append((beside - value) / step)
            code = max(code, other)
        return value, np.stack(columns, axis=-1), code

    def _predicted_once(self, x: np.ndarray) -> tuple[np.ndarray, int]:
        model = self.model.with_parameters(self.unknowns.parameters(x))
        try:
            returned = self.predict(model)
        except SolveError as error:
            return np.full_like(self.measured, np.nan), int(error.code)
        value, code = returned if isinstance(returned, tuple) else (returned, int(ResultCode.SUCCESS))
        return np.asarray(value, dtype=float), int(np.max(np.asarray(code)))


def _root_weight(measured: np.ndarray, sigma: Any, weights: Any) -> np.ndarray:
    """What multiplies each residual; zero where a measurement is left out."""
    if sigma is not None and weights is not None:
        raise ValueError("give sigma= (deviations of the measurements) or weights= (relative), not both")
    deviation = np.broadcast_to(np.asarray(1.0 if sigma is None else sigma, dtype=float), measured.shape)
    if not np.all((deviation > 0.0) & np.isfinite(deviation)):
        raise ValueError("sigma must be positive and finite; leave a measurement out with weights=0")
    weight = np.broadcast_to(np.asarray(1.0 if weights is None else weights, dtype=float), measured.shape)
    if not np.all((weight >= 0.0) & np.isfinite(weight)) or not np.any(weight > 0.0):
        raise ValueError("weights must not be negative, and some must be positive")
    missing = ~np.isfinite(measured) & (weight > 0.0)
    if missing.any():
        first = tuple(int(i) for i in np.argwhere(missing)[0])
        raise ValueError(f"{missing.sum()} measurements are not finite, the first at {first}; give them weights of 0")
    return np.sqrt(weight) / deviation
