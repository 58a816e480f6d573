"""What can go wrong on the way from a function to native code, each under its own name."""


class NativeError(RuntimeError):
    """Any failure to make native code."""


class UnsupportedError(NativeError):
    """The function contains something that no scalar program can hold."""


class TooLargeError(NativeError):
    """The function would unroll to more operations than allowed."""


class CompilerError(NativeError):
    """There is no compiler, or it failed; its message and where the source lies are in the text."""


class MismatchError(NativeError):
    """Compiled code does not give what JAX gives."""
