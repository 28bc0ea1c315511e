"""`tilewright.runtime.driver`: the target, device and stream that programs ask for."""

from __future__ import annotations

import sys
import types

import fake_cuda
import pytest

import tilewright
from tilewright import _core
from tilewright.compiler.gpu_target import GPUTarget, target_of
from tilewright.errors import DeviceError
from tilewright.runtime import driver
from tilewright.runtime.driver import CpuDriver, CudaDriver, EmulatedDriver


@pytest.fixture(autouse=True)
def no_target(monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)


@pytest.fixture
def fake(cuda):
    return cuda


@pytest.fixture
def no_gpu(cuda):
    _core.use_cuda_driver("libno-such-driver.so")


def test_the_host(no_gpu) -> None:
    active = driver.active
    assert isinstance(active, CpuDriver)
    assert active is driver.driver.active
    assert active.is_active()
    assert not CudaDriver.is_active()
    assert active.get_current_target() == GPUTarget("cpu", 0, 1)
    assert (active.get_current_device(), active.get_current_stream(0)) == (0, 0)
    assert active.get_device_capability() == (0, 0)
    properties = active.utils.get_device_properties(0)
    assert properties["multiprocessor_count"] > 0
    assert (properties["warpSize"], properties["max_shared_mem"]) == (1, 0)


def test_a_cuda_device(fake) -> None:
    active = driver.active
    assert isinstance(active, CudaDriver)
    assert active.get_current_target() == GPUTarget("cuda", 90, 32)
    assert active.get_device_capability() == (9, 0)
    assert active.utils.get_device_properties(1) == {
        "multiprocessor_count": 132,
        "max_shared_mem": 232448,
        "max_num_regs": 65536,
        "warpSize": 32,
        "sm_clock_rate": 1980000,
        "mem_clock_rate": 2619000,
        "mem_bus_width": 5120,
    }
    fake.make_current(1)
    assert active.get_current_device() == 1


def test_a_device_that_does_not_exist(fake) -> None:
    with pytest.raises(DeviceError, match="there is no cuda:2: there are 2 devices"):
        driver.active.utils.get_device_properties(2)
    with pytest.raises(DeviceError, match="no device 1"):
        CpuDriver().utils.get_device_properties(1)


@pytest.mark.parametrize("checks", [False, True])
def test_an_emulated_gpu(no_gpu, checks) -> None:
    with tilewright.emulate("cuda:80", checks=checks):
        active = driver.active
        assert isinstance(active, EmulatedDriver)
        assert active.get_current_target() == GPUTarget("cuda", 80, 32)
        assert active.utils.get_device_properties(0)["max_shared_mem"] > 48 << 10
        # The GPU that is emulated stands for its emulation.
        assert target_of(GPUTarget("cuda", 80, 32)).kind == "emulator"
        assert str(target_of(GPUTarget("cuda", 90, 32))) == "cuda:90a"
    assert isinstance(driver.active, CpuDriver)
    assert str(target_of(GPUTarget("cuda", 80, 32))) == "cuda:80"


def test_the_environment_names_the_target(fake, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_TARGET", "emulator:cuda:89")
    assert driver.active.get_current_target() == GPUTarget("cuda", 89, 32)
    monkeypatch.setenv("TILEWRIGHT_TARGET", "cpu")
    assert isinstance(driver.active, CpuDriver)


def test_interpreting_is_running_on_the_cpu(fake, monkeypatch) -> None:
    assert not isinstance(driver.active, CpuDriver)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert isinstance(driver.active, CpuDriver)
    monkeypatch.setenv("TILEWRIGHT_TARGET", "emulator:cuda:89")
    assert driver.active.get_current_target() == GPUTarget("cuda", 89, 32)
    monkeypatch.delenv("TILEWRIGHT_TARGET")
    monkeypatch.setenv("TRITON_INTERPRET", "0")
    assert not isinstance(driver.active, CpuDriver)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (GPUTarget("cpu", 0, 1), "cpu"),
        (GPUTarget("cpu", "", 0), "cpu"),
        (GPUTarget("cpu", "avx2", 1), "cpu:avx2"),
        (GPUTarget("cuda", 86, 32), "cuda:86"),
        (GPUTarget("cuda", 90, 32), "cuda:90a"),
        ("cuda:90a", "cuda:90a"),
        (GPUTarget("hip", "gfx942", 64), "hip:gfx942"),
        (GPUTarget("hip", "gfx942:sramecc+:xnack-", 64), "hip:gfx942"),
    ],
)
def test_targets_by_name(target, expected) -> None:
    assert str(target_of(target)) == expected


@pytest.mark.parametrize("target", [GPUTarget("hip", "gfx000", 64), GPUTarget("cuda", 12, 32), 90])
def test_targets_that_do_not_exist(target) -> None:
    with pytest.raises(DeviceError, match="target"):
        target_of(target)


def test_another_driver(no_gpu) -> None:
    mine = CudaDriver()
    driver.set_active(mine)
    try:
        assert driver.active is mine
        assert isinstance(driver.default, CpuDriver)
    finally:
        driver.reset_active()
    assert isinstance(driver.active, CpuDriver)


def test_tensors_are_where_launches_are(no_gpu) -> None:
    torch = pytest.importorskip("torch")
    active = driver.active
    assert active.get_active_torch_device() == torch.device("cpu")
    assert active.get_device_interface() is torch.cpu


def test_without_pytorch(no_gpu, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert driver.active.get_current_stream() == 0
    with pytest.raises(DeviceError, match="PyTorch is needed"):
        driver.active.get_active_torch_device()


def test_only_what_exists() -> None:
    assert not hasattr(driver, "inactive")


@pytest.mark.parametrize("hip", [None, "6.4"])
@pytest.mark.parametrize("available", [True, False])
def test_a_process_forked_from_one_that_uses_a_device(cuda, available, hip, monkeypatch) -> None:
    """The driver can't be initialized there, and PyTorch remembers what it found before."""
    fake_cuda.configure("cuInit=3")
    _core.use_cuda_driver(fake_cuda.LIBRARY)
    torch = types.SimpleNamespace(
        cuda=types.SimpleNamespace(is_available=lambda: available),
        version=types.SimpleNamespace(hip=hip),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert CudaDriver.is_active() == (available and hip is None)
