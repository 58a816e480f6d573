"""How a solve ended: a code with a sentence, and the exception that carries it on the host side."""

from enum import IntEnum
from typing import Any


class ResultCode(IntEnum):
    """Integers, so that they live in traced arrays and one failed member of a batch does not stop the others."""

    SUCCESS = 0
    NOT_CONVERGED = 1
    STEP_TOO_SMALL = 2
    MAX_STEPS = 3
    NOT_FINITE = 4
    SINGULAR = 5
    INTERRUPTED = 6
    INACCURATE = 7

    @property
    def message(self) -> str:
        """One sentence for the user."""
        return _MESSAGES[self]


_MESSAGES = {
    ResultCode.SUCCESS: "The solve succeeded.",
    ResultCode.NOT_CONVERGED: "The nonlinear iteration did not reach its tolerance.",
    ResultCode.STEP_TOO_SMALL: "The step size fell below its lower limit.",
    ResultCode.MAX_STEPS: "The maximum number of steps was taken before the end time was reached.",
    ResultCode.NOT_FINITE: "A value became infinite or not a number.",
    ResultCode.SINGULAR: "A matrix to be inverted was singular or not positive definite.",
    ResultCode.INTERRUPTED: "The solve was interrupted; what was computed so far is kept.",
    ResultCode.INACCURATE: "The motion is whole, but its steps were too long for the accuracy asked for.",
}


class SolveError(RuntimeError):
    """A solve failed. `code` says how, `details` says where, `partial` holds what was computed until then."""

    def __init__(self, code: ResultCode, details: str = "", partial: Any = None) -> None:
        self.code = ResultCode(code)
        self.details = details
        self.partial = partial
        super().__init__(f"{self.code.message} {details}".rstrip())

    def __reduce__(self) -> tuple[type["SolveError"], tuple[ResultCode, str, Any]]:
        # The default would call the class with the message alone; batches send errors between processes.
        return (type(self), (self.code, self.details, self.partial))
