"""Tiles whose sizes are not powers of two: every operation, against NumPy.

All memory has poisoned elements around what a kernel may access, and inputs have values next to it
that would change each result.
"""

import numpy as np
import pytest
import torch
from inputs import fresh

import tilewright
import tilewright.language as tl

SIZES = [3, 5, 12, 48, 80, 96, 100, 192, 576]
MARGIN = 64


def surrounded(x):
    """A view with the contents of `x`, between elements that change sums, products and maxima."""
    flat = torch.as_tensor(x).reshape(-1)
    memory = torch.empty(flat.numel() + 2 * MARGIN, dtype=flat.dtype)
    memory[:] = float("nan") if flat.dtype.is_floating_point else torch.iinfo(flat.dtype).max
    memory[MARGIN:-MARGIN] = flat
    return memory[MARGIN:-MARGIN]


class Output:
    """Memory for a result; `check` also looks at what is around it."""

    def __init__(self, dtype, count):
        self.memory = torch.full((count + 2 * MARGIN,), 85, dtype=dtype)
        self.view = self.memory[MARGIN : MARGIN + count]

    def check(self, want, rtol=0.0):
        torch.testing.assert_close(
            self.view, torch.as_tensor(want).reshape(-1).to(self.view.dtype), rtol=rtol, atol=0.0,
            equal_nan=True,
        )  # fmt: skip
        count = self.view.numel()
        assert (self.memory[:MARGIN] == 85).all() and (self.memory[MARGIN + count :] == 85).all()


@tilewright.jit
def double(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) * 2)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["int8", "int64", "fp16", "fp32", "fp64"])
def test_copies(size, dtype):
    x = torch.as_tensor(fresh(dtype, (size,), -50, 50))
    out = Output(x.dtype, size)
    double[(1,)](surrounded(x), out.view, N=size)
    out.check(x * 2)


@tilewright.jit
def reductions(x, out, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(out + 0, tl.sum(v))
    tl.store(out + 1, tl.max(v))
    tl.store(out + 2, tl.min(v))
    tl.store(out + 3, tl.argmax(v, 0))
    tl.store(out + 4, tl.argmin(v, 0))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["int16", "int32", "fp32", "fp64"])
@pytest.mark.parametrize("sign", [1, -1])
def test_reductions(size, dtype, sign):
    """All positive or all negative, so that a zero in the padding is found."""
    x = sign * torch.as_tensor(fresh(dtype, (size,), 1, 60))
    out = Output(torch.float64, 5)
    reductions[(1,)](surrounded(x), out.view, N=size)
    v = x.to(torch.float64)
    out.check([v.sum(), v.max(), v.min(), v.argmax(), v.argmin()], rtol=1e-5)


@tilewright.jit
def product(a, b):
    return a * b


@tilewright.jit
def last(a, b):
    return b


@tilewright.jit
def affine(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@tilewright.jit
def scans(x, out, N: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, tl.cumsum(v, 0, reverse=REVERSE))
    tl.store(out + N + i, tl.associative_scan(v, 0, last, reverse=REVERSE))
    a, b = tl.associative_scan((v, v), 0, affine, reverse=REVERSE)
    tl.store(out + 2 * N + i, a)
    tl.store(out + 3 * N + i, b)
    tl.store(out + 4 * N, tl.reduce(v, 0, product))


@pytest.mark.parametrize("size", [3, 12, 48, 100])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("warps", [1, 4])
def test_scans(size, reverse, warps):
    x = torch.as_tensor(fresh("int64", (size,)))
    out = Output(torch.int64, 4 * size + 1)
    scans[(1,)](surrounded(x), out.view, N=size, REVERSE=reverse, num_warps=warps)
    v = x.flip(0) if reverse else x
    a, b = [v[0]], [v[0]]
    for item in v[1:]:
        a.append(a[-1] * item)
        b.append(b[-1] * item + item)
    columns = [v.cumsum(0), v, torch.stack(a), torch.stack(b)]
    columns = [c.flip(0) if reverse else c for c in columns]
    out.check(torch.cat([*columns, x.prod().reshape(1)]))


@tilewright.jit
def shapes(x, out, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N))
    flat = out + tl.arange(0, M * N)
    tl.store(flat, tl.ravel(v))
    tl.store(flat + M * N, tl.ravel(tl.trans(v)))
    tl.store(flat + 2 * M * N, tl.ravel(tl.reshape(v, (N, M))))
    pairs = out + 3 * M * N + tl.arange(0, 2 * M * N)
    tl.store(pairs, tl.ravel(tl.interleave(v, -v)))
    tl.store(pairs + 2 * M * N, tl.ravel(tl.cat(v, -v)))
    tl.store(flat + 7 * M * N, tl.ravel(tl.flip(v, 0)))


