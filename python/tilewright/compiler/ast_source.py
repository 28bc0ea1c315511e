"""Compiling without arguments, by Triton's names: compile(ASTSource(fn, signature, constexprs)).

    source = ASTSource(add, {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 1024})
    kernel = compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": 8})

The code makes no assumption that the source does not state: arrays may overlap, unless the source
has `noalias`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilewright.compiler.backend import BackendOptions, BaseBackend, make_backend
from tilewright.compiler.core import build_identity
from tilewright.compiler.gpu_target import GPUTarget, target_of
from tilewright.compiler.kernel import CompiledKernel
from tilewright.compiler.options import Options
from tilewright.compiler.pipeline import find_or_compile
from tilewright.compiler.request import Request
from tilewright.compiler.sources import ASTSource
from tilewright.compiler.targets import Target
from tilewright.errors import ArgumentError

__all__ = [
    "ASTSource",
    "BaseBackend",
    "CompiledKernel",
    "GPUTarget",
    "compile",
    "make_backend",
    "triton_key",
]


def compile(
    src: ASTSource,
    target: GPUTarget | Target | str | None = None,
    options: Mapping[str, Any] | BackendOptions | None = None,
) -> CompiledKernel:
    """Compiles a kernel for a signature, or finds it in memory or in the disk cache.

    Args:
        src: The kernel, with the types and constants of its parameters.
        target: The target; by default that of the active driver (tilewright.runtime.driver), which
            in a `with tilewright.emulate(...)` is the emulated GPU.
        options: Options by name, as of a launch, or what `parse_options` of a back end returned.

    Returns:
        The kernel, which `kernel[grid](...)` launches.

    Raises:
        CompileError: The kernel's source can't be compiled.
        OutOfResources: The kernel needs more resources than the target has.
        ArgumentError: `src` is not an ASTSource; an option is unknown, or its value is invalid.
        DeviceError: The target is unknown.
    """
    if not isinstance(src, ASTSource):
        raise ArgumentError(f"compile takes an ASTSource, not {src!r}")
    given = options.chosen() if isinstance(options, BackendOptions) else dict(options or {})
    for name in ("debug", "checks"):
        if (value := getattr(src.fn, name, None)) is not None:
            given.setdefault(name, value)
    if target is None:
        from tilewright.runtime.driver import driver

        target = getattr(driver.active, "target", None) or driver.active.get_current_target()
    names = [parameter.name for parameter in src.fn.params]
    checked = Options.make(given, names)
    request = Request(src.fn, src.entries, target_of(target), checked, src.noalias)
    kernel = find_or_compile(request).kernel
    kernel.set_source(src)
    return kernel


def triton_key() -> str:
    """The version and the build of the compiler; another one may generate other code."""
    from tilewright import __version__

    return f"tilewright {__version__} {build_identity()}"
