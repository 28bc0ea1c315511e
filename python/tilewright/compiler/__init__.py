"""Compiles a kernel and its signature to machine code.

pipeline.py     compile(): looks in memory and in the cache, else runs the stages in order
request.py      a compilation request, and its cache keys
options.py      num_warps, num_stages, debug, ...
targets.py      "cpu", "cpu:avx2", "cuda:90a", ...
assembler.py, disassembler.py  find NVIDIA's assembler, and its disassembler
stages.py       front end and core; reports failures with positions and a reproducer
diagnostics.py  converts the core's diagnostics to CompileError
kernel.py       CompiledKernel
metadata.py     its metadata, with attributes
assembly.py     its texts and code, as a mapping
sources.py      ASTSource: a kernel and what it is compiled for
gpu_target.py   GPUTarget("cuda", 90, 32)
direct_launch.py, launch_metadata.py  launching a CompiledKernel; what hooks are told
streams.py      the current stream
log.py          TILEWRIGHT_LOG=compiles: what was compiled, why, and how long it took
core.py         the extension module
"""

from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.options import Options
from tilewright.compiler.pipeline import compile
from tilewright.compiler.targets import Target, resolve_target

__all__ = ["CompiledKernel", "Options", "Target", "compile", "resolve_target"]
