"""Checks of the functions that reductions, scans and `tl.map_elementwise` apply to scalars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import TypeMismatchError, UnsupportedError
from tilewright.language._context import current
from tilewright.language.constexpr import describe


def apply(function: Any, arguments: Sequence[Any], what: str) -> Any:
    """Visits the body of a `@jit` function of `what`, such as "reduce", at the insertion point.

    Its arithmetic is not checked for overflow, as that would need assertions.

    Raises:
        TypeMismatchError: It is no @jit function, or takes another number of arguments.
        UnsupportedError: It prints or asserts.
    """
    context = current()
    outer, context.combiner = context.combiner, None
    check_callable(function, len(arguments), what)
    context.combiner = f"`{function.name}`, the function of {what},"
    try:
        with context.without_overflow_checks():
            return context.inline(function, list(arguments))
    finally:
        context.combiner = outer


def check_callable(function: Any, count: int, what: str) -> None:
    """Checks that `function` is a @jit function that takes `count` arguments.

    Raises:
        TypeMismatchError: It is not.
    """
    if not getattr(type(function), "__tilewright_kernel__", False):
        raise TypeMismatchError(f"{what} takes a @jit function, not {describe(function)}")
    params = [param for param in function.params if not param.collects]
    needed = sum(not param.has_default for param in params)
    is_variadic = len(params) < len(function.params)
    if needed <= count and (is_variadic or count <= len(params)):
        return
    found = f"{needed}" if needed == len(params) else f"{needed} to {len(params)}"
    raise TypeMismatchError(
        f"`{function.name}` takes {found} arguments, but {what} calls it with {count}",
        hint=f"its parameters are {function.signature}",
    )


def check_effect(action: str) -> None:
    """Raises an error in the function of a reduction, a scan or a map, which must not `action`."""
    if (combiner := current().combiner) is not None:
        raise UnsupportedError(
            f"{combiner} must not {action}", hint=f"{action} before or after, for the whole tile"
        )
