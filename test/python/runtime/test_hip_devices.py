"""The device of a launch where there are AMD GPUs, which PyTorch calls "cuda"."""

from __future__ import annotations

import fake_hip
import numpy as np
import pytest
import torch
from fake_hip import HOST, ROCM_HOST, Address, CudaArray, Tensor, address

import tilewright
from tilewright import _core
from tilewright.errors import DeviceError


@pytest.fixture
def kernel():
    @tilewright.jit
    def kernel(a=None, b=None):
        pass

    return kernel


@pytest.fixture
def sub(on_hip, kernel, monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)
    return on_hip(kernel, "8,8")


@pytest.fixture
def no_cuda():
    """A machine without NVIDIA's driver."""
    _core.use_cuda_driver("/nowhere/libcuda.so")
    yield
    _core.use_cuda_driver()


# What there is


def test_the_devices_are_described(hip) -> None:
    hip.configure("arch1=gfx1100 lds=65536 version=70125424")
    _core.use_hip_library(fake_hip.LIBRARY)
    found = _core.devices("hip")
    assert found["problem"] == ""
    assert found["library"] == fake_hip.LIBRARY
    assert found["version"] == "7.1.25424"
    first, second = found["devices"]
    assert first["name"] == "Imaginary Instinct"
    assert (first["architecture"], first["features"]) == ("gfx942", "sramecc+:xnack-")
    assert (second["architecture"], second["features"]) == ("gfx1100", "")
    assert second["capability"] == "the architecture gfx1100"
    assert (first["warp_size"], first["multiprocessors"]) == (64, 304)
    assert (first["memory_bytes"], first["shared_bytes_per_block"]) == (192 << 30, 65536)


# Arrays determine the device


@pytest.mark.parametrize("device", [0, 1])
def test_on_the_tensors_device(sub, kernel, device) -> None:
    kernel[1](Tensor.make(device), Tensor.make(device, 128))
    (launch,) = fake_hip.launches()
    assert launch["device"] == device
    assert launch["parameters"] == [address(device), address(device, 128)]
    assert sub.last.device == f"hip:{device}"


@pytest.mark.parametrize("array", [Address, CudaArray])
def test_arrays_that_call_the_device_cuda(sub, kernel, no_cuda, rocm_torch, array) -> None:
    rocm_torch(_cuda_getCurrentRawStream=lambda device: 0)
    kernel[1](array(1), array(1, 128))
    assert sub.last.device == "hip:1"
    assert fake_hip.launches()[0]["parameters"] == [address(1), address(1, 128)]


def test_the_name_cuda_means_cuda_if_pytorch_is_not_for_rocm(sub, kernel) -> None:
    with pytest.raises(KeyError, match="cuda:1"):  # the requested device, which has no code here
        kernel[1](Address(1))
    assert sub.last.device == "cuda:1"


@pytest.mark.parametrize(
    "array",
    [np.zeros(4), torch.zeros(4), Tensor.make(kind=HOST), Tensor.make(kind=ROCM_HOST)],
    ids=["numpy", "torch", "dlpack", "pinned"],
)
def test_arrays_of_the_host_stay_there(sub, kernel, array) -> None:
    kernel[1](array)
    assert sub.last.device == "cpu"
    assert not fake_hip.launches()


def test_a_host_array_beside_one_on_a_device(sub, kernel) -> None:
    # The hint has the name that PyTorch takes.
    expected = r"'b' is in host memory, and argument 'a' on hip:1; .*x.to\('cuda:1'\)"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make(1), torch.zeros(4))
    assert fake_hip.last_error() == 0
    assert not sub.requests


def test_arrays_on_two_devices(sub, kernel) -> None:
    expected = "'b' is on hip:0, and argument 'a' on hip:1; all must be on one device"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make(1), Tensor.make(0))


def test_pinned_host_memory_beside_an_array_on_a_device(sub, kernel) -> None:
    pinned = torch.zeros(4)
    fake_hip.configure(f"pinned={pinned.data_ptr()}")
    kernel[1](pinned, Tensor.make(1))
    kernel[1](pinned, target="hip")
    pointers = [launch["parameters"] for launch in fake_hip.launches()]
    assert pointers == [[pinned.data_ptr(), address(1)], [pinned.data_ptr(), 0]]
    assert fake_hip.current_device() == 0


# The option, the environment and PyTorch determine it if there are no arrays


def test_the_option_and_the_arrays(sub, kernel) -> None:
    kernel[1](Tensor.make(1), target="hip")
    kernel[1](5, target="hip")
    kernel[1](5, target=" HIP:gfx942")
    assert [request.device for request in sub.requests] == ["hip:1", "hip:0", "hip:0"]
    with pytest.raises(DeviceError, match="'a' is on hip:1, which a kernel on 'cuda' can't reach"):
        kernel[1](Tensor.make(1), target="cuda:90a")
    with pytest.raises(DeviceError, match="'a' is in host memory, which a kernel on hip:0 can't"):
        kernel[1](torch.zeros(4), target="hip")


def test_the_current_device_without_pytorch(sub, kernel, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_TARGET", "hip")
    fake_hip.make_current(1)
    kernel[1](5)
    assert sub.last.device == "hip:1"


def test_no_arrays_and_pytorch_for_rocm(sub, kernel, rocm_torch) -> None:
    rocm_torch(_cuda_getDevice=lambda: 1, _cuda_getCurrentRawStream=lambda device: 0x500 + device)
    kernel[1](5)
    assert sub.last.device == "hip:1"
    (launch,) = fake_hip.launches()
    assert (launch["device"], launch["stream"]) == (1, 0x501)
    kernel[1](5, target="hip")
    assert sub.last.device == "hip:1"


def test_no_arrays_and_pytorch_for_rocm_without_the_runtime(kernel, substitute, rocm_torch) -> None:
    rocm_torch(_cuda_getDevice=lambda: 0)
    _core.use_hip_library("/nowhere/libamdhip64.so")
    sub = substitute(kernel)
    kernel[1](5)
    _core.use_hip_library()
    assert sub.last.device == "cpu"


# __cuda_array_interface__, which names no device


def test_the_device_that_owns_the_address(sub, kernel, no_cuda) -> None:
    kernel[1](CudaArray(1), CudaArray(1, 64))
    assert sub.last.device == "hip:1"


def test_an_address_on_no_device(sub, kernel, no_cuda) -> None:
    outside = (torch.zeros(4).data_ptr(), False)
    with pytest.raises(DeviceError, match="'a' starts at an address that is on no HIP device"):
        kernel[1](CudaArray(data=outside))
    assert fake_hip.last_error() == 0


def test_an_array_on_no_device_at_all(hip, kernel, no_cuda) -> None:
    _core.use_hip_library("/nowhere/libamdhip64.so")
    with pytest.raises(DeviceError, match="'a' is on a CUDA device, and there is none: the driver"):
        kernel[1](CudaArray())
