"""Builds kernels without compiling or launching them."""

from __future__ import annotations

from typing import Any

from tilewright import _core, jit
from tilewright.frontend import build_module

__all__ = ["build", "build_with_locations", "jit"]


def build(fn: Any, *signature: Any, noalias: bool = False, **options: Any) -> str:
    """The Tile IR of a kernel as text."""
    return str(build_module(_core.Context(), fn, list(signature), noalias, options))


def build_with_locations(fn: Any, *signature: Any) -> str:
    """The same, with the location of every operation."""
    module = build_module(_core.Context(), fn, list(signature), False, {})
    return module.print(debug_info=True)
