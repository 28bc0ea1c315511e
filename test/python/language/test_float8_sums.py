"""How precisely dots of 8-bit floats add.

Hopper's instructions keep 13 bits below the largest summand.
"""

import numpy as np
import pytest
import torch
from inputs import FLOAT8S, poisoned, wide

import tilewright
import tilewright.language as tl

BIG, ONES = 65536.0, 96.0


@tilewright.jit
def matmul(a, b, out, BK: tl.constexpr, LIMIT: tl.constexpr, OUTSIDE: tl.constexpr):
    i, k = tl.arange(0, 64), tl.arange(0, BK)
    total = tl.zeros((64, 64), tl.float32)
    for start in range(0, 128, BK):
        x = tl.load(a + i[:, None] * 128 + start + k[None, :])
        y = tl.load(b + (start + k)[:, None] + i[None, :] * 128)
        if OUTSIDE:
            total += tl.dot(x, y, max_num_imprecise_acc=LIMIT)
        else:
            total = tl.dot(x, y, total, max_num_imprecise_acc=LIMIT)
    tl.store(out + i[:, None] * 64 + i[None, :], total)


def run(dtype, **constants):
    """Each row times a column is one large product and, after a depth of 32, 96 that are 1."""
    a = torch.zeros(64, 128)
    a[:, 0], a[:, 32:] = 256, 1
    a = a.to(FLOAT8S[dtype])
    out = poisoned("fp32", (64, 64))
    matmul[(1,)](a, a.clone(), out, **constants, num_warps=4, num_stages=3)
    return wide(out)


@pytest.mark.parametrize("dtype", ["fp8e5", "fp8e4nv"])
def test_sums_outside_of_dots_have_the_accumulators_precision(dtype):
    assert np.all(run(dtype, BK=32, LIMIT=None, OUTSIDE=True) == BIG + ONES)


@pytest.mark.parametrize("depth", [32, 64, 128])
@pytest.mark.parametrize("limit", [0, 1, 16, 32])
def test_limits_up_to_an_instruction(limit, depth):
    for outside in (False, True):
        assert np.all(run("fp8e4nv", BK=depth, LIMIT=limit, OUTSIDE=outside) == BIG + ONES)


@pytest.mark.parametrize("limit", [33, 64])
def test_limits_of_two_instructions(limit):
    """The first 32 ones are added to the large product, the others are not."""
    total = run("fp8e4nv", BK=128, LIMIT=limit, OUTSIDE=False)
    assert np.all((total == BIG + ONES) | (total == BIG + ONES - 32))


@tilewright.jit
def chain(a, b, c, out, LIMIT: tl.constexpr):
    """Operand A in registers, two warp groups, and an accumulator that is not zero."""
    i, j = tl.arange(0, 128), tl.arange(0, 64)
    x = tl.load(a + i[:, None] * 64 + j[None, :])
    y = tl.load(b + j[:, None] + j[None, :] * 64)
    first = tl.dot(x, y, max_num_imprecise_acc=LIMIT).to(a.dtype.element_ty)
    total = tl.load(c + i[:, None] * 64 + j[None, :])
    total = tl.dot(first, y, total, max_num_imprecise_acc=LIMIT)
    tl.store(out + i[:, None] * 64 + j[None, :], total)


@pytest.mark.parametrize("num_warps", [4, 8])
@pytest.mark.parametrize("limit", [None, 0, 32, 64])
def test_operands_in_registers(limit, num_warps):
    numbers = np.random.default_rng(limit or 1)
    a = torch.from_numpy(numbers.integers(-1, 2, (128, 64)) * (numbers.random((128, 64)) < 0.1))
    b = torch.from_numpy(numbers.integers(-1, 2, (64, 64)))
    c = torch.from_numpy(numbers.integers(-9, 9, (128, 64))).to(torch.float32)
    a, b = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
    out = poisoned("fp32", (128, 64))
    chain[(1,)](a, b, c, out, LIMIT=limit, num_warps=num_warps)
    first = torch.from_numpy(wide(a) @ wide(b).T).to(torch.float8_e4m3fn)
    assert np.array_equal(wide(out), wide(first) @ wide(b).T + wide(c))
