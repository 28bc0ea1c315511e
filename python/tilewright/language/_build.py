"""Creates operations on tensors. This is the only file in which the language calls the builder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tilewright.errors import TypeMismatchError
from tilewright.language._context import current
from tilewright.language.constexpr import constexpr_value, describe
from tilewright.language.dtypes import (
    block_type,
    dtype,
    float32,
    float64,
    int1,
    int32,
    int64,
    scalar_from_ir,
    uint32,
    uint64,
)
from tilewright.language.tensor import tensor

if TYPE_CHECKING:
    from tilewright import _core
    from tilewright.language.parameter_bytes import ParameterBytes

# The Python types that count as numbers in an expression; bool is a subclass of int.
NUMBER = (int, float)


def emit(
    name: str,
    operands: Sequence[tensor | ParameterBytes],
    attrs: dict[str, _core.Attribute] | None = None,
    *,
    type: dtype | None = None,
    element: dtype | None = None,
) -> tensor:
    """Creates an operation with one result.

    Args:
        name: The name of the operation in the IR.
        operands: Its operands.
        attrs: Its attributes.
        type: The type of the result, if the operation does not determine it: the result of a cast,
            the shape of a splat. By default the operation infers it.
        element: The language's type of the result's elements. By default it is that of the first
            operand with elements of the result's type in the IR, so that the operands determine
            whether integers are signed.
    """
    context = current()
    handles = [operand.handle for operand in operands]
    types = None if type is None else [context.ir(type)]
    op = context.builder.create(name, handles, types, attrs or {})
    if element is None:
        element = _element(op, operands) if type is None else type.scalar
    for operand in operands:
        if operand.known is not None:
            folded = context.builder.fold_to_integer(op)
            if folded is not None:
                return _known(folded[0], element, folded[1])
            break
    return tensor(op.result, element, type)


def _known(handle: _core.Value, type: dtype, signed: int) -> tensor:
    """A scalar whose value is known: `signed` has its bits."""
    result = tensor(handle, type)
    if type.is_bool():
        result.known = signed != 0
    else:
        result.known = signed % (1 << type.int_bitwidth) if type.is_int_unsigned() else signed
    return result


def known_integer(value: int, type: dtype | None = None) -> tensor:
    """A scalar whose value is known; its type is by default `number_type(value)`."""
    result = to_tensor(value, type)
    result.known = value
    return result


def emit_pair(name: str, operands: Sequence[tensor]) -> tuple[tensor, tensor]:
    """Creates an operation with two results of one type, which it infers."""
    op = current().builder.create(name, [operand.handle for operand in operands])
    first, second = op.results
    element = _element(op, operands)
    return tensor(first, element), tensor(second, element)


def _element(op: _core.Operation, operands: Sequence[tensor | ParameterBytes]) -> dtype:
    """The type of the elements of the first result, as `emit` describes it."""
    index = op.operand_like_result
    if index is not None:
        like = operands[index]
        assert isinstance(like, tensor)
        return like.dtype
    return scalar_from_ir(op.result.type.element)


def emit_void(
    name: str, operands: Sequence[tensor], attrs: dict[str, _core.Attribute] | None = None
) -> None:
    """Creates an operation without results."""
    handles = [operand.handle for operand in operands]
    current().builder.create(name, handles, [], attrs or {})


def i32_attr(value: int) -> _core.Attribute:
    context = current()
    return context.ctx.int_attr(context.ir(int32), value)


def compare(a: tensor, b: tensor, predicate: str) -> tensor:
    """Compares elements; `predicate` is one of arith.cmpf ("olt") or, for integers, arith.cmpi."""
    name = "arith.cmpf" if a.dtype.is_floating() else "arith.cmpi"
    return emit(name, [a, b], {"predicate": current().ctx.predicate_attr(name, predicate)})


def constant(value: float, type: dtype) -> tensor:
    """Converts a Python number to `type`; if `type` is a tile type, every element is that number.

    Integers wrap to the width of the type, a float becomes an integer by truncation, and a
    conversion to int1 compares with zero.
    """
    context = current()
    scalar = context.ir(type.scalar)
    if type.scalar.is_floating() and not type.scalar.is_fp8e4b15():
        attr = context.ctx.float_attr(scalar, float(value))
    elif type.scalar.is_bool():
        attr = context.ctx.int_attr(scalar, int(value != 0))
    elif (not isinstance(value, int) and not math.isfinite(value)) or (
        type.scalar.is_fp8e4b15() and value != 0
    ):
        raise TypeMismatchError(f"{value} cannot be converted to {type.scalar}")
    else:
        attr = context.ctx.int_attr(scalar, int(value))
    if type.is_block():
        attr = context.ctx.splat_attr(context.ir(type), attr)
    return emit("arith.constant", [], {"value": attr}, element=type.scalar)


def number_type(value: float) -> dtype:
    """The type of a Python number when no other operand determines it.

    bool: int1. int: the first of int32, uint32, int64, uint64 that can represent it. float:
    float32, or float64 if it is outside the range of normal float32 values.

    Raises:
        TypeMismatchError: The integer needs more than 64 bits.
    """
    if isinstance(value, bool):
        return int1
    if isinstance(value, int):
        for candidate in (int32, uint32, int64, uint64):
            if candidate.get_int_min_value() <= value <= candidate.get_int_max_value():
                return candidate
        raise TypeMismatchError(f"the integer {value} does not fit in 64 bits")
    size = abs(value)
    special = size == 0 or size == float("inf") or value != value
    return float32 if special or 2.0**-126 <= size <= (2 - 2.0**-23) * 2.0**127 else float64


def to_tensor(x: Any, type: dtype | None = None) -> tensor:
    """Converts a tensor, a Python number or a constant to a tensor.

    Args:
        x: The value. A tensor is returned unchanged, or cast to `type`.
        type: The scalar type of the result; by default the tensor's own, or `number_type(x)`.

    Raises:
        TypeMismatchError: `x` is neither a tensor nor a number.
    """
    x = constexpr_value(x)
    if isinstance(x, tensor) and type is None:
        return x
    type = constexpr_value(type)
    if isinstance(x, tensor):
        if x.dtype == type:
            return x
        from tilewright.language.casts import cast

        return cast(x, type)
    if isinstance(x, NUMBER):
        from_pointer = type is not None and type.is_ptr()
        value = constant(x, number_type(x) if type is None or from_pointer else type)
        return to_tensor(value, type) if from_pointer else value
    raise TypeMismatchError(f"expected a tensor or a number, found {describe(x)}")


def splat(x: tensor, shape: Sequence[int], encoding: _core.Attribute | None = None) -> tensor:
    """A tile of the given shape filled with a scalar; the scalar itself if the shape is empty."""
    if not shape:
        return x
    return emit("tile.splat", [x], type=block_type(x.dtype, shape, encoding))


def iota(start: int, end: int) -> tensor:
    """The integers from `start` (inclusive) to `end` (exclusive), as an int32 tile of rank 1."""
    attrs = {"start": i32_attr(start), "end": i32_attr(end)}
    return emit("tile.make_range", [], attrs, element=int32)


def broadcast_type(
    x: tensor, shape: Sequence[int], encoding: _core.Attribute | None = None
) -> dtype:
    """The type of a tile that is broadcast to a shape.

    Its layout is `encoding`, which that of `x` has to fit, or the one that that of `x` determines.

    Raises:
        IRError: The layout of `x` does not fit, or does not determine that of the result.
    """
    if x.type.encoding is None:
        return block_type(x.dtype, shape, encoding)
    ir = current().builder.broadcast_type(x.handle.type, shape, encoding)
    return block_type(x.dtype, shape, ir.encoding)


def reshape_type(x: tensor, shape: Sequence[int]) -> dtype:
    """The type of a tile in another shape, with the layout that follows from that of `x`.

    Raises:
        IRError: The layout of `x` does not determine that of the result.
    """
    if x.type.encoding is None:
        return block_type(x.dtype, shape)
    return block_type(x.dtype, shape, current().builder.reshape_type(x.handle.type, shape).encoding)


def same_shape(x: tensor, scalar: dtype) -> dtype:
    """The type of `x` with another element type."""
    return x.type.with_element_ty(scalar)
