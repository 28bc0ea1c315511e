"""A launch on a CUDA device calls the stages of the compiler and loads the code."""

from __future__ import annotations

import fake_cuda
import numpy as np
import pytest
from fake_cuda import Tensor, address

import tilewright
import tilewright.language as tl
from tilewright import knobs
from tilewright.cache.format import Entry
from tilewright.compiler import pipeline, stages
from tilewright.compiler.gpu_target import GPUTarget
from tilewright.errors import ArgumentError, DeviceError, LaunchError, OutOfResourcesError


@pytest.fixture
def compiled(cuda, monkeypatch):
    """The requests that reached the stages, which return code with these resources."""
    requests = []
    resources = {
        "num_warps": 8,
        "threads": 256,
        "shared_bytes": 1024,
        "registers": 32,
        "spill_bytes": 0,
    }

    def run(request):
        requests.append(request)
        metadata = {
            "name": request.fn.name,
            "symbol": "kernel",
            "asserts": [],
            "omits_asserts": False,
            "target": str(request.target),
            "options": request.options.relevant(request.target.kind),
            "launch_conditions": [],
            "written_slots": [],
            "signature": request.describe(),
            "phases": [],
            **{"slots": [0, 2], "accesses": None, **resources},
        }
        image = b"kernel registers=32 parameters=8,4"
        sections = {"object": image, "source": b"module {}", "ptx": b".version 8.4"}
        return request.record(), Entry(metadata, sections)

    monkeypatch.setattr(stages, "run", run)
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)
    pipeline._kernels.clear()
    yield requests, resources
    pipeline._kernels.clear()


@pytest.fixture
def kernel():
    @tilewright.jit
    def kernel(x, BLOCK: tl.constexpr, n):
        pass

    return kernel


def test_the_way_there_and_back(compiled, kernel) -> None:
    made = kernel[(3,)](Tensor.make(0, 64), 128, 7, num_warps=8)
    (request,), _ = compiled
    assert str(request.target) == "cuda:90a"
    assert request.signature == ("*fp32:D", 128, "i32")
    assert request.options.num_warps == 8
    assert (made.n_regs, made.shared, made.assembly()) == (32, 1024, ".version 8.4")
    (launch,) = fake_cuda.launches()
    assert launch["parameters"] == [address(0, 64), 7]
    assert (launch["grid"], launch["threads"], launch["shared"]) == ([3, 1, 1], 256, 1024)


def test_attributes_of_the_launch(compiled, kernel) -> None:
    compiled[1].update(launch_pdl=True, launch_cooperative_grid=True)
    kernel[(3,)](Tensor.make(0, 64), 128, 7, launch_pdl=True, launch_cooperative_grid=True)
    assert compiled[0][0].options.launch_pdl is True
    assert fake_cuda.launches()[0]["attributes"] == {"2": 1, "6": 1}


def test_a_compiled_kernel_is_launched_again(compiled, kernel) -> None:
    made = kernel[(3,)](Tensor.make(0, 64), 128, 7)
    made[2, 2](Tensor.make(0, 128), 128, 9)
    made[(1,)](Tensor.make(1, 64), 8)
    made.run(
        5, 1, 1, 0, made.function, made.packed_metadata, None, None, None, Tensor.make(), 128, 6
    )
    launches = fake_cuda.launches()
    assert [launch["grid"] for launch in launches] == [[3, 1, 1], [2, 2, 1], [1, 1, 1], [5, 1, 1]]
    assert [launch["device"] for launch in launches] == [0, 0, 1, 0]
    assert [launch["parameters"][1] for launch in launches] == [7, 9, 8, 6]
    assert len(compiled[0]) == 1


def test_handles_and_resources(compiled, kernel) -> None:
    made = kernel[(3,)](Tensor.make(0, 64), 128, 7)
    assert made.function and made.module and made.function != made.module
    assert made.n_max_threads == made.load("cuda:0").max_threads > 0
    assert (made.metadata.num_warps, made.metadata.shared, made.num_warps) == (8, 1024, 8)
    assert made.metadata.target == GPUTarget("cuda", 90, 32)
    assert list(made.asm)[-1] != "cubin"  # the stand-in's code is no ELF file


