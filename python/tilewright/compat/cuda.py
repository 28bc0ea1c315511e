"""Functions of `triton.language.extra.cuda`.

Launches of Tilewright never overlap: a kernel starts when the one before it in its stream has
completed. `gdc_wait` is then always fulfilled, and `gdc_launch_dependents` is a hint.
"""

from __future__ import annotations

from typing import Any

from tilewright.language._context import current
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin, constexpr
from tilewright.language.tensor import tensor

__all__ = [
    "convert_custom_float8_sm70", "convert_custom_float8_sm80", "gdc_launch_dependents", "gdc_wait",
    "num_threads", "num_warps",
]  # fmt: skip


@builtin
def convert_custom_float8_sm80(
    arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None, _semantic: Any = None
) -> tensor:
    """A conversion from or to float8e4b15: `tl.cast` on every target."""
    return cast(arg, dst_ty, fp_downcast_rounding)


convert_custom_float8_sm70 = convert_custom_float8_sm80


@builtin
def gdc_wait(_semantic: Any = None) -> None:
    """Waits for the kernels that this one depends on, which have completed already."""


@builtin
def gdc_launch_dependents(_semantic: Any = None) -> None:
    """Allows the dependent kernels to start; they start after this kernel."""


@builtin
def num_warps(_semantic: Any = None) -> constexpr:
    """The number of warps of a program, as the launch chose it; a constant."""
    return constexpr(int(current().options.num_warps))


@builtin
def num_threads(_semantic: Any = None) -> constexpr:
    """The number of threads of a program on an NVIDIA GPU; a constant."""
    return constexpr(32 * int(current().options.num_warps))
