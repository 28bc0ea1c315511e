"""The calls of the CUDA driver in a launch, recorded by a fake driver."""

from __future__ import annotations

import struct
import sys
import threading
from collections import Counter

import fake_cuda
import pytest
from fake_cuda import Address, CudaArray, Tensor, address

import tilewright
import tilewright.language as tl
from tilewright.errors import GridError
from tilewright.language.value import ByValue


def make(count: int):
    """A kernel with a number of parameters."""

    @tilewright.jit
    def none():
        pass

    @tilewright.jit
    def one(a):
        pass

    @tilewright.jit
    def two(a, b):
        pass

    return (none, one, two)[count]


def test_slots_are_the_parameters(on_cuda) -> None:
    @tilewright.jit
    def kernel(x, n, alpha, flag, m, half: tl.float16):
        pass

    on_cuda(kernel, "8,4,4,1,8,2")
    kernel[1](Tensor.make(0, 32), -2, 0.5, True, 2**40 + 1, 1.5)
    (launch,) = fake_cuda.launches()
    half = struct.unpack("I", struct.pack("f", 0.5))[0]
    expected = [address(0, 32), 2**32 - 2, half, 1, 2**40 + 1, 0x3E00]
    assert launch["parameters"] == expected


def test_the_code_may_lack_parameters(on_cuda) -> None:
    @tilewright.jit
    def kernel(x, nothing, n, BLOCK: tl.constexpr, m):
        pass

    on_cuda(kernel, "8,4,4", slots=[0, 2, 4])
    kernel[1](Tensor.make(0, 64), None, 5, 64, 7)
    assert fake_cuda.launches()[0]["parameters"] == [address(0, 64), 5, 7]


def test_tuples_have_a_slot_per_leaf(on_cuda) -> None:
    kernel = make(2)
    on_cuda(kernel, "8,4,4,8")
    kernel[1]((Tensor.make(1), 3), (4, Tensor.make(1, 16)))
    (launch,) = fake_cuda.launches()
    assert launch["parameters"] == [address(1), 3, 4, address(1, 16)]
    assert launch["device"] == 1


def test_grid_threads_and_shared_memory(on_cuda) -> None:
    kernel = make(1)
    on_cuda(kernel, "8", threads=256, shared_bytes=100_000)
    kernel[(5, 6, 7)](Tensor.make())
    (launch,) = fake_cuda.launches()
    assert (launch["grid"], launch["threads"], launch["shared"]) == ([5, 6, 7], 256, 100_000)


def test_no_programs_launch_nothing(on_cuda) -> None:
    kernel = make(1)
    sub = on_cuda(kernel, "8")
    for grid in (0, (3, 0), (0, 70000, 1)):
        assert kernel[grid](Tensor.make()) is sub.last
    assert not fake_cuda.launches()


def test_the_same_launch_again_asks_for_nothing(on_cuda) -> None:
    kernel = make(1)
    sub = on_cuda(kernel, "8")
    first = kernel[1](Tensor.make())
    calls = fake_cuda.report()["calls"]
    assert kernel[1](Tensor.make(0, 48)) is first is sub.last
    later = fake_cuda.report()["calls"]
    changed = {name for name in later if later[name] != calls.get(name)}
    assert changed == {
        "cuCtxGetCurrent",
        "cuCtxPushCurrent_v2",
        "cuCtxPopCurrent_v2",
        "cuLaunchKernel",
    }


@pytest.mark.parametrize("current", [-1, 0, 1])
def test_the_current_context_stays(on_cuda, current) -> None:
    kernel = make(1)
    on_cuda(kernel, "8")
    fake_cuda.make_current(current)
    for device in (0, 1):
        kernel[1](Tensor.make(device))
    assert fake_cuda.current_device() == current
    assert [launch["device"] for launch in fake_cuda.launches()] == [0, 1]


def test_each_device_has_its_variant(on_cuda) -> None:
    kernel = make(1)
    sub = on_cuda(kernel, "8")
    for device in (0, 1, 0, 1):
        kernel[1](Tensor.make(device))
    assert [request.device for request in sub.requests] == ["cuda:0", "cuda:1"]


@pytest.mark.parametrize("axis", [1, 2])
def test_a_grid_beyond_the_limits(on_cuda, axis) -> None:
    kernel = make(1)
    on_cuda(kernel, "8")
    grid = [1, 1, 1]
    grid[axis] = 65535
    kernel[tuple(grid)](Tensor.make())
    grid[axis] = 65536
    expected = rf"one \(.*needs 65536 programs along axis {axis} of its grid, and cuda:0 has 65535"
    with pytest.raises(GridError, match=expected):
        kernel[tuple(grid)](Tensor.make())
    assert len(fake_cuda.launches()) == 1


