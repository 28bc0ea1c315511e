"""Helpers to test and time kernels, with the names and arguments of `triton.testing`."""

from tilewright.testing.benchmark import Benchmark as Benchmark
from tilewright.testing.closeness import assert_close as assert_close
from tilewright.testing.cuda_graph import do_bench_cudagraph as do_bench_cudagraph
from tilewright.testing.perf_report import Mark as Mark
from tilewright.testing.perf_report import perf_report as perf_report
from tilewright.testing.timing import compare as compare
from tilewright.testing.timing import do_bench as do_bench

__all__ = [
    "Benchmark",
    "Mark",
    "assert_close",
    "compare",
    "do_bench",
    "do_bench_cudagraph",
    "perf_report",
]
