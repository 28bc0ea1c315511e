"""Products in which one operand is a constant.

NVIDIA's assembler miscompiles pairs of negative constants, and zeros of 8 bits; see
lib/Target/Nvptx/HideMmaConstants.h.
"""

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl


@tilewright.jit
def times_constant(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, VALUE: tl.constexpr,
                   LEFT: tl.constexpr):  # fmt: skip
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    dtype: tl.constexpr = x.dtype.element_ty
    if LEFT:
        tile = tl.load(x + k[:, None] * N + n[None, :])
        product = tl.dot(tl.full((M, K), VALUE, dtype), tile)
    else:
        tile = tl.load(x + m[:, None] * K + k[None, :])
        product = tl.dot(tile, tl.full((K, N), VALUE, dtype))
    tl.store(out + m[:, None] * N + n[None, :], product.to(tl.float32))


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("value", [-1, 1, -2, -127, 3, 0])
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.float8_e5m2]
)
@pytest.mark.parametrize("num_warps", [1, 4])
def test_constant_operands(dtype: torch.dtype, value: int, left: bool, num_warps: int) -> None:
    m, n, k = 64, 32, 32
    rows, columns = (k, n) if left else (m, k)
    value = -112 if dtype == torch.float8_e5m2 and value == -127 else value
    numbers = torch.from_numpy(np.random.default_rng(0).integers(-4, 5, (rows, columns)))
    out = torch.zeros(m, n)
    times_constant[(1,)](
        numbers.to(dtype), out, M=m, N=n, K=k, VALUE=value, LEFT=left, num_warps=num_warps
    )
    constant = torch.full((m, k) if left else (k, n), float(value))
    want = constant @ numbers.float() if left else numbers.float() @ constant
    assert torch.equal(out, want)


@tilewright.jit
def times_zeros(
    x, y, out, FIRST: tl.constexpr, PERIOD: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
    K: tl.constexpr,
):  # fmt: skip
    """Only row FIRST of the left operand is loaded, and only the first half of each PERIOD."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    inside = (m[:, None] == FIRST) & (k[None, :] % PERIOD < PERIOD // 2)
    left = tl.load(x + m[:, None] * K + k[None, :], mask=inside, other=0.0)
    right = tl.load(y + k[:, None] * N + n[None, :])
    tl.store(out + m[:, None] * N + n[None, :], tl.dot(left, right))


@pytest.mark.parametrize("first", [0, 8, 17])
@pytest.mark.parametrize("period", [2, 4, 8, 16, 64])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float8_e4m3fn, torch.float8_e5m2])
@pytest.mark.parametrize("num_warps", [1, 2])
def test_zeros(dtype: torch.dtype, first: int, period: int, num_warps: int) -> None:
    """Registers are zero as a whole, or halves or bytes of them."""
    m, n, k = 32, 16, 32
    rng = np.random.default_rng(first)
    x, y = (torch.from_numpy(rng.integers(-4, 5, shape)).to(dtype) for shape in ((m, k), (k, n)))
    out = torch.full((m, n), torch.nan)
    times_zeros[(1,)](x, y, out, first, period, m, n, k, num_warps=num_warps)
    want = torch.zeros(m, n)
    inside = torch.arange(k) % period < period // 2
    want[first] = (x[first].float() * inside) @ y.float()
    assert torch.equal(out, want)