def test_a_long_first_axis(on_cuda) -> None:
    kernel = make(1)
    on_cuda(kernel, "8")
    kernel[2**31 - 1](Tensor.make())
    assert fake_cuda.launches()[0]["grid"] == [2**31 - 1, 1, 1]


# Streams


def streams(kernel, *arguments) -> list[int]:
    kernel[1](*arguments)
    return [launch["stream"] for launch in fake_cuda.launches()]


@pytest.fixture
def torch_stream(monkeypatch):
    """PyTorch's current stream, by device."""
    import torch

    def current(device: int) -> int:
        return 0x500 + device

    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", current, raising=False)


def test_the_stream_of_the_tensors_framework(on_cuda, torch_stream) -> None:
    kernel = make(1)
    on_cuda(kernel, "8")
    fake_cuda.set_stream(0x77)
    assert streams(kernel, Tensor.make()) == [0x77]
    fake_cuda.set_stream(0x78)
    assert streams(kernel, Tensor.make()) == [0x77, 0x78]


def test_the_stream_of_pytorch(on_cuda, torch_stream) -> None:
    kernel = make(1)
    on_cuda(kernel, "8")
    assert streams(kernel, Address(1)) == [0x501]


def test_the_stream_that_an_array_is_ready_on(on_cuda, torch_stream) -> None:
    kernel = make(2)
    on_cuda(kernel, "8,8")
    assert streams(kernel, CudaArray(stream=2), CudaArray(stream=7)) == [2]
    assert streams(kernel, CudaArray(), CudaArray(stream=7))[1:] == [7]
    fake_cuda.set_stream(0x77)
    assert streams(kernel, CudaArray(stream=2), Tensor.make())[2:] == [0x77]


def test_the_default_stream(on_cuda) -> None:
    kernel = make(1)
    on_cuda(kernel, "8")
    assert streams(kernel, Address()) == [0]


def test_what_pytorch_raises_is_raised(on_cuda, monkeypatch) -> None:
    import torch

    def current(device: int) -> int:
        raise RuntimeError("no stream today")

    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", current, raising=False)
    kernel = make(1)
    on_cuda(kernel, "8")
    with pytest.raises(RuntimeError, match="no stream today"):
        kernel[1](Address())


# Threads


def test_threads_launch_at_once(on_cuda) -> None:
    kernel = make(2)
    on_cuda(kernel, "8,4")
    left: list[int] = []

    def work(device: int) -> None:
        for i in range(50):
            kernel[1](Tensor.make(device), 2 + i)
        left.append(fake_cuda.current_device())

    threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert left == [-1] * 8
    seen = sorted((launch["device"], launch["parameters"][1]) for launch in fake_cuda.launches())
    assert seen == sorted((device, 2 + i) for device in (0, 1) for i in range(50) for _ in range(4))


# Cost; test/benchmark/launch.py times it


def test_a_launch_calls_the_driver_twice_and_no_python(on_cuda, monkeypatch) -> None:
    @tilewright.jit
    def nineteen(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, r, s, BLOCK: tl.constexpr):
        pass

    on_cuda(nineteen, "8")
    fake_cuda.make_current(0)
    monkeypatch.setenv("TILEWRIGHT_TARGET", "cuda")
    tensors = [Tensor.make(0, 256 * i) for i in range(10)]
    numbers = [16 * (i + 2) for i in range(8)]
    launch = nineteen[(1,)]
    launch(*tensors, *numbers, BLOCK=64)

    called: list[str] = []
    before = Counter(fake_cuda.report()["calls"])
    sys.setprofile(lambda frame, event, _: called.append(f"{event} {frame.f_code.co_qualname}"))
    try:
        launch(*tensors, *numbers, BLOCK=64)
    finally:
        sys.setprofile(None)
    calls = Counter(fake_cuda.report()["calls"]) - before
    assert calls == Counter(["cuCtxGetCurrent", "cuLaunchKernel"])
    assert not [name for name in called if name.startswith("call ")], called


@pytest.mark.parametrize("slots", [None, [8, 24]])
def test_bytes_by_value_are_one_parameter(on_cuda, slots) -> None:
    @tilewright.jit
    def kernel(x, map, n):
        pass

    map = ByValue(range(128))
    on_cuda(kernel, "128,4" if slots else "8,128,4", slots=slots)
    kernel[1](Tensor.make(0, 32), map, 5)
    first = [] if slots else [address(0, 32)]
    words = list(struct.unpack("16Q", map))
    assert fake_cuda.launches()[0]["parameters"] == [*first, words, 5]
