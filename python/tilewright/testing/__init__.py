"""Functions to test and time kernels, with the names and arguments of `triton.testing`.

closeness.py          assert_close
timing.py             do_bench, and compare, which interleaves functions
cuda_graph.py         do_bench_cudagraph
summary.py            quantiles and return_mode
benchmark.py          Benchmark: the description of a plot
perf_report.py        the decorator, and Mark, whose `run` measures
measure.py            calls a function for each point and line
table.py              the results
plot.py               matplotlib's plots of them
html_report.py        a page with all plots and tables
peak.py               peak rates of devices
device_properties.py  what the rates are computed from
nvidia_smi.py         nvsmi and set_gpu_clock
memcheck.py           cuda_memcheck
optional.py           imports packages that only some functions need
"""

from tilewright.testing.benchmark import Benchmark as Benchmark
from tilewright.testing.closeness import assert_close as assert_close
from tilewright.testing.cuda_graph import do_bench_cudagraph as do_bench_cudagraph
from tilewright.testing.memcheck import cuda_memcheck as cuda_memcheck
from tilewright.testing.nvidia_smi import nvsmi as nvsmi
from tilewright.testing.nvidia_smi import set_gpu_clock as set_gpu_clock
from tilewright.testing.peak import get_dram_gbps as get_dram_gbps
from tilewright.testing.peak import get_max_simd_tflops as get_max_simd_tflops
from tilewright.testing.peak import get_max_tensorcore_tflops as get_max_tensorcore_tflops
from tilewright.testing.perf_report import Mark as Mark
from tilewright.testing.perf_report import perf_report as perf_report
from tilewright.testing.timing import compare as compare
from tilewright.testing.timing import do_bench as do_bench

__all__ = [
    "Benchmark",
    "Mark",
    "assert_close",
    "compare",
    "cuda_memcheck",
    "do_bench",
    "do_bench_cudagraph",
    "get_dram_gbps",
    "get_max_simd_tflops",
    "get_max_tensorcore_tflops",
    "nvsmi",
    "perf_report",
    "set_gpu_clock",
]
