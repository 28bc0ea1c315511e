"""Lines that code for AMD GPUs prints: the buffer on each device, and when its lines appear."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import fake_hip
import pytest
from fake_hip import Tensor

import tilewright
from tilewright import _core
from tilewright.errors import DeviceError

RING = 8  # the first word of the ring


@pytest.fixture
def kernel(on_hip: Any) -> Any:
    @tilewright.jit
    def kernel(x):
        pass

    on_hip(kernel, "8", prints=True)
    return kernel


def write(buffer: int, format: bytes, *arguments: int) -> None:
    """Prints a line as code on the device that uses the buffer would."""
    header = (ctypes.c_uint64 * RING).from_address(buffer)
    texts = struct.unpack(f"{-(-len(format) // 8)}Q", format.ljust(-(-len(format) // 8) * 8, b"\0"))
    line = [len(texts) << 32 | 1 + len(texts) + len(arguments), *texts, *arguments]
    ring = (ctypes.c_uint64 * len(line)).from_address(buffer + 8 * (RING + header[0]))
    ring[:] = line
    header[0] += len(line)


def test_the_next_launch_prints_the_lines(hip: Any, kernel: Any, capfd: Any) -> None:
    kernel[1](Tensor.make(1))
    write(hip.copied(), b"pid (%u, %u, %u) x: %d\n", 1, 2, 3, 2**32 - 5)
    kernel[1](Tensor.make(0))  # another device, with a buffer of its own
    assert capfd.readouterr().out == ""
    kernel[1](Tensor.make(1))
    assert capfd.readouterr().out == "pid (1, 2, 3) x: -5\n"
    kernel[1](Tensor.make(1))
    assert capfd.readouterr().out == ""


def test_lines_are_printed_on_request(hip: Any, kernel: Any, capfd: Any) -> None:
    kernel[1](Tensor.make(1))
    write(hip.copied(), b"one\n")
    write(hip.copied(), b"two\n")
    _core.print_hip_lines()
    assert capfd.readouterr().out == "one\ntwo\n"


def test_kernels_of_a_device_share_its_buffer(hip: Any) -> None:
    fake_hip.load("first", "8", prints=True)
    buffer = hip.copied()
    fake_hip.load("second", "8", prints=True)
    assert hip.copied() == buffer != 0
    fake_hip.load("elsewhere", "8", device=1, prints=True)
    assert hip.copied() not in (0, buffer)
    assert hip.report()["calls"]["hipHostMalloc"] == 2


def test_code_that_does_not_print_has_no_buffer(hip: Any) -> None:
    fake_hip.load("kernel", "8")
    calls = hip.report()["calls"]
    assert not {"hipHostMalloc", "hipModuleGetGlobal", "hipMemcpyHtoD"} & calls.keys()


def test_code_is_loaded_while_a_stream_is_captured(hip: Any) -> None:
    hip.configure("capturing")
    fake_hip.load("kernel", "8", prints=True)


@pytest.mark.parametrize("call", ["hipHostMalloc", "hipModuleGetGlobal", "hipMemcpyHtoD"])
def test_failures_of_the_runtime(hip: Any, call: str) -> None:
    hip.configure(f"{call}=2")
    with pytest.raises(DeviceError, match=f"kernel: hip:0: {call}: hipErrorOutOfMemory"):
        fake_hip.load("kernel", "8", prints=True)
