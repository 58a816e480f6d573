"""From a program of scalars to the text of C and CUDA."""

from pliant.native.printing._operations import operations
from pliant.native.printing._print_c import CText
from pliant.native.printing._print_cuda import NEAR, cuda_text
from pliant.native.printing._runtime import PRELUDE

__all__ = ["NEAR", "PRELUDE", "CText", "cuda_text", "operations"]
