"""A test of the tests: an element with a wrong inertia, force or Jacobian is caught."""

import dataclasses

import pytest

from catalogue import checks
from catalogue.subjects import make, subject_of
from pliant.elements import StrainRod
from pliant.model import Model


class WrongInertia(StrainRod):
    """The rows carry a little more rotary inertia than the element's own samples say."""

    def row_inertia(self, prepared):
        right = super().row_inertia(prepared)
        return right._replace(second=1.01 * right.second)


class WrongForce(StrainRod):
    """The force is not the gradient of the energy."""

    def force(self, prepared, q, v):
        return super().force(prepared, q, v) + 1e-3 * super().force(prepared, q**2, 0 * v)


class WrongJacobian(StrainRod):
    """The motion of the rows is not the derivative of their poses."""

    def relative(self, detail, v):
        return super().relative(detail, v).at[..., 3].multiply(1.001)

    def subspace(self, detail):
        return super().subspace(detail).at[..., 3, :].multiply(1.001)


CAUGHT = {
    WrongInertia: {"mass_matrix_is_hessian_of_kinetic_energy", "flattened_equals_generic"},
    WrongForce: {"force_is_energy_gradient", "flattened_equals_generic", "bias_is_lagrange"},
    WrongJacobian: {"jacobian_is_derivative_of_pose", "mass_matrix_is_hessian_of_kinetic_energy"},
}


def _with_element(kind):
    right = make("pcs-on-revolute").model
    *others, group = right.structure.groups
    fields = {field.name: getattr(group.element, field.name) for field in dataclasses.fields(group.element)}
    wrong = dataclasses.replace(group, element=kind(**fields))
    text = right.structure.text + kind.__name__  # another robot, so that no traced function is shared
    structure = dataclasses.replace(right.structure, groups=(*others, wrong), text=text)
    return subject_of(Model(structure, right.parameters), physics=right)


@pytest.mark.parametrize("kind", CAUGHT, ids=lambda kind: kind.__name__)
def test_wrong_element_is_caught(kind):
    subject = _with_element(kind)
    for name in CAUGHT[kind]:
        with pytest.raises(AssertionError):
            getattr(checks, name)(subject)
