"""Tilewright compiles Python functions into kernels for CPUs and GPUs.

Importing the package loads nothing else: the names below are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilewright import errors, knobs, language, testing
    from tilewright.runtime.allocator import set_allocator
    from tilewright.runtime.arithmetic import cdiv, next_power_of_2
    from tilewright.runtime.emulation import emulate
    from tilewright.runtime.function import JITFunction
    from tilewright.runtime.interface import KernelInterface
    from tilewright.runtime.jit import jit
    from tilewright.tuning import Autotuner, Config, Heuristics, autotune, heuristics

__version__ = "0.1.0"

__all__ = [
    "Autotuner",
    "Config",
    "Heuristics",
    "JITFunction",
    "KernelInterface",
    "__version__",
    "autotune",
    "cdiv",
    "emulate",
    "errors",
    "heuristics",
    "jit",
    "knobs",
    "language",
    "next_power_of_2",
    "set_allocator",
    "testing",
]

_MODULES = ("errors", "knobs", "language", "testing")
_HOMES = {
    "Autotuner": "tilewright.tuning",
    "Config": "tilewright.tuning",
    "Heuristics": "tilewright.tuning",
    "JITFunction": "tilewright.runtime.function",
    "KernelInterface": "tilewright.runtime.interface",
    "autotune": "tilewright.tuning",
    "heuristics": "tilewright.tuning",
    "cdiv": "tilewright.runtime.arithmetic",
    "emulate": "tilewright.runtime.emulation",
    "jit": "tilewright.runtime.jit",
    "next_power_of_2": "tilewright.runtime.arithmetic",
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
