"""Operands of dots that could be read in user memory, and parts of products that are not needed.

The CPU reads rows at even distances in place, ends the loop over K where both masks end, and
computes no rows and columns that are masked off in the only store.
"""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

DTYPES = ["float32", "float16", "int8", "float64"]


def small(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-4, 5, shape)


def result_of(dtype: str) -> str:
    return {"int8": "int32", "float64": "float64"}.get(dtype, "float32")


@tilewright.jit
def gathered(a, b, out, rows, limit, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Rows of A whose numbers are loaded; columns from `limit` on are masked off."""
    row = tl.load(rows + tl.arange(0, M))
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    x = tl.load(a + row[:, None] * K + k[None, :], (k < limit)[None, :], other=0)
    y = tl.load(b + k[:, None] * N + n)
    out_type = out.dtype.element_ty
    tl.store(out + m * N + n, tl.dot(x, y, input_precision="ieee", out_dtype=out_type))


ROWS = {
    "even": lambda m: np.arange(m),
    "far": lambda m: 3 * np.arange(m),
    "backwards": lambda m: np.arange(m)[::-1],
    "equal": lambda m: np.full(m, 5),
    "one differs": lambda m: np.where(np.arange(m) == m - 1, 2, np.arange(m)),
    "first pair differs": lambda m: np.where(np.arange(m) == 1, 7, np.arange(m)),
    "wrapped": lambda m: np.arange(m) % (m // 2 + 1),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("limit", [32, 31, 0])
@pytest.mark.parametrize("rows", list(ROWS))
def test_distances_of_rows(rows: str, limit: int, dtype: str) -> None:
    m, n, k = 16, 64, 32
    a, b = small(1, 3 * m, k).astype(dtype), small(2, k, n).astype(dtype)
    at = ROWS[rows](m).astype(np.int32)
    out = np.zeros((m, n), result_of(dtype))
    gathered[(1,)](a, b, out, at, limit, m, n, k)
    x = np.where(np.arange(k) < limit, a[at], 0).astype(np.int64)
    np.testing.assert_array_equal(out, x @ b.astype(np.int64))


@tilewright.jit
def overwritten(a, same, b, out, N: tl.constexpr):
    """A and B are loaded, overwritten by another name of the arrays, and then multiplied."""
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    total = tl.zeros((N, N), tl.float32)
    for _ in range(3):
        x, y = tl.load(a + i), tl.load(b + i)
        tl.store(same + i, x + 1)
        total = tl.dot(x, y, total, input_precision="ieee")
    tl.store(out + i, total)


def test_operand_that_is_overwritten() -> None:
    a, b = (small(i, 16, 16).astype(np.float32) for i in range(2))
    expected = sum((a + i) @ b for i in range(3))
    out = np.zeros_like(a)
    overwritten[(1,)](a, a, b, out, 16)
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def product(
    a, b, out, M, N, K, a_row, other,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """MASKED names the sides whose ends both the loads and the store mask off."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    out_type = out.dtype.element_ty
    total = tl.zeros((BM, BN), out_type)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        inside = (k < K)[:, None] if "b" in MASKED else k[:, None] >= 0
        left = (m < M) & (k < K)[None, :]
        x = tl.load(a + m * a_row + k[None, :], left, other=other.to(a.dtype.element_ty))
        y = tl.load(b + k[:, None] * N + n, inside & (n < N), other=0)
        total = tl.dot(x, y, total, input_precision="ieee", out_dtype=out_type)
    tl.store(out + m * N + n, total, (m < M) & (n < N))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(37, 70, 43), (1, 129, 17), (64, 64, 64), (5, 3, 130)])
@pytest.mark.parametrize("block", [(16, 64, 32), (64, 128, 32), (8, 16, 128)])
def test_ends(
    block: tuple[int, int, int], size: tuple[int, int, int], dtype: str, launch_target: str
) -> None:
    if dtype == "float64" and block == (64, 128, 32) and "hip:gfx1" in launch_target:
        pytest.skip("the tiles need 65,600 bytes of shared memory, and the GPU has 65,536")
    (bm, bn, bk), (m, n, k) = block, size
    a, b = small(3, m, k + 1).astype(dtype), small(4, k, n).astype(dtype)
    out = np.zeros((m, n), result_of(dtype))
    grid = (tilewright.cdiv(m, bm), tilewright.cdiv(n, bn))
    product[grid](a, b, out, m, n, k, k + 1, 0, bm, bn, bk, "ab")
    np.testing.assert_array_equal(out, a[:, :k].astype(np.int64) @ b.astype(np.int64))


@pytest.mark.parametrize("other", [0.0, 2.0])
def test_infinity_beside_masked_off_elements(other: float) -> None:
    """Rows of B that only A masks off count: zero times infinity is no zero."""
    m, n, k = 16, 64, 64
    a, b = np.ones((m, k), np.float32), np.ones((k, n), np.float32)
    b[40] = np.inf
    out = np.zeros((m, n), np.float32)
    product[(1, 1)](a, b, out, m, n, 40, k, other, m, n, k, "a")
    assert np.isnan(out).all() if other == 0 else np.isposinf(out).all()


