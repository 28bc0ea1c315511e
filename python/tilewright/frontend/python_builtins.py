"""The Python builtins that kernels support."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tilewright.language as tl
from tilewright.dependencies import MISSING
from tilewright.errors import CompileError, ConstantError, TypeMismatchError
from tilewright.language import constexpr
from tilewright.language.formatted_text import FormattedText
from tilewright.language.value import is_structure

from .values import Value, describe, fold_known, is_constant, is_tensor, unwrap


def _constant_only(function: Callable[..., Any], hint: str | None = None) -> Callable[..., Value]:
    """Wraps a Python function so that it takes constants only."""

    def call(*args: Value, **kwargs: Value) -> Value:
        args, kwargs = fold_known(args), {name: fold_known(arg) for name, arg in kwargs.items()}
        for arg in (*args, *kwargs.values()):
            if not is_constant(arg):
                raise ConstantError(
                    f"`{function.__name__}` needs constants, not a tensor of type {describe(arg)}",
                    hint=hint,
                )
        try:
            plain = function(*unwrap(args), **{name: unwrap(arg) for name, arg in kwargs.items()})
        except (TypeError, ValueError, ArithmeticError) as error:
            raise CompileError(f"`{function.__name__}`: {error}") from None
        return plain

    return call


def _extremum(function: Callable[..., Any], combine: Callable[..., Value]) -> Callable[..., Value]:
    """`min` and `max`: evaluated by Python on constants, element by element on tensors."""
    fold = _constant_only(function)

    name, reduction = function.__name__, f"tl.{function.__name__}"

    def call(*args: Value, **kwargs: Value) -> Value:
        if kwargs or (len(args) == 1 and is_tensor(args[0])):
            raise TypeMismatchError(
                f"`{name}` takes two or more numbers or tiles, or a tuple of them",
                hint=f"the {name}imum of the elements of a tile is {reduction}(x, axis)",
            )
        items = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
        if is_constant(items) or not items:
            return fold(*args)
        result = items[0]
        for item in items[1:]:
            both = is_constant(result) and is_constant(item)
            result = fold(result, item) if both else combine(result, item)
        return result

    return call


def _len(value: Value) -> int:
    plain = value if isinstance(value, (tuple, list)) else unwrap(value)
    if is_tensor(value) or not hasattr(plain, "__len__"):
        raise TypeMismatchError(
            f"`len` needs a tuple, not {describe(value)}",
            hint="the size of a tile is in its shape: x.shape[0]" if is_tensor(value) else None,
        )
    return len(plain)


def _isinstance(value: Value, kinds: Value) -> bool:
    kinds = unwrap(kinds)
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if kind is constexpr:
            plain = fold_known(value)
            if not is_tensor(plain) and not is_structure(plain):
                return True
        elif isinstance(value, kind) or isinstance(unwrap(value), kind):
            return True
    return False


def _getattr(value: Value, name: Value, *default: Value) -> Value:
    from .expressions import read_attribute

    if default and not _hasattr(value, name):
        return default[0]
    return read_attribute(value, unwrap(name))


def _hasattr(value: Value, name: Value) -> bool:
    from .expressions import find_attribute

    return find_attribute(value, unwrap(name)) is not MISSING


def _tuple(items: Value = ()) -> tuple[Value, ...]:
    plain = items if isinstance(items, (tuple, list)) else unwrap(items)
    if not isinstance(plain, (tuple, list, range)):
        raise TypeMismatchError(f"cannot make a tuple of {describe(items)}")
    return tuple(plain)


def _abs(value: Value, /) -> Value:
    return abs(value) if is_tensor(value) else _constant_only(abs)(value)


def _print(*args: Value, **kwargs: Value) -> None:
    """`print("x", x)` is `tl.device_print("x", x)`; without a string the prefix is empty."""
    args = args if args and isinstance(unwrap(args[0]), (str, FormattedText)) else ("", *args)
    tl.device_print(unwrap(args[0]), *args[1:], **kwargs)


def _range(*args: Value) -> range:
    return _constant_only(range, "a `for` statement can loop over tensors' ranges")(*args)  # type: ignore[no-any-return]


_CAST = "convert tensors with x.to(tl.{})"

BUILTINS: dict[Any, Callable[..., Value]] = {
    abs: _abs,
    bool: _constant_only(bool, "compare with != 0"),
    float: _constant_only(float, _CAST.format("float32")),
    getattr: _getattr,
    hasattr: _hasattr,
    int: _constant_only(int, _CAST.format("int32")),
    isinstance: _isinstance,
    len: _len,
    list: _tuple,
    max: _extremum(max, lambda a, b: tl.maximum(a, b)),
    min: _extremum(min, lambda a, b: tl.minimum(a, b)),
    print: _print,
    range: _range,
    str: _constant_only(str),
    tuple: _tuple,
    type: lambda value: type(unwrap(value)),
}

# Builtins that read nothing from their arguments beyond what is already recorded.
SHALLOW = (getattr, hasattr, isinstance, type)
