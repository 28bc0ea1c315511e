"""Functions of `triton.language.core` and `.standard` that helper modules of programs call."""

from __future__ import annotations

from typing import Any

import tilewright.language as tl
from tilewright.errors import ConstantError
from tilewright.language.constexpr import builtin, constant_int, constexpr
from tilewright.language.tensor import tensor

CONSTEXPR_0 = constexpr(0)
TRITON_MAX_TENSOR_NUMEL = 1 << 20  # as language.tile_shapes.MAX_ELEMENTS


@builtin
def view(input: Any, *shape: Any, _semantic: Any = None) -> tensor:
    """`tl.view`; PyTorch's Inductor looks for `_semantic` among the parameters."""
    return tl.view(input, *shape)


@builtin
def _log2(i: Any) -> constexpr:
    """The logarithm of a constant power of two, to base 2.

    Raises:
        ConstantError: `i` is not a positive constant.
    """
    value = constant_int(i, "the operand of _log2")
    if value < 1:
        raise ConstantError(f"_log2 takes a positive integer, found {value}")
    return constexpr(value.bit_length() - 1)
