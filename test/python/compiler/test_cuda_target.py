"""The CUDA target: names, the current device, and loading kernels."""

import pytest

from tilewright import _core
from tilewright.cache.format import Entry
from tilewright.compiler import CompiledKernel, Target, resolve_target
from tilewright.compiler.targets import check_runnable, known_targets, launch_target
from tilewright.errors import DeviceError

ARCHITECTURES = ("80", "86", "89", "90a", "100a", "103a", "120a")


class Platform:
    """Devices of these compute capabilities, and a record of what is loaded onto them."""

    def __init__(self, *capabilities, problem=""):
        self.loaded = []
        self.current = 0
        self.devices = {
            "problem": problem,
            "devices": [
                {
                    "name": f"GPU {major}.{minor}",
                    "architecture": f"{major}{minor}",
                    "capability": f"the compute capability {major}.{minor}",
                }
                for major, minor in capabilities
            ],
        }

    def load(self, *arguments):
        self.loaded.append(arguments)
        return object()


@pytest.fixture
def devices(monkeypatch):
    """`devices((9, 0), (8, 0))` sets the compute capabilities of the machine's devices."""

    def put(*capabilities, problem=""):
        platform = Platform(*capabilities, problem=problem)
        monkeypatch.setattr(_core, "devices", lambda kind: platform.devices)
        monkeypatch.setattr(_core, "current_device", lambda kind: platform.current)
        monkeypatch.setattr(_core, "load", platform.load)
        return platform

    monkeypatch.delenv("TILEWRIGHT_TARGET", raising=False)
    return put


def kernel_of(target="cuda:90a", **facts):
    metadata = {
        "name": "add",
        "symbol": "add",
        "omits_asserts": False,
        "target": target,
        "options": {},
        "signature": {"x": "*fp32:D"},
        "phases": [],
        "num_warps": 8,
        "shared_bytes": 1024,
        "registers": 40,
        "spill_bytes": 16,
        "slots": [0, 2],
        "accesses": None,
        **facts,
    }
    sections = {"object": b"\x7fELF", "source": b"module {}", "ptx": b".version 8.4"}
    return CompiledKernel("key", Entry(metadata, sections), "compiled")


# Names


def test_the_architectures_are_those_of_the_hardware_table():
    names = [target.name for target in _core.nvidia_targets()]
    assert names == [f"sm_{arch}" for arch in ARCHITECTURES]
    assert set(known_targets()) >= {"cuda", "cuda:80", "cuda:90a", "cpu", "cpu:avx2"}


@pytest.mark.parametrize("name", ["cuda:90a", "cuda:sm_90a", "cuda:90", "cuda:sm_90", "CUDA:90A"])
def test_spellings_of_an_architecture(name):
    target = resolve_target(name)
    assert target == Target("cuda", "90a")
    assert str(target) == "cuda:90a"
    assert target.key.startswith("cuda:90a ")


@pytest.mark.parametrize(
    "name", ["cuda:80a", "cuda:91", "cuda:9", "cuda:8", "cuda:sm_", "cuda:0", "cuda:hopper"]
)
def test_unknown_architectures(name):
    with pytest.raises(DeviceError, match=rf"unknown target '{name}'(.|\n)*cuda:80, cuda:86"):
        resolve_target(name)


def test_the_device_at_hand(devices):
    platform = devices((9, 0), (8, 0), (12, 0))
    assert str(resolve_target("cuda")) == "cuda:90a"
    platform.current = 1
    assert str(resolve_target("cuda")) == "cuda:80"
    assert str(resolve_target("cuda", "cuda:2")) == "cuda:120a"
    with pytest.raises(DeviceError, match="there is no cuda:3, there are 3 devices"):
        resolve_target("cuda", "cuda:3")


def test_no_device_at_hand(devices):
    devices(problem="the driver's library can't be opened")
    expected = r"no CUDA device: the driver's library can't be opened\nhint: choose an .*cuda:80"
    with pytest.raises(DeviceError, match=expected) as info:
        resolve_target("cuda")
    listed = str(info.value).rpartition(": ")[2].split(", ")
    assert len(listed) > 1 and all(str(resolve_target(name)) == name for name in listed)


def test_a_device_that_there_is_no_code_for(devices):
    devices((7, 5))
    expected = r"cuda:0 \(GPU .*\) has the compute capability 7.5, which .* not supported; .*80, 86"
    with pytest.raises(DeviceError, match=expected):
        resolve_target("cuda")


# Launches


@pytest.mark.parametrize(
    ("environment", "name", "device", "expected"),
    [
        ("", None, "cpu", "cpu"),
        ("", None, "cuda:1", "cuda:80"),
        ("cpu:avx2", None, "cpu", "cpu:avx2"),
        ("cpu:avx2", None, "cuda:0", "cuda:90a"),
        ("cuda:86", None, "cuda:0", "cuda:86"),
        ("cuda:86", None, "cpu", "cpu"),
        ("cuda:86", "cuda", "cuda:1", "cuda:80"),
        ("cuda:86", "cuda:89", "cuda:1", "cuda:89"),
        ("cuda", None, "cuda:1", "cuda:80"),
    ],
)
def test_the_target_of_a_launch(devices, monkeypatch, environment, name, device, expected):
    devices((9, 0), (8, 0))
    monkeypatch.setenv("TILEWRIGHT_TARGET", environment)
    assert str(launch_target(name, device)) == expected


def test_an_environment_that_names_no_target(devices, monkeypatch):
    devices((9, 0))
    monkeypatch.setenv("TILEWRIGHT_TARGET", "vax")
    for device in ("cpu", "cuda:0"):
        with pytest.raises(DeviceError, match="unknown target 'vax' \\(from TILEWRIGHT_TARGET"):
            launch_target(None, device)


# Kernels


def test_a_kernel_is_loaded_once_per_device(devices):
    platform = devices((9, 0), (9, 0))
    kernel = kernel_of()
    first = kernel.load("cuda:0")
    assert kernel.load() is first
    platform.current = 1
    assert kernel.load() is kernel.load("cuda:1") is not first
    assert platform.loaded == [
        ("cuda:90a", "add", b"\x7fELF", "add", 0, kernel.metadata),
        ("cuda:90a", "add", b"\x7fELF", "add", 1, kernel.metadata),
    ]


def test_a_kernel_for_another_architecture(devices):
    devices((8, 0))
    expected = r"add: code for 'cuda:90a' can't run on cuda:0 \(GPU 8.0\), which is 'cuda:80'"
    with pytest.raises(DeviceError, match=expected):
        kernel_of().load()


def test_what_runs_on_this_machine(devices):
    devices((8, 0), (9, 0))
    check_runnable("cuda:90a")
    with pytest.raises(DeviceError, match="'cuda:86' can't run here: the devices are 80, 90a"):
        check_runnable("cuda:86")
    devices(problem="no driver")
    with pytest.raises(DeviceError, match="can't run here: no driver"):
        check_runnable("cuda:86")


def test_resources_and_assembly():
    kernel = kernel_of()
    assert (kernel.n_regs, kernel.n_spills, kernel.shared) == (40, 4, 1024)
    assert kernel.assembly() == kernel.ir("ptx") == ".version 8.4"
    used = "40 registers, 1024 bytes of shared memory"
    assert kernel_of(spill_bytes=0).remarks() == [used]
    (remark,) = kernel.remarks()
    assert remark.startswith(f"{used}; 16 bytes spilled: smaller tiles or more warps")
