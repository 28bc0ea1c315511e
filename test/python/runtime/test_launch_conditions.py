"""If a variant's conditions do not hold, the launch runs a variant that assumes nothing."""

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

N = 64


def make_kernel() -> Any:
    @tilewright.jit
    def below(out, start, bound, N: tl.constexpr):
        i = tl.program_id(0) * start + tl.arange(0, N)
        tl.store(out + tl.arange(0, N), i < bound, mask=tl.program_id(0) == tl.num_programs(0) - 1)

    return below


def launch(kernel: Any, start: int, grid: int = 2) -> tuple[Any, np.ndarray]:
    out = np.zeros(N, np.bool_)
    compiled = kernel[(grid,)](out, start, 100, N=N)
    return compiled, out


def test_the_variant_follows_the_arguments() -> None:
    kernel = make_kernel()
    fast, _ = launch(kernel, 3)
    assert fast.launch_conditions
    general, out = launch(kernel, 2**31 - 3)
    assert general is not fast and not general.launch_conditions
    assert list(out) == [False] * 3 + [True] * (N - 3)
    assert launch(kernel, 5)[0] is fast
    assert launch(kernel, 2**31 - 5)[0] is general


def test_the_variant_follows_the_grid() -> None:
    kernel = make_kernel()
    fast, _ = launch(kernel, 2**30 + 1, grid=1)
    assert launch(kernel, 2**30 + 1, grid=2)[0] is fast
    general, out = launch(kernel, 2**30 + 1, grid=3)
    assert general is not fast
    assert out.all()


def test_without_the_option_nothing_is_assumed() -> None:
    out = np.zeros(N, np.bool_)
    compiled = make_kernel()[(2,)](out, 2**31 - 3, 100, N=N, specialize_ranges=False)
    assert not compiled.launch_conditions
    assert not out[:3].any() and out[3:].all()


def test_a_kernel_that_was_only_compiled_is_checked_when_launched() -> None:
    kernel = make_kernel()
    compiled = kernel.warmup(tl.int1, 2**31 - 3, 100, N=N, grid=(2,))
    assert compiled.launch_conditions
    _, out = launch(kernel, 2**31 - 3)
    assert list(out) == [False] * 3 + [True] * (N - 3)


@pytest.mark.parametrize("wrong", [[1], [1, 2, 3], ["a", "b", "c"], None])
def test_damaged_conditions_launch_nothing(substitute: Any, wrong: Any) -> None:
    @tilewright.jit
    def kernel(x):
        pass

    made = substitute(kernel)

    def compile_damaged(*request: Any) -> Any:
        compiled, dependencies = made.compile(*request)
        compiled.launch_conditions = wrong
        return compiled, dependencies

    kernel._compile = compile_damaged
    with pytest.raises((ValueError, TypeError)):
        kernel[(1,)](np.zeros(4, np.float32))
