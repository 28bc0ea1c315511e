"""The errors of a launch without a driver, with too few resources, or on a lost device."""

from __future__ import annotations

import os
import subprocess
import sys

import fake_cuda
import numpy as np
import pytest
from fake_cuda import CudaArray, Tensor

import tilewright
from tilewright import _core
from tilewright.errors import DeviceAssertError, DeviceError, LaunchError, OutOfResourcesError

IMAGE = b"kernel registers=32 parameters=8"


@pytest.fixture
def kernel():
    @tilewright.jit
    def kernel(a):
        pass

    return kernel


def load(**options):
    return _core.load_cuda("kernel", IMAGE, "kernel", **{"device": 0, "threads": 128, **options})


# No driver, no device


@pytest.fixture
def driver(cuda):
    """Replaces the fake driver by another one."""
    return _core.use_cuda_driver


def test_no_driver(driver) -> None:
    driver("/nowhere/libcuda.so")
    expected = "kernel: there is no CUDA device: the driver's library can't be opened: /nowhere"
    with pytest.raises(DeviceError, match=expected):
        load()


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("cuda", r"there is no CUDA device: the driver's library .*\n(.|\n)*cuda:80"),
        ("cuda:90a", "kernel: there is no CUDA device: the driver's library can't be opened"),
    ],
)
def test_no_driver_and_a_launch_that_asks_for_one(driver, kernel, target, expected) -> None:
    driver("/nowhere/libcuda.so")
    with pytest.raises(DeviceError, match=expected):
        kernel[1](np.zeros(4, np.float32), target=target)
    assert kernel.warmup(np.float32, target="cuda:90a").target == "cuda:90a"


def test_no_driver_and_an_array_that_needs_one(driver, kernel) -> None:
    driver("/nowhere/libcuda.so")
    with pytest.raises(DeviceError, match="'a' is on a CUDA device, and there is none: the driver"):
        kernel[1](CudaArray())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("devices=0", r"cuInit: CUDA_ERROR_NO_DEVICE \(no CUDA-capable .* CUDA_VISIBLE_DEVICES"),
        ("cuInit=803", "cuInit: error 803 .* of two versions"),
        ("cuDeviceGetCount=2", "cuDeviceGetCount: CUDA_ERROR_OUT_OF_MEMORY"),
    ],
)
def test_a_driver_that_does_not_start(driver, words, expected) -> None:
    fake_cuda.configure(words)
    driver(fake_cuda.LIBRARY)
    with pytest.raises(DeviceError, match=expected):
        load()


def test_a_device_that_is_not_there(cuda) -> None:
    with pytest.raises(DeviceError, match="there is no cuda:2, there are 2 CUDA devices"):
        load(device=2)


def test_an_old_driver_says_what_it_takes(driver) -> None:
    fake_cuda.configure("version=12020 cuModuleLoadDataEx=222")
    driver(fake_cuda.LIBRARY)
    expected = "UNSUPPORTED_PTX_VERSION.*newer driver.*CUDA 12.2, which supports PTX up to 8.2"
    with pytest.raises(DeviceError, match=expected):
        load()


SCRIPT = """
import sys
import numpy

sys.path.insert(0, sys.argv[1])
from interrupted import kernel
from tilewright import _core

kernel[3](numpy.zeros(1, "int32"))
platform = _core.devices("cuda")
print(len(platform["devices"]), platform["version"], bool(platform["problem"]))
"""