@pytest.mark.parametrize(
    "shape", [(3, 16), (16, 3), (5, 7), (12, 12), (48, 4), (1, 24), (24, 1), (2, 96)]
)
def test_shapes(shape):
    x = torch.as_tensor(fresh("int32", shape, -1000, 1000))
    m, n = shape
    out = Output(torch.int32, 8 * m * n)
    shapes[(1,)](surrounded(x), out.view, M=m, N=n)
    parts = [
        x, x.T, x, torch.stack([x, -x], -1), torch.cat([x, -x]), x.flip(0)
    ]  # fmt: skip
    out.check(torch.cat([part.reshape(-1) for part in parts]))


@tilewright.jit
def rows_and_columns(x, out, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N))
    tl.store(out + tl.arange(0, M), tl.sum(v, 1))
    tl.store(out + M + tl.arange(0, N), tl.max(v, 0))
    tl.store(out + M + N, tl.sum(v))
    value, at = tl.max(v, None, return_indices=True)
    tl.store(out + M + N + 1, value)
    tl.store(out + M + N + 2, at)


@pytest.mark.parametrize("shape", [(3, 16), (16, 3), (5, 7), (48, 80), (96, 2)])
@pytest.mark.parametrize("warps", [1, 2, 8])
def test_reductions_of_two_dimensions(shape, warps):
    x = -torch.as_tensor(fresh("int32", shape, 1, 1 << 20))
    out = Output(torch.int32, sum(shape) + 3)
    rows_and_columns[(1,)](surrounded(x), out.view, M=shape[0], N=shape[1], num_warps=warps)
    rest = torch.stack([x.sum(), x.max(), x.argmax()])
    out.check(torch.cat([x.sum(1), x.amax(0), rest]))


@tilewright.jit
def matmul(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, STEPS: tl.constexpr):
    i, j, k = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :], tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for step in range(STEPS):
        x = tl.load(a + i * (K * STEPS) + step * K + k[None, :])
        y = tl.load(b + (step * K + k[:, None]) * N + j)
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + i * N + j, acc)


@pytest.mark.parametrize(
    "sizes", [(48, 80, 40), (16, 16, 48), (48, 16, 16), (3, 5, 7), (17, 32, 100), (64, 96, 24)]
)
@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32"])
def test_products(sizes, dtype):
    m, n, k = sizes
    a, b = (torch.as_tensor(fresh(dtype, shape, -1, 1)) for shape in ((m, 3 * k), (3 * k, n)))
    out = Output(torch.float32, m * n)
    matmul[(1,)](surrounded(a), surrounded(b), out.view, M=m, N=n, K=k, STEPS=3, num_stages=2)
    want = a.to(torch.float64) @ b.to(torch.float64)
    error = (out.view.reshape(m, n) - want).abs().max()
    assert error < 1e-4
    out.check(out.view)


@tilewright.jit
def product_of_infinities(a, b, c, M: tl.constexpr, K: tl.constexpr):
    """Computed operands: their padding is not zero by itself."""
    i, k = tl.arange(0, M), tl.arange(0, K)
    x = 1.0 / tl.load(a + i[:, None] * K + k)
    y = 1.0 / tl.load(b + k[:, None] * M + i)
    tl.store(c + i[:, None] * M + i, tl.dot(x, y, input_precision="ieee"))


def test_product_of_quotients():
    a, b = fresh("fp32", (24, 20), 1, 2), fresh("fp32", (20, 24), 1, 2)
    out = Output(torch.float32, 24 * 24)
    product_of_infinities[(1,)](surrounded(a), surrounded(b), out.view, M=24, K=20)
    out.check((1 / a) @ (1 / b), rtol=1e-5)


@tilewright.jit
def updates(x, sums, old, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old + i, tl.atomic_add(sums + i % 7, tl.load(x + i)) * 0)
    tl.atomic_max(sums + 7 + i, tl.load(x + i), mask=i % 2 == 0)


@pytest.mark.parametrize("size", [12, 100])
def test_atomics(size):
    x = fresh("int32", (size,), 1, 100)
    sums, old = Output(torch.int32, 7 + size), Output(torch.int32, size)
    sums.view[:] = 0
    updates[(1,)](surrounded(x), sums.view, old.view, N=size)
    greatest = np.where(np.arange(size) % 2 == 0, x, 0)
    sums.check(np.concatenate([np.bincount(np.arange(size) % 7, x, 7).astype(int), greatest]))
    old.check(np.zeros(size))


