"""Descriptors: the text that describes an argument in the signature of a kernel.

    i32  i32:D  fp32         a number known only at launch; D: divisible by 16
    *fp32  *fp32:D  *kfp32   a pointer; k: not written through; D: its address is divisible by 16
    bytes128a64              128 bytes that are passed by value, aligned to 64

The launcher, the command line and the front end use the functions of this file.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tilewright.errors import TypeMismatchError
from tilewright.language.dtypes import dtype, int1, pointer_type

if TYPE_CHECKING:
    from tilewright import _core

_TYPED = re.compile(r"(?P<pointer>\*k?)?(?P<name>\w+)(?P<divisible>:D)?")
_BYTES = re.compile(r"bytes(\d+)a(\d+)")
_SLOT_BYTES = 8


@dataclass(frozen=True)
class ByValueType:
    """The type of bytes that are passed by value."""

    bytes: int
    alignment: int

    def ir(self, ctx: _core.Context) -> _core.Type:
        return ctx.type(f"!tile.bytes<{self.bytes}, {self.alignment}>")

    def __str__(self) -> str:
        return f"bytes{self.bytes}a{self.alignment}"


class Descriptor(NamedTuple):
    """What a signature says about an argument whose value is known only at launch."""

    type: dtype | ByValueType
    is_divisible: bool = False

    def __str__(self) -> str:
        if isinstance(self.type, ByValueType):
            return str(self.type)
        suffix = ":D" if self.is_divisible else ""
        if self.type.is_ptr():
            return f"*{'k' * self.type.is_const()}{self.type.element_ty.mangle()}{suffix}"
        return ("u1" if self.type == int1 else self.type.mangle()) + suffix

    @property
    def slots(self) -> int:
        """The number of the launch's slots that the argument takes."""
        return self.type.bytes // _SLOT_BYTES if isinstance(self.type, ByValueType) else 1

    def first_slot(self, free: int) -> int:
        """The argument's first slot, if `free` is the first unused one; it is aligned."""
        unit = self.type.alignment // _SLOT_BYTES if isinstance(self.type, ByValueType) else 1
        return (free + unit - 1) // unit * unit


@functools.cache
def parse_descriptor(text: str) -> Descriptor:
    """The descriptor with this text.

    Raises:
        TypeMismatchError: The text is not a descriptor.
    """
    if found := _BYTES.fullmatch(text):
        return Descriptor(ByValueType(int(found[1]), int(found[2])))
    found = _TYPED.fullmatch(text)
    if not found:
        raise TypeMismatchError(f"'{text}' does not describe an argument")
    type = dtype.from_name(found["name"])
    if found["pointer"]:
        type = pointer_type(type, const=found["pointer"] == "*k")
    return Descriptor(type, found["divisible"] is not None)


def describe_typed(name: str, is_pointer: bool, is_divisible: bool) -> str:
    """The text for a number, or for a pointer to elements, of the type with a name."""
    type = dtype.from_name(name)
    return str(Descriptor(pointer_type(type) if is_pointer else type, is_divisible))


def describe_bytes(size: int, alignment: int) -> str:
    """The text for bytes that are passed by value."""
    return str(Descriptor(ByValueType(size, alignment)))
