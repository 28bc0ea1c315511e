"""Times functions, alone and side by side."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

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
) -> float | list[float]:
    """The time of one call of a function in milliseconds, as Triton's `do_bench` measures it.

    A first call, which may compile, is not counted. A launch on the CPU has ended when it returns,
    so that the clock on the wall tells its time; what is in the processor's caches stays there.

    Args:
        fn: What to time.
        warmup: For how many milliseconds to call it before times are taken; at least once.
        rep: For how many milliseconds to take times; at least one is taken.
        quantiles: Which quantiles of the times to return, each from 0 (the shortest) to 1.
        return_mode: Without quantiles, what to return: "min", "max", "mean", "median", or "all"
            of the times in the order in which they were taken.

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
    estimate = max(statistics.mean(_host_times(fn, 5)), 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    times = _host_times(fn, max(1, int(rep / estimate)))
    if quantiles is not None:
        found = [_quantile(times, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    return times if return_mode == "all" else _SUMMARIES[return_mode](times)


def _host_times(fn: Callable[[], object], count: int) -> list[float]:
    """Milliseconds of each of so many calls that end when they return.

    A device with a queue of its own gets a function like this one, that takes the device's times.
    """
    times = []
    for _ in range(count):
        start = time.perf_counter()
        fn()
        times.append((time.perf_counter() - start) * 1e3)
    return times


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
) -> dict[str, float]:
    """The median time in seconds of one call of each function.

    The functions take turns, so that what else the machine does, and how fast its clock runs,
    hits all of them alike. A turn is a pause, in which the threads of the others stop waiting
    for work at the expense of this one, one call to wake up, and `calls` calls that count.
    """
    for _ in range(warmup):
        for function in functions.values():
            function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            time.sleep(PAUSE)
            function()
            for _ in range(calls):
                start = time.perf_counter()
                function()
                times[name].append(time.perf_counter() - start)
    return {name: statistics.median(taken) for name, taken in times.items()}
