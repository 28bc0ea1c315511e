"""Kernels that move block pointers: loops, branches, helper functions, and matmul."""

import numpy as np
import pytest
import torch
from windows_of import some, window

import tilewright
import tilewright.language as tl


@tilewright.jit
def summed(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.make_block_ptr(x, (M, N), (stride, 1), (tl.program_id(0) * BM, 0), (BM, BN), (1, 0))
    total = tl.zeros((BM,), tl.float32)
    for _ in range(0, N, BN):
        total += tl.sum(tl.load(rows, boundary_check=(0, 1), padding_option="zero"), axis=1)
        rows = tl.advance(rows, (0, BN))
    steps = 0
    while steps < N:  # back to the first columns
        steps += 1
        rows = rows.advance([0, -BN])
        if tl.max(tl.load(rows, boundary_check=(0, 1))) == 1000:
            break
    out = tl.make_block_ptr(out, (M,), (1,), (tl.program_id(0) * BM,), (BM,), (0,))
    first = tl.max(tl.load(rows, boundary_check=(0,)), axis=1)
    tl.store(out, total + first, boundary_check=(0,))


def test_loops_carry_block_pointers():
    memory = torch.from_numpy(np.random.default_rng(1).integers(-9, 9, (64, 80))).to(torch.float32)
    memory[:, 1] = 1000
    x, out = memory[:37, :70], torch.zeros(48)
    summed[(3,)](x, out, 37, 70, 80, BM=16, BN=16)
    assert torch.equal(out[:37], x.sum(1) + 1000)
    assert not out[37:].any()


@tilewright.jit
def matmul(
    a, b, c, M, N, K, a_strides, b_strides, c_strides,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ORDER: tl.constexpr
):  # fmt: skip
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    pa = tl.make_block_ptr(a, (M, K), a_strides, (m, 0), (BM, BK), ORDER)
    pb = tl.make_block_ptr(b, (K, N), b_strides, (0, n), (BK, BN), ORDER)
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(pa, boundary_check=(0, 1)), tl.load(pb, boundary_check=(0, 1)), acc)
        pa, pb = tl.advance(pa, (0, BK)), tl.advance(pb, (BK, 0))
    pc = tl.make_block_ptr(c, (M, N), c_strides, (m, n), (BM, BN), (1, 0))
    tl.store(pc, acc.to(pc.dtype.element_ty), boundary_check=(0, 1))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("order", [(1, 0), (0, 1)])
def test_matmul(order, dtype):
    rng = np.random.default_rng(2)
    M, N, K = 50, 35, 70
    a, b = (torch.from_numpy(rng.integers(-4, 5, s)).to(dtype) for s in ((M, K), (K, N)))
    expected = a.float() @ b.float()
    if order == (0, 1):
        a, b = a.t().contiguous().t(), b.t().contiguous().t()
    c = torch.full((M, N), float("nan"), dtype=dtype)
    matmul[(2, 3)](
        a, b, c, M, N, K, a.stride(), b.stride(), c.stride(), BM=32, BN=16, BK=16, ORDER=order
    )
    assert torch.equal(c.float(), expected)


@tilewright.jit
def moved(p, pair, back):
    if back:
        return tl.advance(p, (-pair[0],)), pair
    return p.advance(pair[:1]), pair


@tilewright.jit
def through_helpers(x, out, n, back):
    p = tl.make_block_ptr(x, (n,), (1,), (n // 2,), (8,), (0,))
    p, (step, q) = moved(p, (3, p), back)
    target = tl.make_block_ptr(out, (24,), (1,), (0,), (8,), (0,))
    if step == 3:
        q = q.advance((1,))
    else:
        target = target.advance((8,))
    tl.store(target, tl.load(p, boundary_check=(0,)))
    tl.store(tl.advance(target, (8,)), tl.load(q, boundary_check=[0]))
    tl.store(tl.advance(target, (20,)), 5, boundary_check=(0,))


@pytest.mark.parametrize("back", [0, 1])
def test_branches_calls_and_tuples(back):
    x, out = some("int32", (20,)), torch.zeros(24, dtype=torch.int32)
    through_helpers[(1,)](x, out, 20, back)
    first = window(x.numpy(), (7 if back else 13,), (8,), 0)
    assert out.tolist() == [*first, *window(x.numpy(), (11,), (8,), 0), 0, 0, 0, 0, 5, 5, 5, 5]


@tilewright.jit
def softmax(x, out, M, N, strides, BN: tl.constexpr):
    row = tl.program_id(0)
    p = tl.make_block_ptr(x, (M, N), strides, (row, 0), (1, BN), order=(1, 0))
    values = tl.load(p, boundary_check=(1,), cache_modifier=".cg", eviction_policy="evict_first")
    values = tl.where(tl.arange(0, BN)[None, :] < N, values, -float("inf"))
    numerator = tl.exp(values - tl.max(values, 1)[:, None])
    target = tl.make_block_ptr(out, (M, N), strides, (row, 0), (1, BN), order=(1, 0))
    tl.store(target, numerator / tl.sum(numerator, 1)[:, None], boundary_check=(1,))


def test_softmax():
    x, out = torch.randn(7, 100), torch.full((7, 100), float("nan"))
    softmax[(7,)](x, out, 7, 100, x.stride(), BN=128)
    torch.testing.assert_close(out, x.softmax(1))
