"""Timing with a device's clock, using a fake PyTorch."""

import sys

import pytest
from fake_torch import Device

from tilewright.testing import compare, do_bench


@pytest.fixture
def device(monkeypatch):
    made = Device()
    monkeypatch.setitem(sys.modules, "torch", made.torch())
    return made


def test_the_devices_time_without_the_flush(device):
    assert do_bench(device.run(2), warmup=1, rep=20) == pytest.approx(2)
    assert do_bench(device.run(2), warmup=1, rep=20, return_mode="all") == pytest.approx([2] * 10)


def test_the_cache_is_emptied_before_each_call_that_counts(device):
    do_bench(device.run(5), warmup=1, rep=10)
    measured = device.queue[-9:-1]
    assert measured == ["flush", "event", "call", "event"] * 2


def test_the_host_where_no_device_was_used(device):
    device.initialized = False
    assert do_bench(device.run(1000), warmup=0, rep=0) < 100
    assert "event" not in device.queue


def test_whose_time_can_be_said(device, monkeypatch):
    assert do_bench(device.run(1000), warmup=0, rep=0, device="cpu") < 100
    device.initialized = False
    assert do_bench(device.run(1000), warmup=0, rep=0, device="cuda") == pytest.approx(1000)
    with pytest.raises(ValueError, match="'cpu' or 'cuda', not 'gpu'"):
        do_bench(device.run(1), device="gpu")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match="PyTorch, which is not imported"):
        do_bench(device.run(1), device="cuda")


def test_side_by_side(device):
    times = compare({"slow": device.run(8), "fast": device.run(2)}, rounds=4, calls=2)
    assert times == pytest.approx({"slow": 0.008, "fast": 0.002})
    assert device.queue.count("flush") == 16


def test_side_by_side_on_the_host(device):
    times = compare({"a": device.run(1000)}, rounds=1, device="cpu")
    assert times["a"] < 0.1 and "event" not in device.queue
