"""The calls of the HIP runtime in a launch, recorded by a fake runtime."""

from __future__ import annotations

import ctypes
import struct
import threading
from collections import Counter

import fake_hip
import pytest
from fake_hip import Address, CudaArray, Tensor, address

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.errors import GridError
from tilewright.language.value import ByValue


@pytest.fixture
def one():
    @tilewright.jit
    def one(a):
        pass

    return one


# Arguments


class Everything(ctypes.Structure):
    """The arguments of the kernel below, as a C compiler lays them out."""

    _fields_ = [
        ("x", ctypes.c_uint64),
        ("flag", ctypes.c_bool),
        ("small", ctypes.c_int8),
        ("half", ctypes.c_uint16),
        ("n", ctypes.c_int32),
        ("bytes", ctypes.c_uint64 * 16),
        ("single", ctypes.c_float),
        ("wide", ctypes.c_int64),
        ("short", ctypes.c_int16),
        ("double", ctypes.c_double),
        ("brain", ctypes.c_uint16),
        ("unsigned", ctypes.c_uint64),
    ]


def test_all_kinds_of_arguments_are_one_structure(on_hip) -> None:
    @tilewright.jit
    def kernel(
        x,
        flag: tl.int1,
        small: tl.int8,
        half: tl.float16,
        n,
        map,
        single,
        wide,
        short: tl.int16,
        double: tl.float64,
        brain: tl.bfloat16,
        unsigned,
    ):
        pass

    on_hip(kernel, "8,1,1,2,4,128,4,8,2,8,2,8")
    map = ByValue(range(128))
    kernel[1](
        *(Tensor.make(1, 32), True, -3, 1.5, -2, map, 0.25),
        *(2**40 + 1, -300, 0.1, -2.0, 2**64 - 1),
    )
    (launch,) = fake_hip.launches()
    words = struct.unpack("16Q", map)
    expected = Everything(
        *(address(1, 32), True, -3, 0x3E00, -2, (ctypes.c_uint64 * 16)(*words), 0.25),
        *(2**40 + 1, -300, 0.1, 0xC000, 2**64 - 1),
    )
    assert launch["buffer"] == bytes(expected).hex()
    assert launch["parameters"][5] == list(words)


def test_the_code_may_lack_parameters_and_have_hidden_ones(on_hip) -> None:
    @tilewright.jit
    def kernel(x, nothing, n, BLOCK: tl.constexpr, m):
        pass

    on_hip(kernel, "8,4,4,8h,4h", slots=[0, 2, 4])
    kernel[1](Tensor.make(0, 64), None, 5, 64, 7)
    (launch,) = fake_hip.launches()
    assert launch["parameters"] == [address(0, 64), 5, 7]
    assert len(launch["buffer"]) == 2 * 16  # the runtime fills the hidden ones


def test_tuples_have_an_argument_per_leaf(on_hip) -> None:
    @tilewright.jit
    def two(a, b):
        pass

    on_hip(two, "8,4,4,8")
    two[1]((Tensor.make(1), 3), (4, Tensor.make(1, 16)))
    (launch,) = fake_hip.launches()
    assert launch["parameters"] == [address(1), 3, 4, address(1, 16)]
    assert launch["device"] == 1


@pytest.mark.parametrize(("parameters", "count"), [("", 0), ("8,8", 2)])
def test_code_with_another_number_of_arguments(on_hip, one, parameters, count) -> None:
    on_hip(one, parameters)
    expected = f"the launch passes 1 arguments, and the code takes {count}"
    with pytest.raises(SystemError, match=expected):
        one[1](Tensor.make())
    assert not fake_hip.launches()


# Grids


def test_grid_threads_and_lds(on_hip, one) -> None:
    on_hip(one, "8", threads=512, shared_bytes=60_000)
    one[(5, 6, 7)](Tensor.make())
    (launch,) = fake_hip.launches()
    assert (launch["grid"], launch["threads"], launch["shared"]) == ([5, 6, 7], 512, 60_000)


def test_no_programs_launch_nothing(on_hip, one) -> None:
    sub = on_hip(one, "8")
    for grid in (0, (3, 0), (0, 70000, 1)):
        assert one[grid](Tensor.make()) is sub.last
    assert not fake_hip.launches()


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ((1, 65537), "needs 65537 programs along axis 1 of its grid, and hip:0 has 65536"),
        ((1, 1, 65537), "needs 65537 programs along axis 2 of its grid, and hip:0 has 65536"),
        ((2**24, 1), "needs 16777216 programs along axis 0 of its grid, and hip:0 has 16777215"),
    ],
)
def test_a_grid_beyond_the_limits(on_hip, one, grid, expected) -> None:
    on_hip(one, "8")
    with pytest.raises(GridError, match=rf"one \(.*{expected}"):
        one[grid](Tensor.make())
    assert "hipModuleLaunchKernel" not in fake_hip.report()["calls"]
    # One program less is within them.
    one[tuple(axis - 1 or 1 for axis in grid)](Tensor.make())
    assert len(fake_hip.launches()) == 1


