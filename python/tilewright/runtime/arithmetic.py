"""Arithmetic for grids and block sizes. The functions can also be called in kernels."""

from __future__ import annotations

import operator
from typing import TypeVar

_Number = TypeVar("_Number")


def cdiv(x: _Number, y: _Number) -> _Number:
    """`x / y` rounded up, for `x >= 0` and `y > 0`: how many blocks of `y` cover `x` elements."""
    return (x + y - 1) // y  # type: ignore


def next_power_of_2(n: int) -> int:
    """The smallest power of two that is at least `n`; 1 for `n <= 1`."""
    return 1 << max(operator.index(n) - 1, 0).bit_length()
