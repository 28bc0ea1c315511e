"""Conversions between types."""

from __future__ import annotations

from typing import Any

from tilewright.errors import ConstantError, TypeMismatchError
from tilewright.language._build import compare, constant, emit, same_shape, to_tensor
from tilewright.language.constexpr import builtin, constant_bool, constexpr_value, describe
from tilewright.language.dtypes import bfloat16, dtype, float16, float32, float64, int64, uint64
from tilewright.language.float8e4b15 import from_float16, to_float16
from tilewright.language.registry import Family
from tilewright.language.rounding import double_to_bfloat16, narrow, toward_zero, with_sticky_bit
from tilewright.language.tensor import member, tensor


@Family.CREATION
@member
def cast(
    input: Any, dtype: Any, fp_downcast_rounding: str | None = None, bitcast: bool = False
) -> tensor:
    """Converts a value to another element type.

    A float becomes an integer by truncation and a narrower float by rounding to nearest even.
    Integers wrap. A conversion to int1 compares with zero. Pointers convert to and from 64-bit
    integers and to other pointer types.

    Args:
        input: A scalar or tile.
        dtype: The element type of the result.
        fp_downcast_rounding: "rtne" or "rtz"; only for a conversion to a narrower float.
        bitcast: Reinterpret the bits instead of converting the value; the widths must be equal.

    Returns:
        A value of the same shape.

    Raises:
        TypeMismatchError: The conversion is not supported.
        ConstantError: The rounding mode is unknown or does not apply.

    Example:
        >>> tl.cast(tl.load(q + 3), tl.int32)
        1
    """
    target = element_type(dtype)
    x = to_tensor(input)
    if constant_bool(bitcast, "bitcast"):
        return reinterpret(x, target)
    return convert(x, target, constexpr_value(fp_downcast_rounding))


@builtin
@member
def to(
    input: Any,
    dtype: Any,
    fp_downcast_rounding: str | None = None,
    bitcast: bool = False,
    _semantic: Any = None,
) -> tensor:
    """`x.to(dtype)`: the same as `tl.cast`."""
    return cast(input, dtype, fp_downcast_rounding, bitcast)


def element_type(type: Any) -> dtype:
    """The scalar type of a dtype argument, which may be a constexpr."""
    type = constexpr_value(type)
    if not isinstance(type, dtype):
        raise TypeMismatchError(f"expected a dtype such as tl.float32, found {describe(type)}")
    return type.scalar


def convert(x: tensor, target: dtype, rounding: str | None = None) -> tensor:
    """`cast` for checked arguments: `target` is a scalar type."""
    source = x.dtype
    _check_rounding(source, target, rounding)
    if source == target:
        return x
    if target.is_void():
        raise TypeMismatchError(f"cannot convert {source} to {target}")
    if source.is_ptr() or target.is_ptr():
        return _convert_pointer(x, target)
    if source.is_fp8e4b15():
        return convert(to_float16(x), target)
    if target.is_fp8e4b15():
        return from_float16(_float16_toward_zero(x), rounding)
    if target.is_bool():
        return _nonzero(x)
    type = same_shape(x, target)
    if source.is_int():
        return _convert_int(x, type) if target.is_int() else _int_to_float(x, type)
    if target.is_int():
        wide = convert(x, float32) if source.is_fp8() else x
        name = "arith.fptosi" if target.is_int_signed() else "arith.fptoui"
        return emit(name, [wide], type=type)
    return _convert_float(x, type, rounding)


def _float16_toward_zero(x: tensor) -> tensor:
    """The value as float16, from which a conversion to float8e4b15 rounds as from the value."""
    if x.dtype.is_bf16():
        x = convert(x, float32)
    return convert(x, float16, "rtz" if x.dtype.is_fp32() or x.dtype.is_fp64() else None)


