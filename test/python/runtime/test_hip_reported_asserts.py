"""Assertions in code for AMD GPUs, which continue after one: the next launch finds the report."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_hip import Tensor

import tilewright
from tilewright.errors import CheckError, DeviceAssertError

ACCESSES = [("reads", 4, True, "k.py", 3, 1), ("writes", 1, True, "k.py", 7, 5)]
ASSERTS = [("", "k.py", 8, 2), ("n is positive", "k.py", 9, 3)]


@pytest.fixture
def kernel(on_hip: Any) -> Any:
    @tilewright.jit
    def kernel(x):
        pass

    on_hip(kernel, "8,8", slots=[0, -1], asserts=ASSERTS)
    return kernel


def fail(hip: Any, number: int) -> None:
    """Reports a failure in program (1, 2, 1) of (4, 3, 2) as the last launch's code would."""
    mailbox = (ctypes.c_uint64 * 2).from_address(hip.launches()[-1]["parameters"][-1])
    assert list(mailbox) == [0, 0]
    mailbox[:] = [number << 48 | 1 + 4 * (2 + 3 * 1), 3 << 32 | 4]


def test_the_next_launch_raises_it_and_is_not_queued(hip: Any, kernel: Any) -> None:
    kernel[4, 3, 2](Tensor.make())
    fail(hip, 2)
    with pytest.raises(DeviceAssertError) as caught:
        kernel[1](Tensor.make())
    error = caught.value
    assert (error.file, error.line, error.column) == ("k.py", 9, 3)
    assert (error.program, error.thread, error.note) == ((1, 2, 1), None, "")
    assert error.message.endswith("program (1, 2, 1): n is positive")
    assert len(hip.launches()) == 1


def test_a_launch_of_another_kernel_raises_it(hip: Any, kernel: Any, on_hip: Any) -> None:
    @tilewright.jit
    def other(x):
        pass

    on_hip(other, "8")
    kernel[4, 3, 2](Tensor.make())
    fail(hip, 1)
    with pytest.raises(DeviceAssertError, match=r"k\.py:8:2: an assertion failed in kernel \("):
        other[1](Tensor.make())


def test_each_failure_is_raised_once(hip: Any, kernel: Any) -> None:
    kernel[4, 3, 2](Tensor.make())
    for number, line in ((2, 9), (1, 8)):
        fail(hip, number)
        with pytest.raises(DeviceAssertError, match=rf"k\.py:{line}"):
            kernel[1](Tensor.make())
        kernel[1](Tensor.make())
    assert len(hip.launches()) == 3


def test_another_device_is_not_affected(hip: Any, kernel: Any) -> None:
    kernel[4, 3, 2](Tensor.make())
    fail(hip, 2)
    kernel[1](Tensor.make(1))
    with pytest.raises(DeviceAssertError):
        kernel[1](Tensor.make())


@pytest.mark.parametrize(
    ("number", "error", "text"),
    [
        (2, CheckError, "k.py:7:5: bounds: kernel, program"),
        (4, DeviceAssertError, "k.py:9:3: an assertion failed"),
    ],
)
def test_assertions_beside_checks_of_bounds(
    hip: Any, on_hip: Any, number: int, error: type[Exception], text: str
) -> None:
    @tilewright.jit
    def kernel(x):
        pass

    on_hip(kernel, "8,8,8,8", slots=[0, -2, -3, -1], accesses=ACCESSES, asserts=ASSERTS)
    kernel[4, 3, 2](Tensor.make())
    fail(hip, number)
    with pytest.raises(error, match=text):
        kernel[1](Tensor.make())


LAST_LAUNCH = """
import ctypes
import fake_hip
from tilewright import _core

fake_hip.configure()
_core.use_hip_library(fake_hip.LIBRARY)
asserts = [("n is positive", "k.py", 9, 3)]
kernel = fake_hip.load("kernel", "8,8", slots=[0, -1], asserts=asserts)
page = fake_hip.allocated()
(ctypes.c_uint64 * 2).from_address(page)[:] = [1 << 48 | 5, 1 << 32 | 8]
print("done")
"""


def test_the_exit_prints_what_no_launch_has_raised() -> None:
    folder = str(Path(__file__).parent)
    made = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {folder!r})\n{LAST_LAUNCH}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == "done\n"
    assert "k.py:9:3: an assertion failed in kernel, program (5, 0, 0): n is pos" in made.stderr
