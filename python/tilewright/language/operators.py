"""Python's operators on tensors. Integer division rounds toward zero, as in C."""

from __future__ import annotations

from typing import Any

from tilewright.errors import TypeMismatchError
from tilewright.language import float8_signs, overflow
from tilewright.language._build import compare, constant, emit, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import convert
from tilewright.language.dtypes import float32, int1, int64
from tilewright.language.promotion import operand, promoted
from tilewright.language.registry import Family
from tilewright.language.tensor import member, tensor

__all__ = ["logical_and", "logical_not", "logical_or"]

# The predicates for floats, signed and unsigned integers. NaN is unequal to every number.
_COMPARE = {
    "==": ("oeq", "eq", "eq"),
    "!=": ("une", "ne", "ne"),
    "<": ("olt", "slt", "ult"),
    "<=": ("ole", "sle", "ule"),
    ">": ("ogt", "sgt", "ugt"),
    ">=": ("oge", "sge", "uge"),
}


def _arith(lhs: tensor, rhs: tensor, float_op: str, int_op: str) -> tensor:
    if lhs.dtype.is_int_unsigned():
        # Unsigned integers wrap in addresses, too; the IR's integers have no sign.
        return emit(int_op, [lhs, rhs], {"tile.unsigned": current().ctx.unit_attr()})
    return emit(float_op if lhs.dtype.is_floating() else int_op, [lhs, rhs])


def _by_sign(lhs: tensor, rhs: tensor, signed_op: str, unsigned_op: str) -> tensor:
    return emit(signed_op if lhs.dtype.is_int_signed() else unsigned_op, [lhs, rhs])


def _offset(ptr: tensor, offset: tensor) -> tensor:
    """A pointer moved by a number of elements; the IR treats the offset as signed."""
    if offset.dtype.is_int_unsigned() and offset.dtype.int_bitwidth < 64:
        offset = convert(offset, int64)
    return emit("tile.addptr", [ptr, offset])


def add(lhs: Any, rhs: Any, sanitize: bool = False) -> tensor:
    """`lhs + rhs`; an integer added to a pointer counts elements.

    `sanitize` asserts that integers do not overflow if the options ask for it.
    """
    a, b = promoted(lhs, rhs, "+", pointers=True)
    if a.dtype.is_ptr() and b.dtype.is_ptr():
        raise TypeMismatchError(f"'+' does not take two pointers, found {a.dtype} and {b.dtype}")
    if a.dtype.is_ptr():
        return _offset(a, b)
    if b.dtype.is_ptr():
        return _offset(b, a)
    if sanitize:
        overflow.check("add", a, b)
    return _arith(a, b, "arith.addf", "arith.addi")


def sub(lhs: Any, rhs: Any, sanitize: bool = False) -> tensor:
    """`lhs - rhs`; an integer subtracted from a pointer counts elements. See `add`."""
    a, b = promoted(lhs, rhs, "-", pointers=True)
    if b.dtype.is_ptr():
        raise TypeMismatchError(
            f"'-' does not take a pointer on the right, found {a.dtype} and {b.dtype}",
            hint="cast both pointers with .to(tl.int64)",
        )
    if a.dtype.is_ptr():
        return _offset(a, minus(convert(b, int64)))
    if sanitize:
        overflow.check("sub", a, b)
    return _arith(a, b, "arith.subf", "arith.subi")


def mul(lhs: Any, rhs: Any, sanitize: bool = False) -> tensor:
    """`lhs * rhs`; see `add`."""
    a, b = promoted(lhs, rhs, "*")
    if sanitize:
        overflow.check("mul", a, b)
    return _arith(a, b, "arith.mulf", "arith.muli")


def truediv(lhs: Any, rhs: Any) -> tensor:
    """`lhs / rhs`, always a float; integers, float16 and bfloat16 give float32."""
    a, b = promoted(lhs, rhs, "/", division=True)
    if a.dtype.is_int():
        a, b = convert(a, float32), convert(b, float32)
    return emit("arith.divf", [a, b])


def floordiv(lhs: Any, rhs: Any) -> tensor:
    """`lhs // rhs` for integers, rounded toward zero like C's `/`."""
    a, b = promoted(lhs, rhs, "//", division=True)
    _need_ints(a, "//", "use / and tl.floor")
    return _by_sign(a, b, "arith.divsi", "arith.divui")


def mod(lhs: Any, rhs: Any) -> tensor:
    """`lhs % rhs`, with the sign of `lhs`, like C's `%` and `fmod`."""
    a, b = promoted(lhs, rhs, "%", division=True)
    if a.dtype.is_floating():
        return emit("arith.remf", [a, b])
    return _by_sign(a, b, "arith.remsi", "arith.remui")


