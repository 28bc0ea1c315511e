"""Assertions in code for CUDA devices: the mailbox, and the report of a lost device."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import fake_cuda
import pytest
from fake_cuda import Tensor

import tilewright
from tilewright.errors import CheckError, DeviceAssertError

ACCESSES = [("reads", 4, True, "k.py", 3, 1), ("writes", 1, True, "k.py", 7, 5)]
ASSERTS = [("", "k.py", 8, 2), ("n is positive", "k.py", 9, 3), ("nowhere", "", 0, 0)]


@pytest.fixture
def kernel(on_cuda: Any) -> Any:
    @tilewright.jit
    def kernel(x):
        pass

    on_cuda(kernel, "8,8", slots=[0, -1], asserts=ASSERTS)
    return kernel


def fail(number: int) -> None:
    """Reports a failure in program (1, 2, 1) of (4, 3, 2) as the last launch's code would."""
    address = fake_cuda.launches()[-1]["parameters"][-1]
    mailbox = (ctypes.c_uint64 * 2).from_address(address)
    assert list(mailbox) == [0, 0]
    mailbox[:] = [number << 48 | 1 + 4 * (2 + 3 * 1), 3 << 32 | 4]
    fake_cuda.configure("lost0=710")


def label(kernel: Any) -> str:
    line = kernel.fn.__code__.co_firstlineno
    return f"kernel ({os.path.basename(__file__)}:{line})"


def test_the_next_launch_names_kernel_program_and_assertion(kernel: Any, on_cuda: Any) -> None:
    @tilewright.jit
    def other(x):
        pass

    on_cuda(other, "8")
    kernel[4, 3, 2](Tensor.make())
    fail(2)
    # Each launch on the device fails for this reason, those of other kernels, too.
    for launch in (kernel, kernel, other):
        with pytest.raises(DeviceAssertError) as caught:
            launch[1](Tensor.make())
        error = caught.value
        assert (error.file, error.line, error.column) == ("k.py", 9, 3)
        assert (error.program, error.thread) == ((1, 2, 1), None)
        text = f"an assertion failed in {label(kernel)}, program (1, 2, 1): n is positive"
        assert error.message == text
        assert str(error).startswith(f"k.py:9:3: {text}\n")
        assert "\ncuda:0 is lost to this process since CUDA_ERROR_ASSERT" in str(error)
        assert error.note in str(error)
    # Another device is not affected.
    kernel[1](Tensor.make(1))


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, r"k\.py:8:2: an .*\(1, 2, 1\)\ncuda:0"), (3, r"^an assertion .* \(1, 2, 1\): nowhere\n")],
)
def test_without_message_and_without_position(kernel: Any, number: int, text: str) -> None:
    kernel[4, 3, 2](Tensor.make())
    fail(number)
    with pytest.raises(DeviceAssertError, match=text):
        kernel[1](Tensor.make())


def test_a_launch_that_waits_names_it_itself(kernel: Any) -> None:
    """As with CUDA_LAUNCH_BLOCKING=1: the kernel's first launch returns the status."""
    kernel[4, 3, 2](Tensor.make())
    fail(2)
    fake_cuda.configure("cuLaunchKernel=710")
    with pytest.raises(DeviceAssertError, match=r"\(test_cuda_reported.*program \(1, 2, 1\): n is"):
        kernel[1](Tensor.make())


def test_the_device_is_seen_to_be_lost_when_a_kernel_is_loaded(kernel: Any) -> None:
    kernel[1](Tensor.make())
    fail(2)
    for asserts in ([], ASSERTS):
        with pytest.raises(DeviceAssertError, match=r"k\.py:9:3: an assertion failed in kernel \("):
            fake_cuda.load("other", "8", asserts=asserts)


@pytest.mark.parametrize(
    ("number", "error", "text"),
    [
        (2, CheckError, "k.py:7:5: bounds: kernel, program"),
        (4, DeviceAssertError, "k.py:9:3: an assertion failed"),
    ],
)
def test_assertions_beside_checks_of_bounds(
    on_cuda: Any, number: int, error: type[Exception], text: str
) -> None:
    @tilewright.jit
    def kernel(x):
        pass

    on_cuda(kernel, "8,8,8,8", slots=[0, -2, -3, -1], accesses=ACCESSES, asserts=ASSERTS)
    kernel[4, 3, 2](Tensor.make())
    fail(number)
    with pytest.raises(error, match=text):
        kernel[1](Tensor.make())


def test_numbers_of_no_assertion_are_ignored(kernel: Any) -> None:
    kernel[1](Tensor.make())
    fail(4)
    with pytest.raises(DeviceAssertError, match="the standard error stream") as caught:
        kernel[1](Tensor.make())
    assert caught.value.program is None


def test_attributes_of_launches(on_cuda: Any) -> None:
    @tilewright.jit
    def kernel(x):
        pass

    attributes = {"launch_pdl": True, "launch_cooperative_grid": True}
    on_cuda(kernel, "8,8", slots=[0, -1], asserts=ASSERTS, **attributes)
    kernel[4, 3, 2](Tensor.make())
    fail(1)
    with pytest.raises(DeviceAssertError, match=r"k\.py:8:2"):
        kernel[1](Tensor.make())


def test_code_is_loaded_while_a_stream_is_captured(cuda: Any) -> None:
    fake_cuda.configure("capturing")
    fake_cuda.load("kernel", "8,8", slots=[0, -1], asserts=ASSERTS)
    assert fake_cuda.report()["calls"]["cuMemHostAlloc"] == 1


def test_code_without_assertions_needs_no_mailbox(cuda: Any) -> None:
    fake_cuda.load("kernel", "8", slots=[0])
    assert "cuMemHostAlloc" not in fake_cuda.report()["calls"]
