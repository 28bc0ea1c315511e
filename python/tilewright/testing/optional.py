"""Imports packages that only some functions need."""

from __future__ import annotations

import importlib
from typing import Any

from tilewright.errors import BenchmarkError


def require(module: str, purpose: str) -> Any:
    """Imports a module of a package that may be missing.

    Raises:
        BenchmarkError: It is not installed; the message has the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise BenchmarkError(
            f"{purpose} needs the package {package}: pip install {package} ({error})"
        ) from error
