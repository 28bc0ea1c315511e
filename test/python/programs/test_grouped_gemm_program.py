"""Products of a group of matrices, whose addresses are in memory, agree with PyTorch in float64."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from grouped_gemm import empty_products, grouped_gemm, reference  # noqa: E402
from program_errors import assert_exact, doubles  # noqa: E402

import tilewright  # noqa: E402

SIZES = [(33, 50, 70), (1, 1, 1), (64, 32, 32), (5, 100, 33), (100, 3, 1)]


@pytest.fixture
def run(launch_target):
    """`grouped_gemm`; an emulated GPU is told about the matrices, a real one would need its own."""
    if launch_target.startswith("cuda"):
        pytest.skip("the addresses in memory are those of the host")

    def run_on_target(a, b, programs=8):
        if launch_target == "cpu":
            return grouped_gemm(a, b, programs)
        target, plus, _ = launch_target.removeprefix("emulator:").partition("+")
        c = empty_products(a, b)
        with tilewright.emulate(target, checks=bool(plus), memory=[*a, *b, *c]):
            return grouped_gemm(a, b, programs, out=c)

    return run_on_target


def check(run, sizes, dtype, programs) -> None:
    a = [torch.randn(m, k).to(dtype) for m, _, k in sizes]
    b = [torch.randn(k, n).to(dtype) for _, n, k in sizes]
    exact = reference(doubles(*a), doubles(*b))
    for ours, theirs in zip(run(a, b, programs), exact, strict=True):
        assert_exact(ours, theirs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("programs", [1, 5, 100])
def test_products(run, programs, dtype) -> None:
    check(run, SIZES, dtype, programs)


def test_one_product_and_none(run) -> None:
    check(run, [(40, 40, 40)], torch.float16, 3)
    assert grouped_gemm([], []) == []


def test_parts_of_wider_matrices(run) -> None:
    wide = torch.randn(60, 90)
    a, b = [wide[:40, :30], wide[3:20, 5:55]], [wide[:30, 7:70], wide[:50, :9]]
    exact = reference(doubles(*a), doubles(*b))
    for ours, theirs in zip(run(a, b), exact, strict=True):
        assert_exact(ours, theirs)


def test_sizes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"can't multiply \(2, 3\) by \(2, 3\)"):
        grouped_gemm([torch.ones(2, 3)], [torch.ones(2, 3)])
