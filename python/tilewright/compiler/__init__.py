"""From a kernel and its signature to machine code.

pipeline.py     compile(): look in memory, look in the cache, else run the stages in order
request.py      what is asked for, and the keys that stand for it
options.py      num_warps, num_stages, debug, ...
assembler.py    where NVIDIA's assembler is
targets.py      "cpu", "cpu:avx2", "cuda:90a", ...
target_cpu.py   what is particular to the CPU: names, keys, loading
target_cuda.py  the same of NVIDIA's GPUs
target_emulator.py  of emulated ones
stages.py       front end, core; failures become errors with positions and a reproducer
diagnostics.py  the core's diagnostics as CompileError
kernel.py       CompiledKernel
log.py          TILEWRIGHT_LOG=compiles: what was compiled, why, and how long it took
core.py         the extension module
"""

from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.options import Options
from tilewright.compiler.pipeline import compile
from tilewright.compiler.targets import Target, resolve_target

__all__ = ["CompiledKernel", "Options", "Target", "compile", "resolve_target"]
