"""The device of a launch: the host, or one of the CUDA devices."""

from __future__ import annotations

import fake_cuda
import numpy as np
import pytest
import torch
from fake_cuda import HOST, MANAGED, VULKAN, Address, CudaArray, Tensor, address

import tilewright
from tilewright import _core
from tilewright.errors import ArgumentError, DeviceError


@pytest.fixture
def kernel():
    @tilewright.jit
    def kernel(a=None, b=None):
        pass

    return kernel


@pytest.fixture
def sub(on_cuda, kernel, monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)
    return on_cuda(kernel, "8,8")


@pytest.fixture
def torch_device(monkeypatch):
    """Makes PyTorch report a CUDA device."""
    return lambda ordinal: monkeypatch.setattr(
        torch._C, "_cuda_getDevice", lambda: ordinal, raising=False
    )


# Arrays determine the device


@pytest.mark.parametrize("array", [Tensor.make, Address, CudaArray])
@pytest.mark.parametrize("device", [0, 1])
def test_on_the_arrays_device(sub, kernel, array, device) -> None:
    kernel[1](array(device), array(device, 128))
    (launch,) = fake_cuda.launches()
    assert launch["device"] == device
    assert launch["parameters"] == [address(device), address(device, 128)]
    assert sub.last.device == f"cuda:{device}"


@pytest.mark.parametrize(
    "array", [np.zeros(4), torch.zeros(4), Tensor.make(kind=HOST)], ids=["numpy", "torch", "dlpack"]
)
def test_arrays_of_the_host_stay_there(sub, kernel, array) -> None:
    kernel[1](array)
    assert sub.last.device == "cpu"
    assert not fake_cuda.launches()


@pytest.mark.parametrize("target", ["cpu", "cuda:90a", "vax"])
def test_the_environment_moves_no_arrays(sub, kernel, monkeypatch, target) -> None:
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    kernel[1](torch.zeros(4))
    kernel[1](Tensor.make(1))
    assert [request.device for request in sub.requests] == ["cpu", "cuda:1"]


@pytest.mark.parametrize("host", [np.zeros(4), torch.zeros(4)], ids=["numpy", "torch"])
def test_a_host_array_beside_one_on_a_device(sub, kernel, host) -> None:
    expected = r"kernel \(.*'b' is in host memory, and argument 'a' on cuda:1; .*x.to\('cuda:1'\)"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make(1), host)
    with pytest.raises(DeviceError, match="'a' is in host memory, and argument 'b' on cuda:1"):
        kernel[1](host, Tensor.make(1))
    assert not sub.requests


@pytest.mark.parametrize("array", [Tensor.make, Address, CudaArray])
def test_arrays_on_two_devices(sub, kernel, array) -> None:
    expected = "'b' is on cuda:0, and argument 'a' on cuda:1; all must be on one device"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](array(1), array(0))


def test_pinned_host_memory_beside_an_array_on_a_device(sub, kernel) -> None:
    pinned = torch.zeros(4)
    fake_cuda.configure(f"pinned={pinned.data_ptr()}")
    kernel[1](pinned, Tensor.make(1))
    kernel[1](pinned, target="cuda")
    pointers = [launch["parameters"] for launch in fake_cuda.launches()]
    assert pointers == [[pinned.data_ptr(), address(1)], [pinned.data_ptr(), 0]]
    with pytest.raises(DeviceError, match="'b' is in host memory"):
        kernel[1](pinned, torch.zeros(4), target="cuda")


def test_managed_memory_is_on_both(sub, kernel) -> None:
    managed = Tensor.make(1, kind=MANAGED)
    kernel[1](managed)
    kernel[1](managed, Tensor.make(0))
    kernel[1](managed, np.zeros(4))
    kernel[1](managed, target="cpu")
    assert [request.device for request in sub.requests] == ["cuda:1", "cuda:0", "cpu", "cpu"]


def test_other_devices(sub, kernel) -> None:
    with pytest.raises(DeviceError, match="'a' is on vulkan:1, which kernels can't reach"):
        kernel[1](Tensor.make(1, kind=VULKAN))


# The option determines the device if there are no arrays, and must not contradict them if there are


def test_the_option_and_the_arrays(sub, kernel) -> None:
    kernel[1](Tensor.make(1), target="cuda")
    kernel[1](torch.zeros(4), target="cpu")
    kernel[1](5, target="cuda")
    kernel[1](5, target=("cpu", "avx2"))
    kernel[1](5, target=" CUDA:90a")
    devices = [request.device for request in sub.requests]
    assert devices == ["cuda:1", "cpu", "cuda:0", "cpu", "cuda:0"]
    with pytest.raises(DeviceError, match="'a' is on cuda:1, which a kernel on 'cpu' can't reach"):
        kernel[1](Tensor.make(1), target="cpu:avx2")
    expected = "'a' is in host memory, which a kernel on cuda:0 can't reach; .*x.to"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](torch.zeros(4), target="cuda:90a")


