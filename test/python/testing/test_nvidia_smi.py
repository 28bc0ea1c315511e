"""Clocks from a fake nvidia-smi on the PATH."""

import sys

import pytest

from tilewright.errors import DeviceError
from tilewright.testing import device_properties, nvsmi, set_gpu_clock
from tilewright.testing.device_properties import DeviceProperties

# It appends its arguments to a file, and answers from a dictionary of queries.
PROGRAM = """#!{python}
import sys
with open({log!r}, "a") as file:
    print(*sys.argv[3:], file=file)
assert sys.argv[1:3] == ["-i", "0"]
answer = {answers}.get(sys.argv[3], "")
print(answer)
sys.exit(4 if "permission" in answer else 0)
"""
CLOCKS = "--query-gpu=clocks.current.sm,clocks.current.memory"
MODE = "--query-gpu=persistence_mode"
LOCKED = {MODE: "Disabled", CLOCKS: "1350, 1215"}


@pytest.fixture
def smi(tmp_path, monkeypatch):
    """Installs an nvidia-smi with these answers; returns a function that gives its calls."""
    properties = DeviceProperties((8, 0), 108, 1410000, 1215000, 5120)
    monkeypatch.setattr("tilewright.testing.nvidia_smi.device_properties", lambda _: properties)
    monkeypatch.setattr("tilewright.testing.peak.device_properties", lambda _: properties)
    monkeypatch.setenv("PATH", str(tmp_path))
    log = tmp_path / "log"

    def install(answers):
        program = tmp_path / "nvidia-smi"
        program.write_text(PROGRAM.format(python=sys.executable, log=str(log), answers=answers))
        program.chmod(0o755)
        return lambda: [line.split()[0] for line in log.read_text().splitlines()]

    return install


def test_values_of_attributes(smi):
    smi({"--query-gpu=clocks.max.sm,power.draw": "1980, 71.5"})
    assert nvsmi(["clocks.max.sm", "power.draw"]) == [1980, 71.5]
    assert isinstance(nvsmi(["clocks.max.sm", "power.draw"])[0], int)


def test_values_that_are_no_numbers(smi):
    smi({"--query-gpu=clocks.max.sm": "[N/A]"})
    with pytest.raises(DeviceError, match=r"'\[N/A\]' for clocks\.max\.sm, not a number"):
        nvsmi(["clocks.max.sm"])


def test_a_query_that_fails(smi):
    smi({"--query-gpu=x": "no permission"})
    with pytest.raises(
        DeviceError, match=r"`nvidia-smi -i 0 --query-gpu=x .*failed: no permission"
    ):
        nvsmi(["x"])


def test_without_nvidia_smi(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DeviceError, match="nvidia-smi can't be run"):
        nvsmi(["clocks.max.sm"])


def test_clocks_are_locked_and_reset(smi):
    calls = smi(LOCKED)
    with set_gpu_clock() as (tflops, gbps):
        assert calls()[:4] == [
            MODE,
            "--persistence-mode=1",
            "--lock-gpu-clocks=1350,1350",
            "--lock-memory-clocks=1215,1215",
        ]
        assert tflops == pytest.approx(108 * 2048 * 1350e6 / 1e12)
        assert gbps == pytest.approx(5120 / 8 * 2 * 1.215)
    resets = ["--reset-gpu-clocks", "--reset-memory-clocks", "--persistence-mode=0"]
    assert calls()[-3:] == resets


def test_clocks_are_reset_after_an_exception(smi):
    calls = smi({**LOCKED, MODE: "Enabled"})
    with pytest.raises(KeyError), set_gpu_clock():
        raise KeyError
    assert calls()[-2:] == ["--reset-gpu-clocks", "--reset-memory-clocks"]


@pytest.mark.parametrize(
    ("clocks", "message"),
    [("1410, 1215", "SMs is 1410 MHz, not 1350"), ("1345, 810", "memory is 810 MHz, not 1215")],
)
def test_clocks_that_the_device_does_not_take(smi, clocks, message):
    calls = smi({**LOCKED, CLOCKS: clocks})
    with pytest.raises(DeviceError, match=message), set_gpu_clock():
        pytest.fail("the clocks are wrong")
    assert "--reset-gpu-clocks" in calls()


def test_clocks_that_may_not_be_locked(smi):
    calls = smi({**LOCKED, "--lock-gpu-clocks=1350,1350": "you have no permission"})
    with pytest.raises(DeviceError, match="you have no permission"), set_gpu_clock():
        pytest.fail("the clocks are wrong")
    assert "--reset-memory-clocks" in calls()


def test_without_a_device_nothing_is_locked(smi, monkeypatch):
    calls = smi({})
    monkeypatch.setattr(device_properties, "_devices", lambda: [])
    real = device_properties.device_properties
    monkeypatch.setattr("tilewright.testing.nvidia_smi.device_properties", real)
    with pytest.raises(DeviceError, match="there is no CUDA device 0"), set_gpu_clock():
        pytest.fail("there is no device")
    with pytest.raises(FileNotFoundError):
        calls()
