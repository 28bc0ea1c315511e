"""`and` and `or` of a scalar and a constant that decides leave out code that depends on them."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def kernel(x, SKIPS: tl.constexpr):
    is_first = tl.program_id(0) == 0
    if not SKIPS:
        value = 1.0
    if is_first and not SKIPS:
        tl.store(x, value)
    if not is_first or SKIPS:
        tl.store(x + 1, 2.0)
    else:
        tl.store(x + 1, value + 2)
    if is_first and x.dtype.element_ty == tl.float32 and not SKIPS:
        tl.store(x + 2, value)


@pytest.mark.parametrize(("skips", "expected"), [(True, [0, 2, 0]), (False, [1, 3, 1])])
def test_names_that_exist_without_the_constant(skips, expected) -> None:
    x = np.zeros(3, np.float32)
    kernel[(1,)](x, SKIPS=skips)
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def tiles(x, y, FALSE: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(y + i, (tl.load(x + i) > 2) and FALSE)
    tl.store(y + 8 + i, (tl.load(x + i) > 2) or FALSE)


def test_tiles_keep_their_shape() -> None:
    x, y = np.arange(8, dtype=np.int32), np.full(16, 7, np.int32)
    tiles[(1,)](x, y, FALSE=False)
    np.testing.assert_array_equal(y, [*[0] * 8, *(x > 2)])
