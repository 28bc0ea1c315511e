"""The functions of `triton.language.target_info`: which GPU a kernel is compiled for.

In a kernel they are constants; an emulated GPU is the GPU that it emulates. In Python code they
describe the active driver's target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.language._context import current, is_building
from tilewright.language.constexpr import builtin, constant_int, constexpr

__all__ = [
    "cuda_capability_geq", "current_target", "is_cuda", "is_hip", "is_hip_cdna3", "is_hip_cdna4",
    "is_hip_gfx1250",
]  # fmt: skip


def _target() -> Any:
    if is_building():
        return current().target
    from tilewright.runtime.driver import driver

    return driver.active.get_current_target()


def _constant(function: Callable[..., Any]) -> Any:
    """Makes the result a constant in kernels; in Python code it is a plain value."""

    def call(*args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        return constexpr(value) if is_building() else value

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return builtin(call)


@_constant
def current_target() -> Any:
    """The target, with `backend` ("cuda", "cpu"), `arch` (such as 90) and `warp_size`."""
    return _target()


@_constant
def is_cuda() -> bool:
    """Whether the target is an NVIDIA GPU."""
    return _is("cuda")


@_constant
def cuda_capability_geq(major: Any, minor: Any = 0) -> bool:
    """Whether the target is an NVIDIA GPU of this compute capability or a later one."""
    wanted = constant_int(major, "major"), constant_int(minor, "minor")
    return _is("cuda") and divmod(_target().arch, 10) >= wanted


@_constant
def is_hip() -> bool:
    """Whether the target is an AMD GPU."""
    return _is("hip")


@_constant
def is_hip_cdna3() -> bool:
    """Whether the target is an AMD GPU with the architecture CDNA 3."""
    return _is("hip") and str(_target().arch) == "gfx942"


@_constant
def is_hip_cdna4() -> bool:
    """Whether the target is an AMD GPU with the architecture CDNA 4."""
    return _is("hip") and str(_target().arch) == "gfx950"


@_constant
def is_hip_gfx1250() -> bool:
    """Whether the target is an AMD GPU with the architecture gfx1250."""
    return _is("hip") and str(_target().arch) == "gfx1250"


def _is(backend: str) -> bool:
    target = _target()
    return target is not None and target.backend == backend
