"""Printing and assertions, at compile time and at run time."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

from tilewright.errors import ConstantError, StaticAssertError
from tilewright.language._build import emit_void, powers_of_two, to_tensor
from tilewright.language._context import current
from tilewright.language.constexpr import constant_bool, constexpr_value, describe, known_value
from tilewright.language.operators import logical_not, logical_or, to_bool
from tilewright.language.registry import Family
from tilewright.language.tensor import tensor


@Family.COMPILE_TIME
def static_assert(cond: Any, msg: Any = "") -> None:
    """Fails the compilation unless `cond`, a constant, is true.

    Raises:
        StaticAssertError: `cond` is false.
        ConstantError: `cond` is not known at compile time.

    Example:
        >>> tl.static_assert(p.dtype.element_ty == tl.int32, "int32 is needed")
        >>> tl.load(p)
        0
    """
    value = known_value(cond)
    if isinstance(value, tensor):
        raise ConstantError(
            f"static_assert needs a condition known at compile time, found {describe(value)}",
            hint="use tl.device_assert",
        )
    if not value:
        message = str(constexpr_value(msg))
        raise StaticAssertError(
            f"static_assert failed: {message}" if message else "static_assert failed"
        )


@Family.COMPILE_TIME
def static_print(
    *values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: Any = False
) -> None:
    """Prints at compile time: the value of a constant, the type of a tensor.

    Example:
        >>> tl.static_print(p.dtype)
        >>> tl.load(p)
        0
    """
    shown = [x if isinstance(x, tensor) else constexpr_value(x) for x in values]
    separator, ending = constexpr_value(sep), constexpr_value(end)
    builtins.print(*shown, sep=separator, end=ending, file=file, flush=bool(flush))


@Family.DEBUGGING
def device_print(prefix: Any, *args: Any, hex: Any = False) -> None:
    """Prints at run time: a line `pid (0, 0, 0) idx (3) prefix: value` for each element.

    The lines have been written to standard output when the launch returns.

    Args:
        prefix: A constant string.
        args: Scalars, tiles or numbers.
        hex: Print integers in base 16.

    Raises:
        ConstantError: The prefix is not a constant string.
        ShapeMismatchError: A size of a tile is not a power of two.

    Example:
        >>> tl.device_print("x", tl.load(p + 1))
        >>> tl.load(p)
        0
    """
    text = constexpr_value(prefix)
    if not isinstance(text, str):
        raise ConstantError(
            f"the prefix of device_print must be a constant string, found {describe(text)}"
        )
    ctx = current().ctx
    values = [powers_of_two(to_tensor(x), "device_print") for x in args]
    attrs = {
        "prefix": ctx.string_attr(text),
        "isSigned": ctx.bool_array_attr([x.dtype.is_int_signed() for x in values]),
    }
    if constant_bool(hex, "hex"):
        attrs["hex"] = ctx.unit_attr()
    emit_void("tile.print", values, attrs)


@Family.DEBUGGING
def device_assert(cond: Any, msg: Any = "", mask: Any = None) -> None:
    """Fails the launch with `msg` unless `cond` is true for every element.

    As in Triton, the assertion is omitted unless the kernel is compiled with `debug=True` (an
    option of the launch and of @jit) or TILEWRIGHT_DEBUG=1. TILEWRIGHT_LOG=compiles reports
    kernels whose assertions were omitted.

    Args:
        cond: A scalar or tile; an element is true if it is not zero.
        msg: A constant string.
        mask: The elements to check; all of them by default.

    Raises:
        ConstantError: `msg` is not a constant string.

    Example:
        >>> tl.device_assert(tl.load(p + tl.arange(0, 4)) >= 0, "not negative")
        >>> tl.load(p)
        0
    """
    text = constexpr_value(msg)
    if not isinstance(text, str):
        raise ConstantError(
            f"the message of device_assert must be a constant string, found {describe(text)}"
        )
    value = to_bool(cond)
    if not _asserts():
        current().omits_asserts = True
        return
    if constexpr_value(mask) is not None:
        value = logical_or(value, logical_not(mask))
    emit_void("tile.assert", [value], {"message": current().ctx.string_attr(text)})


def _asserts() -> bool:
    """Whether assertions are compiled: the option `debug`, or true if there are no options."""
    options = current().options
    if isinstance(options, Mapping):
        return bool(options.get("debug", True))
    return bool(getattr(options, "debug", True))


@Family.DEBUGGING
def debug_barrier() -> None:
    """A barrier: the program's memory operations before it complete before any after it.

    Example:
        >>> tl.debug_barrier()
        >>> tl.load(p)
        0
    """
    emit_void("tile.barrier", [])
