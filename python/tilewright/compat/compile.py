"""`triton.compile`, with what PyTorch's Inductor needs of it besides.

Inductor compiles its kernels from signatures, and launches what it gets in one of two ways:

    compiled.run(...)       verifies what the code assumes, as every launch of Tilewright
    its static launcher     loads a cubin from the folder of the kernel, and passes it the arguments

Code for the first way may assume that arrays do not overlap, which is what decides whether loops
vectorize. The second way needs code without assumptions; the file exists only for such kernels.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from tilewright.compat.cache import FileCacheManager, base32
from tilewright.compiler import ast_source
from tilewright.compiler.backend import BackendOptions
from tilewright.compiler.gpu_target import GPUTarget, current_target
from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.sources import ASTSource

_INDUCTOR = "torch._inductor."


def compile(
    src: ASTSource,
    target: GPUTarget | str | None = None,
    options: Mapping[str, Any] | BackendOptions | None = None,
) -> CompiledKernel:
    """Compiles a kernel for a signature; see tilewright.compiler.ast_source.compile.

    A target "cpu" without an architecture is where kernels on tensors in host memory run: an
    emulated GPU, if TILEWRIGHT_TARGET names one.

    Raises:
        As tilewright.compiler.ast_source.compile.
    """
    if isinstance(src, ASTSource) and str(src.fn.__module__).startswith(_INDUCTOR):
        src.noalias = True
    kernel = ast_source.compile(src, _on_host(target), options)
    if os.environ.get("TRITON_CACHE_DIR") and can_launch_alone(kernel):
        _write_files(kernel)
    return kernel


def _on_host(target: Any) -> Any:
    if getattr(target, "backend", None) != "cpu" or target.arch:
        return target
    chosen = current_target()
    return chosen if chosen is not None and chosen.kind == "emulator" else target


def can_launch_alone(kernel: CompiledKernel) -> bool:
    """Whether a program can launch the kernel's cubin with nothing but the arguments.

    The code must assume nothing of a launch, have one parameter for each argument, in order, and
    run with 32 * num_warps threads. Halves are excluded because Inductor passes them as float32.
    """
    metadata = kernel.metadata
    if not kernel.target.startswith("cuda:") or not isinstance(kernel.src, ASTSource):
        return False
    types = [type for type in kernel.src.signature.values() if type != "constexpr"]
    pointers = sum(str(type).startswith("*") for type in types)
    slots = metadata["slots"]
    assumes = kernel.launch_conditions or kernel.tensor_maps
    return (
        not assumes
        and (pointers < 2 or not kernel.src.noalias)
        and all(isinstance(type, str) and type not in ("fp16", "bf16") for type in types)
        and len(slots) == len(types)
        and slots == sorted(slots)
        and min(slots, default=0) >= 0
        and metadata["threads"] == 32 * metadata.num_warps
        and not (metadata.persistent or metadata.launch_pdl or metadata.launch_cooperative_grid)
    )


def _write_files(kernel: CompiledKernel) -> None:
    """Writes `<name>.cubin` and `<name>.json` into TRITON_CACHE_DIR/<base32 of the hash>."""
    folder = FileCacheManager(base32(kernel.hash))
    if folder.has_file(f"{kernel.name}.json"):
        return
    described = {**kernel.metadata._asdict(), "hash": kernel.hash}
    folder.put(kernel.asm["cubin"], f"{kernel.name}.cubin")
    folder.put(json.dumps(described, default=vars), f"{kernel.name}.json")
