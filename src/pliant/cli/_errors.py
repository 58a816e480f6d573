"""How a command ends. Expected errors become a sentence and an exit code; all others keep their traceback."""

import errno
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from pliant._files import WriteError
from pliant.cli._output import complain, forget_output

SOLVE_FAILED = 1
BAD_INPUT = 2
NOT_DONE = 3  # validate: a case asked for is unknown or was skipped
INTERRUPTED = 130
# What a stream that is no file of ours, which has a name in its errors, ends with: no room, and no device.
_OF_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def ending(app: Callable[[], Any]) -> NoReturn:
    """Run the commands and end the process. What they print may wait until the end to be written, and fail there."""
    code: Any = 0
    try:
        app()
    except SystemExit as ended:
        code = ended.code
    except OSError as error:  # help is printed before any command is known
        code = _explain(error)
        if code is None:
            raise
    try:
        sys.stdout.flush()
    except OSError as error:
        code = code or _explain(error) or SOLVE_FAILED
    forget_output()
    sys.exit(code)


class Commands(TyperGroup):
    """A group of commands that explains the errors which a user can mend."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            complain("Interrupted.")
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            code = _explain(error)
            if code is None:
                raise
            raise typer.Exit(code) from None


def _explain(error: Any) -> int | None:
    """Say what is wrong; None for an error that is not expected."""
    if _is(error, "pliant.description", "RobotFileError") or _is(error, "pliant.results", "ResultFileError"):
        complain(str(error))
        return BAD_INPUT
    if _is(error, "pliant.numerics", "SolveError"):
        complain(str(error))
        for note in getattr(error, "__notes__", ()):
            complain(note)
        return INTERRUPTED if error.code.name == "INTERRUPTED" else SOLVE_FAILED
    if _is(error, "pliant.native", "NativeError"):
        complain(str(error))
        return SOLVE_FAILED
    if isinstance(error, WriteError):
        complain(str(error))
        return BAD_INPUT
    if isinstance(error, OSError) and error.filename is None and error.errno in _OF_OUTPUT:
        forget_output()
        complain(f"The output cannot be written ({error.strerror}); free some space, or send it elsewhere")
        return BAD_INPUT
    if isinstance(error, OSError) and not isinstance(error, BrokenPipeError) and error.filename is not None:
        complain(f"{error.filename}: {error.strerror}")
        return BAD_INPUT
    return None


def _is(error: Exception, module: str, name: str) -> bool:
    # An error of a module that was never imported cannot have been raised; importing it here would load JAX.
    return module in sys.modules and isinstance(error, getattr(sys.modules[module], name))
