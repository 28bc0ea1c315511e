"""Clocks: how the calls of a configuration are timed."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

from tilewright.compiler.targets import Target, target_kinds
from tilewright.errors import DeviceError
from tilewright.testing.timing import flush_buffer
from tilewright.tuning.placement import torch_name

Action = Callable[[], object]


class Clock(Protocol):
    """Times calls.

    Attributes:
        runs_beside_compiling: Whether other work of the host hardly affects its times.
        repeats: Whether more than one call per round makes sense.
    """

    runs_beside_compiling: bool
    repeats: bool

    def times(self, call: Action, before: Action, after: Action, count: int) -> list[float]:
        """The times of `count` calls in ms, without what `before` and `after` each take."""

    def summary(self, times: list[float]) -> float:
        """One time for the calls of a round."""


class HostClock:
    """The wall clock, for launches that have completed when they return.

    Other work on the machine only adds time, so the fastest call of a round counts.
    """

    runs_beside_compiling = False

    def __init__(self, repeats: bool = True) -> None:
        self.repeats = repeats

    def times(self, call: Action, before: Action, after: Action, count: int) -> list[float]:
        taken = []
        for _ in range(count):
            before()
            start = time.perf_counter()
            call()
            taken.append((time.perf_counter() - start) * 1e3)
            after()
        return taken

    def summary(self, times: list[float]) -> float:
        return min(times)


class CudaClock:
    """Events around each call, on PyTorch's current stream; the L2 cache is flushed before it.

    Args:
        device: The device of the calls, such as "cuda:1" or "hip:1".
    """

    runs_beside_compiling = True
    repeats = True

    def __init__(self, device: str) -> None:
        torch: Any = sys.modules.get("torch")
        if torch is None:
            raise DeviceError("autotuning on a GPU needs PyTorch, which is not imported")
        self._torch = torch
        self._device = torch_name(device)
        self._flush = flush_buffer(torch, self._device)

    def times(self, call: Action, before: Action, after: Action, count: int) -> list[float]:
        # Events belong to the current device.
        with self._torch.cuda.device(self._device):
            return self._times(call, before, after, count)

    def _times(self, call: Action, before: Action, after: Action, count: int) -> list[float]:
        events = []
        for _ in range(count):
            start, end = (self._torch.cuda.Event(enable_timing=True) for _ in range(2))
            before()
            self._flush.zero_()
            start.record()
            call()
            end.record()
            after()
            events.append((start, end))
        self._torch.cuda.synchronize()
        return [float(start.elapsed_time(end)) for start, end in events]

    def summary(self, times: list[float]) -> float:
        return statistics.median(times)


def clock_for(target: Target, device: str) -> Clock:
    """The clock for a launch. An emulated GPU is timed by one call, as it is slow."""
    if target_kinds()[target.kind].device_kind != "cpu":
        return CudaClock(device)
    return HostClock(repeats=target.kind != "emulator")
