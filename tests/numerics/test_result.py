import pickle

import pytest

from pliant.numerics import ResultCode, SolveError


def test_every_code_has_a_sentence():
    assert ResultCode.SUCCESS == 0
    for code in ResultCode:
        assert code.message[0].isupper() and code.message.endswith(".")
    assert len({code.message for code in ResultCode}) == len(ResultCode)


def test_error_keeps_what_was_computed():
    with pytest.raises(SolveError, match=r"not reach its tolerance. At t = 0.3 s") as caught:
        raise SolveError(ResultCode.NOT_CONVERGED, "At t = 0.3 s.", partial=[1.0, 2.0])
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 (our own bytes)
    assert (copy.code, copy.details, copy.partial) == (ResultCode.NOT_CONVERGED, "At t = 0.3 s.", [1.0, 2.0])
    assert str(copy) == str(caught.value)
