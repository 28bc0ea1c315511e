"""Printing and assertions, at compile time and at run time."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from tilewright.errors import (
    ConstantError,
    StaticAssertError,
    TypeMismatchError,
    UnsupportedError,
)
from tilewright.language import combiners
from tilewright.language._build import emit_void, to_tensor
from tilewright.language._context import current
from tilewright.language.constexpr import constant_bool, constexpr_value, describe, known_value
from tilewright.language.dtypes import dtype, float32
from tilewright.language.formatted_text import FormattedText, printf_format
from tilewright.language.operators import logical_not, logical_or, to_bool
from tilewright.language.registry import Family
from tilewright.language.shape import broadcast_all
from tilewright.language.tensor import tensor


@Family.COMPILE_TIME
def static_assert(cond: Any, msg: Any = "") -> None:
    """Fails the compilation unless `cond`, a constant, is true.

    The message `msg` shows constants, and the types of tensors in an f-string.

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

    An f-string of scalars and tiles, which are broadcast to a common shape, is printed with the
    values of each element in their places: `tl.device_print(f"x = {x:.3f} at {i}")`. The lines have
    been written to standard output when the launch returns.

    Args:
        prefix: A constant string, or an f-string of run-time values.
        args: Scalars, tiles or numbers; none after an f-string of run-time values.
        hex: Print integers in base 16; in an f-string, `{x:x}` does.

    Raises:
        ConstantError: The prefix is not a string.
        TypeMismatchError: There are values or `hex` besides an f-string of run-time values.
        ShapeMismatchError: The values of an f-string do not broadcast.
        UnsupportedError: An f-string has more values than a GPU prints in one line.

    Example:
        >>> x = tl.load(p + tl.arange(0, 2))
        >>> tl.device_print("x", x)
        >>> tl.device_print(f"{x} is {x:#x}")
        >>> x
        [0 1]
    """
    in_hex = constant_bool(hex, "hex")
    text = _text(prefix, "the prefix of device_print")
    if isinstance(text, FormattedText):
        if args or in_hex:
            raise TypeMismatchError(
                "device_print of an f-string of run-time values takes neither other values nor hex",
                hint="write each value into the f-string, as in {x} or {x:x}",
            )
        return _print_text(text)
    if not args:
        return _print_lines([text], [], [])
    bare = text.strip().removesuffix(":")
    label = f"{bare}: " if bare else ""
    for i, arg in enumerate(args):
        value = to_tensor(arg)
        operand = f"(operand {i}) " if len(args) > 1 else ""
        base, conversion = _format_of(value.dtype, in_hex)
        _print_lines([label + operand + base, ""], [conversion], [value])
    return None


def _text(message: Any, what: str) -> str | FormattedText:
    """A string, or an f-string of run-time values; `what` names it in the error.

    Raises:
        ConstantError: It is neither.
    """
    text = constexpr_value(message)
    if not isinstance(text, (str, FormattedText)):
        raise ConstantError(f"{what} must be a constant string, found {describe(text)}")
    return text


def _format_of(element: dtype, in_hex: bool) -> tuple[str, str]:
    """The text before a value, and the format of `tile.print`."""
    if in_hex and (element.is_int() or element.is_bool()):
        return "0x", f"0{max(element.primitive_bitwidth, 8) // 4}x"
    return printf_format(element, "")


def _print_text(text: FormattedText, mask: tensor | None = None) -> None:
    """Prints an f-string for each element of its values, or for those where `mask` is true."""
    texts, formats, values = text.pieces()
    operands = broadcast_all(*values, *([] if mask is None else [mask]))
    if not operands:
        return _print_lines(texts, [], [])
    # The printf of CUDA takes 32 arguments. The first are the program and the coordinates.
    most = 29 - len(operands[0].type.shape)
    if len(values) > most:
        raise UnsupportedError(
            f"a line has at most {most} run-time values, found {len(values)}",
            hint="print them by several calls",
        )
    return _print_lines(texts, formats, operands[: len(values)], operands[len(values) :])


def _print_lines(
    texts: Sequence[str],
    formats: Sequence[str],
    values: Sequence[tensor],
    mask: Sequence[tensor] = (),
) -> None:
    """Prints a line for each element of values of one shape."""
    combiners.check_effect("print")
    ctx = current().ctx
    attrs = {
        "texts": ctx.array_attr([ctx.string_attr(text) for text in texts]),
        "formats": ctx.array_attr([ctx.string_attr(text) for text in formats]),
        "operandSegmentSizes": ctx.i32_array_attr([len(values), len(mask)]),
    }
    shown = [to_tensor(x, float32) if x.dtype.is_fp8e4b15() else x for x in values]
    emit_void("tile.print", [*shown, *mask], attrs)


@Family.DEBUGGING
def device_assert(cond: Any, msg: Any = "", mask: Any = None) -> None:
    """Fails the launch with `msg` unless `cond` is true for every element.

    As in Triton, the assertion is omitted unless the kernel is compiled with `debug=True` (an
    option of the launch and of @jit) or TILEWRIGHT_DEBUG=1. TILEWRIGHT_LOG=compiles reports
    kernels whose assertions were omitted.

    Args:
        cond: A scalar or tile; an element is true if it is not zero.
        msg: A constant string, or an f-string of run-time values. That is the message as it is
            written, and a line with the values is printed for each element that fails.
        mask: The elements to check; all of them by default.

    Raises:
        ConstantError: `msg` is not a string.
        ShapeMismatchError: The condition and the values of an f-string do not broadcast.

    Example:
        >>> tl.device_assert(tl.load(p + tl.arange(0, 4)) >= 0, "not negative")
        >>> tl.load(p)
        0
    """
    text = _text(msg, "the message of device_assert")
    value = to_bool(cond)
    if not has_assertions():
        current().omits_asserts = True
        return
    combiners.check_effect("assert")
    if constexpr_value(mask) is not None:
        value = logical_or(value, logical_not(mask))
    if isinstance(text, FormattedText):
        _print_text(text, logical_not(value))
        text = text.as_written()
    emit_void("tile.assert", [value], {"message": current().ctx.string_attr(text)})


@Family.DEBUGGING
def expect_zero(x: Any, mask: Any) -> tensor:
    """`x`, whose elements are zero where `mask` is true: an assertion, like `device_assert`.

    It documents values that underflow, such as the exponentials of masked-out attention scores.

    Args:
        x: A scalar, tile or number.
        mask: The elements that are zero; broadcast with `x`.

    Raises:
        ShapeMismatchError: `x` and `mask` do not broadcast.

    Example:
        >>> i = tl.arange(0, 4)
        >>> tl.expect_zero(i // 2, i < 2)
        [0 0 1 1]
    """
    value = to_tensor(x)
    element, chosen = broadcast_all(value, to_bool(mask))
    device_assert(logical_not(element), "a value that is expected to be zero is not", chosen)
    return value


def has_assertions() -> bool:
    """Whether assertions are compiled: the option `debug`, or true if there are no options."""
    return bool(current().option("debug", True))


@Family.DEBUGGING
def debug_barrier() -> None:
    """A barrier: the program's memory operations before it complete before any after it.

    Example:
        >>> tl.debug_barrier()
        >>> tl.load(p)
        0
    """
    emit_void("tile.barrier", [])
