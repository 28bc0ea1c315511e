"""A launch on an AMD GPU calls the stages of the compiler and loads the code."""

from __future__ import annotations

import fake_hip
import pytest
from fake_hip import Tensor, address

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.cache.format import Entry
from tilewright.compiler import pipeline, stages
from tilewright.errors import DeviceError, OutOfResourcesError


@pytest.fixture
def compiled(hip, monkeypatch):
    """The requests that reached the stages, which return code for a pointer and an integer."""
    requests = []
    changes: dict[str, object] = {}

    def run(request):
        requests.append(request)
        arch = str(request.target).partition(":")[2]
        metadata = {
            "name": request.fn.name,
            "symbol": "kernel",
            "asserts": [],
            "accesses": None,
            "omits_asserts": False,
            "target": str(request.target),
            "options": request.options.relevant(request.target.kind),
            "launch_conditions": [],
            "written_slots": [],
            "signature": request.describe(),
            "phases": [],
            "slots": [0, 2],
            "num_warps": 4,
            "threads": 256,
            "shared_bytes": 1024,
            "registers": 32,
            "spill_bytes": 0,
            **changes,
        }
        image = fake_hip.code_object("kernel registers=32 parameters=8,4,4h", arch)
        return request.record(), Entry(metadata, {"object": image, "source": b"module {}"})

    monkeypatch.setattr(stages, "run", run)
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)
    pipeline._kernels.clear()
    yield requests, changes
    pipeline._kernels.clear()


@pytest.fixture
def kernel():
    @tilewright.jit
    def kernel(x, BLOCK: tl.constexpr, n):
        pass

    return kernel


def test_the_way_there_and_back(compiled, kernel) -> None:
    made = kernel[(3,)](Tensor.make(0, 64), 128, 7)
    (request,), _ = compiled
    assert str(request.target) == "hip:gfx942"
    assert request.signature == ("*fp32:D", 128, "i32")
    assert (made.n_regs, made.shared) == (32, 1024)
    (launch,) = fake_hip.launches()
    assert launch["parameters"] == [address(0, 64), 7]
    assert (launch["grid"], launch["threads"], launch["shared"]) == ([3, 1, 1], 256, 1024)
    # It is launched again without compiling, on another device of the architecture too.
    kernel[(3,)](Tensor.make(1, 64), 128, 7)
    assert [launch["device"] for launch in fake_hip.launches()] == [0, 1]
    assert len(compiled[0]) == 1


def test_devices_of_two_architectures_have_their_code(compiled, kernel) -> None:
    fake_hip.configure("arch1=gfx1100")
    _core.use_hip_library(fake_hip.LIBRARY)
    for device in (0, 1):
        kernel[1](Tensor.make(device), 64, 7)
    assert [str(request.target) for request in compiled[0]] == ["hip:gfx942", "hip:gfx1100"]
    assert [launch["device"] for launch in fake_hip.launches()] == [0, 1]


def test_code_for_another_architecture_than_the_device(compiled, kernel) -> None:
    fake_hip.configure("arch=gfx1100")
    _core.use_hip_library(fake_hip.LIBRARY)
    expected = (
        r"code for 'hip:gfx942' can't run on hip:0 \(Imaginary Instinct\), which is 'hip:gfx1100'"
    )
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make(), 64, 7, target="hip:gfx942")


def test_an_architecture_that_is_not_supported(compiled, kernel) -> None:
    fake_hip.configure("arch=gfx803")
    _core.use_hip_library(fake_hip.LIBRARY)
    expected = r"hip:0 \(Imaginary Instinct\) has the architecture gfx803, which is not supported"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make(), 64, 7)


def test_the_first_launch_may_be_into_a_stream_that_is_captured(compiled, kernel) -> None:
    fake_hip.configure("capturing captured=0x77")
    fake_hip.set_stream(0x77)
    kernel[1](Tensor.make(), 64, 7)
    assert not fake_hip.launches()
    fake_hip.replay()
    assert len(fake_hip.launches()) == 1


def test_too_much_lds(compiled, kernel) -> None:
    compiled[1]["shared_bytes"] = 65537
    for _ in range(2):
        expected = "kernel: needs 65537 bytes of shared memory per program, and hip:0 has 65536"
        with pytest.raises(OutOfResourcesError, match=expected):
            kernel[1](Tensor.make(), 64, 7)


def test_no_library(compiled, kernel) -> None:
    _core.use_hip_library("/nowhere/libamdhip64.so")
    made = kernel.warmup(tl.float32, 64, 7, target="hip:gfx942")
    assert made.target == "hip:gfx942"
    with pytest.raises(DeviceError, match="there is no HIP device: the HIP runtime's library"):
        made[(1,)](Tensor.make(), 64, 7)
