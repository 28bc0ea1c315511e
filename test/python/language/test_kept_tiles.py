"""Large tiles, of which several loops of the CPU's code need the elements, and stores between."""

import numpy as np
import pytest
from seeds import generator

import tilewright
import tilewright.language as tl

N = 8192  # 32 KiB


def numbers(*shape: int) -> np.ndarray:
    return generator().standard_normal(shape).astype(np.float32)


def softmax_of(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@tilewright.jit
def normalize(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    row = tl.program_id(0)
    a = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(a - tl.max(a, axis=0))
    tl.store(out + row * n + i, e / tl.sum(e, axis=0), mask=i < n)


@pytest.mark.parametrize("n", [N, N - 3, 5000])
def test_disjoint_arrays(n: int) -> None:
    x, out = numbers(3, n), np.zeros((3, n), np.float32)
    normalize[3,](x, out, n, N=N)
    np.testing.assert_allclose(out, softmax_of(x), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("shift", [-5, 0, 1, 100])
def test_overlapping_arrays(shift: int) -> None:
    memory = numbers(3 * N)
    want = memory.copy()
    want[N + shift : 2 * N + shift] = softmax_of(memory[N : 2 * N])
    normalize[1,](memory[N : 2 * N], memory[N + shift : 2 * N + shift], N, N=N)
    np.testing.assert_allclose(memory, want, rtol=1e-5, atol=1e-7)


@tilewright.jit
def write_between(x, table, out, how: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    top = tl.max(a, axis=0)
    if how == "argument":
        tl.store(x + i, a * 2)
    elif how == "table":
        tl.store(tl.load(table).to(tl.pointer_type(tl.float32)) + i, a * 2)
    elif how == "atomic":
        tl.atomic_add(x + i, a)
    elif how == "branch":
        if top > -100:
            tl.store(x + i, a * 2)
    else:
        for first in range(0, N, N // 4):
            tl.store(x + first + tl.arange(0, N // 4), 1.0)
    tl.store(out + i, a - top)


@pytest.mark.parametrize("how", ["argument", "table", "atomic", "branch", "loop"])
def test_stores_between_uses(how: str, launch_target: str) -> None:
    if how == "table" and launch_target in ("cuda", "hip"):
        pytest.skip("the address is the host's")
    x, out = numbers(N), np.zeros(N, np.float32)
    before, table = x.copy(), np.array([x.ctypes.data], np.int64)
    write_between[1,](x, table, out, how=how, N=N)
    np.testing.assert_array_equal(out, before - before.max())
    np.testing.assert_array_equal(x, np.ones(N, np.float32) if how == "loop" else before * 2)


@tilewright.jit
def moments_in_a_loop(x, scale, out, rows, n, N: tl.constexpr):
    i = tl.arange(0, N)
    for row in range(rows):
        a = tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32)
        mean = tl.sum(a, axis=0) / n
        centered = tl.where(i < n, a - mean, 0.0)
        variance = tl.sum(centered * centered, axis=0) / n
        s = tl.load(scale + i, mask=i < n, other=0.0)
        tl.store(out + row * n + i, (a - mean) / tl.sqrt(variance + 1e-5) * s, mask=i < n)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("n", [N, N - 13])
def test_rows_in_a_loop(dtype: type, n: int) -> None:
    x, scale = numbers(4, n).astype(dtype), numbers(n)
    out = np.zeros((4, n), np.float32)
    moments_in_a_loop[1,](x, scale, out, 4, n, N=N)
    a = x.astype(np.float64)
    want = (a - a.mean(axis=1, keepdims=True)) / np.sqrt(a.var(axis=1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(out, want * scale, rtol=1e-3, atol=1e-4)


@tilewright.jit
def masked_by_a_tile(x, flags, out, N: tl.constexpr):
    i = tl.arange(0, N)
    kept = tl.load(flags + i) > 0
    a = tl.load(x + i, mask=kept, other=tl.load(x + N - 1 - i))
    tl.store(out + i, a - tl.max(a, axis=0))
    tl.store(flags + i, tl.zeros((N,), tl.int8))


def test_masks_of_loaded_elements() -> None:
    x, out = numbers(N), np.zeros(N, np.float32)
    flags = generator().integers(0, 2, N).astype(np.int8)
    a = np.where(flags > 0, x, x[::-1])
    masked_by_a_tile[1,](x, flags, out, N=N)
    np.testing.assert_array_equal(out, a - a.max())
    assert not flags.any()
