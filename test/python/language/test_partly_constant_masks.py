"""Masks that are a condition of the row and a constant of the column, on processors of the CPU."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler.targets import check_runnable
from tilewright.errors import DeviceError


@tilewright.jit
def copy(x, out, rows, M: tl.constexpr, N: tl.constexpr, FIRST: tl.constexpr, LAST: tl.constexpr):
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    inside = (m < rows) & (n >= FIRST) & (n < LAST)
    tl.store(out + m * N + n, tl.load(x + m * N + n, inside, other=-1))
    tl.store(out + (M + m) * N + n, tl.load(x + m * N + n), inside)


@pytest.mark.cpu_only("instructions of the CPU")
@pytest.mark.parametrize("target", ["cpu", "cpu:avx2", "cpu:sse2"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int32", "int64"])
@pytest.mark.parametrize("columns", [4, 8, 12, 16, 32])
def test_rows_and_columns(target: str, dtype: str, columns: int) -> None:
    try:
        check_runnable(target)
    except DeviceError as error:
        pytest.skip(str(error))
    m = 4
    x = np.arange(1, m * columns + 1).reshape(m, columns).astype(dtype)
    for first, last in ((columns - 1, columns), (0, 2), (0, 8), (columns // 2, columns), (3, 4)):
        for rows in (0, 3):
            out = np.zeros((2, m, columns), dtype)
            copy[(1,)](x, out, rows, m, columns, first, last, target=target)
            inside = np.zeros((m, columns), bool)
            inside[:rows, first:last] = True
            np.testing.assert_array_equal(out[0], np.where(inside, x, -1))
            np.testing.assert_array_equal(out[1], np.where(inside, x, 0))
