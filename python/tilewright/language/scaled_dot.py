"""Matrix multiplication of tiles in microscaling formats: decoding them, and a dot."""

from __future__ import annotations

from typing import Any, NamedTuple

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import emit, to_tensor
from tilewright.language.casts import convert, element_type, reinterpret
from tilewright.language.constexpr import constant_bool, constexpr_value, describe
from tilewright.language.dot import accumulator, result_type
from tilewright.language.dtypes import (
    bfloat16,
    block_type,
    dtype,
    float8e4nv,
    float8e5,
    float16,
    float32,
    int8,
    uint8,
    uint16,
)
from tilewright.language.microscaling import apply_scales, unpack_e2m1
from tilewright.language.registry import Family
from tilewright.language.tensor import member, tensor

# The dtypes of each format; the bits of integers are reinterpreted as the first one.
_FORMATS: dict[str, tuple[dtype, ...]] = {
    "e2m1": (uint8,),
    "e4m3": (float8e4nv, uint8),
    "e5m2": (float8e5, uint8),
    "bf16": (bfloat16, uint16),
    "fp16": (float16, uint16),
}
# How many elements share a scale, by the dtype of the scales.
_GROUPS = {uint8: 32, int8: 32, float8e4nv: 16}


class _Operand(NamedTuple):
    """An operand of shape (..., M, K) or, if it is the right one, (..., K, N)."""

    name: str
    values: tensor
    scales: tensor | None
    format: str
    k_pack: bool

    @property
    def is_right(self) -> bool:
        return self.name == "rhs"

    @property
    def packed_axis(self) -> int:
        """The dimension along which pairs of e2m1 are packed."""
        rank = len(self.values.type.shape)
        return rank - 2 if self.is_right == self.k_pack else rank - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape in elements."""
        sizes = list(self.values.type.shape)
        if self.format == "e2m1":
            sizes[self.packed_axis] *= 2
        return tuple(sizes)

    @property
    def depth(self) -> int:
        return self.shape[-2 if self.is_right else -1]


@Family.DOT
@member
def dot_scaled(
    lhs: Any,
    lhs_scale: Any,
    lhs_format: Any,
    rhs: Any,
    rhs_scale: Any,
    rhs_format: Any,
    acc: Any = None,
    fast_math: Any = False,
    lhs_k_pack: Any = True,
    rhs_k_pack: Any = True,
    out_dtype: Any = float32,
) -> tensor:
    """The matrix product of two tiles in microscaling formats, plus `acc`.

    Elements are decoded, multiplied by their scales, and rounded to bfloat16, or to float16 if an
    operand has the format "fp16"; these are the operands of `dot`. Rounding loses nothing except
    where a product is beyond the range of the type, or a "bf16" operand becomes float16.

    Args:
        lhs: A tile of shape (M, K) or (B, M, K). "e2m1" are packed in pairs in a uint8 of shape
            (M, K / 2), the first in the lower bits.
        lhs_scale: None, or the scales of `lhs`: uint8 of shape (M, K / 32), the exponents of powers
            of two with bias 127 (e8m0; 255 is NaN), or float8e4nv of shape (M, K / 16).
        lhs_format: "e2m1", "e4m3", "e5m2", "bf16" or "fp16". The tile has that dtype, or is an
            unsigned integer with its bits.
        rhs: A tile of shape (K, N) or (B, K, N); "e2m1" of shape (K / 2, N).
        rhs_scale: The same as `lhs_scale` for `rhs`, but of shape (N, K / 32) or (N, K / 16).
        rhs_format: The same as `lhs_format` for `rhs`; the formats may differ.
        acc: A tile of the result's shape and dtype; zero by default.
        fast_math: Accepted and ignored: scales that are NaN always give NaN.
        lhs_k_pack: If False, "e2m1" are packed along M: `lhs` has the shape (M / 2, K).
        rhs_k_pack: If False, "e2m1" are packed along N: `rhs` has the shape (K, N / 2).
        out_dtype: float32, or float16 if an operand has the format "fp16".

    Returns:
        A tile of shape (M, N) or (B, M, N).

    Raises:
        ConstantError: A format is unknown, or packed along M or N though it is not "e2m1".
        TypeMismatchError: The dtype of an operand does not fit its format, or that of scales or
            `out_dtype` is not supported.
        ShapeMismatchError: The shapes of the operands, the scales or `acc` do not match.

    Example:
        >>> x = tl.full((16, 32), 2, tl.float8e4nv)
        >>> scale = tl.full((16, 1), 128, tl.uint8)  # 2^(128 - 127)
        >>> tl.max(tl.dot_scaled(x, scale, "e4m3", x.T, scale, "e4m3"))
        512.
    """
    constant_bool(fast_math, "fast_math")
    left = _operand("lhs", lhs, lhs_scale, lhs_format, lhs_k_pack)
    right = _operand("rhs", rhs, rhs_scale, rhs_format, rhs_k_pack)
    shape = _shape(left, right)
    for operand in (left, right):
        _check_scales(operand)
    common = float16 if "fp16" in (left.format, right.format) else bfloat16
    result = block_type(result_type(common, common, element_type(out_dtype)), shape)
    start = accumulator(acc, result)
    return emit("tile.dot", [_decode(left, common), _decode(right, common), start])


def _operand(name: str, values: Any, scales: Any, format: Any, k_pack: Any) -> _Operand:
    text = constexpr_value(format)
    if not isinstance(text, str) or text not in _FORMATS:
        known = ", ".join(repr(known) for known in _FORMATS)
        raise ConstantError(f"{name}_format must be one of {known}, found {describe(text)}")
    tile = to_tensor(values)
    dtypes = _FORMATS[text]
    if tile.dtype not in dtypes:
        expected = " or ".join(str(expected) for expected in dtypes)
        raise TypeMismatchError(f"{name} of the format {text!r} is {expected}, found {tile.dtype}")
    along_k = constant_bool(k_pack, f"{name}_k_pack")
    if not along_k and text != "e2m1":
        raise ConstantError(
            f"{name}_k_pack=False applies to the format 'e2m1' only, found {text!r}",
            hint="the other formats are not packed",
        )
    factors = constexpr_value(scales)
    factors = None if factors is None else to_tensor(factors)
    return _Operand(name, reinterpret(tile, dtypes[0]), factors, text, along_k)


def _shape(left: _Operand, right: _Operand) -> tuple[int, ...]:
    shapes = [list(operand.values.type.shape) for operand in (left, right)]
    found = f"found {shapes[0]} of {left.format} and {shapes[1]} of {right.format}"
    if len(shapes[0]) not in (2, 3) or len(shapes[0]) != len(shapes[1]):
        raise ShapeMismatchError(f"dot_scaled takes two tiles of rank 2 or two of rank 3, {found}")
    if left.depth != right.depth:
        raise ShapeMismatchError(
            f"dot_scaled needs as many elements along K in both operands, {found}: "
            f"{left.depth} and {right.depth}"
        )
    if shapes[0][:-2] != shapes[1][:-2]:
        raise ShapeMismatchError(f"dot_scaled needs equal batch sizes, {found}")
    return (*left.shape[:-1], right.shape[-1])


def _check_scales(operand: _Operand) -> None:
    if operand.scales is None:
        return
    name, scales = f"{operand.name}_scale", operand.scales
    group = _GROUPS.get(scales.dtype)
    if group is None:
        raise TypeMismatchError(
            f"{name} must be uint8 (e8m0) or fp8e4nv, found {scales.dtype}",
            hint="view a tensor of another framework's e8m0 as uint8",
        )
    if operand.depth % group:
        raise ShapeMismatchError(
            f"{operand.name} has {operand.depth} elements along K, which is not a multiple of the "
            f"{group} that share a scale of type {scales.dtype}"
        )
    side = operand.shape[-1 if operand.is_right else -2]
    expected = [*operand.shape[:-2], side, operand.depth // group]
    if list(scales.type.shape) != expected:
        sides = "(N, K" if operand.is_right else "(M, K"
        raise ShapeMismatchError(
            f"{name} must have the shape {expected}, which is {sides} / {group}), "
            f"found {list(scales.type.shape)}"
        )


def _decode(operand: _Operand, common: dtype) -> tensor:
    if operand.format == "e2m1":
        values = unpack_e2m1(operand.values, operand.packed_axis, common)
    else:
        values = operand.values
    if operand.scales is None:
        return convert(values, common)
    group = _GROUPS[operand.scales.dtype]
    return apply_scales(values, operand.scales, group, operand.is_right, common)