def test_persistent_code_takes_the_grid(on_hip, one) -> None:
    on_hip(one, "8,4,4,4", slots=[0, -1, -2, -3], persistent=True)
    one[(50, 60)](Tensor.make())
    (launch,) = fake_hip.launches()
    assert launch["grid"] == [608, 1, 1]  # two programs on each of 304 compute units
    assert launch["parameters"] == [address(0), 50, 60, 1]


def test_a_cooperative_launch(on_hip, one) -> None:
    on_hip(one, "8", launch_cooperative_grid=True)
    one[3](Tensor.make())
    (launch,) = fake_hip.launches()
    assert launch["cooperative"] and launch["parameters"] == [address(0)]


# Devices


@pytest.mark.parametrize("current", [0, 1])
def test_the_current_device_stays(on_hip, one, current) -> None:
    on_hip(one, "8")
    fake_hip.make_current(current)
    for device in (0, 1):
        one[1](Tensor.make(device))
    assert fake_hip.current_device() == current
    assert [launch["device"] for launch in fake_hip.launches()] == [0, 1]


def test_each_device_has_its_variant(on_hip, one) -> None:
    sub = on_hip(one, "8")
    for device in (0, 1, 0, 1):
        one[1](Tensor.make(device))
    assert [request.device for request in sub.requests] == ["hip:0", "hip:1"]


def test_the_same_launch_again_calls_the_runtime_twice(on_hip, one) -> None:
    on_hip(one, "8")
    one[1](Tensor.make())
    before = Counter(fake_hip.report()["calls"])
    one[1](Tensor.make(0, 48))
    calls = Counter(fake_hip.report()["calls"]) - before
    assert calls == Counter(["hipGetDevice", "hipModuleLaunchKernel"])


def test_threads_launch_at_once(on_hip) -> None:
    @tilewright.jit
    def two(a, b):
        pass

    on_hip(two, "8,4")
    left: list[int] = []

    def work(device: int) -> None:
        for i in range(50):
            two[1](Tensor.make(device), 2 + i)
        left.append(fake_hip.current_device())

    threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert left == [0] * 8
    seen = sorted((launch["device"], launch["parameters"][1]) for launch in fake_hip.launches())
    assert seen == sorted((device, 2 + i) for device in (0, 1) for i in range(50) for _ in range(4))


# Streams


def streams(kernel, *arguments) -> list[int]:
    kernel[1](*arguments)
    return [launch["stream"] for launch in fake_hip.launches()]


def test_the_stream_of_the_tensors_framework(on_hip, one) -> None:
    on_hip(one, "8")
    fake_hip.set_stream(0x77)
    assert streams(one, Tensor.make()) == [0x77]
    fake_hip.set_stream(0x78)
    assert streams(one, Tensor.make()) == [0x77, 0x78]


def test_the_stream_of_pytorch_for_rocm(on_hip, one, rocm_torch) -> None:
    rocm_torch(_cuda_getCurrentRawStream=lambda device: 0x500 + device)
    on_hip(one, "8")
    assert streams(one, Address(1)) == [0x501]


def test_the_streams_of_pytorch_for_cuda_are_no_hip_streams(on_hip, one, monkeypatch) -> None:
    import torch

    current = {"_cuda_getCurrentRawStream": lambda device: 0x500}
    for name, function in current.items():
        monkeypatch.setattr(torch._C, name, function, raising=False)
    on_hip(one, "8")
    assert streams(one, CudaArray(1)) == [0]


def test_the_stream_that_an_array_is_ready_on(on_hip, one) -> None:
    on_hip(one, "8")
    assert streams(one, CudaArray(stream=7)) == [7]


# Graphs


def test_a_launch_on_a_stream_that_is_captured(hip, one, substitute) -> None:
    """The first launch, which loads the code, is captured like later ones."""
    hip.configure("capturing captured=0x77")
    hip.set_stream(0x77)
    sub = substitute(one)

    class Code(dict):
        def __missing__(self, device):
            return hip.load("one", "8", int(device.partition(":")[2]))

    sub.code = Code()
    one[3](Tensor.make(1, 64))
    one[4](Tensor.make(1, 128))
    assert not hip.launches()
    for times in (1, 2):
        hip.replay()
        launches = hip.launches()
        assert [launch["grid"][0] for launch in launches] == [3, 4] * times
        # The values at the time of the capture, although the launches' buffers are gone.
        pointers = [launch["parameters"][0] for launch in launches]
        assert pointers == [address(1, 64), address(1, 128)] * times


def test_a_stream_whose_capture_forbids_launches(on_hip, one) -> None:
    on_hip(one, "8")
    fake_hip.configure("hipModuleLaunchKernel=900*1")
    expected = "hipErrorStreamCaptureUnsupported .*: the stream is being captured"
    with pytest.raises(tilewright.errors.DeviceError, match=expected):
        one[1](Tensor.make())
    one[1](Tensor.make())
    assert len(fake_hip.launches()) == 1


def test_handles_and_resources(hip) -> None:
    image = hip.code_object("k registers=40 local=16 static=512 threads=512 parameters=8")
    kernel = _core.load_hip("k", image, "k", 1, 256)
    assert kernel.device == "hip:1"
    assert (kernel.registers, kernel.local_bytes) == (40, 16)
    assert (kernel.static_shared_bytes, kernel.max_threads) == (512, 512)
    assert kernel.function and kernel.module and kernel.function != kernel.module
