"""Times functions, alone and side by side, by the clock of the host or of a CUDA device."""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_SUMMARIES: dict[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "mean": statistics.mean,
    "median": statistics.median,
}


def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
    device: str | None = None,
) -> float | list[float]:
    """The time of one call of a function in milliseconds, as Triton's `do_bench` measures it.

    A first call, which may compile, is not counted. A launch on the CPU has ended when it returns,
    so that the clock on the wall tells its time; what is in the processor's caches stays there. On
    a CUDA device the events around a call tell it, and the second-level cache is emptied before.

    Args:
        fn: What to time.
        warmup: For how many milliseconds to call it before times are taken; at least once.
        rep: For how many milliseconds to take times; at least one is taken.
        quantiles: Which quantiles of the times to return, each from 0 (the shortest) to 1.
        return_mode: Without quantiles, what to return: "min", "max", "mean", "median", or "all"
            of the times in the order in which they were taken.
        device: Whose time, "cpu" or "cuda"; without it "cuda" where PyTorch has used that.

    Returns:
        Milliseconds: a number; or a list for several quantiles or "all".

    Raises:
        ValueError: an unknown `return_mode`, or a quantile out of range.
    """
    if return_mode != "all" and return_mode not in _SUMMARIES:
        known = ", ".join([*_SUMMARIES, "all"])
        raise ValueError(f"return_mode is one of {known}, not {return_mode!r}")
    if any(not 0 <= q <= 1 for q in quantiles or ()):
        raise ValueError(f"quantiles are from 0 to 1, not {quantiles}")
    fn()
    take_times = _take_times_of(device)
    estimate = max(statistics.mean(take_times(fn, 5)), 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    times = take_times(fn, max(1, int(rep / estimate)))
    if quantiles is not None:
        found = [_quantile(times, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    return times if return_mode == "all" else _SUMMARIES[return_mode](times)


def _take_times_of(device: str | None) -> Callable[[Callable[[], object], int], list[float]]:
    """The function that takes the times of so many calls, in milliseconds."""
    torch: Any = sys.modules.get("torch")
    if device not in (None, "cpu", "cuda"):
        raise ValueError(f"device is 'cpu' or 'cuda', not {device!r}")
    if device is None and torch and torch.cuda.is_initialized():
        device = "cuda"
    if device != "cuda":
        return _host_times
    if not torch:
        raise ValueError("times on a CUDA device are taken by PyTorch, which is not imported")
    return lambda fn, count: _cuda_times(torch, fn, count)


def _host_times(fn: Callable[[], object], count: int) -> list[float]:
    times = []
    for _ in range(count):
        start = time.perf_counter()
        fn()
        times.append((time.perf_counter() - start) * 1e3)
    return times


# More than the second-level cache of any device.
_FLUSH_BYTES = 256 << 20


def _cuda_times(torch: Any, fn: Callable[[], object], count: int) -> list[float]:
    """The device's times; calls are queued one behind the other."""
    flush = torch.empty(_FLUSH_BYTES, dtype=torch.int8, device="cuda")
    starts, ends = ([torch.cuda.Event(enable_timing=True) for _ in range(count)] for _ in range(2))
    for start, end in zip(starts, ends, strict=True):
        flush.zero_()
        start.record()
        fn()
        end.record()
    torch.cuda.synchronize()
    return [float(start.elapsed_time(end)) for start, end in zip(starts, ends, strict=True)]


def _quantile(times: Sequence[float], q: float) -> float:
    """Interpolated linearly between the two times around it."""
    ordered = sorted(times)
    place = q * (len(ordered) - 1)
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))


# Seconds after which an idle OpenMP thread, which polls for work at first, sleeps for good.
PAUSE = 0.05


def compare(
    functions: Mapping[str, Callable[[], object]],
    rounds: int = 30,
    warmup: int = 3,
    calls: int = 3,
    device: str | None = None,
) -> dict[str, float]:
    """The median time in seconds of one call of each function.

    The functions take turns, so that what else the machine does, and how fast its clock runs,
    hits all of them alike. A turn is one call to wake up and `calls` calls that count. On the host
    a pause comes before, in which the threads of the others stop waiting for work at the expense
    of this one.

    Args:
        functions: What to time, by name.
        rounds, warmup: How many turns each function has, and how many calls before all of them.
        device: Whose time, "cpu" or "cuda"; without it "cuda" where PyTorch has used that.
    """
    for _ in range(warmup):
        for function in functions.values():
            function()
    take_times = _take_times_of(device)
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            if take_times is _host_times:
                time.sleep(PAUSE)
            function()
            times[name] += take_times(function, calls)
    return {name: statistics.median(taken) / 1e3 for name, taken in times.items()}
