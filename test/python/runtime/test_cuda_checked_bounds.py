"""Bounds checks in code for CUDA devices: hidden parameters, and the report of a lost device."""

from __future__ import annotations

import ctypes
from typing import Any

import fake_cuda
import pytest
from fake_cuda import Address, Tensor

import tilewright
from tilewright.errors import CheckError, DeviceAssertError, DeviceError

ACCESSES = [("reads", 4, True, "k.py", 3, 1), ("writes", 1, True, "k.py", 7, 5)]
SLOTS = [1, 0, -4, -5, -2, -3, -1]  # y, x, bounds of y, bounds of x, mailbox


@pytest.fixture
def kernel(on_cuda: Any) -> Any:
    @tilewright.jit
    def kernel(x, y):
        pass

    on_cuda(kernel, "8,8,8,8,8,8,8", slots=SLOTS, accesses=ACCESSES)
    return kernel


def mailbox() -> Any:
    address = fake_cuda.launches()[-1]["parameters"][-1]
    return (ctypes.c_uint64 * 2).from_address(address)


def test_hidden_parameters(kernel: Any) -> None:
    kernel[3](Tensor.make(elements=16), Tensor.make(offset=1024, elements=8))
    parameters = fake_cuda.launches()[-1]["parameters"]
    x, y = fake_cuda.address(0), fake_cuda.address(0, 1024)
    assert parameters[:6] == [y, x, y, 32, x, 64]
    assert list(mailbox()) == [0, 0]


def test_memory_of_unknown_size_has_no_end(kernel: Any) -> None:
    kernel[1](Tensor.make(), Address(0, 4096))
    assert fake_cuda.launches()[-1]["parameters"][2:4] == [0, 2**63 - 1]


def test_the_next_launch_names_line_and_program(kernel: Any) -> None:
    @tilewright.jit
    def other(a):
        pass

    kernel[4, 3, 2](Tensor.make(), Tensor.make())
    mailbox()[:] = [2 << 48 | 1 + 4 * (2 + 3 * 1), 3 << 32 | 4]
    fake_cuda.configure("lost0=710")
    for launch in (lambda: kernel[1](Tensor.make(), Tensor.make()),) * 2:
        with pytest.raises(CheckError) as caught:
            launch()
        (found,) = caught.value.findings
        assert found.message == "writes 1 byte outside of the arrays that the kernel was given"
        assert (found.file, found.line, found.column) == ("k.py", 7, 5)
        assert found.program == (1, 2, 1) and found.kernel == "kernel" and found.thread is None
        text = str(caught.value)
        assert "k.py:7:5: bounds: kernel, program (1, 2, 1): writes" in text
        assert "cuda:0 is lost to this process since CUDA_ERROR_ASSERT" in text
    # Loading another kernel fails for the same reason.
    with pytest.raises(CheckError, match=r"k\.py:7:5: bounds: kernel, program"):
        fake_cuda.load("other", "8")
    # Another device is not affected.
    kernel[1](Tensor.make(1), Tensor.make(1))


def test_a_device_that_is_lost_for_another_reason(kernel: Any) -> None:
    kernel[1](Tensor.make(), Tensor.make())
    assert list(mailbox()) == [0, 0]
    fake_cuda.configure("lost0=710")
    with pytest.raises(DeviceAssertError, match="an assertion failed"):
        kernel[1](Tensor.make(), Tensor.make())
    with pytest.raises(DeviceError, match="lost to this process"):
        kernel[1](Tensor.make(), Tensor.make())


def test_the_device_is_seen_to_be_lost_when_a_kernel_is_loaded(kernel: Any) -> None:
    kernel[1](Tensor.make(), Tensor.make())
    mailbox()[:] = [1 << 48, 1 << 32 | 1]
    fake_cuda.configure("lost0=710")
    with pytest.raises(CheckError, match=r"k\.py:3:1: bounds: kernel, program"):
        fake_cuda.load("other", "8", slots=[0, -1], accesses=ACCESSES)


def test_no_memory_for_the_mailbox(cuda: Any) -> None:
    fake_cuda.configure("cuMemHostAlloc=2")
    with pytest.raises(DeviceError, match="kernel: cuda:0: cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEM"):
        fake_cuda.load("kernel", "8", slots=[-1], accesses=ACCESSES)


def test_code_without_accesses_has_no_hidden_parameters(on_cuda: Any) -> None:
    @tilewright.jit
    def kernel(x):
        pass

    on_cuda(kernel, "8,8", slots=[0, -1])
    with pytest.raises(SystemError, match="hidden parameters whose values are unknown"):
        kernel[1](Tensor.make())