@tilewright.jit
def rows_used_twice(a, b, out, sums, count, M: tl.constexpr, N: tl.constexpr):
    """The store masks rows off that the sum of each column needs."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    k = tl.arange(0, M)
    total = tl.dot(
        tl.load(a + m * M + k[None, :]), tl.load(b + k[:, None] * N + n), input_precision="ieee"
    )
    tl.store(out + m * N + n, total, (m < count) & (n >= 0))
    tl.store(sums + tl.arange(0, N), tl.sum(total, axis=0))


def test_rows_that_are_needed_elsewhere() -> None:
    a, b = small(5, 32, 32).astype(np.float32), small(6, 32, 64).astype(np.float32)
    out, sums = np.zeros((32, 64), np.float32), np.zeros(64, np.float32)
    rows_used_twice[(1,)](a, b, out, sums, 3, 32, 64)
    np.testing.assert_array_equal(sums, (a @ b).sum(0))
    np.testing.assert_array_equal(out[:3], (a @ b)[:3])
    assert not out[3:].any()


@tilewright.jit
def holes(a, b, out, low, high, M: tl.constexpr, K: tl.constexpr):
    """Masks along K and of rows that are no prefixes."""
    m, n, k = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :], tl.arange(0, K)
    inside = (k >= low) & (k < high) & (k % 3 != 1)
    x = tl.load(a + m * K + k[None, :], inside[None, :] & (m >= 0), other=0.0)
    y = tl.load(b + k[:, None] * M + n, inside[:, None] & (n >= 0), other=0.0)
    rows = (M - 1 - m) % 5 != 2
    tl.store(out + m * M + n, tl.dot(x, y, input_precision="ieee"), rows & (n != 7))


@pytest.mark.parametrize("ends", [(0, 64), (5, 40), (33, 34), (50, 20), (-7, 3)])
def test_masks_with_holes(ends: tuple[int, int]) -> None:
    m, k = 64, 64
    a, b = small(7, m, k).astype(np.float32), small(8, k, m).astype(np.float32)
    out = np.full((m, m), 99, np.float32)
    holes[(1,)](a, b, out, *ends, m, k)
    at, i = np.arange(k), np.arange(m)
    inside = (at >= ends[0]) & (at < ends[1]) & (at % 3 != 1)
    stored = ((m - 1 - i) % 5 != 2)[:, None] & (i != 7)[None, :]
    expected = (a * inside) @ (b * inside[:, None])
    np.testing.assert_array_equal(out, np.where(stored, expected, 99))


@tilewright.jit
def tiny(a, b, out, N: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + i, tl.dot(tl.load(a + i), tl.load(b + i), input_precision=PRECISION))


def test_bfloat16_below_the_smallest_normal_number() -> None:
    """Of precision "ieee", no element is taken for zero."""
    torch = pytest.importorskip("torch")
    a = torch.full((16, 16), 2.0**-130, dtype=torch.bfloat16)
    b = torch.full((16, 16), 2.0**100, dtype=torch.bfloat16)
    out = torch.zeros(16, 16)
    tiny[(1,)](a, b, out, 16, "ieee")
    assert (out == 16 * 2.0**-30).all()
    tiny[(1,)](b, torch.full_like(a, 2.0**-100), out, 16, None)
    assert (out == 16).all()


@tilewright.jit
def stored_more_and_more(a, b, out, low, count, N: tl.constexpr, ROWS: tl.constexpr):
    """Each iteration adds to the sums of the previous one, of which it stores more."""
    m, n = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    at = m * N + n
    total = tl.zeros((N, N), tl.float32)
    for i in range(count):
        end = low + i * 16
        stored = m < end if ROWS else n < end
        total = tl.dot(tl.load(a + at), tl.load(b + at), total, input_precision="ieee")
        tl.store(out + at, total, stored)


@pytest.mark.parametrize("rows", [True, False])
def test_ends_that_differ_between_iterations(rows: bool) -> None:
    a, b = (small(i, 64, 64).astype(np.float32) for i in (9, 10))
    out = np.zeros((64, 64), np.float32)
    stored_more_and_more[(1,)](a, b, out, 5, 4, 64, rows)
    expected = np.zeros_like(out)
    for i in range(4):
        end = 5 + 16 * i
        at = np.s_[:end] if rows else np.s_[:, :end]
        expected[at] = (i + 1) * (a @ b)[at]
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def square(a, out, rows, N: tl.constexpr, MASKED: tl.constexpr):
    m, n = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    stored = (m < rows) & (n >= 0)
    x = tl.load(a + m * N + n, (m < N) & (n < N), other=0) if MASKED else tl.load(a + m * N + n)
    product = tl.dot(x, x, out_dtype=out.dtype.element_ty)
    tl.store(out + m * N + n, product, stored)


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("rows", [5, 37, 64])
@pytest.mark.parametrize("masked", [False, True])
def test_tile_that_is_both_operands(masked: bool, rows: int, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    a = torch.from_numpy(small(11, 64, 64)).to(getattr(torch, dtype))
    out = torch.zeros((64, 64), dtype=getattr(torch, result_of(dtype)))
    square[(1,)](a, out, rows, 64, masked)
    expected = a.double() @ a.double()
    expected[rows:] = 0
    assert torch.equal(out.double(), expected)