@pytest.mark.parametrize(
    ("library", "expected"),
    [("/nowhere/libcuda.so", "0 0 True"), (fake_cuda.LIBRARY, "3 12040 False")],
)
def test_the_library_is_that_of_the_environment(library, expected) -> None:
    environment = {"TILEWRIGHT_LIBCUDA": library, "FAKE_CUDA": "devices=3 version=12040"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, os.path.dirname(__file__)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == expected, done.stderr


# Too few resources


def test_too_much_shared_memory(cuda) -> None:
    expected = "kernel: needs 300000 bytes of shared memory per program, and cuda:0 has 232448"
    with pytest.raises(OutOfResourcesError, match=expected) as caught:
        load(shared_bytes=300_000)
    error = caught.value
    assert (error.resource, error.required, error.limit) == ("shared memory", 300_000, 232_448)
    assert isinstance(error, LaunchError)


def test_too_many_threads_and_registers(cuda) -> None:
    with pytest.raises(OutOfResourcesError, match="needs 2048 threads per program, and cuda:0 has"):
        load(threads=2048)
    with pytest.raises(
        OutOfResourcesError, match=r"needs 131072 registers .* has 65536; .*maxnreg"
    ):
        _core.load_cuda("k", b"k registers=128", "k", 0, threads=1024)


def test_the_device_has_no_memory_for_the_code(cuda) -> None:
    fake_cuda.configure("cuModuleLoadDataEx=2*1")
    with pytest.raises(DeviceError, match="cuda:0: cuModuleLoadDataEx: CUDA_ERROR_OUT_OF_MEMORY"):
        load()
    assert load().registers == 32


def test_code_that_is_loaded_while_a_stream_is_captured(cuda, kernel, substitute) -> None:
    fake_cuda.configure("capturing")
    sub = substitute(kernel)

    class Code(dict):
        def __missing__(self, device):
            return load(device=int(device.partition(":")[2]))

    sub.code = Code()
    kernel[1](Tensor.make(1))
    assert fake_cuda.launches()[0]["device"] == 1


# Failing launches


def test_a_launch_that_the_driver_refuses(on_cuda, kernel) -> None:
    on_cuda(kernel, "8")
    fake_cuda.configure("cuLaunchKernel=1*1")
    expected = r"kernel \(test_cuda_failures.py:\d+\): cuda:0: cuLaunchKernel: CUDA_ERROR_INVALID"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make())
    kernel[1](Tensor.make())
    assert len(fake_cuda.launches()) == 1
    assert fake_cuda.current_device() == -1


def test_a_kernel_that_breaks_its_device(on_cuda, kernel) -> None:
    @tilewright.jit
    def other(a):
        pass

    on_cuda(kernel, "8")
    on_cuda(other, "8")
    kernel[1](Tensor.make())
    other[1](Tensor.make())
    fake_cuda.configure("lost0=700")
    expected = (
        r"kernel \(test_.*: cuda:0 is lost to this process since CUDA_ERROR_ILLEGAL_ADDRESS"
        r"(.|\n)*newest first: other \(test_cuda_failures.py:\d+\), kernel \(test_cuda.*\)\n"
        r"hint: only a new process can use it again; with CUDA_LAUNCH_BLOCKING=1"
    )
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make())
    # No further launches are attempted, and other devices are not affected.
    calls = fake_cuda.report()["calls"].get("cuLaunchKernel")
    with pytest.raises(DeviceError, match=r"other \(.*cuda:0 is lost to this process"):
        other[1](Tensor.make())
    with pytest.raises(DeviceError, match="cuda:0 is lost to this process"):
        load()
    assert fake_cuda.report()["calls"].get("cuLaunchKernel") == calls
    kernel[1](Tensor.make(1))
    kernel_on_host = np.zeros(4)
    kernel[1](kernel_on_host)
    assert [launch["device"] for launch in fake_cuda.launches()] == [1]


def test_a_failed_assertion(on_cuda, kernel) -> None:
    on_cuda(kernel, "8")
    fake_cuda.configure("lost1=710")
    with pytest.raises(DeviceAssertError, match=r"CUDA_ERROR_ASSERT.*the standard error stream"):
        kernel[1](Tensor.make(1))
    with pytest.raises(DeviceError, match="lost to this process since CUDA_ERROR_ASSERT"):
        kernel[1](Tensor.make(1))


def test_a_failed_assertion_that_the_next_kernels_load_finds(on_cuda, kernel) -> None:
    on_cuda(kernel, "8")
    kernel[1](Tensor.make())
    fake_cuda.configure("lost0=710")
    with pytest.raises(DeviceAssertError, match=r"CUDA_ERROR_ASSERT.*the standard error stream"):
        load()


def test_too_few_slots_for_the_code(on_cuda, kernel) -> None:
    on_cuda(kernel, "8,8", slots=[0, 1])
    with pytest.raises(SystemError, match="parameters that the Python function lacks"):
        kernel[1](Tensor.make())
