"""heuristics, alone and stacked with autotune in either order."""

import numpy as np
import pytest
import tuned_kernels as kernels
from tuned_kernels import blocks, configs_of, tuned

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError


def test_arguments_are_computed_from_the_others() -> None:
    @tilewright.heuristics({"BLOCK": lambda args: tilewright.next_power_of_2(args["n"])})
    @tilewright.jit
    def fill(out, n, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, BLOCK, mask=i < n)

    out = np.zeros(100, np.int32)
    fill[1,](out, 100)
    assert (out == 128).all()
    fill[1,](out, n=50)
    assert (out[:50] == 64).all() and (out[50:] == 128).all()


def test_later_heuristics_see_earlier_ones_and_options() -> None:
    seen = []

    def second(args):
        seen.append(args)
        return args["A"] + args["num_warps"]

    @tilewright.heuristics({"A": lambda args: 10, "B": second})
    @tilewright.jit
    def kernel(out, A: tl.constexpr, B: tl.constexpr):
        tl.store(out, B)

    out = np.zeros(1, np.int32)
    kernel[1,](out, num_warps=8)
    assert out[0] == 18 and seen[0]["out"] is out


def test_an_option_is_computed() -> None:
    @tilewright.heuristics({"num_warps": lambda args: 8 if args["n"] > 64 else 2})
    @tilewright.jit
    def kernel(out, n):
        tl.store(out, n)

    out = np.zeros(1, np.int32)
    with tilewright.emulate("cuda:80"):
        assert [kernel[1,](out, n).metadata.num_warps for n in (100, 50)] == [8, 2]
    assert out[0] == 50


@tilewright.jit
def scale_even(out, x, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out + i, tl.load(x + i) * 2)
    else:
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


EVEN = {"EVEN": lambda args: args["n"] % args["BLOCK"] == 0}


@pytest.mark.parametrize("n", [256, 300])
def test_autotune_over_heuristics(n) -> None:
    kernel = tuned(tilewright.heuristics(EVEN)(scale_even))
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    for _ in range(2):
        kernel[blocks](out, x, n)
        np.testing.assert_array_equal(out, x * 2)
    assert kernel.base_fn is scale_even.fn


@pytest.mark.parametrize("n", [256, 300])
def test_heuristics_over_autotune(n) -> None:
    even = {"EVEN": lambda args: args["n"] % 128 == 0}
    kernel = tilewright.heuristics(even)(tuned(scale_even))
    x, out = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    for _ in range(2):
        kernel[blocks](out, x, n)
        np.testing.assert_array_equal(out, x * 2)
    assert kernel.fn.best_config in configs_of(32, 128)


def test_warmup_computes_them_too() -> None:
    kernel = tilewright.heuristics({"BLOCK": lambda args: 64})(kernels.scale)
    out = np.zeros(64, np.float32)
    compiled = kernel.warmup(out, out.copy(), 64, 1.0, grid=(1,))
    assert "tensor<64x" in compiled.ir("tile")


def test_a_function_that_raises_is_not_swallowed() -> None:
    kernel = tilewright.heuristics({"BLOCK": lambda args: args["missing"]})(kernels.scale)
    out = np.zeros(4, np.float32)
    with pytest.raises(KeyError, match="missing"):
        kernel[1,](out, out.copy(), 4, 1.0)


def test_names_must_be_parameters() -> None:
    with pytest.raises(ArgumentError, match="heuristics: 'M' is neither a parameter"):
        tilewright.heuristics({"M": lambda args: 1})(kernels.scale)


def test_values_must_be_functions() -> None:
    with pytest.raises(ArgumentError, match="takes a dictionary of functions"):
        tilewright.heuristics({"BLOCK": 64})(kernels.scale)
