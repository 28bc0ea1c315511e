"""Tiles that are read along one dimension of memory and used along another."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


def numbers(dtype: str, *shape: int) -> np.ndarray:
    random = np.random.default_rng(sum(shape))
    if np.issubdtype(np.dtype(dtype), np.floating):
        return random.integers(-64, 64, shape).astype(dtype) / 4
    return random.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


@tilewright.jit
def turn(
    x, out, rows, columns, factor,
    M: tl.constexpr, N: tl.constexpr, OTHER: tl.constexpr, SCALED: tl.constexpr,
):  # fmt: skip
    """out [M, N] = x [columns, rows] transposed, OTHER beyond its ends."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    value = tl.load(x + n * rows + m, (m < rows) & (n < columns), other=OTHER)
    if SCALED:
        value = (value * factor).to(value.dtype)
    tl.store(out + m * N + n, value)


@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "float64", "int8", "int16", "int32", "int64", "bool"]
)
@pytest.mark.parametrize("shape", [(16, 16), (32, 64), (64, 8), (8, 64), (128, 16), (48, 96)])
def test_dtypes_and_shapes(dtype: str, shape: tuple[int, int]) -> None:
    m, n = shape
    for rows, columns in ((m, n), (m - 3, n), (m, n - 5), (1, 1), (m - 7, n - 7)):
        x, out = numbers(dtype, columns, rows), np.zeros(shape, dtype)
        turn[(1,)](x, out, rows, columns, 1, m, n, 1, False)
        expected = np.full(shape, 1, dtype)
        expected[:rows, :columns] = x.T
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_arithmetic_in_between(dtype: str) -> None:
    x, out = numbers(dtype, 64, 30), np.zeros((32, 64), dtype)
    turn[(1,)](x, out, 30, 64, 3, 32, 64, 2, True)
    expected = np.full((32, 64), 6, dtype)
    expected[:30] = 3 * x.T
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def add_transposes(x, y, out, SIDE: tl.constexpr):
    """One operand of the addition is transposed, the other is not, and both are stored."""
    m, n = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
    one, two = tl.load(x + n * SIDE + m), tl.load(y + m * SIDE + n)
    tl.store(out + m * SIDE + n, one + two)
    tl.store(out + SIDE * SIDE + m * SIDE + n, one)


@tilewright.jit
def turn_in_place(x, SIDE: tl.constexpr):
    m, n = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
    tl.store(x + m * SIDE + n, tl.load(x + n * SIDE + m))


@pytest.mark.parametrize("side", [16, 64])
def test_two_arrays_and_one(side: int) -> None:
    x, y = numbers("float32", side, side), numbers("float32", side, side + 1)[:, :side].copy()
    out = np.zeros((2, side, side), np.float32)
    add_transposes[(1,)](x, y, out, side)
    np.testing.assert_array_equal(out, [x.T + y, x.T])
    expected = x.T.copy()
    turn_in_place[(1,)](x, side)
    np.testing.assert_array_equal(x, expected)


@tilewright.jit
def turn_batch(x, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    b = tl.arange(0, B)[:, None, None]
    m, n = tl.arange(0, M)[None, :, None], tl.arange(0, N)[None, None, :]
    tl.store(out + (b * M + m) * N + n, tl.load(x + (n * M + m) * B + b))
    tl.store(out + B * M * N + (b * M + m) * N + n, tl.load(x + (b * N + n) * M + m))


@pytest.mark.parametrize("shape", [(16, 16, 16), (2, 16, 32), (32, 2, 16)])
def test_batches(shape: tuple[int, int, int]) -> None:
    b, m, n = shape
    x, out = numbers("int32", n * m * b), np.zeros((2, *shape), np.int32)
    turn_batch[(1,)](x, out, b, m, n)
    np.testing.assert_array_equal(out[0], x.reshape(n, m, b).T)
    np.testing.assert_array_equal(out[1], x.reshape(b, n, m).transpose(0, 2, 1))


@tilewright.jit
def product(
    a, b, out, start, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr,
    TURN_A: tl.constexpr, TURN_B: tl.constexpr, ACC: tl.constexpr, START: tl.constexpr,
):  # fmt: skip
    """Products of steps along K, each of which starts from a number; the steps are added."""
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    total = tl.zeros((M, N), ACC)
    for first in range(0, K, BK):
        k = first + tl.arange(0, BK)
        if TURN_A:
            x = tl.load(a + k[None, :] * M + m, k[None, :] < K, other=0)
        else:
            x = tl.load(a + m * K + k[None, :], k[None, :] < K, other=0)
        if TURN_B:
            y = tl.load(b + n * K + k[:, None], k[:, None] < K, other=0)
        else:
            y = tl.load(b + k[:, None] * N + n, k[:, None] < K, other=0)
        if START == "number":
            acc = tl.full((M, N), 3, ACC)
        elif START == "argument":
            acc = tl.zeros((M, N), ACC) + start.to(ACC)
        else:
            acc = tl.zeros((M, N), ACC)
        total += tl.dot(x, y, acc, input_precision="ieee", out_dtype=ACC)
    tl.store(out + m * N + n, total)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("start", ["number", "argument", "zero"])
@pytest.mark.parametrize("turned", [(False, True), (True, False), (True, True)])
@pytest.mark.parametrize("sizes", [(16, 16, 16, 40), (64, 128, 32, 64), (32, 64, 32, 100)])
def test_products(
    dtype: str, start: str, turned: tuple[bool, bool], sizes: tuple[int, int, int, int]
) -> None:
    m, n, bk, k = sizes
    a, b = numbers("int8", m, k) % 7 - 3, numbers("int8", k, n) % 5 - 2
    sums = {"float32": (tl.float32, "float32"), "int8": (tl.int32, "int32")}
    acc, result = sums.get(dtype, (tl.float32, "float32"))
    out = np.zeros((m, n), result)
    left, right = (
        np.ascontiguousarray(x.T if turn else x).astype(dtype)
        for x, turn in zip((a, b), turned, strict=True)
    )
    product[(1,)](left, right, out, 5, k, m, n, bk, *turned, acc, start)
    steps = tilewright.cdiv(k, bk)
    expected = a.astype(np.int64) @ b + steps * {"number": 3, "argument": 5, "zero": 0}[start]
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def products_in_halves(a, b, out, SIDE: tl.constexpr):
    m, n = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
    x, y = tl.load(a + m * SIDE + n), tl.load(b + n * SIDE + m)
    start = tl.full((SIDE, SIDE), 0.5, tl.float16)
    total = tl.dot(x, y, start, out_dtype=tl.float16)
    tl.store(out + m * SIDE + n, tl.dot(x, y, start + total, out_dtype=tl.float16))


def test_sums_in_halves() -> None:
    a, b = (numbers("int8", 16, 16 + i)[:, :16] % 5 - 2 for i in range(2))
    out = np.zeros((16, 16), np.float16)
    products_in_halves[(1,)](a.astype(np.float16), b.astype(np.float16), out, 16)
    np.testing.assert_array_equal(out, 2 * (a.astype(np.int64) @ b.T.astype(np.int64)) + 1)
