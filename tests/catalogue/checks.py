"""What every element must satisfy. Each check raises AssertionError; `test_wrong_elements` shows that they can fail."""

import numpy as np

from pliant.lie import se3


def _close(found, expected, tolerance, what):
    scale = max(float(np.abs(np.asarray(expected)).max(initial=0.0)), 1e-12)
    error = float(np.abs(np.asarray(found) - np.asarray(expected)).max(initial=0.0)) / scale
    assert error <= tolerance, f"{what}: relative difference {error:.3g} exceeds {tolerance:g}"


def pose_at_base_is_identity(subject):
    _close(subject.generic["base pose"], np.eye(4), 1e-14, "pose at s = 0")


def integrate_inverts_difference(subject):
    found = subject.flattened
    _close(found["way back"], 0.3 * subject.v, 1e-12, "difference after integrate")
    _close(found["slope"], found["rate"], 1e-12, "rate of integrate")


def jacobian_is_derivative_of_pose(subject):
    found = np.asarray(subject.flattened["jacobian"])
    _close(found, subject.generic["jacobian"], 1e-12, "Jacobian against AD")
    h, zero = 1e-6, np.zeros(subject.model.nv)
    inverse = np.linalg.inv(np.asarray(subject.pose(zero)))
    for k in range(len(zero)):
        step = zero.copy()
        step[k] = h
        slope = (np.asarray(subject.pose(step)) - np.asarray(subject.pose(-step))) / (2 * h)
        column = np.asarray(se3.vee(inverse @ slope))
        assert np.abs(column - found[:, k]).max() <= 1e-7 * max(1.0, np.abs(found).max()), (
            "Jacobian against differences"
        )


def mass_matrix_is_hessian_of_kinetic_energy(subject):
    mass = np.asarray(subject.flattened["mass"])
    _close(mass, mass.T, 1e-13, "symmetry of the mass matrix")
    assert np.linalg.eigvalsh(mass).min() > 0.0, "the mass matrix is not positive definite"
    _close(mass, subject.generic["mass"], 1e-12, "mass matrix against the Hessian of kinetic energy")


def bias_is_lagrange(subject):
    name = "bias without loads"
    _close(subject.flattened[name], subject.generic[name], 1e-10, "bias against Lagrange's equations")


def force_is_energy_gradient(subject):
    flattened, generic = subject.flattened, subject.generic
    _close(flattened["force at rest"], generic["force at rest"], 1e-12, "elastic force against the energy gradient")
    damping = flattened["force"] - flattened["force at rest"]
    _close(damping, generic["damping"], 1e-9, "damping force against the dissipation gradient")


def forward_dynamics_inverts_inverse_dynamics(subject):
    weight = np.sqrt(np.diag(np.asarray(subject.flattened["mass"])))
    force, rest = (np.abs(np.asarray(subject.flattened[name])) / weight for name in ("bias", "balance"))
    assert rest.max() <= 1e-9 * force.max(), "inverse dynamics of the forward dynamics is not zero"


def flattened_equals_generic(subject):
    _close(subject.flattened["residual"], subject.generic["residual"], 1e-10, "flattened against generic residual")


def energy_balances(subject):
    """The rate of the total energy along the motion is the power of the loads less that of damping."""
    change, worked, lost = (float(x) for x in subject.flattened["power"])
    scale = abs(worked) + abs(lost) + 1e-3
    assert abs(change - worked + lost) <= 1e-8 * scale, "the rate of energy differs from work less dissipation"


def energy_balances_over_a_step(subject):
    """Over one step of RK4 the total energy gains the work of the loads less what damping takes."""
    h, start = 1e-6, (np.asarray(subject.q), np.asarray(subject.v))
    rates, worked, lost, state = [], [], [], start
    for ahead in (0.5, 0.5, 1.0, None):
        found = subject.at(*state)
        rates.append((np.asarray(found["rate"]), np.asarray(found["acceleration"])))
        worked.append(float(found["power"][1]))
        lost.append(float(found["power"][2]))
        if ahead is not None:
            state = tuple(x + ahead * h * rate for x, rate in zip(start, rates[-1], strict=True))
    weights = h * np.array([1, 2, 2, 1]) / 6
    end = [x + sum(w * r[k] for w, r in zip(weights, rates, strict=True)) for k, x in enumerate(start)]
    gained = float(subject.at(*end)["energy"] - subject.at(*start)["energy"])
    moved = weights @ (np.abs(worked) + np.abs(lost))
    error = abs(gained - weights @ (np.array(worked) - lost))
    assert error <= 1e-5 * moved, f"energy gained differs from work less dissipation by {error / moved:.3g}"


def finite_at_zero_strain(subject):
    for values in subject.batch:
        assert np.all(np.isfinite(values[0])), "a value or derivative is not finite in the reference configuration"


def vmap_equals_loop(subject):
    _close(subject.batch[0][1], subject.flattened["acceleration"], 1e-9, "vmap against a single evaluation")


CHECKS = (
    pose_at_base_is_identity,
    integrate_inverts_difference,
    jacobian_is_derivative_of_pose,
    mass_matrix_is_hessian_of_kinetic_energy,
    bias_is_lagrange,
    force_is_energy_gradient,
    forward_dynamics_inverts_inverse_dynamics,
    flattened_equals_generic,
    energy_balances,
    energy_balances_over_a_step,
    finite_at_zero_strain,
    vmap_equals_loop,
)