def _check_rounding(source: dtype, target: dtype, rounding: str | None) -> None:
    if rounding is None:
        return
    if rounding not in ("rtne", "rtz"):
        raise ConstantError(f"fp_downcast_rounding must be 'rtne' or 'rtz', found {rounding!r}")
    if source == target:  # nothing is rounded; kernels pass a mode for any dtype of their output
        return
    floats = source.is_floating() and target.is_floating()
    if not floats or source.primitive_bitwidth <= target.primitive_bitwidth:
        raise ConstantError(
            "fp_downcast_rounding applies only to a conversion to a narrower float, "
            f"not from {source} to {target}"
        )


def _nonzero(x: tensor) -> tensor:
    return compare(x, constant(0, x.type), "une" if x.dtype.is_floating() else "ne")


def _convert_int(x: tensor, type: dtype) -> tensor:
    have, want = x.dtype.int_bitwidth, type.scalar.int_bitwidth
    if have == want:
        # Integers in the IR are signless, so only the type of the language changes.
        return tensor(x.handle, type.scalar)
    if have > want:
        return emit("arith.trunci", [x], type=type)
    return emit("arith.extsi" if x.dtype.is_int_signed() else "arith.extui", [x], type=type)


def _int_to_float(x: tensor, type: dtype) -> tensor:
    if type.scalar.is_fp8():
        return convert(convert(x, float32), type.scalar)
    if type.scalar.is_bf16() and x.dtype.int_bitwidth >= 32:
        return _wide_int_to_bfloat16(x)
    return emit("arith.sitofp" if x.dtype.is_int_signed() else "arith.uitofp", [x], type=type)


def _wide_int_to_bfloat16(x: tensor) -> tensor:
    """Rounds once: targets convert integers to bfloat16 through float32, which rounds as well."""
    wide = float32 if x.dtype.int_bitwidth == 32 else float64
    return convert(convert(with_sticky_bit(x, wide.fp_mantissa_width + 1), wide), bfloat16)


def _convert_float(x: tensor, type: dtype, rounding: str | None) -> tensor:
    have, want = x.dtype.primitive_bitwidth, type.scalar.primitive_bitwidth
    if have == want:
        # float16 and bfloat16, or two float8 types: neither can represent all values of the other.
        return convert(convert(x, float32), type.scalar)
    if have < want:
        return emit("arith.extf", [x], type=type)
    if rounding == "rtz":
        return toward_zero(x, type.scalar)
    if x.dtype.is_fp64() and type.scalar.is_bf16():
        return double_to_bfloat16(x)
    return narrow(x, type.scalar)


def _convert_pointer(x: tensor, target: dtype) -> tensor:
    source = x.dtype
    type = same_shape(x, target)
    if source.is_ptr() and target.is_ptr():
        if source.address_space != target.address_space:
            raise TypeMismatchError(
                f"cannot convert {source} to {target}: a conversion keeps the address space",
                hint=f"write tl.pointer_type(..., {source.address_space})",
            )
        if source.element_ty == target.element_ty:
            return tensor(x.handle, type.scalar)
        return emit("tile.ptr_cast", [x], type=type)
    if source.is_ptr() and target.is_int():
        if target.is_bool():
            return _nonzero(convert(x, int64))
        if target.int_bitwidth == 64:
            return emit("tile.ptr_to_int", [x], type=type)
    if target.is_ptr() and source.is_int():
        wide = convert(x, int64 if source.is_int_signed() else uint64)
        return emit("tile.int_to_ptr", [wide], type=type)
    raise TypeMismatchError(
        f"cannot convert {source} to {target}",
        hint="pointers convert to and from 64-bit integers only",
    )


def reinterpret(x: tensor, target: dtype) -> tensor:
    """Reinterprets the bits as another scalar type of the same width."""
    source = x.dtype
    if source == target:
        return x
    if source.is_ptr() or target.is_ptr():
        return convert(x, target)
    if source.primitive_bitwidth != target.primitive_bitwidth:
        raise TypeMismatchError(
            f"Cannot bitcast data-type of size {source.primitive_bitwidth} to data-type of size "
            f"{target.primitive_bitwidth}: {source} to {target}"
        )
    type = same_shape(x, target)
    if (source.is_int() or source.is_fp8e4b15()) and (target.is_int() or target.is_fp8e4b15()):
        return tensor(x.handle, type.scalar)
    return emit("arith.bitcast", [x], type=type)
