"""Products with int4 and float8 weights agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from program_errors import assert_exact  # noqa: E402
from quantized_matmul import (  # noqa: E402
    float8_matmul,
    float8_reference,
    int4_matmul,
    int4_reference,
    pack_int4,
)

FLOAT, HALF, BFLOAT = torch.float32, torch.float16, torch.bfloat16


def check_int4(m, n, k, group, dtype, split_k=1) -> None:
    x = torch.randn(m, k).to(dtype)
    q = torch.randint(0, 16, (k, n))
    groups = -(-k // group)
    scales = (torch.rand(groups, n) / 8 + 0.01).to(dtype)
    zeros = torch.randint(0, 16, (groups, n)).to(dtype)
    out = int4_matmul(x, pack_int4(q), scales, zeros, group, split_k)
    assert_exact(out, int4_reference(x.double(), q, scales.double(), zeros.double(), group))


@pytest.mark.parametrize("dtype", [FLOAT, HALF, BFLOAT])
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 8), (3, 70, 200)])
def test_int4(m, n, k, dtype) -> None:
    check_int4(m, n, k, 64, dtype)


@pytest.mark.parametrize("split_k", [2, 3])
def test_programs_that_share_a_tile(split_k) -> None:
    """Also with fewer steps than programs, and with tuning, whose launches add to the result."""
    check_int4(5, 40, 32, 32, HALF, split_k)
    check_int4(5, 40, 32 * 2 * split_k, 32, HALF, split_k)


def test_bits_of_packed_weights() -> None:
    """A row of the identity selects a row of q, including nibbles that make the word negative."""
    q = torch.arange(16 * 5).view(16, 5) * 7 % 16
    one = torch.ones(1, 5)
    out = int4_matmul(torch.eye(16), pack_int4(q), one, 0 * one, 32)
    assert torch.equal(out, q.float())


def test_packed_rows_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"int32 \(2, 5\), group 32 for K = 8"):
        int4_matmul(torch.ones(1, 8), torch.zeros(2, 5).int(), torch.ones(1, 5), None, 32)


@pytest.mark.parametrize("kind", [torch.float8_e4m3fn, torch.float8_e5m2])
@pytest.mark.parametrize(
    ("m", "n", "k", "scaled", "dtype"),
    [(40, 150, 300, 128, BFLOAT), (1, 1, 1, 64, HALF), (33, 31, 129, 64, FLOAT)],
)
def test_float8(m, n, k, scaled, dtype, kind) -> None:
    a, b = torch.randn(m, k).to(kind), torch.randn(n, k).to(kind)
    a_scales = torch.rand(m, -(-k // scaled)) + 0.1
    b_scales = torch.rand(-(-n // scaled), -(-k // scaled)) + 0.1
    out = float8_matmul(a, b, a_scales, b_scales, dtype, scaled)
    exact = float8_reference(a, b, a_scales, b_scales, torch.float64, scaled)
    assert_exact(out, exact)
