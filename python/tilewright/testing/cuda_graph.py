"""Times a function with CUDA graphs, which excludes the host's time of each launch."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tilewright.errors import BenchmarkError, DeviceError
from tilewright.testing.summary import check_summary, summarize
from tilewright.testing.timing import cuda_times, flush_buffer, gradient_reset

_REPLAYS = 10
_MOST_CALLS = 1000


def do_bench_cudagraph(
    fn: Callable[[], object],
    rep: float = 20,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> float | list[float]:
    """The time of one call in milliseconds, measured with CUDA graphs of many calls.

    A graph of n calls, each after a flush of the L2 cache, is replayed 10 times. Each replay gives
    one time: that of the graph minus that of a graph of the flushes only, divided by n.

    Args:
        fn: The function to time; CUDA must be able to capture it, so it must not synchronize.
        rep: The time of the calls of one graph, in milliseconds; at least one call, at most 1,000.
        grad_to_none: Tensors whose `grad` is set to None before each call.
        quantiles: The quantiles of the 10 times to return, each from 0 (the shortest) to 1.
        return_mode: What to return without quantiles: "min", "max", "mean", "median" or "all".

    Returns:
        Milliseconds: a number, or a list for several quantiles or "all".

    Raises:
        BenchmarkError: `return_mode` is unknown, a quantile is out of range, or an element of
            `grad_to_none` is not a tensor.
        DeviceError: PyTorch is not imported or has no CUDA device.
    """
    check_summary(quantiles, return_mode)
    reset = gradient_reset(grad_to_none)
    torch: Any = sys.modules.get("torch")
    if not torch or not torch.cuda.is_available():
        missing = "PyTorch has none" if torch else "PyTorch is not imported"
        raise DeviceError(f"do_bench_cudagraph needs a CUDA device, but {missing}")
    # A stream that captures must not be the default stream.
    with torch.cuda.stream(torch.cuda.Stream()):
        times = _graph_times(torch, fn, rep, reset)
    return summarize(times, quantiles, return_mode)


def _graph_times(
    torch: Any, fn: Callable[[], object], rep: float, reset: Callable[[], None]
) -> list[float]:
    fn()
    estimate = max(statistics.mean(cuda_times(torch, fn, 5, reset)), 1e-6)
    count = min(max(1, int(rep / estimate)), _MOST_CALLS)
    buffer = flush_buffer(torch)

    def call() -> None:
        reset()
        buffer.zero_()
        fn()

    calls, flushes = _capture(torch, call, count), _capture(torch, buffer.zero_, count)
    pairs = [(_replay(torch, flushes), _replay(torch, calls)) for _ in range(_REPLAYS)]
    return [(with_calls - without) / count for without, with_calls in pairs]


def _capture(torch: Any, fn: Callable[[], object], count: int) -> Any:
    """A graph of a number of calls."""
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            for _ in range(count):
                fn()
    except RuntimeError as error:
        raise BenchmarkError(f"the function can't be captured in a CUDA graph: {error}") from error
    return graph


def _replay(torch: Any, graph: Any) -> float:
    """The time of the graph in milliseconds."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(end))
