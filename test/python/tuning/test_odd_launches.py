"""Launches with grids that have no programs, or that only the launch can evaluate."""

import signal
from types import SimpleNamespace

import numpy as np
import tuned_kernels as kernels
from tuned_kernels import blocks, configs_of, launch_scale, tuned

import tilewright
import tilewright.language as tl
from tilewright import Config
from tilewright.tuning.placement import device_of


def test_a_launch_of_no_programs_decides_nothing() -> None:
    kernel = tuned(configs=[*configs_of(1 << 21), *configs_of(64, 128)], key=["factor"])
    launch_scale(kernel, 0)
    assert kernel.best_config.kwargs == {"BLOCK": 64}  # the first does not compile
    assert not kernel.cache and kernel.bench_time is None
    launch_scale(kernel)
    launch_scale(kernel, 0)
    assert len(kernel.cache) == 1 and kernel.bench_time is not None


def test_a_grid_may_be_a_constexpr() -> None:
    kernel = tuned()
    x, out = np.ones(32, np.float32), np.zeros(32, np.float32)
    kernel[tl.constexpr(1)](out, x, 32, 2.0)
    assert (out == 2).all()


def test_a_grid_may_read_what_heuristics_compute() -> None:
    @tilewright.heuristics({"BLOCK": lambda args: args["UNIT"] * 2})
    @tilewright.jit
    def fill(out, n, UNIT: tl.constexpr, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, BLOCK, mask=i < n)

    kernel = tuned(fill, [Config({"UNIT": unit}) for unit in (16, 32)])
    out = np.zeros(300, np.int32)
    for _ in range(2):
        kernel[blocks](out, 300)
        assert (out == 2 * kernel.best_config.kwargs["UNIT"]).all()


def test_autotune_over_autotune() -> None:
    kernel = tuned(tuned(), [Config({}, num_warps=warps) for warps in (2, 4)])
    for _ in range(2):
        launch_scale(kernel)


def test_run_with_warmup_only_compiles() -> None:
    kernel = tuned()
    x, out = np.ones(100, np.float32), np.zeros(100, np.float32)
    assert len(kernel.run(out, x, 100, 2.0, grid=blocks, warmup=True)) == 2
    assert not out.any() and not kernel.cache


def test_the_device_is_that_of_arrays_in_tuples() -> None:
    on_device = SimpleNamespace(dtype="float32", device="cuda:1", data_ptr=lambda: 0)
    assert device_of([5, None, np.ones(3), (1, (on_device,))]) == "cuda:1"
    assert device_of([(np.ones(3),)]) == "cpu"


def test_a_child_that_ends_while_sigchld_is_ignored() -> None:
    @tilewright.jit
    def crash(out, n, BLOCK: tl.constexpr):
        tl.store(out + (BLOCK - 32) * n, BLOCK)

    kernel = tuned(kernels.scale, isolate=True)
    previous = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        launch_scale(kernel)
        kernel = tuned(crash, isolate=True)
        out = np.zeros(1, np.int32)
        kernel[1,](out, 1 << 40)
    finally:
        signal.signal(signal.SIGCHLD, previous)
    assert out[0] == 32