def _need_ints(x: tensor, symbol: str, hint: str | None = None) -> None:
    if not x.dtype.is_int():
        raise TypeMismatchError(f"'{symbol}' takes integers, found {x.dtype}", hint=hint)


def _bitwise(lhs: Any, rhs: Any, symbol: str) -> tuple[tensor, tensor]:
    a, b = promoted(lhs, rhs, symbol)
    _need_ints(a, symbol, "reinterpret floats with .to(dtype, bitcast=True)")
    return a, b


def and_(lhs: Any, rhs: Any) -> tensor:
    a, b = _bitwise(lhs, rhs, "&")
    return emit("arith.andi", [a, b])


def or_(lhs: Any, rhs: Any) -> tensor:
    a, b = _bitwise(lhs, rhs, "|")
    return emit("arith.ori", [a, b])


def xor_(lhs: Any, rhs: Any) -> tensor:
    a, b = _bitwise(lhs, rhs, "^")
    return emit("arith.xori", [a, b])


def shl(lhs: Any, rhs: Any) -> tensor:
    a, b = _bitwise(lhs, rhs, "<<")
    return emit("arith.shli", [a, b])


def shr(lhs: Any, rhs: Any) -> tensor:
    """`lhs >> rhs`, of their common type.

    An arithmetic shift if the left operand is signed, even if the common type is not; a logical
    one otherwise. As in Triton, a Python number on the left counts as the other operand does.
    """
    a, b = _bitwise(lhs, rhs, ">>")
    shifted = operand(lhs, ">>")
    type = shifted.dtype if isinstance(shifted, tensor) else b.dtype
    return emit("arith.shrsi" if type.is_int_signed() else "arith.shrui", [a, b])


def minus(x: Any, sanitize: bool = False) -> tensor:
    """`-x`, for integers `0 - x`; see `add`."""
    value = to_tensor(x)
    if value.dtype.is_ptr():
        raise TypeMismatchError(f"unary '-' does not take {value.dtype}")
    if value.dtype.is_fp8():
        return float8_signs.negative(value)
    if value.dtype.is_floating():
        return emit("arith.negf", [value])
    zero = constant(0, value.type)
    if sanitize:
        overflow.check("sub", zero, value)
    return emit("arith.subi", [zero, value])


def invert(x: Any) -> tensor:
    value = to_tensor(x)
    _need_ints(value, "~")
    return emit("arith.xori", [value, constant(-1, value.type)])


def _compare(lhs: Any, rhs: Any, symbol: str) -> tensor:
    a, b = promoted(lhs, rhs, symbol, pointers=True)
    if a.dtype.is_ptr() != b.dtype.is_ptr():
        raise TypeMismatchError(f"'{symbol}' does not take {a.dtype} and {b.dtype}")
    if a.dtype.is_ptr():
        a, b = convert(a, int64), convert(b, int64)
    floats, signed, unsigned = _COMPARE[symbol]
    if a.dtype.is_floating():
        return compare(a, b, floats)
    return compare(a, b, signed if a.dtype.is_int_signed() else unsigned)


def equal(lhs: Any, rhs: Any) -> tensor:
    return _compare(lhs, rhs, "==")


def not_equal(lhs: Any, rhs: Any) -> tensor:
    return _compare(lhs, rhs, "!=")


def less_than(lhs: Any, rhs: Any) -> tensor:
    return _compare(lhs, rhs, "<")


def less_equal(lhs: Any, rhs: Any) -> tensor:
    return _compare(lhs, rhs, "<=")


def greater_than(lhs: Any, rhs: Any) -> tensor:
    return _compare(lhs, rhs, ">")


def greater_equal(lhs: Any, rhs: Any) -> tensor:
    return _compare(lhs, rhs, ">=")


def to_bool(x: Any) -> tensor:
    """`x != 0`; a pointer is true unless it is null."""
    return convert(to_tensor(x), int1)


@Family.MATH
@member
def logical_and(lhs: Any, rhs: Any) -> tensor:
    """The elementwise logical and, of type int1; `and` on tensors.

    Example:
        >>> i = tl.arange(0, 4)
        >>> tl.logical_and(i > 0, i < 3)
        [False  True  True False]
    """
    return and_(to_bool(lhs), to_bool(rhs))


@Family.MATH
@member
def logical_or(lhs: Any, rhs: Any) -> tensor:
    """The elementwise logical or, of type int1; `or` on tensors.

    Example:
        >>> i = tl.arange(0, 4)
        >>> tl.logical_or(i < 1, i > 2)
        [ True False False  True]
    """
    return or_(to_bool(lhs), to_bool(rhs))


@Family.MATH
@member
def logical_not(x: Any) -> tensor:
    """The elementwise logical not, of type int1; `not` on a tensor.

    Example:
        >>> tl.logical_not(tl.arange(0, 3))
        [ True False False]
    """
    return invert(to_bool(x))
