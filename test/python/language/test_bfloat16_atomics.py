"""tl.atomic_add of bfloat16 and float16 to memory with denormal numbers, infinities and NaN."""

import pytest
import torch

import tilewright
import tilewright.language as tl

TINY = 1e-39


@tilewright.jit
def add(x, y, old, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old + i, tl.atomic_add(x + i, tl.load(y + i)))


@tilewright.jit
def add_to_one(x, y, N: tl.constexpr):
    tl.atomic_add(x + tl.arange(0, N) % 2, tl.load(y + tl.arange(0, N)))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_any_value_in_memory(dtype):
    tiny = torch.finfo(dtype).tiny / 4
    values = [tiny, -tiny, 0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan")]
    pairs = torch.cartesian_prod(torch.tensor(values), torch.tensor(values)).to(dtype)
    x, y = (column.contiguous() for column in pairs.T)
    before, old = x.clone(), torch.zeros_like(x)
    add[(1,)](x, y, old, N=64)
    torch.testing.assert_close(x, before + y, rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(old, before, rtol=0, atol=0, equal_nan=True)


def test_additions_to_one_denormal_number():
    x = torch.full((2,), TINY, dtype=torch.bfloat16)
    y = torch.full((64,), TINY, dtype=torch.bfloat16)
    add_to_one[(1,)](x, y, N=64)
    want = torch.tensor(TINY, dtype=torch.bfloat16)
    for _ in range(32):
        want = want + y[0]
    assert (x == want).all() and want > 20 * TINY
