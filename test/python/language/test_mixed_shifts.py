"""Shifts of integers of different widths and signedness, as in Triton.

The result has the common type. `>>` fills with the sign if the left operand is signed.
"""

import numpy as np
import pytest
from inputs import INTS, fresh, poisoned, wrapped

import tilewright
import tilewright.language as tl

SIZE = 64


@tilewright.jit
def shifts(x, y, left, right, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.static_assert((a >> b).dtype == right.dtype.element_ty)
    tl.store(left + i, a << b)
    tl.store(right + i, a >> b)


def common(a, b):
    """The wider type; of two types of equal width the unsigned one."""
    first, second = np.dtype(a), np.dtype(b)
    if first.itemsize != second.itemsize:
        return a if first.itemsize > second.itemsize else b
    return a if a.startswith("u") else b


@pytest.mark.parametrize("a", INTS)
@pytest.mark.parametrize("b", INTS)
def test_pairs(a, b):
    both = common(a, b)
    bits = np.dtype(both).itemsize * 8
    x, y = fresh(a, (SIZE,)), fresh(b, (SIZE,), 0, bits - 1)
    left, right = poisoned(both, (SIZE,)), poisoned(both, (SIZE,))
    shifts[(1,)](x, y, left, right, N=SIZE)
    values = [int(v) for v in wrapped(x.astype(object), both)]
    if np.dtype(a).kind == "i":
        values = [(v + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1)) for v in values]
    else:
        values = [v % (1 << bits) for v in values]
    counts = [int(v) for v in y]
    pairs = list(zip(values, counts, strict=True))
    assert np.array_equal(left, wrapped([v << n for v, n in pairs], both))
    assert np.array_equal(right, wrapped([v >> n for v, n in pairs], both))


@tilewright.jit
def of_numbers(y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, 2147483648 >> tl.load(y + i))


def test_a_number_on_the_left():
    y, out = np.arange(32, dtype=np.uint32), poisoned("uint32", (32,))
    of_numbers[(1,)](y, out, N=32)
    assert np.array_equal(out, np.uint32(1 << 31) >> y)
