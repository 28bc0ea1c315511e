"""The parameters of a kernel."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from tilewright.errors import CompileWarning, UnsupportedError

empty = inspect.Parameter.empty

_SHORT_NAMES = {f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)}
_SHORT_NAMES |= {f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)}
_SHORT_NAMES |= {"int1": "u1", "float16": "fp16", "bfloat16": "bf16"}
_SHORT_NAMES |= {"float32": "fp32", "float64": "fp64"}
# A dtype's own name is short already, unless it is an integer's.
_SHORT_NAMES |= {name: name for name in _SHORT_NAMES.values()}


@dataclass(frozen=True)
class JITParam:
    """One parameter of a @jit function.

    Attributes:
        name, index: Its name and position.
        kind: As `inspect.Parameter.kind`.
        default: Its default; `inspect.Parameter.empty` if it has none.
        annotation: As written; `inspect.Parameter.empty` if there is none.
        is_constexpr: Whether the annotation is `tl.constexpr`: its arguments are compile-time
            constants, and the kernel is compiled for each value.
        do_not_specialize: Whether arguments are specialized neither on being 1 nor on alignment.
        do_not_specialize_on_alignment: Whether arguments are not specialized on alignment.
    """

    name: str
    index: int
    kind: Any
    default: Any
    annotation: Any
    is_constexpr: bool
    do_not_specialize: bool = False
    do_not_specialize_on_alignment: bool = False

    @property
    def num(self) -> int:
        return self.index

    @property
    def is_const(self) -> bool:
        """Whether the annotation states that the kernel does not write through the pointer."""
        annotation = self.annotation
        text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        return text.strip("'\" ").rpartition(".")[2] == "const"

    @property
    def annotation_type(self) -> str:
        """The short name of the dtype that the annotation prescribes, such as "i64"; or empty."""
        name = self.scalar_type or ""
        return _SHORT_NAMES.get(name.rpartition(".")[2], "")

    @property
    def collects(self) -> bool:
        """Whether it is `*args`, the tuple of all further positional arguments."""
        return self.kind is inspect.Parameter.VAR_POSITIONAL

    @property
    def has_default(self) -> bool:
        return self.default is not empty

    @property
    def scalar_type(self) -> str | None:
        """The dtype that the annotation prescribes for a number, such as "int64"; or None."""
        annotation = self.annotation
        if type(annotation).__name__ == "dtype":
            return str(annotation)
        if not isinstance(annotation, str):
            return None
        # With postponed annotations a string annotation includes its quotes, and "bool" is Python's
        # bool rather than a dtype.
        return None if annotation == "bool" else annotation.strip("'\" ")

    def launcher_spec(self) -> tuple[Any, ...]:
        """The description of the parameter for the launcher in C++."""
        specialize = not self.do_not_specialize
        return (
            self.name,
            self.has_default,
            self.default,
            self.is_constexpr,
            self.kind is inspect.Parameter.KEYWORD_ONLY,
            self.collects,
            specialize,
            specialize and not self.do_not_specialize_on_alignment,
            self.scalar_type,
        )


def parameters_of(
    fn: FunctionType,
    do_not_specialize: Iterable[int | str],
    do_not_specialize_on_alignment: Iterable[int | str],
) -> list[JITParam]:
    """The parameters of a function; those not to be specialized are given by name or position.

    Raises:
        UnsupportedError: The function has a parameter `**kwargs`.

    Warns:
        CompileWarning: A name or position refers to no parameter.
    """
    found = list(inspect.signature(fn).parameters.values())
    for parameter in found:
        if parameter.kind is parameter.VAR_KEYWORD:
            raise UnsupportedError(
                f"`{fn.__name__}` collects arguments with `{parameter}`, which is not supported",
                file=fn.__code__.co_filename,
                line=fn.__code__.co_firstlineno,
                hint="declare each parameter, or collect positional arguments with `*args`",
            )
    names = [parameter.name for parameter in found]
    unspecialized = _names(fn, do_not_specialize, names)
    unaligned = _names(fn, do_not_specialize_on_alignment, names)
    return [
        JITParam(
            name=parameter.name,
            index=index,
            kind=parameter.kind,
            default=parameter.default,
            annotation=parameter.annotation,
            is_constexpr=_is_constexpr(parameter.annotation),
            do_not_specialize=parameter.name in unspecialized,
            do_not_specialize_on_alignment=parameter.name in unaligned,
        )
        for index, parameter in enumerate(found)
    ]


def _names(fn: FunctionType, given: Iterable[int | str], names: list[str]) -> set[str]:
    found = set()
    for item in (given,) if isinstance(given, str) else given:
        if isinstance(item, int) and 0 <= item < len(names):
            found.add(names[item])
        elif item in names:
            found.add(str(item))
        else:
            # Triton ignores such a name, and libraries have some.
            message = f"do_not_specialize: `{fn.__name__}` has no parameter {item!r}"
            warnings.warn(message, CompileWarning, stacklevel=5)
    return found


def _is_constexpr(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.strip().rpartition(".")[2] == "constexpr"
    kind = annotation if isinstance(annotation, type) else type(annotation)
    return kind.__name__ == "constexpr"