def test_no_arrays_and_no_pytorch_with_cuda(sub, kernel) -> None:
    kernel[1](5)
    assert sub.last.device == "cpu"


@pytest.mark.parametrize("device", [0, 1])
def test_no_arrays_and_a_current_device_of_pytorch(sub, kernel, torch_device, device) -> None:
    torch_device(device)
    kernel[1](5)
    assert sub.last.device == f"cuda:{device}"
    assert fake_cuda.launches()[0]["device"] == device


def test_no_arrays_and_pytorch_without_a_device(sub, kernel, monkeypatch) -> None:
    def no_driver() -> int:
        raise RuntimeError("Found no NVIDIA driver on your system")

    monkeypatch.setattr(torch._C, "_cuda_getDevice", no_driver, raising=False)
    kernel[1](5)
    assert sub.last.device == "cpu"


def test_no_arrays_and_no_driver_for_pytorchs_device(kernel, substitute, torch_device) -> None:
    _core.use_cuda_driver("/nowhere/libcuda.so")
    torch_device(0)
    sub = substitute(kernel)
    kernel[1](5)
    _core.use_cuda_driver()
    assert sub.last.device == "cpu"


@pytest.mark.parametrize(
    ("target", "device"),
    [("cuda", "cuda:1"), ("cpu:avx2", "cpu"), (" CUDA:90a ", "cuda:1"), ("CPU", "cpu")],
)
def test_no_arrays_and_the_environment(sub, kernel, monkeypatch, torch_device, target, device):
    torch_device(1)
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    kernel[1](5)
    assert sub.last.device == device


def test_the_device_of_the_current_context_without_pytorch(sub, kernel) -> None:
    fake_cuda.make_current(1)
    kernel[1](5, target="cuda")
    assert sub.last.device == "cuda:1"


# __cuda_array_interface__


def test_the_interfaces_type_and_extent(sub, kernel) -> None:
    kernel[1](CudaArray(typestr="<f2"), CudaArray(0, 32, typestr="|u1"))
    assert sub.last.signature == ("*fp16:D", "*u8:D") and sub.last.noalias
    kernel[1](CudaArray(typestr="<f8"), CudaArray(0, 32, typestr="|i1"))
    assert sub.last.signature == ("*fp64:D", "*i8:D") and not sub.last.noalias
    kernel[1](CudaArray(typestr="<V2", dtype="bfloat16"), CudaArray(0, 4, shape=(3, 5)))
    assert sub.last.signature == ("*bf16:D", "*fp32") and not sub.last.noalias
    reach = {"shape": (2, 2), "strides": (-256, 4)}
    kernel[1](CudaArray(0, 256, **reach), CudaArray(0, 256 + 16))
    assert sub.last.noalias
    kernel[1](CudaArray(0, 256, **reach), CudaArray(0, 0))
    assert not sub.last.noalias


def test_an_empty_array_is_nowhere(sub, kernel) -> None:
    kernel[1](CudaArray(0, data=(0, False), shape=(0,)), CudaArray(1))
    assert sub.last.device == "cuda:1"


def test_a_framework_whose_arrays_are_on_the_host_as_well(sub, kernel) -> None:
    class Array:
        @property
        def __cuda_array_interface__(self):
            raise AttributeError("not on a GPU")

    class WithDLPack(Array):
        def __dlpack__(self):
            return torch.zeros(4).__dlpack__()

    class WithAddress(Array):
        dtype, device = "float32", "cpu"

        def data_ptr(self):
            return torch.zeros(4).data_ptr()

    for array in (WithDLPack(), WithAddress()):
        kernel[1](array)
    assert [request.device for request in sub.requests] == ["cpu"] * len(sub.requests)


@pytest.mark.parametrize(
    "changes",
    [
        {"data": None},
        {"data": (1,)},
        {"data": ("x", False)},
        {"shape": [1]},
        {"shape": ("x",)},
        {"strides": (4, 4)},
        {"strides": 4},
        {"typestr": None},
        {"typestr": "f"},
        {"stream": "x"},
    ],
)
def test_malformed_interfaces(sub, kernel, changes) -> None:
    with pytest.raises(ArgumentError, match="'a' has a malformed __cuda_array_interface__"):
        kernel[1](CudaArray(**changes))


@pytest.mark.parametrize("typestr", [">f4", "<c8", "|V7"])
def test_types_that_kernels_lack(sub, kernel, typestr) -> None:
    with pytest.raises(ArgumentError, match="'a' has elements of type"):
        kernel[1](CudaArray(typestr=typestr, dtype=typestr))


def test_an_interface_that_is_no_dict(sub, kernel) -> None:
    array = CudaArray()
    array.interface = 5
    with pytest.raises(ArgumentError, match="malformed"):
        kernel[1](array)


def test_an_address_on_no_device(sub, kernel) -> None:
    with pytest.raises(DeviceError, match="'a' starts at an address that is on no CUDA device"):
        kernel[1](CudaArray(data=(torch.zeros(4).data_ptr(), False)))
