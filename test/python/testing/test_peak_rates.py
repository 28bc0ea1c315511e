"""Peak rates of devices, from a fake driver's properties."""

import ctypes
import os
import types
from pathlib import Path

import numpy as np
import pytest
import torch

import tilewright.language as tl
from tilewright import _core
from tilewright.errors import BenchmarkError, DeviceError
from tilewright.testing import (
    device_properties,
    get_dram_gbps,
    get_max_simd_tflops,
    get_max_tensorcore_tflops,
)
from tilewright.testing.device_properties import DeviceProperties

# Capability, SMs, clock in kHz, clock of the memory in kHz, and bits of its bus.
DEVICES = {
    "T4": DeviceProperties((7, 5), 40, 1590000, 5001000, 256),
    "A100": DeviceProperties((8, 0), 108, 1410000, 1215000, 5120),
    "A40": DeviceProperties((8, 6), 84, 1740000, 7251000, 384),
    "L40S": DeviceProperties((8, 9), 142, 2520000, 9001000, 384),
    "H100": DeviceProperties((9, 0), 132, 1830000, 2619000, 5120),
    "RTX 5090": DeviceProperties((12, 0), 170, 2407000, 14001000, 512),
}


@pytest.fixture
def has(monkeypatch):
    """Sets the devices of the machine by name."""

    def install(*names):
        found = [DEVICES[name] for name in names]
        monkeypatch.setattr(device_properties, "_devices", lambda: found)

    return install


# What NVIDIA's data sheets give, rounded.
@pytest.mark.parametrize(
    ("name", "gbps"),
    [("T4", 320), ("A100", 1555), ("A40", 696), ("L40S", 864), ("H100", 3352), ("RTX 5090", 1792)],
)
def test_bandwidth(has, name, gbps):
    has(name)
    assert get_dram_gbps() == pytest.approx(gbps, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "dtype", "tflops"),
    [
        ("T4", "float16", 65),
        ("T4", "int8", 130),
        ("A100", torch.float32, 156),
        ("A100", torch.float16, 312),
        ("A100", torch.bfloat16, 312),
        ("A100", torch.int8, 624),
        ("A100", np.float64, 19.5),
        ("A40", tl.float16, 149.7),
        ("A40", "tf32", 74.8),
        ("L40S", tl.float8e4nv, 733),
        ("H100", np.dtype("float16"), 989.4),
        ("H100", torch.float8_e4m3fn, 1979),
        ("H100", tl.float8e5, 1979),
        ("H100", torch.float32, 494.7),
        ("RTX 5090", "fp16", 419),
    ],
)
def test_tensor_cores(has, name, dtype, tflops):
    has(name)
    assert get_max_tensorcore_tflops(dtype) == pytest.approx(tflops, rel=5e-3)


@pytest.mark.parametrize(
    ("name", "dtype", "tflops"),
    [
        ("T4", "float32", 8.14),
        ("A100", torch.float32, 19.5),
        ("A100", torch.float16, 78),
        ("A100", torch.bfloat16, 39),
        ("A100", torch.float64, 9.7),
        ("A40", "float32", 37.4),
        ("L40S", "fp64", 1.43),
        ("RTX 5090", tl.bfloat16, 104.8),
    ],
)
def test_other_units(has, name, dtype, tflops):
    has(name)
    assert get_max_simd_tflops(dtype) == pytest.approx(tflops, rel=5e-3)


def test_another_clock(has):
    has("A100")
    assert get_max_tensorcore_tflops("float16", 705000) == pytest.approx(156, rel=5e-3)
    assert get_max_simd_tflops("float32", clock_rate=705000) == pytest.approx(9.75, rel=5e-3)


def test_the_clock_of_the_data_sheet(has):
    has("H100")
    assert get_max_simd_tflops(np.float16, 1980000) == pytest.approx(133.8, rel=5e-3)
    assert get_max_simd_tflops(torch.float32, 1980000) == pytest.approx(66.9, rel=5e-3)
    assert get_max_tensorcore_tflops(torch.float64, 1980000) == pytest.approx(66.9, rel=5e-3)


def test_another_device(has, monkeypatch):
    has("A100", "H100")
    for device in (1, "cuda:1", torch.device("cuda:1")):
        assert get_dram_gbps(device) == pytest.approx(3352, rel=1e-3)
    for device in (None, 0, "cuda", torch.device("cuda")):
        assert get_dram_gbps(device) == pytest.approx(1555, rel=1e-3)
    cuda = types.SimpleNamespace(is_initialized=lambda: True, current_device=lambda: 1)
    monkeypatch.setattr(torch, "cuda", cuda)
    assert get_dram_gbps() == pytest.approx(3352, rel=1e-3)


@pytest.mark.parametrize("device", ["cpu", "gpu:1", torch.device("cpu"), 1.5])
def test_devices_that_are_not_cuda_devices(has, device):
    has("A100")
    with pytest.raises(DeviceError, match="is not a CUDA device"):
        get_dram_gbps(device)


@pytest.mark.parametrize("ordinal", [1, -1])
def test_devices_that_are_not_there(has, ordinal):
    has("A100")
    with pytest.raises(DeviceError, match=f"there is no CUDA device {ordinal}; the driver has 1"):
        get_max_simd_tflops("float32", device=ordinal)


def test_dtypes_without_a_rate(has):
    has("T4")
    with pytest.raises(BenchmarkError, match=r"7\.5 do not take bfloat16; they take float16, int8"):
        get_max_tensorcore_tflops(torch.bfloat16)
    with pytest.raises(BenchmarkError, match=r"SIMD units .* do not take int32"):
        get_max_simd_tflops(torch.int32)


def test_unknown_capabilities_and_memories(monkeypatch):
    unknown = DeviceProperties((6, 1), 20, 1000000, 0, 256)
    monkeypatch.setattr(device_properties, "_devices", lambda: [unknown])
    with pytest.raises(DeviceError, match=r"6\.1 is unknown; known are 7\.0, .*12\.0"):
        get_max_tensorcore_tflops("float16")
    with pytest.raises(DeviceError, match="does not know the clock"):
        get_dram_gbps()


@pytest.fixture
def use_driver():
    """Replaces NVIDIA's driver by a library."""
    yield _core.use_cuda_driver
    _core.use_cuda_driver()


def test_the_devices_of_a_driver(use_driver):
    build = Path(os.environ.get("TILEWRIGHT_BUILD", Path(__file__).parents[3] / "build"))
    library = build / "test" / "fake_cuda" / "libfake_cuda.so"
    if not library.exists():
        pytest.skip(f"the stand-in for the driver is not built: {library}")
    ctypes.CDLL(str(library)).fake_configure(b"")
    use_driver(str(library))
    assert device_properties.device_properties(0) == DeviceProperties(
        (9, 0), 132, 1980000, 2619000, 5120
    )
    with pytest.raises(DeviceError, match="there is no CUDA device 1000"):
        get_dram_gbps(1000)


def test_without_a_driver(use_driver):
    use_driver("libno_such_driver.so")
    with pytest.raises(DeviceError, match=r"there is no CUDA device: .*libno_such_driver\.so"):
        get_dram_gbps()
