"""The errors of a launch without the HIP runtime, with too few resources, or on a lost device."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import fake_hip
import numpy as np
import pytest
from fake_hip import Tensor

import tilewright
from tilewright import _core
from tilewright.errors import DeviceAssertError, DeviceError, OutOfResourcesError


@pytest.fixture
def kernel():
    @tilewright.jit
    def kernel(a):
        pass

    return kernel


@pytest.fixture
def library(hip):
    """Replaces the fake runtime by another library."""
    return _core.use_hip_library


def load(image: bytes | None = None, **options):
    image = fake_hip.code_object("kernel parameters=8") if image is None else image
    return _core.load_hip("kernel", image, "kernel", **{"device": 0, "threads": 256, **options})


# No library, no device


def test_no_library(library) -> None:
    library("/nowhere/libamdhip64.so")
    expected = "kernel: there is no HIP device: the HIP runtime's library can't be opened; "
    with pytest.raises(DeviceError, match=expected + "looked for /nowhere/libamdhip64.so$"):
        load()


def test_no_library_and_a_tensor_that_needs_one(library, kernel) -> None:
    library("/nowhere/libamdhip64.so")
    expected = r"there is no HIP device: the HIP runtime's library .*/nowhere/libamdhip64.so\n.*gfx"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make())


SCRIPT = """
import ctypes, sys

for name in sys.argv[1:]:
    ctypes.CDLL(name)
from tilewright import _core

found = _core.devices("hip")
print(len(found["devices"]), found.get("library", ""), found["problem"])
"""


def found_by(environment: dict[str, str], *mapped: str) -> str:
    """What another process finds, which has already loaded some libraries."""
    inherited = {name: text for name, text in os.environ.items() if name != "TILEWRIGHT_LIBHIP"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, *mapped],
        env={**inherited, "FAKE_HIP": "devices=3", **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_library_is_that_of_the_environment() -> None:
    assert found_by({"TILEWRIGHT_LIBHIP": fake_hip.LIBRARY}) == f"3 {fake_hip.LIBRARY}"
    missing = found_by({"TILEWRIGHT_LIBHIP": "/nowhere/lib.so"})
    assert missing.endswith("can't be opened; looked for /nowhere/lib.so")


@pytest.fixture
def copies(tmp_path):
    """Copies of the fake runtime by the names of AMD's."""

    def copy(name: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(fake_hip.LIBRARY, path)
        return str(path)

    return copy


def test_the_newest_version_on_the_loaders_path(copies, tmp_path) -> None:
    paths = [copies(f"lib/libamdhip64.so.{version}") for version in (6, 7)]
    assert found_by({"LD_LIBRARY_PATH": str(tmp_path / "lib")}) == f"3 {paths[1]}"


def test_the_version_before(copies, tmp_path) -> None:
    path = copies("lib/libamdhip64.so.6")
    assert found_by({"LD_LIBRARY_PATH": str(tmp_path / "lib")}) == f"3 {path}"


def test_the_library_of_rocm_path(copies, tmp_path) -> None:
    path = copies("rocm/lib/libamdhip64.so")
    assert found_by({"ROCM_PATH": str(tmp_path / "rocm")}) == f"3 {path}"


def test_the_library_that_the_process_already_uses(copies, tmp_path) -> None:
    path = copies("torch/lib/libamdhip64.so")
    copies("lib/libamdhip64.so.7")
    assert found_by({"LD_LIBRARY_PATH": str(tmp_path / "lib")}, path) == f"3 {path}"


def test_a_library_that_cannot_be_opened_says_why(tmp_path) -> None:
    (tmp_path / "libamdhip64.so.7").write_text("no ELF file")
    found = found_by({"LD_LIBRARY_PATH": str(tmp_path), "ROCM_PATH": "/nowhere"})
    names = "libamdhip64.so.7, libamdhip64.so.6, libamdhip64.so, /nowhere/lib/libamdhip64.so"
    assert f"looked for {names}; {tmp_path}/libamdhip64.so.7: " in found


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("devices=0", r"hipInit: hipErrorNoDevice \(no ROCm-capable .* HIP_VISIBLE_DEVICES"),
        ("hipInit=35", "hipInit: error 35 .* the kernel driver .* is older"),
        ("hipGetDeviceCount=2", "hipGetDeviceCount: hipErrorOutOfMemory"),
    ],
)
def test_a_runtime_that_does_not_start(library, words, expected) -> None:
    fake_hip.configure(words)
    library(fake_hip.LIBRARY)
    with pytest.raises(DeviceError, match=expected):
        load()


def test_a_device_that_is_not_there(hip) -> None:
    with pytest.raises(DeviceError, match="there is no hip:2, there are 2 HIP devices"):
        load(device=2)


# Code that can't be loaded


def test_code_for_another_architecture(library) -> None:
    fake_hip.configure("arch1=gfx1100")
    library(fake_hip.LIBRARY)
    expected = r"kernel: the code is for gfx942, and hip:1 \(Imaginary Instinct\) is gfx1100"
    with pytest.raises(DeviceError, match=expected):
        load(device=1)
    assert load(device=0).device == "hip:0"


def test_code_that_is_none(hip) -> None:
    with pytest.raises(DeviceError, match="kernel: the code object is malformed: it is no ELF"):
        load(b"not an object")
    truncated = fake_hip.code_object("kernel parameters=8")[:-20]
    with pytest.raises(DeviceError, match="kernel: "):
        load(truncated)
    with pytest.raises(DeviceError, match="kernel: the code object has no kernel 'kernel'"):
        load(fake_hip.code_object("other parameters=8"))


