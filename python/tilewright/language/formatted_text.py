"""f-strings of values that are known only at run time, and the format specifications they take."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.errors import CompileError, TypeMismatchError
from tilewright.language.constexpr import constexpr_value, known_value
from tilewright.language.dtypes import dtype
from tilewright.language.tensor import tensor
from tilewright.language.value import register

# What a GPU's printf takes, beyond the program and an element's coordinates.
_MOST_DIGITS = 60

_SPECIFICATION = re.compile(
    r"((?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[-+ ])?(?P<alternate>\#)?(?P<zero>0)?"
    r"(?P<width>\d+)?(?P<group>[,_])?(\.(?P<precision>\d+))?(?P<letter>[a-zA-Z%])?",
    re.DOTALL,
)


@dataclass(frozen=True, eq=False)
class FormattedText:
    """An f-string with run-time values: a structure whose parts are the values.

    Attributes:
        values: Scalars and tiles; constants among them are formatted when the text is used.
        texts: The texts before, between and after the values: one more than there are values.
        specifications: The format specification of each value.
        sources: The source of each replacement field without braces, such as `x:.3f`.
    """

    values: tuple[Any, ...]
    texts: tuple[str, ...]
    specifications: tuple[str, ...]
    sources: tuple[str, ...]

    __tilewright_description__ = "an f-string of run-time values"

    def __str__(self) -> str:
        """The text with the types of the run-time values in their place."""
        return self._join([str(constexpr_value(value)) for value in self.values])

    def as_written(self) -> str:
        """The text with the replacement fields as they are in the source."""
        return self._join([f"{{{source}}}" for source in self.sources])

    def pieces(self) -> tuple[list[str], list[str], list[tensor]]:
        """The texts, the formats and the values of `tile.print`; constants are in the texts."""
        texts, formats, values = [self.texts[0]], list[str](), list[tensor]()
        for value, specification, text in zip(
            self.values, self.specifications, self.texts[1:], strict=True
        ):
            plain = known_value(value)
            if isinstance(plain, tensor):
                prefix, conversion = printf_format(plain.dtype, specification)
                texts[-1] += prefix
                texts.append(text)
                formats.append(conversion)
                values.append(plain)
            else:
                texts[-1] += format(plain, specification) + text
        return texts, formats, values

    def _join(self, shown: Sequence[str]) -> str:
        pairs = zip(shown, self.texts[1:], strict=True)
        return self.texts[0] + "".join(value + text for value, text in pairs)


def _flatten(text: FormattedText) -> tuple[Sequence[Any], Hashable]:
    return text.values, (text.texts, text.specifications, text.sources)


def _unflatten(cls: Any, parts: Sequence[Any], key: Any) -> FormattedText:
    return FormattedText(tuple(parts), *key)


register(FormattedText, _flatten, _unflatten)


def printf_format(element: dtype, specification: str) -> tuple[str, str]:
    """How `tile.print` formats elements as Python's format specification says.

    Integers in base 8 or 16 show their bits, so that negative ones have no minus sign.

    Args:
        element: The dtype of the elements.
        specification: What follows the colon in a replacement field.

    Returns:
        A text that precedes the number, such as `0x`, and the format.

    Raises:
        CompileError: The specification is malformed, or a kernel cannot print by it.
    """
    match = _SPECIFICATION.fullmatch(specification)
    if match is None:
        raise CompileError(f"invalid format specification {specification!r}")
    part = {name: text or "" for name, text in match.groupdict().items()}
    _check_layout(part, specification)
    if element.is_ptr():
        return _pointer(element, specification)
    return (_float if element.is_floating() else _integer)(element, part, specification)


def _check_layout(part: dict[str, str], specification: str) -> None:
    """Checks what does not depend on the dtype.

    Raises:
        CompileError: See printf_format.
    """
    if part["align"] not in ("", "<", ">") or part["fill"] not in ("", " ") or part["group"]:
        raise _unsupported(specification, "alignment by < or > with spaces, and no separators")
    if part["align"] and part["zero"]:
        raise _unsupported(specification, "alignment or leading zeros, not both")
    for name in ("width", "precision"):
        if part[name] and int(part[name]) > _MOST_DIGITS:
            raise _unsupported(specification, f"a {name} of at most {_MOST_DIGITS}")


def _unsupported(specification: str, expected: str) -> CompileError:
    return CompileError(
        f"a kernel cannot print by the format specification {specification!r}: it takes {expected}"
    )


def _mismatch(element: dtype, specification: str, letters: str) -> TypeMismatchError:
    return TypeMismatchError(
        f"the format specification {specification!r} does not apply to {element}: "
        f"kernels print it by {letters}"
    )


def _pointer(element: dtype, specification: str) -> tuple[str, str]:
    if specification:
        raise _mismatch(element, specification, "an empty specification")
    return "", "p"


def _flags(part: dict[str, str]) -> str:
    left = "-" if part["align"] == "<" else ""
    return left + part["sign"].replace("-", "") + part["zero"]


def _integer(element: dtype, part: dict[str, str], specification: str) -> tuple[str, str]:
    letter, width = part["letter"] or "d", part["width"]
    if letter not in ("d", "x", "X", "o") or part["precision"]:
        raise _mismatch(element, specification, "d, x, X or o without a precision")
    if letter == "d":
        if part["alternate"]:
            raise _mismatch(element, specification, "# only in base 8 or 16")
        is_signed = element.is_int_signed() and not element.is_bool()
        if part["sign"] in ("+", " ") and not is_signed:
            raise _mismatch(element, specification, "a sign only if it is signed")
        # Numbers are at the right by default, as in C.
        return "", _flags(part) + width + ("d" if is_signed else "u")
    if part["sign"] in ("+", " "):
        raise _mismatch(element, specification, "its bits, which have no sign, in base 8 or 16")
    if not part["alternate"]:
        return "", _flags(part) + width + letter
    # C writes no base before a zero, so the base is a text.
    if width and not part["zero"]:
        raise _unsupported(specification, "a width after # only with leading zeros")
    digits = str(max(int(width) - 2, 1)) if width else ""
    return "0" + letter, part["zero"] * bool(width) + digits + letter


def _float(element: dtype, part: dict[str, str], specification: str) -> tuple[str, str]:
    if part["letter"] not in ("", "e", "E", "f", "F", "g", "G"):
        raise _mismatch(element, specification, "e, E, f, F, g or G")
    if not part["letter"] and (part["precision"] or part["zero"] or part["sign"] in ("+", " ")):
        raise _unsupported(specification, "e, f or g after a sign, a zero or a precision")
    if not part["letter"] and part["alternate"]:
        raise _unsupported(specification, "e, f or g after #")
    if not part["letter"]:
        return "", f"{_flags(part)}{part['width']}.{_digits(element)}g"
    precision = f".{part['precision']}" if part["precision"] else ""
    alternate = "#" if part["alternate"] else ""
    return "", alternate + _flags(part) + part["width"] + precision + part["letter"]


def _digits(element: dtype) -> int:
    """How many digits distinguish all values of a float; a GPU cannot print the shortest text."""
    if element.is_fp8():
        return 2 if element.fp_mantissa_width == 2 else 3
    return {"fp16": 5, "bf16": 4, "fp32": 9, "fp64": 17}[element.name]
