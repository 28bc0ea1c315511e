"""Times functions, alone or side by side, with the clock of the host or of a CUDA device."""

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

    A first call, which may compile, is not timed. On the CPU a launch has completed when it
    returns, so the wall clock is used; the processor's caches are not flushed. On a CUDA device,
    events around each call are used, and the L2 cache is flushed before it.

    Args:
        fn: The function to time.
        warmup: How long to call it before timing, in milliseconds; at least once.
        rep: How long to time it, in milliseconds; at least one call.
        quantiles: The quantiles of the times to return, each from 0 (the shortest) to 1.
        return_mode: What to return without quantiles: "min", "max", "mean", "median", or "all"
            for all times in order of measurement.
        device: The device to time, "cpu" or "cuda"; by default "cuda" if PyTorch has initialized
            CUDA, else "cpu".

    Returns:
        Milliseconds: a number, or a list for several quantiles or "all".

    Raises:
        ValueError: `return_mode` or `device` is unknown, a quantile is out of range, or PyTorch is
            not imported and `device` is "cuda".
    """
    if return_mode != "all" and return_mode not in _SUMMARIES:
        known = ", ".join([*_SUMMARIES, "all"])
        raise ValueError(f"return_mode must be one of {known}, not {return_mode!r}")
    if any(not 0 <= q <= 1 for q in quantiles or ()):
        raise ValueError(f"quantiles must be between 0 and 1, not {quantiles}")
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
    """The function that measures the times of a number of calls, in milliseconds."""
    torch: Any = sys.modules.get("torch")
    if device not in (None, "cpu", "cuda"):
        raise ValueError(f"device must be 'cpu' or 'cuda', not {device!r}")
    if device is None and torch and torch.cuda.is_initialized():
        device = "cuda"
    if device != "cuda":
        return _host_times
    if not torch:
        raise ValueError("timing on a CUDA device needs PyTorch, which is not imported")
    return lambda fn, count: _cuda_times(torch, fn, count)


def _host_times(fn: Callable[[], object], count: int) -> list[float]:
    times = []
    for _ in range(count):
        start = time.perf_counter()
        fn()
        times.append((time.perf_counter() - start) * 1e3)
    return times


# Larger than the L2 cache of any device.
_FLUSH_BYTES = 256 << 20


def _cuda_times(torch: Any, fn: Callable[[], object], count: int) -> list[float]:
    """The times on the device; all calls are queued before the first synchronization."""
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
    """The quantile, interpolated linearly between the two nearest times."""
    ordered = sorted(times)
    place = q * (len(ordered) - 1)
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))


# Seconds after which idle OpenMP threads have stopped spinning for work and sleep.
PAUSE = 0.05


def compare(
    functions: Mapping[str, Callable[[], object]],
    rounds: int = 30,
    warmup: int = 3,
    calls: int = 3,
    device: str | None = None,
) -> dict[str, float]:
    """The median time in seconds of one call of each function.

    The functions alternate, so that other load and clock frequency changes affect all of them
    equally. In each round a function is called once to warm up and then `calls` times to measure.
    On the host, each function's calls are preceded by a pause in which the other functions' worker
    threads stop spinning.

    Args:
        functions: The functions to time, by name.
        rounds: How often the functions alternate.
        warmup: The number of calls of each function before the first round.
        calls: The number of timed calls per function and round.
        device: The device to time, "cpu" or "cuda"; by default "cuda" if PyTorch has initialized
            CUDA, else "cpu".
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
