"""What a tuning does with the arguments' arrays and with hooks before and after each launch."""

import numpy as np
import pytest
import tuned_kernels as kernels
from tuned_kernels import blocks, tuned

import tilewright
import tilewright.language as tl
from tilewright import Config
from tilewright.errors import DeviceAssertError


def test_verify_runs_the_hooks() -> None:
    @tilewright.jit
    def accumulate(out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(out + i, mask=i < n) + BLOCK // 128, mask=i < n)

    def hook(arguments):
        arguments["out"].fill(0)

    # Without the hook, both results would be NaN.
    configs = [Config({"BLOCK": size}, pre_hook=hook) for size in (32, 128)]
    kernel = tuned(accumulate, configs, verify=True)
    out = np.full(100, np.nan, np.float32)
    kernel[blocks](out, 100)
    assert kernel.best_config is configs[0] and (out == 0).all()
    assert kernel.configs_timings[configs[1]] == [float("inf")] * 3


def test_verify_resets_to_zero() -> None:
    kernel = tuned(kernels.add_to, reset_to_zero=["out"], verify=True)
    out = np.full(100, np.nan, np.float32)
    kernel[blocks](out, np.ones(100, np.float32), 100)
    np.testing.assert_array_equal(out, 1.0)


def test_verify_takes_read_only_arrays() -> None:
    kernel = tuned(verify=True)
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    x.flags.writeable = False
    kernel[blocks](out, x, 100, 2.0)
    np.testing.assert_array_equal(out, x * 2)


@pytest.mark.parametrize("verify", [True, False])
def test_expanded_tensors_are_restored(verify) -> None:
    torch = pytest.importorskip("torch")

    @tilewright.jit
    def count(out, counter, n, stride, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(counter + i * stride, 1.0, mask=i < n)
        tl.store(out + i, 2.0, mask=i < n)

    kernel = tuned(count, verify=verify, restore_value=["counter"])
    counter, out = torch.full((1,), 5.0).expand(100), torch.zeros(100)
    assert counter.stride() == (0,)
    kernel[blocks](out, counter, 100, 0)
    assert counter[0] == 105 and out.eq(2).all()


def test_tensors_with_gradients_are_reset() -> None:
    torch = pytest.importorskip("torch")
    kernel = tuned(kernels.add_to, reset_to_zero=["out"])
    out = torch.ones(100, requires_grad=True)
    kernel[blocks](out, torch.ones(100), 100)
    assert out.eq(1).all()


def test_a_post_hook_gets_the_exception_of_a_launch() -> None:
    @tilewright.jit
    def fails(out, n, BLOCK: tl.constexpr):
        tl.device_assert(BLOCK != 32)
        tl.store(out, BLOCK)

    seen = []
    kernel = tuned(fails, post_hook=lambda arguments, exception: seen.append(type(exception)))
    out = np.zeros(1, np.int32)
    kernel[1,](out, 1, debug=True)
    assert out[0] == 128 and seen.count(DeviceAssertError) == 1


def test_reinterpreted_arrays_are_reset_restored_and_verified() -> None:
    kernel = tuned(kernels.add_to, reset_to_zero=["out"], restore_value=["x"], verify=True)
    x, out = np.full(100, 2, np.uint32), np.full(100, 7, np.uint32)
    kernel[blocks](tilewright.reinterpret(out, tl.int32), tilewright.reinterpret(x, tl.int32), 100)
    np.testing.assert_array_equal(out, 2)
    np.testing.assert_array_equal(x, 2)