def test_code_with_impossible_arguments(hip) -> None:
    image = fake_hip.code_object("kernel parameters=136")
    with pytest.raises(DeviceError, match="the code has an argument of 136 bytes"):
        load(image)


def test_the_device_has_no_memory_for_the_code(hip) -> None:
    hip.configure("hipModuleLoadData=2*1")
    expected = (
        "hip:0: hipModuleLoadData: hipErrorOutOfMemory .*; the code is for gfx942, the device"
    )
    with pytest.raises(DeviceError, match=expected):
        load()
    assert load().max_threads == 1024
    assert hip.last_error() == 0


# Too few resources


@pytest.mark.parametrize(("lds", "wanted"), [(65536, 65537), (163840, 163841)])
def test_too_much_lds(library, lds, wanted) -> None:
    fake_hip.configure(f"lds={lds}")
    library(fake_hip.LIBRARY)
    expected = f"kernel: needs {wanted} bytes of shared memory per program, and hip:0 has {lds}"
    with pytest.raises(OutOfResourcesError, match=expected) as caught:
        load(shared_bytes=wanted)
    error = caught.value
    assert (error.resource, error.required, error.limit) == ("shared memory", wanted, lds)
    assert load(shared_bytes=lds)


def test_too_many_threads(hip) -> None:
    expected = "needs 2048 threads per program, and hip:0 has 1024; num_warps is at most 16"
    with pytest.raises(OutOfResourcesError, match=expected):
        load(threads=2048)
    with pytest.raises(OutOfResourcesError, match="has 128; it was compiled for at most that many"):
        load(fake_hip.code_object("kernel threads=128 parameters=8"))


# Failing launches


def test_a_launch_that_the_runtime_refuses(on_hip, kernel) -> None:
    on_hip(kernel, "8")
    fake_hip.configure("hipModuleLaunchKernel=1*1")
    expected = r"kernel \(test_hip_failures.py:\d+\): hip:1: hipModuleLaunchKernel: hipErrorInvalid"
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make(1))
    assert fake_hip.last_error() == 0
    assert fake_hip.current_device() == 0
    kernel[1](Tensor.make(1))
    assert len(fake_hip.launches()) == 1


def test_a_kernel_that_breaks_its_device(on_hip, kernel) -> None:
    @tilewright.jit
    def other(a):
        pass

    on_hip(kernel, "8")
    on_hip(other, "8")
    kernel[1](Tensor.make())
    other[1](Tensor.make())
    fake_hip.configure("lost0=700")
    expected = (
        r"kernel \(test_.*: hip:0 is lost to this process since hipErrorIllegalAddress"
        r"(.|\n)*newest first: other \(test_hip_failures.py:\d+\), kernel \(test_hip.*\)\n"
        r"hint: only a new process can use it again; with AMD_SERIALIZE_KERNEL=3"
    )
    with pytest.raises(DeviceError, match=expected):
        kernel[1](Tensor.make())
    # No further launches are attempted, and other devices are not affected.
    calls = fake_hip.report()["calls"]
    for attempt in (lambda: other[1](Tensor.make()), load):
        with pytest.raises(DeviceError, match="hip:0 is lost to this process"):
            attempt()
    assert fake_hip.report()["calls"] == calls
    kernel[1](Tensor.make(1))
    kernel[1](np.zeros(4))
    assert [launch["device"] for launch in fake_hip.launches()] == [1]


def test_a_failed_assertion(on_hip, kernel) -> None:
    on_hip(kernel, "8")
    fake_hip.configure("lost1=710")
    with pytest.raises(DeviceAssertError, match=r"hipErrorAssert.*the standard error stream"):
        kernel[1](Tensor.make(1))
    with pytest.raises(DeviceError, match="lost to this process since hipErrorAssert"):
        kernel[1](Tensor.make(1))


def test_a_failed_assertion_with_a_mailbox(hip, kernel, substitute) -> None:
    """The code's report names the assertion and the program."""
    import ctypes

    sub = substitute(kernel)
    asserts = [("", "k.py", 8, 2), ("n is positive", "k.py", 9, 3)]
    sub.code["hip:0"] = hip.load("kernel", "8,8", slots=[0, -1], asserts=asserts)
    kernel[4, 3, 2](Tensor.make())
    mailbox = (ctypes.c_uint64 * 2).from_address(hip.launches()[-1]["parameters"][-1])
    assert list(mailbox) == [0, 0]
    mailbox[:] = [2 << 48 | 1 + 4 * (2 + 3 * 1), 3 << 32 | 4]
    hip.configure("lost0=710")
    with pytest.raises(DeviceAssertError, match="n is positive") as caught:
        kernel[1](Tensor.make())
    error = caught.value
    assert (error.file, error.line, error.program) == ("k.py", 9, (1, 2, 1))


def test_no_memory_for_a_mailbox(hip) -> None:
    hip.configure("hipHostMalloc=2")
    with pytest.raises(DeviceError, match="kernel: hip:0: hipHostMalloc: hipErrorOutOfMemory"):
        load(slots=[0], asserts=[("", "k.py", 8, 2)])


def test_too_few_slots_for_the_code(on_hip, kernel) -> None:
    on_hip(kernel, "8,8", slots=[0, 1])
    with pytest.raises(SystemError, match="parameters that the Python function lacks"):
        kernel[1](Tensor.make())
