"""What programs ask of an AMD GPU: the active driver, its target and properties."""

from __future__ import annotations

import fake_hip
import pytest

from tilewright import _core
from tilewright.compiler.gpu_target import GPUTarget, target_of
from tilewright.errors import DeviceError
from tilewright.runtime import driver
from tilewright.runtime.driver import CpuDriver, HipDriver
from tilewright.tuning.placement import device_of, torch_name


@pytest.fixture
def active(hip, monkeypatch):
    """The active driver of a machine that has AMD GPUs only."""
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)
    _core.use_cuda_driver("/nowhere/libcuda.so")
    yield driver.active
    _core.use_cuda_driver()


def test_the_target(active) -> None:
    assert isinstance(active, HipDriver)
    target = active.get_current_target()
    assert target == GPUTarget("hip", "gfx942", 64)
    assert str(target_of(target)) == "hip:gfx942"


def test_properties(active) -> None:
    assert active.utils.get_device_properties(1) == {
        "multiprocessor_count": 304,
        "max_shared_mem": 65536,
        "max_num_regs": 65536,
        "warpSize": 64,
        "sm_clock_rate": 2100000,
        "mem_clock_rate": 1300000,
        "mem_bus_width": 8192,
    }
    with pytest.raises(DeviceError, match="there is no hip:2: there are 2 devices"):
        active.utils.get_device_properties(2)


@pytest.mark.parametrize(
    ("architecture", "capability"),
    [
        ("gfx90a:sramecc+:xnack-", (9, 0)),
        ("gfx942", (9, 4)),
        ("gfx1100", (11, 0)),
        ("gfx1201", (12, 0)),
        ("none", (0, 0)),
    ],
)
def test_the_capability_is_that_of_pytorch(hip, architecture, capability) -> None:
    hip.configure(f"arch={architecture}")
    _core.use_hip_library(fake_hip.LIBRARY)
    assert HipDriver().get_device_capability(0) == capability


def test_the_current_device(active) -> None:
    fake_hip.make_current(1)
    assert active.get_current_device() == 1


def test_no_library(active) -> None:
    _core.use_hip_library("/nowhere/libamdhip64.so")
    assert isinstance(driver.active, CpuDriver)
    with pytest.raises(DeviceError, match="there is no hip:0: the HIP runtime's library"):
        HipDriver().utils.get_device_properties(0)


def test_the_device_of_a_tuned_launch(rocm_torch) -> None:
    tensor = fake_hip.Address(1)
    assert device_of([tensor]) == "cuda:1"
    rocm_torch()
    assert device_of([5, tensor]) == "hip:1"
    assert torch_name("hip:1") == "cuda:1"
