"""Functions for NVIDIA's GPUs.

With the option `launch_pdl=True` a launch may start before the previous one in its stream has
ended (programmatic dependent launch, sm_90 and later). `gdc_wait` waits for that one, and
`gdc_launch_dependents` permits the next one to start. They do nothing on the CPU, on emulated GPUs
and on GPUs before sm_90, where a kernel starts when the one before it has ended.
"""

from __future__ import annotations

from typing import Any

from tilewright.errors import UnsupportedError
from tilewright.language._build import emit_void
from tilewright.language._context import current
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin, constexpr
from tilewright.language.dtypes import int32, int64
from tilewright.language.inline_asm import inline_asm_elementwise, is_for_cpu
from tilewright.language.tensor import tensor

__all__ = [
    "convert_custom_float8", "convert_custom_float8_sm70", "convert_custom_float8_sm80",
    "gdc_launch_dependents", "gdc_wait", "globaltimer", "num_threads", "num_warps", "smid",
]  # fmt: skip


@builtin
def gdc_wait(_semantic: Any = None) -> None:
    """Waits until the kernels that this one depends on have ended, and their writes are visible.

    Without `launch_pdl=True` they have ended before this kernel starts. No access to memory moves
    across the wait.
    """
    emit_void("tile.wait_for_grids", [])


@builtin
def gdc_launch_dependents(_semantic: Any = None) -> None:
    """Permits the kernels that depend on this one to start, once all programs have called it.

    Those kernels see the writes of this one after their `gdc_wait`, whether the writes come before
    or after this call.
    """
    emit_void("tile.launch_dependents", [])


@builtin
def convert_custom_float8(
    arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None, has_minx2: Any = True,
    _semantic: Any = None,
) -> tensor:  # fmt: skip
    """`tl.cast`, which converts from and to float8e4b15 on every target.

    Args:
        arg: A scalar or tile.
        dst_ty: The dtype of the result.
        fp_downcast_rounding: As for `tl.cast`.
        has_minx2: Ignored; in Triton, whether the GPU has minima of pairs of floats.

    Raises:
        TypeMismatchError: There is no such conversion, or no such rounding of it.
    """
    value: tensor = cast(arg, dst_ty, fp_downcast_rounding)
    return value


@builtin
def convert_custom_float8_sm70(
    arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None, _semantic: Any = None
) -> tensor:
    """The same as `convert_custom_float8`."""
    return convert_custom_float8(arg, dst_ty, fp_downcast_rounding)


@builtin
def convert_custom_float8_sm80(
    arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None, _semantic: Any = None
) -> tensor:
    """The same as `convert_custom_float8`."""
    return convert_custom_float8(arg, dst_ty, fp_downcast_rounding)


@builtin
def num_warps(_semantic: Any = None) -> constexpr:
    """The number of warps of a program, as the launch chose it; a constant."""
    return constexpr(int(current().options.num_warps))


@builtin
def num_threads(_semantic: Any = None) -> constexpr:
    """The number of threads of a program on an NVIDIA GPU; a constant."""
    return constexpr(32 * int(current().options.num_warps))


@builtin
def globaltimer(_semantic: Any = None) -> tensor:
    """The GPU's clock in nanoseconds, an int64; it is read in order with accesses to memory.

    Raises:
        UnsupportedError: The target is the CPU.
    """
    return _special_register("globaltimer", "u64", "=l", int64)


@builtin
def smid(_semantic: Any = None) -> tensor:
    """The number of the multiprocessor that executes the program, an int32; 0 on an emulated GPU.

    Raises:
        UnsupportedError: The target is the CPU.
    """
    return _special_register("smid", "u32", "=r", int32)


def _special_register(name: str, type: str, constraint: str, result: Any) -> tensor:
    if is_for_cpu():
        raise UnsupportedError(
            f"{name} reads a register of NVIDIA GPUs, which the CPU does not have",
            hint="ask tl.target_info.is_cuda() before, which is a constant",
        )
    text = f"mov.{type} $0, %{name};"
    value: tensor = inline_asm_elementwise(text, constraint, [], result, is_pure=False, pack=1)
    return value
