"""Names of Triton for types: annotations, and the types of values that are no tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import ConstantError, TypeMismatchError
from tilewright.language import dtypes
from tilewright.language.constexpr import builtin, constant_bool, constant_int, constexpr_value
from tilewright.language.descriptor import ByValueType, parse_descriptor
from tilewright.language.dtypes import dtype

__all__ = ["const", "constexpr_type", "slice", "str_to_ty", "tuple_type"]

slice = slice  # `tl.slice(start, stop)` is Python's own


class const:
    """The annotation of a pointer through which the kernel must not write."""


class constexpr_type:
    """The type of a constant. Constants of one type are equal.

    Attributes:
        value: The constant, a Python object.
    """

    def __init__(self, value: Any) -> None:
        self.value = constexpr_value(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, constexpr_type) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash((type(self), self.value))

    def __repr__(self) -> str:
        return f"constexpr_type[{self.value}]"


class tuple_type:
    """The type of a tuple: those of its items, and their names if it is a named one.

    Attributes:
        types: The types.
        fields: The names, or None.
    """

    def __init__(self, types: Sequence[Any], fields: Sequence[str] | None = None) -> None:
        self.types = list(types)
        self.fields = None if fields is None else list(fields)

    def __iter__(self) -> Any:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)

    def __getitem__(self, index: int) -> Any:
        return self.types[index]

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, tuple_type) and self.types == other.types
        return same and self.fields == getattr(other, "fields", None)

    def __hash__(self) -> int:
        return hash((tuple(self.types), tuple(self.fields or ())))

    def __repr__(self) -> str:
        return f"tuple_type[{', '.join(map(str, self.types))}]"


def str_to_ty(name: Any, c: Any = None) -> dtype | constexpr_type:
    """The type with a name of Triton's signatures: "*fp32", "*ki32", "i64", "constexpr".

    Args:
        name: The name.
        c: Ignored.

    Raises:
        TypeMismatchError: There is no such type.
    """
    text = constexpr_value(name)
    if text == "constexpr":
        return constexpr_type(None)
    if not isinstance(text, str):
        raise TypeMismatchError(f"the name of a type is a text, found {text!r}")
    found = parse_descriptor(text).type
    if isinstance(found, ByValueType):
        raise TypeMismatchError(f"'{text}' does not describe the type of a value")
    return found


@builtin
def get_int_dtype(bitwidth: Any, signed: Any) -> dtype:
    """The integer dtype with this many bits: 1, 8, 16, 32 or 64. One bit has no sign.

    Raises:
        ConstantError: There is no such dtype.
    """
    bits, is_signed = constant_int(bitwidth, "bitwidth"), constant_bool(signed, "signed")
    name = "int1" if bits == 1 else f"{'' if is_signed else 'u'}int{bits}"
    if bits not in (1, 8, 16, 32, 64):
        raise ConstantError(f"there is no integer dtype of {bits} bits")
    found: dtype = getattr(dtypes, name)
    return found
