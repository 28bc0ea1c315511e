"""Launches of a kernel's code by programs, which do not verify what it assumes.

PyTorch's Inductor has two ways to do that: its static launcher, which takes a cubin only if it
finds one, and the code that it generates in C++ (`cpp_wrapper`, AOTInductor), which takes any.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tilewright.compiler.sources import ASTSource
from tilewright.errors import CompatError

if TYPE_CHECKING:
    from tilewright.compiler.kernel import CompiledKernel


def can_launch_alone(kernel: CompiledKernel) -> bool:
    """Whether a program can launch the kernel's code on a GPU with nothing but the arguments.

    The code must assume nothing of a launch, have one parameter for each argument, in order, and
    run with 32 * num_warps threads. Halves are excluded because Inductor passes them as float32.
    """
    metadata = kernel.metadata
    if kernel.runs_on_host or not isinstance(kernel.src, ASTSource):
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


def refuse_wrappers_in_cpp(kernel: CompiledKernel) -> None:
    """Keeps Inductor from generating code in C++ that launches the kernel on a GPU.

    Raises:
        CompatError: Inductor is about to do so, and the kernel can't be launched alone.
    """
    config: Any = sys.modules.get("torch._inductor.config")
    in_cpp = getattr(config, "cpp_wrapper", False) and not kernel.runs_on_host
    if in_cpp and not can_launch_alone(kernel):
        raise CompatError(
            f"kernel '{kernel.name}' can't be launched from C++ (cpp_wrapper, AOTInductor), which "
            f"does not verify what its code assumes of its arguments; use torch.compile without it"
        )
