"""Tilewright compiles Python functions into kernels for CPUs and GPUs.

Importing the package loads nothing else: the names below are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilewright import errors, knobs, language, testing
    from tilewright.compiler.ast_source import compile
    from tilewright.errors import (
        CompilationError,
        InterpreterError,
        OutOfResources,
        TritonError,
    )
    from tilewright.language import constexpr_function
    from tilewright.language.aggregates import aggregate
    from tilewright.language.constexpr import must_use_result
    from tilewright.runtime.allocator import set_allocator
    from tilewright.runtime.arithmetic import cdiv, next_power_of_2
    from tilewright.runtime.async_compile import AsyncCompileMode, FutureKernel
    from tilewright.runtime.emulation import emulate
    from tilewright.runtime.function import JITFunction
    from tilewright.runtime.interface import KernelInterface
    from tilewright.runtime.jit import jit
    from tilewright.runtime.reinterpreted import TensorWrapper, reinterpret
    from tilewright.tuning import Autotuner, Config, Heuristics, autotune, heuristics

__version__ = "0.1.0"

__all__ = [
    "AsyncCompileMode",
    "Autotuner",
    "CompilationError",
    "Config",
    "FutureKernel",
    "Heuristics",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "OutOfResources",
    "TensorWrapper",
    "TritonError",
    "__version__",
    "aggregate",
    "autotune",
    "cdiv",
    "compile",
    "constexpr_function",
    "emulate",
    "errors",
    "heuristics",
    "jit",
    "knobs",
    "language",
    "must_use_result",
    "next_power_of_2",
    "reinterpret",
    "set_allocator",
    "testing",
]

_MODULES = ("errors", "knobs", "language", "testing")
_HOMES = {
    "AsyncCompileMode": "tilewright.runtime.async_compile",
    "Autotuner": "tilewright.tuning",
    "CompilationError": "tilewright.errors",
    "Config": "tilewright.tuning",
    "FutureKernel": "tilewright.runtime.async_compile",
    "Heuristics": "tilewright.tuning",
    "InterpreterError": "tilewright.errors",
    "JITFunction": "tilewright.runtime.function",
    "KernelInterface": "tilewright.runtime.interface",
    "OutOfResources": "tilewright.errors",
    "TensorWrapper": "tilewright.runtime.reinterpreted",
    "TritonError": "tilewright.errors",
    "aggregate": "tilewright.language.aggregates",
    "autotune": "tilewright.tuning",
    "cdiv": "tilewright.runtime.arithmetic",
    "compile": "tilewright.compiler.ast_source",
    "constexpr_function": "tilewright.language",
    "emulate": "tilewright.runtime.emulation",
    "heuristics": "tilewright.tuning",
    "jit": "tilewright.runtime.jit",
    "must_use_result": "tilewright.language.constexpr",
    "next_power_of_2": "tilewright.runtime.arithmetic",
    "reinterpret": "tilewright.runtime.reinterpreted",
    "set_allocator": "tilewright.runtime.allocator",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tilewright.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'tilewright' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
