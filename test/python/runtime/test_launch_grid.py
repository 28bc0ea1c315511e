"""Grids: the number of programs, and grids that are rejected."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import GridError


@pytest.fixture
def count(substitute):
    """The number of programs in a grid; each must run exactly once."""

    @tilewright.jit
    def kernel(counters, n=2, BLOCK: tl.constexpr = 4):
        pass

    sub = substitute(kernel, "count")

    def count(grid, **kwargs) -> int:
        counters = np.zeros(100_000, np.int32)
        result = kernel[grid](counters, **kwargs)
        assert result in sub.requests
        assert set(counters.tolist()) <= {0, 1}
        return int(counters.sum())

    return count


@pytest.mark.parametrize(
    ("grid", "programs"),
    [
        (7, 7),
        ((7,), 7),
        ([7, 2], 14),
        ((3, 4, 5), 60),
        ((3, 2, 1, 1, 1), 6),
        (np.int32(6), 6),
        ((np.int64(6), True), 6),
        ((40_000, 2), 80_000),
        (tl.constexpr(3), 3),
    ],
)
def test_programs(count, grid, programs) -> None:
    assert count(grid) == programs


@pytest.mark.parametrize("grid", [0, (0,), (5, 0), (0, 2**31 - 1, 2**31 - 1)])
def test_zero_runs_nothing(count, grid) -> None:
    assert count(grid) == 0


def test_a_function_of_the_arguments(count) -> None:
    assert count(lambda meta: (tilewright.cdiv(meta["n"], meta["BLOCK"]),), n=18) == 5
    assert count(lambda meta: meta["num_warps"], num_warps=8) == 8
    assert count(lambda meta: [2, len(meta["counters"]) // 50_000]) == 4


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        (-1, "axis 0 of the grid is -1, must be from 0 to 2147483647"),
        ((1, 2**31), "axis 1 of the grid is 2147483648"),
        (2**70, "axis 0 of the grid is beyond 64 bits"),
        ((2**31 - 1,) * 3, r"more than 2\^63 - 1 programs"),
        ((), "one to three axes, not 0"),
        ((1, 1, 1, 2), "further ones of one program; axis 3 has 2"),
        ((1, 1, 1, 0), "further ones of one program; axis 3 has 0"),
        ((2.0,), "axis 0 of the grid is of type float, not an integer; tilewright.cdiv"),
        ("12", "a grid is an integer, a tuple .* not of type str"),
        (None, "not of type NoneType"),
        (lambda meta: None, "not of type NoneType"),
    ],
)
def test_grids_that_are_refused(count, grid, message) -> None:
    with pytest.raises(GridError, match=message) as caught:
        count(grid)
    assert isinstance(caught.value, ValueError)
    assert "kernel (test_launch_grid.py:" in str(caught.value)


def test_errors_of_the_function_are_passed_on(count) -> None:
    with pytest.raises(KeyError, match="nope"):
        count(lambda meta: meta["nope"])


def test_a_bound_grid_may_be_kept(count, substitute) -> None:
    @tilewright.jit
    def kernel(counters):
        pass

    substitute(kernel, "count")
    counters = np.zeros(10, np.int32)
    launch = kernel[(5,)]
    others = [kernel[(i,)] for i in range(20)]
    for _ in range(3):
        launch(counters)
    assert counters.tolist() == [3] * 5 + [0] * 5
    assert launch.kernel is kernel and others[7].grid == (7,)
