"""A persistent GEMM with tensor descriptors agrees with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from persistent_gemm import matmul, reference  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402

FLOAT, HALF, BFLOAT = torch.float32, torch.float16, torch.bfloat16


def check(m, n, k, dtype, **options) -> None:
    a, b = torch.randn(m, k).to(dtype), torch.randn(n, k).to(dtype)
    assert_exact(matmul(a, b, **options), reference(*doubles(a, b)))


@pytest.mark.parametrize("dtype", [FLOAT, HALF, BFLOAT])
@pytest.mark.parametrize("host", [False, True])
def test_odd_sizes(host, dtype) -> None:
    """Neither M nor N is a multiple of anything; rows of A and B are aligned."""
    for m, n, k in ((130, 67, 72), (1, 1, 8), (63, 129, 64)):
        check(m, n, k, dtype, host=host)


@pytest.mark.parametrize("flatten", [False, True])
@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("programs", [1, 3, 50])
def test_variants(programs, halves, flatten) -> None:
    options = {"programs": programs, "halves": halves, "flatten": flatten}
    check(200, 150, 104, HALF, blocks=(32, 32, 32), **options)


def test_float8() -> None:
    a, b = (torch.randn(n, 48).to(torch.float8_e4m3fn) for n in (40, 50))
    assert_exact(matmul(a, b), reference(a.double(), b.double()))


def test_parts_of_wider_matrices() -> None:
    wide = torch.randn(100, 128).half()
    a, b = wide[:70, 8:80], wide[10:, 32:104]
    assert_exact(matmul(a, b), reference(*doubles(a, b)))
