"""Configurations that fail are skipped with a reason; the others and the arrays stay intact."""

import time

import numpy as np
import pytest
import tuned_kernels as kernels
from tuned_kernels import blocks, configs_of, launch_scale, tuned

import tilewright
import tilewright.language as tl
from tilewright import Config
from tilewright.errors import CompileError, DeviceAssertError, OutOfResourcesError, TuningError
from tilewright.tuning.trial import Trial, explain_failure


def test_one_that_does_not_compile_is_skipped() -> None:
    kernel = tuned(configs=configs_of(1 << 21, 64))  # more elements than a tile may have
    assert launch_scale(kernel).kwargs == {"BLOCK": 64}
    assert kernel.configs_timings[kernel.configs[0]] == [float("inf")] * 3


def test_one_with_an_unknown_option_is_skipped() -> None:
    configs = [Config({"BLOCK": 64, "num_warp": 4}), *configs_of(32)]
    assert launch_scale(tuned(configs=configs)).kwargs == {"BLOCK": 32}


def test_one_that_needs_too_much_is_skipped_before_it_compiles(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")
    kernel = tuned(configs=[*configs_of(64, num_warps=64), *configs_of(64)])
    with tilewright.emulate("cuda:90a"):
        assert launch_scale(kernel, n=100).num_warps == 4
    error = capsys.readouterr().err
    assert "needs 2048 threads per program, the limit is 1024" in error


def test_one_whose_assertion_fails_is_skipped() -> None:
    @tilewright.jit
    def picky(out, n, BLOCK: tl.constexpr):
        tl.device_assert(BLOCK < 100, "too wide")
        tl.store(out, BLOCK)

    kernel = tuned(picky)
    out = np.zeros(1, np.int32)
    kernel[1,](out, 1, debug=True)
    assert out[0] == 32


def test_if_all_fail_the_message_lists_each_reason() -> None:
    @tilewright.jit
    def picky(out, n, BLOCK: tl.constexpr):
        tl.static_assert(BLOCK == 64, "BLOCK must be 64")
        tl.store(out, BLOCK)

    kernel = tuned(picky, configs=[*configs_of(32), Config({"BLOCK": 64, "warps": 1})])
    with pytest.raises(TuningError) as raised:
        kernel[1,](np.zeros(1, np.int32), 1)
    text = str(raised.value)
    assert text.startswith("picky: all 2 configurations failed:")
    assert "BLOCK: 32, num_warps: 4" in text and "BLOCK must be 64" in text
    assert "'warps' is neither a parameter nor an option" in text


def test_an_error_that_does_not_depend_on_the_configuration_is_raised_itself() -> None:
    @tilewright.jit
    def wrong(out, n, BLOCK: tl.constexpr):
        tl.store(out, undefined_name)  # noqa: F821

    with pytest.raises(CompileError, match="undefined_name"):
        tuned(wrong)[1,](np.zeros(1, np.int32), 1)


def test_if_all_lack_resources_the_error_says_so() -> None:
    kernel = tuned(kernels.scale, configs=configs_of(32, 64, num_warps=4))
    trials = [
        failed_trial(index, config, OutOfResourcesError(f"too big {index}", "registers", 9, 8))
        for index, config in enumerate(kernel.configs)
    ]
    error = explain_failure("scale", trials)
    assert isinstance(error, OutOfResourcesError)
    assert (error.resource, error.required, error.limit) == ("registers", 9, 8)
    assert "too big 0" in str(error) and "too big 1" in str(error)


def failed_trial(index, config, error):
    trial = Trial(index, config, lambda: None)
    trial.fail(error, "compiling")
    return trial


# Child processes


@tilewright.jit
def wild(out, n, far, BLOCK: tl.constexpr):
    # With blocks of 64 the first program writes to an address that no process has.
    at = out + tl.where(BLOCK == 64, far, 0)
    tl.store(at, BLOCK)


@tilewright.jit
def endless(out, n, BLOCK: tl.constexpr):
    while (BLOCK == 64) & (tl.atomic_add(out, 0) == 0):
        tl.atomic_add(out + 1, 1)
    tl.store(out, BLOCK)


def test_one_that_ends_its_process_is_skipped(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")
    kernel = tuned(wild, configs=configs_of(64, 32), isolate=True, restore_value=["out"])
    out = np.full(1, 7, np.int32)
    kernel[1,](out, 1, 1 << 44)
    assert out[0] == 32
    assert "ended the process that ran it (SIGSEGV)" in capsys.readouterr().err


def test_one_that_never_ends_is_skipped(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")
    kernel = tuned(
        endless, configs=configs_of(64, 32), isolate=True, time_limit=0.5, reset_to_zero=["out"]
    )
    out = np.zeros(2, np.int32)
    kernel[1,](out, 1)
    assert out[0] == 32
    assert "did not end within 0.5 s" in capsys.readouterr().err


def test_a_child_reports_errors_of_the_kernel(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")

    @tilewright.jit
    def picky(out, n, BLOCK: tl.constexpr):
        tl.device_assert(BLOCK < 50, "too wide")
        tl.store(out, BLOCK)

    kernel = tuned(picky, isolate=True)
    out = np.zeros(1, np.int32)
    kernel[1,](out, 1, debug=True)
    assert out[0] == 32 and "DeviceAssertError" in capsys.readouterr().err
    with pytest.raises(DeviceAssertError, match="too wide"):
        kernel.fn[1,](out, 1, BLOCK=128, debug=True)


def test_what_children_write_is_lost() -> None:
    kernel = tuned(kernels.add_to, isolate=True, restore_value=["out"])
    x, out = np.ones(300, np.float32), np.full(300, 5.0, np.float32)
    kernel[blocks](out, x, 300)
    np.testing.assert_array_equal(out, 6.0)


def test_a_slow_one_is_over_the_limit_without_a_child(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")
    kernel = tuned(time_limit=0.05)
    fast = kernel.fn.run
    started = time.monotonic()

    class Slow:
        """Delays launches with blocks of 128 by more than the limit."""

        def run(self, *args, **kwargs):
            time.sleep(0.1 if kwargs.get("BLOCK") == 128 else 0)
            return fast(*args, **kwargs)

        warmup = staticmethod(kernel.fn.warmup)
        fn = kernel.fn

    kernel.fn = Slow()
    assert launch_scale(kernel).kwargs == {"BLOCK": 32}
    assert time.monotonic() > started
    assert "the limit is 0.05 s" in capsys.readouterr().err


# Comparing results


@tilewright.jit
def racy(out, n, BLOCK: tl.constexpr):
    # Wrong for blocks of 128, and faster.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.where(BLOCK == 128, 1.0, 2.0), mask=i < n)


def test_verify_drops_what_computes_something_else(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "tuning")
    kernel = tuned(racy, configs=configs_of(16, 128), verify=True)
    out = np.zeros(1000, np.float32)
    kernel[blocks](out, 1000)
    assert kernel.best_config.kwargs == {"BLOCK": 16}
    np.testing.assert_array_equal(out, 2.0)
    assert "'out' differs from the first configuration's" in capsys.readouterr().err


def test_verify_takes_tolerances_and_starts_from_the_same_input() -> None:
    kernel = tuned(kernels.add_to, verify={"atol": 1e-6}, restore_value=["out"])
    x, out = np.ones(300, np.float32), np.full(300, 5.0, np.float32)
    kernel[blocks](out, x, 300)
    np.testing.assert_array_equal(out, 6.0)
    assert all(times[0] < 1e9 for times in kernel.configs_timings.values())


def test_verify_takes_nothing_else() -> None:
    with pytest.raises(tilewright.errors.ArgumentError, match="verify must be True or a dict"):
        tuned(verify={"tolerance": 1})
