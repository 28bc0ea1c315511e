"""Single bfloat16 values keep denormal numbers wherever they move, and fma rounds once.

On processors with AVX512-BF16 the conversion from float32 flushes denormal numbers.
"""

import pytest
import torch

import tilewright
import tilewright.language as tl

TINY = 2.0**-133


@tilewright.jit
def last_nonzero(x, y):
    return tl.where(y != 0, y, x)


@tilewright.jit
def scan_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.associative_scan(tl.load(x + i), 0, last_nonzero))


def numbers(values):
    return torch.tensor(values, dtype=torch.float64).to(torch.bfloat16)


def test_scan_keeps_denormal_numbers():
    x, out = numbers([3 * TINY, 0, 0, -5 * TINY, 0, 0, 127 * TINY, 0]), numbers([9.0] * 8)
    scan_kernel[(1,)](x, out, N=8)
    want = numbers([3 * TINY] * 3 + [-5 * TINY] * 3 + [127 * TINY] * 2)
    assert torch.equal(out, want)


@tilewright.jit
def carried_kernel(x, out, n):
    """A scalar that a loop carries, that branches choose, and whose sign changes."""
    value = tl.load(x)
    for i in range(n):
        other = tl.load(x + i)
        if other == 0:
            value = -value
        elif other > value:
            value = tl.where(i < 100, other, value)
        else:
            value = tl.abs(value)
        tl.store(out + i, value)


def test_loop_keeps_denormal_numbers():
    x, out = numbers([TINY, 0, 0, 5 * TINY, 0, -3 * TINY, 0, 0]), numbers([9.0] * 8)
    carried_kernel[(1,)](x, out, 8)
    value, want = TINY, []
    for other in x.double().tolist():
        chosen = other if other > value else abs(value)
        value = chosen if other != 0 else -value
        want.append(value)
    assert torch.equal(out, numbers(want))


@tilewright.jit
def multiply_add_kernel(a, b, c, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.fma(tl.load(a + i), tl.load(b + i), tl.load(c + i)))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_fma_rounds_once(dtype):
    """The product is between two numbers; a far smaller summand decides."""
    eps = torch.finfo(dtype).eps
    a, b = torch.tensor([1.5] * 4, dtype=dtype), torch.tensor([1 + eps] * 4, dtype=dtype)
    small = torch.finfo(dtype).smallest_normal
    c = torch.tensor([small, -small, 0, -1.5], dtype=dtype)
    out = torch.zeros(4, dtype=dtype)
    multiply_add_kernel[(1,)](a, b, c, out, N=4)
    # 1.5 + 1.5 eps is a tie between 1.5 + eps and 1.5 + 2 eps, of which the latter is even.
    want = torch.tensor([1.5 + 2 * eps, 1.5 + eps, 1.5 + 2 * eps, 1.5 * eps], dtype=dtype)
    assert torch.equal(out, want)


def test_fma_of_denormal_numbers():
    a, b, c = numbers([1.5] * 4), numbers([129 * TINY] * 4), numbers([-128 * TINY] * 4)
    out = numbers([9.0] * 4)
    multiply_add_kernel[(1,)](a, b, c, out, N=4)
    assert torch.equal(out, numbers([65.5 * TINY] * 4))


@tilewright.jit
def both_nonzero_kernel(a, b, out, N: tl.constexpr):
    """Between the loads and the comparisons of the first part is code that may branch."""
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.load(b + i)
    tl.store(out + i, x.logical_and(y))


@tilewright.jit
def two_parts_kernel(a, b, first, second, N: tl.constexpr):
    both_nonzero_kernel(a, b, first, N)
    both_nonzero_kernel(b, a, second, N)


@pytest.mark.parametrize("num_warps", [1, 2, 4])
def test_denormal_numbers_are_not_zero(num_warps):
    a = numbers([TINY, 127 * TINY, -TINY, 0, 1, -127 * TINY, 0, 3] * 16)
    b = numbers([2.0, 2.0, TINY, TINY, 127 * TINY, -127 * TINY, 0, 0] * 16)
    first, second = torch.zeros(128, dtype=torch.bool), torch.zeros(128, dtype=torch.bool)
    two_parts_kernel[(1,)](a, b, first, second, N=128, num_warps=num_warps)
    want = torch.logical_and(a, b)
    assert torch.equal(first, want) and torch.equal(second, want)
