"""Decodes tiles in microscaling (MX) formats: narrow floats, a group of which shares a scale.

    e2m1, two per byte    b = hhhh llll  ->  element 2i = llll, element 2i + 1 = hhhh
    e8m0 scales           s              ->  2^(s - 127), one per 32 elements; 255 is NaN
    float8e4nv scales     s              ->  s, one per 16 elements (NVFP4)

Elements are decoded to bfloat16 or float16, which represent every e2m1 and, for bfloat16, every
float8 exactly, and multiplied by their scales.
"""

from __future__ import annotations

from tilewright.language._build import compare, constant, emit, same_shape
from tilewright.language.casts import convert, reinterpret
from tilewright.language.dtypes import (
    bfloat16,
    dtype,
    float32,
    int16,
    int32,
)
from tilewright.language.shape import expand_dims, expand_to, join, permute, reshape, trans
from tilewright.language.tensor import tensor

_INTEGER = {16: int16, 32: int32}


def unpack_e2m1(packed: tensor, axis: int, target: dtype) -> tensor:
    """Unpacks bytes that hold two e2m1 each; the dimension `axis` of the result has twice the size.

    The three bits of the magnitude, moved to the lowest bits of the exponent and the highest of the
    mantissa, are the value times a power of two. That is exact for the denormal 0.5, too, which
    becomes a denormal of the target.
    """
    # One integer per byte: the low element is in bits 0 to 3, the high one in bits 16 to 19.
    word = convert(packed, int32)
    word = word | (word << 12)
    shift = target.fp_mantissa_width - 1
    magnitude, sign = (word << shift) & (0x00070007 << shift), (word << 12) & -0x7FFF8000
    bits = magnitude | sign
    halves = join(convert(bits, int16), convert(bits >> 16, int16))
    rank = len(packed.type.shape)
    order = [*range(axis + 1), rank, *range(axis + 1, rank)]
    shape = [size * 2 if i == axis else size for i, size in enumerate(packed.type.shape)]
    values = reinterpret(reshape(permute(halves, *order), *shape), target)
    return _multiply(values, constant(2.0 ** (target.exponent_bias - 1), values.type))


def apply_scales(
    values: tensor, scales: tensor, group: int, transposed: bool, target: dtype
) -> tensor:
    """Multiplies elements by the scales of their groups, and rounds the products to `target`.

    A product is computed in float32 for float16, because a scale may be beyond the range of float16
    where the product is not.

    Args:
        values: A tile of shape (..., M, K), or (..., K, N) if `transposed`, of floats.
        scales: A tile of shape (..., M, K / group) or, in either case, (..., N, K / group).
        group: The number of elements that share a scale.
        transposed: Whether the groups are along the last dimension but one of `values`.
        target: bfloat16 or float16.
    """
    product = bfloat16 if target.is_bf16() else float32
    factors = decode_scales(scales, product)
    axis = len(factors.type.shape) - (1 if transposed else 0)
    factors = expand_dims(trans(factors) if transposed else factors, axis)
    shape = list(factors.type.shape)
    shape[axis] = group
    factors = reshape(expand_to(factors, tuple(shape)), *values.type.shape)
    return convert(_multiply(convert(values, product), factors), target)


def decode_scales(scales: tensor, target: dtype) -> tensor:
    """Scales as bfloat16 or float32: bytes are e8m0, and floats are converted.

    e8m0 has the exponent of both types. Its least value, 2^-127, is a denormal of them.
    """
    if scales.dtype.is_floating():
        return convert(scales, target)
    mantissa = target.fp_mantissa_width
    integer = _INTEGER[target.primitive_bitwidth]
    bytes = emit("arith.extui", [scales], type=same_shape(scales, integer))
    bits = bytes << mantissa
    half, nan = 1 << (mantissa - 1), 0x1FF << (mantissa - 1)
    for code, special in ((0, half), (255, nan)):
        found = compare(bytes, constant(code, bytes.type), "eq")
        bits = emit("arith.select", [found, constant(special, bits.type), bits])
    return reinterpret(bits, target)


def _multiply(a: tensor, b: tensor) -> tensor:
    return emit("arith.mulf", [a, b])