@tilewright.jit
def counts(x, out, N: tl.constexpr, BINS: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


@pytest.mark.parametrize(("size", "bins"), [(100, 16), (64, 10), (48, 3), (5, 1)])
def test_histogram_of_any_size(size, bins):
    x = fresh("int32", (size,), -1, bins)
    out = Output(torch.int32, bins)
    counts[(1,)](surrounded(x), out.view, N=size, BINS=bins)
    out.check([(x == b).sum() for b in range(bins)])


@tilewright.jit
def sorted_rows(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)
    v = tl.load(x + i * N + j)
    tl.store(out + i * N + j, tl.sort(v))
    tl.store(out + M * N + i * N + j, tl.sort(v, descending=True))
    tl.store(out + 2 * M * N + i * K + tl.arange(0, K), tl.topk(v, K))


@pytest.mark.parametrize(("shape", "k"), [((3, 8), 4), ((4, 12), 5), ((1, 7), 7), ((3, 5), 3)])
@pytest.mark.parametrize("dtype", ["int8", "fp32"])
def test_sorts_of_any_size(shape, k, dtype):
    m, n = shape
    x = torch.as_tensor(fresh(dtype, shape))
    out = Output(x.dtype, 2 * m * n + m * k)
    sorted_rows[(1,)](surrounded(x), out.view, M=m, N=n, K=k)
    up = x.sort(-1).values
    down = up.flip(-1)
    out.check(torch.cat([part.reshape(-1) for part in (up, down, down[:, :k])]))


@tilewright.jit
def in_control_flow(x, out, n, N: tl.constexpr):
    """Padded tiles are carried, merged and divided by what the padding holds."""
    i = tl.arange(0, N)
    v = tl.load(x + i)
    total = tl.zeros((N,), tl.int32)
    step = 0
    while tl.max(total) < 1000:
        if step % 2 == 0:
            total += v
        else:
            total += 1000 // v
        step += 1
    for _ in range(n):
        total += tl.where(i < 5, total, i) % (v - 1 + (v == 1).to(tl.int32))
    tl.store(out + i, total)
    tl.store(out + N, step)


def test_control_flow():
    x = fresh("int32", (20,), 1, 9)
    out = Output(torch.int32, 21)
    in_control_flow[(1,)](surrounded(x), out.view, 3, N=20)
    i, total, step = np.arange(20), np.zeros(20, int), 0
    while total.max() < 1000:
        total += x if step % 2 == 0 else 1000 // x
        step += 1
    for _ in range(3):
        total += np.where(i < 5, total, i) % (x - 1 + (x == 1))
    out.check([*total, step])


@tilewright.jit
def late(out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.arange(2147483647 - N, 2147483647))


def test_range_that_ends_at_the_limit():
    out = Output(torch.int32, 5)
    late[(1,)](out.view, N=5)
    out.check(torch.arange(2**31 - 6, 2**31 - 1))


@tilewright.jit
def checked(x, N: tl.constexpr):
    tl.device_assert(tl.load(x + tl.arange(0, N)) > 0, "positive")


def test_assertions_ignore_the_padding():
    checked[(1,)](surrounded(fresh("int32", (12,), 1, 9)), N=12, debug=True)


@tilewright.jit
def described(x, out, n, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [n, n], [n, 1], [N, 2 * N])
    tile = source.load([1, -1])
    sums = tl.make_block_ptr(out, (N,), (1,), (0,), (N,), (0,))
    tl.store(sums, tl.sum(tile, 1), boundary_check=(0,))


def test_descriptors_and_block_pointers():
    x = fresh("int32", (9, 9), -100, 100)
    out = Output(torch.int32, 6)
    described[(1,)](surrounded(x), out.view, 9, N=6)
    want = np.zeros((6, 12), int)
    want[:6, 1:10] = x[1:7]
    out.check(want.sum(1))


@tilewright.jit
def prints(x, N: tl.constexpr):
    tl.device_print("x", tl.load(x + tl.arange(0, N)))


@pytest.mark.parametrize("size", [3, 12, 65])
def test_printing_ignores_padding(capfd, size):
    x = np.arange(size, dtype=np.int32) + 10
    prints[(1,)](x, N=size)
    lines = sorted(capfd.readouterr().out.splitlines())
    assert lines == sorted(f"pid (0, 0, 0) idx ({i}) x: {i + 10}" for i in range(size))
