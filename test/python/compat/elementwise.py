"""Applies functions of libdevice to arrays, for the tests."""

import numpy as np

import tilewright
import tilewright.language as tl

SPECIAL = [
    0.0, -0.0, 0.3, -0.3, 0.5, -0.5, 0.49999997, 1.0, -1.0, 1.5, -1.5, 2.5, -2.5, 3.5, -3.5, 4.4,
    -4.6, 8388607.5, -8388607.5, 4503599627370495.5, 1e-30, -1e-30, 1e30, -1e30, np.inf, -np.inf,
    np.nan,
]  # fmt: skip


def padded(values, dtype):
    array = np.array(values, dtype=dtype)
    return np.concatenate([array, np.full(64 - len(array), 7, dtype)])


def apply(function, out, *operands, **options):
    """`function` of 64 operands, elementwise; `options` are those of the launch."""

    @tilewright.jit
    def unary(out, x, FUNCTION: tl.constexpr):
        i = tl.arange(0, 64)
        tl.store(out + i, FUNCTION(tl.load(x + i)))

    @tilewright.jit
    def binary(out, x, y, FUNCTION: tl.constexpr):
        i = tl.arange(0, 64)
        tl.store(out + i, FUNCTION(tl.load(x + i), tl.load(y + i)))

    result = np.zeros(64, out)
    kernel = unary if len(operands) == 1 else binary
    kernel[(1,)](result, *operands, FUNCTION=function, **options)
    return result


def same(found, expected):
    """Equal, with the signs of zeros, and NaN for NaN."""
    assert np.array_equal(found, expected, equal_nan=True), (found, expected)
    numbers = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found)[numbers], np.signbit(expected)[numbers])
