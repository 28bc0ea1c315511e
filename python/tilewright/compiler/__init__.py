"""Compiles a kernel and its signature to machine code.

pipeline.py           compile(): looks in memory and in the cache, else runs the stages in order
request.py            a compilation request, and its cache keys
options.py            num_warps, num_stages, debug, ...
extern_libs.py        the option for libraries of bitcode
targets.py            "cpu", "cpu:avx2", "cuda:90a", ...
assembler.py          finds NVIDIA's assembler
ir_override.py        a file of Tile IR in place of what the front end builds
stages.py             front end and core; reports failures with positions and a reproducer
collection.py         postpones Python's garbage collector
diagnostics.py        converts the core's diagnostics to CompileError
kernel.py             CompiledKernel
log.py                TILEWRIGHT_LOG=compiles: what was compiled, why, and how long it took
schedule.py           explain(): what passes decided, for `tilewright explain`
schedule_text.py      its text
core.py               the extension module

A CompiledKernel as programs for Triton see it:

kernel_attributes.py  num_warps, packed_metadata, function, ...
metadata.py           its metadata, with attributes
assembly.py           its texts and code, as a mapping
disassembler.py       finds and runs nvdisasm
direct_launch.py      compiled[grid](...)
launch_alone.py       whether a program can launch a cubin itself
relaxed.py            a variant of a kernel that assumes less of its launches
launch_metadata.py    what hooks get of a launch
streams.py            the current stream

A compilation as programs for Triton request it:

ast_source.py         compile(ASTSource(...), target, options)
sources.py            ASTSource: a kernel and what it is compiled for
gpu_target.py         GPUTarget("cuda", 90, 32)
backend.py            the options of a target
foreign_options.py    options of Triton that are accepted and ignored
"""

from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.options import Options
from tilewright.compiler.pipeline import compile
from tilewright.compiler.targets import Target, resolve_target

__all__ = ["CompiledKernel", "Options", "Target", "compile", "resolve_target"]
