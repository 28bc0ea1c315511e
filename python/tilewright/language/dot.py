"""Matrix multiplication."""

from __future__ import annotations

from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import constant, emit, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import element_type
from tilewright.language.constexpr import constexpr_value
from tilewright.language.dtypes import (
    block_type,
    dtype,
    float16,
    float32,
    float64,
    int32,
)
from tilewright.language.registry import Family
from tilewright.language.tensor import member, tensor

_PRECISIONS = ("tf32", "tf32x3", "ieee")


@Family.DOT
@member
def dot(
    input: Any,
    other: Any,
    acc: Any = None,
    input_precision: Any = None,
    allow_tf32: Any = None,
    max_num_imprecise_acc: Any = None,
    out_dtype: Any = float32,
) -> tensor:
    """The matrix product of two tiles, plus `acc`.

    Args:
        input: A tile of shape (M, K) or (B, M, K).
        other: A tile of shape (K, N) or (B, K, N) with the dtype of `input`. The dtype is int8,
            float8, float16, bfloat16, float32 or float64; float8 types may be mixed.
        acc: A tile of the result's shape and dtype; zero by default.
        input_precision: How float32 operands may be rounded: "tf32", "tf32x3" or "ieee". The
            default is the option `default_dot_input_precision`, or "tf32".
        allow_tf32: Deprecated; True means "tf32" and False "ieee".
        max_num_imprecise_acc: Accepted and ignored; the accumulator has the result's dtype.
        out_dtype: float32, or float16 for float16 and float8 operands. int8 operands always give
            int32 and float64 operands float64.

    Returns:
        A tile of shape (M, N) or (B, M, N).

    Raises:
        TypeMismatchError: dot does not support a dtype or their combination.
        ShapeMismatchError: The shapes of the operands or of `acc` do not match.
        ConstantError: The precision is unknown, or both `input_precision` and `allow_tf32` are
            given.
    """
    a, b = to_tensor(input), to_tensor(other)
    shape = _shape(a, b)
    result = block_type(result_type(a.dtype, b.dtype, element_type(out_dtype)), shape)
    constexpr_value(max_num_imprecise_acc)
    start = accumulator(acc, result)
    mode = _precision(input_precision, allow_tf32)
    attrs = {"precision": current().ctx.attr(f"#tile.precision<{mode}>")}
    return emit("tile.dot", [a, b, start], attrs)


def _shape(a: tensor, b: tensor) -> tuple[int, ...]:
    lhs, rhs = a.type.shape, b.type.shape
    found = f"found {list(lhs)} and {list(rhs)}"
    if len(lhs) not in (2, 3) or len(lhs) != len(rhs):
        raise ShapeMismatchError(f"dot takes two tiles of rank 2 or two of rank 3, {found}")
    if lhs[-1] != rhs[-2]:
        raise ShapeMismatchError(
            f"dot needs as many columns in its left operand as rows in its right one, {found}"
        )
    if lhs[:-2] != rhs[:-2]:
        raise ShapeMismatchError(f"dot needs equal batch sizes, {found}")
    return (*lhs[:-1], rhs[-1])


def result_type(a: dtype, b: dtype, out: dtype) -> dtype:
    standard = a.is_standard_floating() or a.is_int8()
    float8 = all(x.is_fp8() and not x.is_fp8e4b15() for x in (a, b))
    if not float8 and not standard:
        raise TypeMismatchError(
            f"dot takes int8, float8, float16, bfloat16, float32 or float64, found {a} and {b}"
        )
    if not a.is_fp8() and a != b:
        raise TypeMismatchError(
            f"dot takes two tiles of one dtype, found {a} and {b}", hint="cast one with .to()"
        )
    if a.is_int():
        return int32
    if a.is_fp64():
        return float64
    if out not in (float32, float16) or (out == float16 and (a.is_fp32() or a.is_bf16())):
        raise TypeMismatchError(
            f"dot of {a} cannot give {out}", hint="use out_dtype=tl.float32 and cast the result"
        )
    return out


def accumulator(acc: Any, result: dtype) -> tensor:
    acc = constexpr_value(acc)
    if acc is None:
        return constant(0, result)
    value = to_tensor(acc)
    if value.type.shape != result.shape:
        raise ShapeMismatchError(
            f"dot gives shape {list(result.shape)} but acc has {list(value.type.shape)}"
        )
    if value.dtype != result.scalar:
        raise TypeMismatchError(
            f"dot gives {result.scalar} but acc is {value.dtype}",
            hint="set out_dtype, or cast acc",
        )
    return value


def _precision(input_precision: Any, allow_tf32: Any) -> str:
    mode, allow = constexpr_value(input_precision), constexpr_value(allow_tf32)
    if mode is not None and allow is not None:
        raise ConstantError("dot takes input_precision or allow_tf32, not both")
    if mode is None and allow is not None:
        mode = "tf32" if allow else "ieee"
    if mode is None:
        mode = getattr(current().options, "default_dot_input_precision", None) or "tf32"
    if mode not in _PRECISIONS:
        known = ", ".join(repr(known) for known in _PRECISIONS)
        raise ConstantError(f"input_precision must be one of {known}, found {mode!r}")
    return str(mode)
