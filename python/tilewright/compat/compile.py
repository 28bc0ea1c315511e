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
from tilewright.compiler.launch_alone import can_launch_alone
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
    if os.environ.get("TRITON_CACHE_DIR") and can_launch_alone(kernel) and "cubin" in kernel.asm:
        _write_files(kernel)
    return kernel


def _on_host(target: Any) -> Any:
    if getattr(target, "backend", None) != "cpu" or target.arch:
        return target
    chosen = current_target()
    return chosen if chosen is not None and chosen.kind == "emulator" else target


def _write_files(kernel: CompiledKernel) -> None:
    """Writes `<name>.cubin` and `<name>.json` into TRITON_CACHE_DIR/<base32 of the hash>."""
    folder = FileCacheManager(base32(kernel.hash))
    if folder.has_file(f"{kernel.name}.json"):
        return
    described = {**kernel.metadata._asdict(), "hash": kernel.hash}
    folder.put(kernel.asm["cubin"], f"{kernel.name}.cubin")
    folder.put(json.dumps(described, default=vars), f"{kernel.name}.json")
