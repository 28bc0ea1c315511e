"""Kernels of the CPU benchmark that no tutorial or program shows."""

import tilewright
import tilewright.language as tl


@tilewright.jit
def column_sums_kernel(x, out, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    """Each program adds up BN columns of x [rows, columns], BM rows at a time."""
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    total = tl.zeros((BN,), tl.float32)
    for first in range(0, rows, BM):
        m = first + tl.arange(0, BM)
        inside = (m < rows)[:, None] & (n < columns)[None, :]
        total += tl.sum(tl.load(x + m[:, None] * columns + n[None, :], inside, other=0.0), axis=0)
    tl.store(out + n, total, n < columns)


@tilewright.jit
def argmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    """The position of the largest element of each row."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, i < columns, other=-float("inf"))
    tl.store(out + row, tl.argmax(values, axis=0).to(tl.int64))


@tilewright.jit
def cumsum_kernel(x, out, columns, BLOCK: tl.constexpr):
    """The running sum of each row."""
    at = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < columns
    tl.store(out + at, tl.cumsum(tl.load(x + at, inside, other=0.0), axis=0), inside)


@tilewright.jit
def transpose_kernel(x, out, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    """out [columns, rows] = x [rows, columns] transposed."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (m < rows)[:, None] & (n < columns)[None, :]
    tile = tl.load(x + m[:, None] * columns + n[None, :], inside)
    tl.store(out + n[:, None] * rows + m[None, :], tl.trans(tile), tl.trans(inside))


@tilewright.jit
def batched_matmul_kernel(
    a, b, c, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr,
):  # fmt: skip
    """Program (i, j, z): a tile of c[z] = a[z] @ b[z], all contiguous; ACC is the dtype of sums."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a += tl.program_id(2) * M * K
    b += tl.program_id(2) * K * N
    c += tl.program_id(2) * M * N
    acc = tl.zeros((BM, BN), ACC)
    for first in range(0, K, BK):
        left = (m < M)[:, None] & (first + k < K)[None, :]
        right = (first + k < K)[:, None] & (n < N)[None, :]
        x = tl.load(a + m[:, None] * K + (first + k)[None, :], left, other=0.0)
        y = tl.load(b + (first + k)[:, None] * N + n[None, :], right, other=0.0)
        acc = tl.dot(x, y, acc)
    inside = (m < M)[:, None] & (n < N)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], acc.to(c.dtype.element_ty), inside)