def test_arguments_for_which_it_was_not_compiled(compiled, kernel) -> None:
    made = kernel[(3,)](Tensor.make(0, 64), 128, 7)
    wrong = [
        (Tensor.make(0, 68), 128, 7),
        (Tensor.make(0, 64), 64, 7),
        (Tensor.make(0, 64, bits=16), 128, 7),
        (Tensor.make(0, 64), 128, 1 << 40),
    ]
    for arguments in wrong:
        with pytest.raises(ArgumentError):
            made[(3,)](*arguments)
    with pytest.raises(DeviceError, match="in host memory"):
        made[(3,)](np.zeros(16, np.float32), 128, 7)
    assert len(fake_cuda.launches()) == 1


def test_the_stream(compiled, kernel) -> None:
    fake_cuda.set_stream(0x77)
    made = kernel[(3,)](Tensor.make(0, 64), 128, 7)
    made[(3,)](Tensor.make(0, 64), 128, 7)
    assert [launch["stream"] for launch in fake_cuda.launches()] == [0x77, 0x77]
    with pytest.raises(LaunchError, match="needs PyTorch with CUDA"):
        made[(3,)](Tensor.make(0, 64), 128, 7, stream=0x99)
    assert len(fake_cuda.launches()) == 2


def test_hooks_around_launches(compiled, kernel) -> None:
    seen = []
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook.add(lambda told: seen.append(told.get()))
        made = kernel[(3,)](Tensor.make(0, 64), 128, 7)
    assert seen == [{"name": "kernel", "function": made.function, "stream": 0}]


def test_two_devices_of_one_architecture_share_the_code(compiled, kernel) -> None:
    first = kernel[1](Tensor.make(0), 64, 7)
    assert kernel[1](Tensor.make(1), 64, 7) is first
    assert len(compiled[0]) == 1
    assert [launch["device"] for launch in fake_cuda.launches()] == [0, 1]


def test_host_and_device_have_their_code(compiled, kernel) -> None:
    kernel[1](Tensor.make(), 64, 7)
    kernel.warmup(tl.float32, 64, 7)
    assert [str(request.target) for request in compiled[0]] == ["cuda:90a", "cpu"]


def test_warmup_needs_no_device(compiled, kernel) -> None:
    fake_cuda.configure("cuModuleLoadDataEx=2")
    made = kernel.warmup(tl.float32, 64, 7, target="cuda:80")
    assert made.target == "cuda:80"
    with pytest.raises(DeviceError, match=r"can't run on cuda:0 \(Imaginary GPU\), .* 'cuda:90a'"):
        kernel[1](7, 64, 7, target="cuda:80")


def test_the_first_launch_may_be_into_a_stream_that_is_captured(compiled, kernel) -> None:
    fake_cuda.configure("capturing")
    kernel[1](Tensor.make(), 64, 7)
    assert len(compiled[0]) == 1
    assert len(fake_cuda.launches()) == 1


def test_a_launch_says_each_time_that_there_is_no_room(compiled, kernel) -> None:
    compiled[1]["shared_bytes"] = 300_000
    for _ in range(2):
        with pytest.raises(OutOfResourcesError, match="kernel: needs 300000 bytes"):
            kernel[1](Tensor.make(), 64, 7)


def test_no_programs_need_no_device(compiled, kernel) -> None:
    compiled[1]["shared_bytes"] = 300_000
    kernel[0](Tensor.make(), 64, 7)
    assert not fake_cuda.report()["calls"].get("cuModuleLoadDataEx")


def test_the_log_says_what_it_takes(compiled, kernel, monkeypatch, capfd) -> None:
    monkeypatch.setenv("TILEWRIGHT_LOG", "compiles")
    compiled[1]["spill_bytes"] = 400
    kernel[1](Tensor.make(), 64, 7)
    said = capfd.readouterr().err
    assert "compiled for cuda:90a" in said
    assert "  32 registers, 1024 bytes of shared memory; 400 bytes spilled" in said
