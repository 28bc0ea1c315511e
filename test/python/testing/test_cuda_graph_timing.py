"""Timing with CUDA graphs, using a fake PyTorch."""

import sys
import types

import pytest
import torch
from fake_torch import Device

from tilewright.errors import BenchmarkError, DeviceError
from tilewright.testing import do_bench_cudagraph


@pytest.fixture
def device(monkeypatch):
    made = Device()
    monkeypatch.setitem(sys.modules, "torch", made.torch())
    return made


def test_the_time_of_a_call_without_the_flushes(device):
    assert do_bench_cudagraph(device.run(2)) == pytest.approx(2)
    times = do_bench_cudagraph(device.run(2), return_mode="all")
    assert times == pytest.approx([2] * 10)


def test_rep_gives_the_calls_of_a_graph(device):
    do_bench_cudagraph(device.run(2), rep=20)
    # The first call, five that estimate the time, and ten replays of ten calls.
    assert device.queue.count("call") == 1 + 5 + 10 * 10
    assert device.queue[-13:-3] == ["call", "flush"] * 5
    device.queue.clear()
    do_bench_cudagraph(device.run(50), rep=20)
    assert device.queue.count("call") == 1 + 5 + 10


def test_a_graph_has_a_limited_number_of_calls(device):
    do_bench_cudagraph(device.run(0), rep=20)
    assert device.queue.count("call") == 1 + 5 + 10 * 1000


def test_graph_quantiles(device):
    assert do_bench_cudagraph(device.run(2), quantiles=[0.5]) == pytest.approx(2)
    assert do_bench_cudagraph(device.run(2), quantiles=[0, 1]) == pytest.approx([2, 2])


def test_gradients_are_reset_in_the_graph(device):
    x = types.SimpleNamespace(grad=1)
    seen = []

    def call():
        seen.append(x.grad)
        x.grad = 1
        device.add("call", 10)

    do_bench_cudagraph(call, rep=20, grad_to_none=[x])
    assert seen == [1] + 5 * [None] + 2 * [None]


def test_a_function_that_synchronizes_can_not_be_captured(device):
    synchronize = sys.modules["torch"].cuda.synchronize
    with pytest.raises(BenchmarkError, match="can't be captured in a CUDA graph: operation not"):
        do_bench_cudagraph(lambda: (device.add("call", 1), synchronize()))
    assert device.streams == 0


def test_bad_arguments_of_the_graph_timing(device):
    with pytest.raises(BenchmarkError, match="return_mode must be one of"):
        do_bench_cudagraph(device.run(1), return_mode="average")
    with pytest.raises(BenchmarkError, match="between 0 and 1"):
        do_bench_cudagraph(device.run(1), quantiles=[2])
    assert device.queue == []


def test_without_a_device(device, monkeypatch):
    device.available = False
    with pytest.raises(DeviceError, match="needs a CUDA device, but PyTorch has none"):
        do_bench_cudagraph(device.run(1))
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(DeviceError, match="PyTorch is not imported"):
        do_bench_cudagraph(device.run(1))


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_without_a_device_in_pytorch_itself():
    with pytest.raises(DeviceError, match="PyTorch has none"):
        do_bench_cudagraph(lambda: None)
