"""The errors of compilations, by the names that Triton gives them.

An `except` clause with one of these names catches what Tilewright raises, because the names are
aliases of classes of the catalog (tilewright/errors.py), or subclasses that Tilewright raises.
"""

from __future__ import annotations

from tilewright.errors import (
    CompileError,
    PassError,
    StaticAssertError,
    TilewrightError,
    UnsupportedError,
)

__all__ = [
    "CompilationError",
    "CompileTimeAssertionFailure",
    "PTXASError",
    "TritonError",
    "UnsupportedLanguageConstruct",
]

TritonError = TilewrightError
CompilationError = CompileError
CompileTimeAssertionFailure = StaticAssertError
UnsupportedLanguageConstruct = UnsupportedError


class PTXASError(PassError):
    """NVIDIA's assembler, nvJitLink or ptxas, failed on the PTX of a kernel."""
