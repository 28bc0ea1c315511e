"""Bytes that a kernel takes by value, as the kernel sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright.errors import CompileError, ConstantError, TypeMismatchError
from tilewright.language._build import emit, i32_attr
from tilewright.language.constexpr import constexpr_value, describe
from tilewright.language.descriptor import ByValueType
from tilewright.language.dtypes import dtype
from tilewright.language.tensor import tensor

if TYPE_CHECKING:
    from tilewright import _core


class ParameterBytes:
    """What a `ByValue` (value.py) is in a kernel: one part of a structure, which nothing changes.

    Attributes:
        handle: The value in the IR.
        type: The number of bytes and their alignment.
    """

    known = None  # unlike those of a tensor, which can be compiled in

    def __init__(self, handle: _core.Value, type: ByValueType) -> None:
        self.handle = handle
        self.type = type

    def read(self, offset: Any, type: Any) -> tensor:
        """The number or pointer at an offset.

        Args:
            offset: A constant number of bytes, a multiple of the size of the type.
            type: An integer or float type of 8 to 64 bits, or a pointer type. The types of eight
                bits are the integers; a bitcast makes other ones of them.

        Raises:
            CompileError: The offset is not a multiple of the size, or not all bytes are inside.
            ConstantError: The offset is not a constant integer.
            TypeMismatchError: The type is none of those.
        """
        start, element = constexpr_value(offset), constexpr_value(type)
        if isinstance(start, bool) or not isinstance(start, int):
            raise ConstantError(f"an offset must be a constant integer, found {describe(start)}")
        if not isinstance(element, dtype) or element.is_block() or not _has_bytes(element):
            raise TypeMismatchError(
                f"cannot read {describe(element)}",
                hint="read integers, floats of 16 to 64 bits or pointers",
            )
        size = 8 if element.is_ptr() else element.itemsize
        if start % size or not 0 <= start <= self.type.bytes - size:
            raise CompileError(
                f"cannot read {element} at offset {start} of {self.type.bytes} bytes",
                hint=f"the offset must be a multiple of {size}, and at most "
                f"{self.type.bytes - size}",
            )
        return emit("tile.read_bytes", [self], {"offset": i32_attr(start)}, type=element)

    def __repr__(self) -> str:
        return f"ParameterBytes({self.type})"


def _has_bytes(type: dtype) -> bool:
    if type.is_ptr():
        return True
    return (type.is_int() and not type.is_bool()) or type.is_standard_floating()
