"""Matrix multiplication."""

from __future__ import annotations

from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import constant, emit, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import convert, element_type
from tilewright.language.constexpr import constant_int, constexpr_value
from tilewright.language.dtypes import (
    block_type,
    dtype,
    float16,
    float32,
    float64,
    int32,
)
from tilewright.language.registry import Family
from tilewright.language.split_dot import PARTS, split_dot
from tilewright.language.tensor import member, tensor

_PRECISIONS = ("tf32", "tf32x3", "ieee", *PARTS)


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
        input_precision: How float32 operands may be rounded: "ieee" not at all, "tf32" to the 11
            bits of tensor cores, "bf16x3" and "tf32x3" to 16 and 22 bits by three dots, "bf16x6" to
            24 bits by six. The default is the option `default_dot_input_precision`, or "tf32".
            With bfloat16 operands, "ieee" keeps numbers below the smallest normal one (1.2e-38),
            which processors with AVX-512 BF16 take for zero otherwise.
        allow_tf32: Deprecated; True means "tf32" and False "ieee".
        max_num_imprecise_acc: How many products of float8 operands Hopper's instructions may add
            with 13 bits below the largest one, at most K; the next multiple of 32 counts. By
            default all products of the dot and `acc`. Other targets add in the result's dtype.
        out_dtype: float32, or float16 for float16 and float8 operands. Of the others, int8 always
            gives int32, float64 itself, and bfloat16 and float32 float32.

    Returns:
        A tile of shape (M, N) or (B, M, N).

    Raises:
        TypeMismatchError: dot does not support a dtype or their combination.
        ShapeMismatchError: The shapes of the operands or of `acc` do not match.
        ConstantError: The precision is unknown, both `input_precision` and `allow_tf32` are given,
            or `max_num_imprecise_acc` is not a constant integer or too large.

    Example:
        >>> x = tl.load(q + tl.reshape(tl.arange(0, 4), (2, 2)))
        >>> tl.dot(x, x)
        [[0.5  0.75]
         [1.5  2.75]]
    """
    a, b = to_tensor(input), to_tensor(other)
    shape = _shape(a, b)
    result = block_type(result_type(a.dtype, b.dtype, _out_type(out_dtype)), shape)
    limit = _imprecise(max_num_imprecise_acc, a, b)
    start = accumulator(acc, result)
    mode = _precision(input_precision, allow_tf32)
    if a.dtype.is_fp8e4b15() or b.dtype.is_fp8e4b15():
        a, b = convert(a, float16), convert(b, float16)
    if mode in PARTS and a.dtype.is_fp32():
        return split_dot(a, b, start, PARTS[mode])
    # The precision is that of float32 operands.
    kind = "ieee" if mode in PARTS else mode
    attrs = {"precision": current().ctx.attr(f"#tile.precision<{kind}>")}
    if limit is not None:
        attrs["tile.max_num_imprecise_acc"] = current().ctx.attr(f"{limit} : i32")
    return emit("tile.dot", [a, b, start], attrs)


def _out_type(out_dtype: Any) -> dtype:
    return float32 if constexpr_value(out_dtype) is None else element_type(out_dtype)


def _shape(a: tensor, b: tensor) -> tuple[int, ...]:
    lhs, rhs = a.type.shape, b.type.shape
    found = f"found {list(lhs)} and {list(rhs)}"
    if len(lhs) not in (2, 3) or len(lhs) != len(rhs):
        raise ShapeMismatchError(f"dot takes two tiles of rank 2 or two of rank 3, {found}")
    if lhs[-1] != rhs[-2]:
        raise ShapeMismatchError(
            "dot has incompatible dimensions: it needs as many columns in its left operand as rows "
            f"in its right one, {found}"
        )
    if lhs[:-2] != rhs[:-2]:
        raise ShapeMismatchError(f"dot needs equal batch sizes, {found}")
    return (*lhs[:-1], rhs[-1])


def result_type(a: dtype, b: dtype, out: dtype) -> dtype:
    """The element type of a dot of elements of types `a` and `b` for an argument `out_dtype`.

    Raises:
        TypeMismatchError: No dot takes or gives these types.
    """
    float8 = a.is_fp8() and b.is_fp8()
    for name, type in (("left", a), ("right", b)):
        if not (type.is_fp8() or type.is_standard_floating() or type.is_int8()):
            raise TypeMismatchError(
                "dot takes int8, float8, float16, bfloat16, float32 or float64, "
                f"found {a} and {b}: unsupported {name} operand",
                hint="only int8 is supported of integers: cast with .to(tl.int8) or to a float"
                if type.is_int()
                else None,
            )
    if not float8 and a != b:
        raise TypeMismatchError(
            f"Both operands must be same dtype: dot found {a} and {b}", hint="cast one with .to()"
        )
    if a.is_int():
        return int32
    if out.is_bf16():
        raise TypeMismatchError(
            "dot cannot give bf16",
            hint="use out_dtype=tl.float32 and cast the result with .to(tl.bfloat16)",
        )
    if a.is_fp64():
        return float64
    if a.is_fp32() or a.is_bf16():
        return float32
    if out not in (float32, float16):
        raise TypeMismatchError(
            f"dot of {a} cannot give {out}", hint="use out_dtype=tl.float32 and cast the result"
        )
    return out


def _imprecise(limit: Any, a: tensor, b: tensor) -> int | None:
    """How many products may be added with less precision; None if that is not limited."""
    if constexpr_value(limit) is None:
        return None
    count, depth = constant_int(limit, "max_num_imprecise_acc"), a.type.shape[-1]
    if not (a.dtype.is_fp8() and b.dtype.is_fp8()):
        return None
    if count > depth:
        raise ConstantError(f"max_num_imprecise_acc must be at most K, {depth}, found {count}")
    return max(count, 0)


def accumulator(acc: Any, result: dtype) -> tensor:
    """The argument `acc` of a dot with a result of type `result`; zeros if it is None.

    Raises:
        ShapeMismatchError, TypeMismatchError: It has another shape or dtype.
    """
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
