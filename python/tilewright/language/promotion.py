"""Type promotion: the type in which a binary operation is computed.

The rules are Triton's. Two tensors promote as in C: to the wider float, to a float rather than an
integer, to the wider integer, or to the unsigned one of two integers of equal width. A Python
number (or constant) is weak: it takes the type of the other operand unless its kind is higher, in
the order bool, int, float; a Python float with an integer tensor gives float32.

    int8    + int32    int32        float16 + float32   float32
    int32   + uint32   uint32       float16 + bfloat16  float16
    int64   + uint32   int64        bfloat16 + float32  float32
    int8    + 1        int8         int32   + float16   float16
    float16 + 1.5      float16      int32   + 1.5       float32
    float16 / float16  float32      int32   / int32     float32

`/`, `//` and `%` compute float16 and bfloat16 in float32, with a float32 result. They reject a
signed operand with an unsigned one.
"""

from __future__ import annotations

from typing import Any

from tilewright.errors import TypeMismatchError
from tilewright.language._build import NUMBER, constant, number_type, to_tensor
from tilewright.language.casts import convert
from tilewright.language.constexpr import constexpr_value, describe
from tilewright.language.dtypes import bfloat16, dtype, float16, float32, float64
from tilewright.language.shape import broadcast_all
from tilewright.language.tensor import tensor

_OPERAND = (tensor, *NUMBER)


def promote_ints(a: dtype, b: dtype) -> dtype:
    """The wider integer type; of two types of equal width the unsigned one."""
    if a.int_bitwidth != b.int_bitwidth:
        return a if a.int_bitwidth > b.int_bitwidth else b
    return a if a.is_int_unsigned() else b


def promote(a: dtype, b: dtype, division: bool = False) -> dtype:
    """The common type of two scalar types, neither of them weak.

    Raises:
        TypeMismatchError: They have no common type.
    """
    if a is b and not division and a.is_int():
        return a
    pair = (a, b)
    for wide in (float64, float32):
        if wide in pair:
            return wide
    if float16 in pair:
        return float32 if division else float16
    if bfloat16 in pair:
        return bfloat16 if a == b and not division else float32
    if a.is_fp8() and b.is_fp8():
        return a if a == b else float16
    if not (a.is_int() and b.is_int()):
        raise TypeMismatchError(f"{a} and {b} have no common type", hint="cast one with .to(dtype)")
    if division and a.int_signedness != b.int_signedness:
        raise TypeMismatchError(
            f"Cannot use /, #, or % with {a} and {b} because they have different signedness",
            hint="cast both to the same signedness with .to(dtype)",
        )
    return promote_ints(a, b)


def computation_type(
    a: dtype, a_weak: bool, b: dtype, b_weak: bool, division: bool = False
) -> dtype:
    """`promote` for operands that may be weak: a Python number does not widen the other type."""
    if a_weak != b_weak:
        weak, strong = (a, b) if a_weak else (b, a)
        if weak.kind().value <= strong.kind().value:
            return float32 if division and strong in (float16, bfloat16) else strong
    return promote(a, b, division)


def operand(x: Any, symbol: str) -> Any:
    """An operand as a tensor or a Python number.

    Raises:
        TypeMismatchError: It is neither.
    """
    x = constexpr_value(x)
    if isinstance(x, _OPERAND):
        return x
    raise TypeMismatchError(f"'{symbol}' does not take {describe(x)}")


def promoted(
    lhs: Any, rhs: Any, symbol: str, *, division: bool = False, pointers: bool = False
) -> tuple[tensor, tensor]:
    """Both operands in their common type and shape.

    If `pointers` is set and an operand is a pointer, both operands keep their types.

    Raises:
        TypeMismatchError: `symbol` does not take these types, or a Python number is out of range
            for the common type.
        ShapeMismatchError: The shapes do not broadcast.
    """
    lhs, rhs = operand(lhs, symbol), operand(rhs, symbol)
    types = [x.dtype if isinstance(x, tensor) else number_type(x) for x in (lhs, rhs)]
    if types[0].is_ptr() or types[1].is_ptr():
        _check_pointers(types[0], types[1], symbol, pointers)
        values = [to_tensor(lhs), to_tensor(rhs)]
    else:
        weak = [not isinstance(x, tensor) for x in (lhs, rhs)]
        common = computation_type(types[0], weak[0], types[1], weak[1], division)
        if common.is_fp8e4b15():
            raise TypeMismatchError(
                f"'{symbol}' does not take {common}",
                hint="convert it: .to(tl.float16)",
            )
        values = _in_type(lhs, rhs, common)
    a, b = broadcast_all(*values)
    return a, b


def _check_pointers(a: dtype, b: dtype, symbol: str, allowed: bool) -> None:
    other = b if a.is_ptr() else a
    same = a.is_ptr() and b.is_ptr() and a.element_ty == b.element_ty
    if not allowed or not (other.is_int() or same):
        raise TypeMismatchError(f"'{symbol}' does not take {a} and {b}")


def _in_type(lhs: Any, rhs: Any, common: dtype) -> list[tensor]:
    """Converts the operands; a number becomes a constant that has the other operand's shape.

    This avoids a broadcast.
    """
    values = []
    for x, other in ((lhs, rhs), (rhs, lhs)):
        if isinstance(x, tensor):
            values.append(x if x.dtype is common else convert(x, common))
            continue
        _check_range(x, common)
        block = isinstance(other, tensor) and other.type.is_block()
        values.append(constant(x, other.type.with_element_ty(common) if block else common))
    return values


def _check_range(number: float, common: dtype) -> None:
    if not common.is_int():
        return
    low, high = common.get_int_min_value(), common.get_int_max_value()
    if not low <= number <= high:
        what = "an unsigned tensor and a negative scalar: " if low == 0 and number < 0 else ""
        raise TypeMismatchError(
            f"{what}the number {number} is out of range for {common}, which holds {low} to {high}",
            hint=f"cast the {common} operand to a wider or signed type with .to(dtype)",
        )
