"""The text of a signature, as accepted by `tilewright compile --signature`.

Items are separated by commas and correspond to the kernel's parameters in order; `name=item` gives
the parameter explicitly.

    *fp32  *fp32:D      a pointer; D (or 16, as in Triton): its address is divisible by 16
    i32  i32:D  fp32    a number known only at run time; D: divisible by 16
    (i32, *fp16)        a tuple
    1024  "mean"  None  a value: a constant for a constexpr parameter, or if it is 1 or None;
                        otherwise the type that a launch with this argument would have
    fp16  tl.float16    for a constexpr parameter, the dtype

A parameter that has a default may be omitted.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from tilewright.errors import ArgumentError, TypeMismatchError

_SCALARS = (
    *("i1", "u1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"),
    *("fp16", "bf16", "fp32", "fp64", "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"),
)


def parse_signature(text: str, parameters: Sequence[Any]) -> list[Any]:
    """One descriptor, value or tuple per parameter.

    Args:
        text: As described above.
        parameters: The kernel's parameters, with `name`, `is_constexpr` and `default`.

    Raises:
        ArgumentError: The text does not match the parameters.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    given: dict[str, str] = {}
    for index, item in enumerate(split_items(text)):
        name, equals, value = item.partition("=")
        if not (equals and name.strip().isidentifier()):
            if index >= len(parameters):
                raise ArgumentError(f"'{item}' is an extra item: {_expected(parameters)}")
            name, value = parameters[index].name, item
        name = name.strip()
        if name not in by_name:
            raise ArgumentError(f"there is no parameter '{name}': {_expected(parameters)}")
        if name in given:
            raise ArgumentError(f"parameter '{name}' is given twice")
        given[name] = value.strip()
    return [_one(parameter, given.get(parameter.name), parameters) for parameter in parameters]


def split_items(text: str) -> list[str]:
    """Splits at the commas outside of brackets and quotes."""
    items, depth, quote, current = [], 0, "", ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        if char == "," and depth == 0 and not quote:
            items.append(current.strip())
            current = ""
        else:
            current += char
    if current.strip():
        items.append(current.strip())
    return items


def _one(parameter: Any, text: str | None, parameters: Sequence[Any]) -> Any:
    if text is not None:
        return _constant(text) if parameter.is_constexpr else _argument(text, parameter.name)
    default = parameter.default
    if default is inspect.Parameter.empty:
        raise ArgumentError(f"parameter '{parameter.name}' is missing: {_expected(parameters)}")
    return default if parameter.is_constexpr else _descriptor_of(default, parameter.name)


def _constant(text: str) -> Any:
    name = text.removeprefix("tl.").removeprefix("triton.language.")
    if dtype := _dtype(name):
        return dtype
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _dtype(name: str) -> Any:
    import tilewright.language as tl

    if name in _SCALARS:
        return tl.dtype.from_name(name)
    value = getattr(tl, name, None)
    return value if isinstance(value, tl.dtype) else None


def _argument(text: str, name: str) -> Any:
    from tilewright.language.descriptor import parse_descriptor

    if text.lstrip("*").partition(":")[0] in _SCALARS:
        with suppress(TypeMismatchError):
            return str(parse_descriptor(text.replace(":16", ":D")))
    if text.startswith("(") and text.endswith(")"):
        return tuple(_argument(item, name) for item in split_items(text[1:-1]))
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ArgumentError(
            f"'{text}' for parameter '{name}' is neither a type nor a value; "
            f"types are {', '.join(_SCALARS)}, with the prefix * for a pointer and the suffix :D "
            "for divisibility by 16"
        ) from None
    return _descriptor_of(value, name)


def _descriptor_of(value: Any, name: str) -> Any:
    """The descriptor for which a launch with this value would be specialized."""
    from tilewright.language.descriptor import describe_typed

    if value is None:
        return None
    if isinstance(value, bool):
        return describe_typed("u1", False, False)
    if isinstance(value, float):
        return describe_typed("fp32", False, False)
    if isinstance(value, tuple):
        return tuple(_descriptor_of(item, name) for item in value)
    if not isinstance(value, int):
        raise ArgumentError(f"{value!r} can't be passed for parameter '{name}'")
    if value == 1:
        return 1
    kinds = (("i32", -(2**31), 2**31), ("i64", -(2**63), 2**63), ("u64", 0, 2**64))
    for kind, low, high in kinds:
        if low <= value < high:
            return describe_typed(kind, False, value % 16 == 0)
    raise ArgumentError(f"{value} for parameter '{name}' does not fit in 64 bits")


def _expected(parameters: Sequence[Any]) -> str:
    names = [f"{p.name}: constexpr" if p.is_constexpr else p.name for p in parameters]
    return f"the kernel's parameters are ({', '.join(names)})"
