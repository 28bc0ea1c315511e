"""A variant of a compiled kernel that assumes less of its launches.

A kernel is compiled for arrays that do not share memory, and for sizes with 32-bit addresses, if
its first launch allows that. A program that keeps the compiled kernel may launch it later with
other arrays. The variant is made from the kernel's own Tile IR, because the function or what it
reads may have changed since.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tilewright.compiler.options import Options
from tilewright.compiler.pipeline import find_or_compile
from tilewright.compiler.request import Request
from tilewright.compiler.targets import resolve_target

if TYPE_CHECKING:
    from tilewright.compiler.kernel import CompiledKernel

_KERNEL = re.compile(r"func\.func @[^\n]*")
_NOALIAS = re.compile(r"tile\.noalias, |, tile\.noalias\b| *\{tile\.noalias\}")


def relax(
    kernel: CompiledKernel, noalias: bool, specialize_ranges: bool, tensor_maps: bool
) -> CompiledKernel:
    """The same kernel for launches about which less is known.

    Args:
        kernel: A kernel with its source.
        noalias: Whether the arrays still share no memory, if the kernel assumes that.
        specialize_ranges: Whether the code may still assume ranges of sizes and of the grid.
        tensor_maps: Whether the code may still take tensor maps.
    """
    source = kernel.source
    noalias = noalias and source.noalias
    options = dict(kernel.metadata["options"])
    if not specialize_ranges:
        options["specialize_ranges"] = False
    if not tensor_maps:
        options["tensor_maps"] = False
    text = kernel.source_text()
    if not noalias:
        text = _KERNEL.sub(lambda found: _NOALIAS.sub("", found.group()), text)
    target = resolve_target(kernel.target)
    request = Request(source.fn, source.entries, target, Options.make(options), noalias, text)
    return find_or_compile(request).kernel
