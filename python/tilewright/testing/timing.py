"""Times functions, alone or side by side, with the clock of the host or of a CUDA device."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilewright.errors import BenchmarkError
from tilewright.testing.summary import check_summary, summarize


def do_bench(
    fn: Callable[[], object],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence[Any] | None = None,
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
        grad_to_none: Tensors whose `grad` is set to None before each timed call, so that a backward
            pass stores its gradients instead of adding them to those of the previous call.
        quantiles: The quantiles of the times to return, each from 0 (the shortest) to 1.
        return_mode: What to return without quantiles: "min", "max", "mean", "median", or "all"
            for all times in order of measurement.
        device: The device to time, "cpu" or "cuda"; by default "cuda" if PyTorch has initialized
            CUDA, else "cpu".

    Returns:
        Milliseconds: a number, or a list for several quantiles or "all".

    Raises:
        BenchmarkError: `return_mode` or `device` is unknown, a quantile is out of range, an element
            of `grad_to_none` is not a tensor, or PyTorch is not imported and `device` is "cuda".
    """
    check_summary(quantiles, return_mode)
    reset = gradient_reset(grad_to_none)
    fn()
    take_times = _take_times_of(device)
    estimate = max(statistics.mean(take_times(fn, 5, reset)), 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    times = take_times(fn, max(1, int(rep / estimate)), reset)
    return summarize(times, quantiles, return_mode)


def gradient_reset(tensors: Sequence[Any] | None) -> Callable[[], None]:
    """A function that sets the `grad` of the tensors to None."""
    if hasattr(tensors, "grad"):
        # Iterating over a tensor gives its rows, whose gradients are not the tensor's.
        raise BenchmarkError("grad_to_none must be a list of tensors, not one tensor")
    kept = list(tensors or ())
    for tensor in kept:
        if not hasattr(tensor, "grad"):
            name = type(tensor).__name__
            raise BenchmarkError(f"grad_to_none must be a list of tensors; it has a {name}")

    def reset() -> None:
        for tensor in kept:
            tensor.grad = None

    return reset


def _no_reset() -> None:
    pass


# Measures a number of calls; the second function is called before each, outside of its time.
_TakeTimes = Callable[[Callable[[], object], int, Callable[[], None]], list[float]]


def _take_times_of(device: str | None) -> _TakeTimes:
    """The function that measures the times of calls, in milliseconds."""
    torch: Any = sys.modules.get("torch")
    if device not in (None, "cpu", "cuda"):
        raise BenchmarkError(f"device must be 'cpu' or 'cuda', not {device!r}")
    if device is None and torch and torch.cuda.is_initialized():
        device = "cuda"
    if device != "cuda":
        return _host_times
    if not torch:
        raise BenchmarkError("timing on a CUDA device needs PyTorch, which is not imported")
    return lambda fn, count, reset: cuda_times(torch, fn, count, reset)


def _host_times(
    fn: Callable[[], object], count: int, reset: Callable[[], None] = _no_reset
) -> list[float]:
    times = []
    for _ in range(count):
        reset()
        start = time.perf_counter()
        fn()
        times.append((time.perf_counter() - start) * 1e3)
    return times


# Larger than the L2 cache of any device.
_FLUSH_BYTES = 256 << 20


def flush_buffer(torch: Any, device: Any = "cuda") -> Any:
    """A buffer on a device; writing to it evicts all else from the L2 cache."""
    return torch.empty(_FLUSH_BYTES, dtype=torch.int8, device=device)


def cuda_times(
    torch: Any, fn: Callable[[], object], count: int, reset: Callable[[], None] = _no_reset
) -> list[float]:
    """The times on the device; all calls are queued before the first synchronization."""
    flush = flush_buffer(torch)
    starts, ends = ([torch.cuda.Event(enable_timing=True) for _ in range(count)] for _ in range(2))
    for start, end in zip(starts, ends, strict=True):
        reset()
        flush.zero_()
        start.record()
        fn()
        end.record()
    torch.cuda.synchronize()
    return [float(start.elapsed_time(end)) for start, end in zip(starts, ends, strict=True)]


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
            times[name] += take_times(function, calls, _no_reset)
    return {name: statistics.median(taken) / 1e3 for name, taken in times.items()}
