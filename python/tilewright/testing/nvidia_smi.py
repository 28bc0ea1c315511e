"""Queries and locks a GPU's clocks with nvidia-smi."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tilewright.errors import DeviceError
from tilewright.testing.device_properties import device_properties
from tilewright.testing.peak import dram_gbps, get_max_tensorcore_tflops

# How far, in MHz, a clock may be from what was asked for; devices support some clocks only.
_TOLERANCE = 10


def nvsmi(attrs: Sequence[str]) -> list[int | float]:
    """The values of attributes of GPU 0, such as "clocks.max.sm" in MHz.

    Args:
        attrs: Names that `nvidia-smi --help-query-gpu` lists, of attributes that are numbers.

    Raises:
        DeviceError: There is no nvidia-smi, it failed, or a value is not a number.
    """
    query = ",".join(attrs)
    texts = _run(f"--query-gpu={query}", "--format=csv,noheader,nounits").strip().split(",")
    return [_number(name, text.strip()) for name, text in zip(attrs, texts, strict=True)]


@contextmanager
def set_gpu_clock(
    ref_sm_clock: int = 1350, ref_mem_clock: int = 1215
) -> Iterator[tuple[float, float]]:
    """Locks the clocks of GPU 0 in a `with` block; needs administrator rights.

    Args:
        ref_sm_clock: The clock of the SMs in MHz.
        ref_mem_clock: The clock of the memory in MHz.

    Yields:
        The peak throughput of the tensor cores in float16 in TFLOP/s, and the peak bandwidth of the
        memory in GB/s, at these clocks.

    Raises:
        DeviceError: There is no device, its clocks can't be locked, or it does not support them.
    """
    bus_width = device_properties(0).memory_bus_width
    tflops = get_max_tensorcore_tflops("float16", ref_sm_clock * 1e3, 0)
    gbps = dram_gbps(ref_mem_clock * 1e3, bus_width)
    was_persistent = _run("--query-gpu=persistence_mode", "--format=csv,noheader").strip()
    try:
        # Without persistence mode the driver may unload, which resets the clocks.
        _run("--persistence-mode=1")
        _run(f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}")
        _run(f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}")
        _check_clocks(ref_sm_clock, ref_mem_clock)
        yield tflops, gbps
    finally:
        _run("--reset-gpu-clocks")
        _run("--reset-memory-clocks")
        if was_persistent == "Disabled":
            _run("--persistence-mode=0")


def _check_clocks(sm: int, memory: int) -> None:
    found = nvsmi(["clocks.current.sm", "clocks.current.memory"])
    for name, wanted, clock in zip(("SMs", "memory"), (sm, memory), found, strict=True):
        if abs(clock - wanted) > _TOLERANCE:
            raise DeviceError(f"the clock of the {name} is {clock} MHz, not {wanted} MHz")


def _number(name: str, text: str) -> int | float:
    try:
        value = float(text)
    except ValueError:
        raise DeviceError(f"nvidia-smi gives {text!r} for {name}, not a number") from None
    return int(value) if value.is_integer() else value


def _run(*arguments: str) -> str:
    """The output of nvidia-smi for GPU 0."""
    command = ["nvidia-smi", "-i", "0", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise DeviceError(f"nvidia-smi can't be run: {error}") from None
    if done.returncode:
        said = (done.stdout + done.stderr).strip()
        raise DeviceError(f"`{' '.join(command)}` failed: {said}")
    return done.stdout
