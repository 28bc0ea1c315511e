"""Launches of persistent kernels: how many programs start, and the grid that they are passed."""

from __future__ import annotations

import fake_cuda
import pytest
from fake_cuda import Tensor

import tilewright
from tilewright.errors import GridError

AT_ONCE = 2 * 132  # two programs on each multiprocessor of the stand-in


@tilewright.jit
def kernel(x, n):
    pass


@pytest.mark.parametrize(
    ("grid", "started"), [((3,), 3), ((AT_ONCE + 1,), AT_ONCE), ((40, 50, 6), AT_ONCE)]
)
def test_programs_and_grid(on_cuda, grid, started) -> None:
    on_cuda(kernel, "8,4,4,4,4", slots=[0, 1, -1, -2, -3], persistent=True)
    kernel[grid](Tensor.make(0, 64), 7)
    (launch,) = fake_cuda.launches()
    assert launch["grid"] == [started, 1, 1]
    assert launch["parameters"] == [fake_cuda.address(0, 64), 7, *(*grid, 1, 1)[:3]]


def test_more_programs_than_a_loop_counts(on_cuda) -> None:
    on_cuda(kernel, "8,4", slots=[0, 1], persistent=True)
    with pytest.raises(GridError, match="2147549184 programs, and a persistent kernel at most 214"):
        kernel[(2**16, 2**15 + 1)](Tensor.make(0, 64), 7)
