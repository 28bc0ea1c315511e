"""Assertions that the arithmetic of integers does not overflow.

    c = a + b                       int32, with the options `debug` and `sanitize_overflow`

    %exact = arith.addi (extsi a), (extsi b) : i64
    tile.assert -2^31 <= %exact <= 2^31 - 1, "int32 overflow detected for operation add"
    %c = arith.addi a, b : i32

Only what a kernel writes is checked: its operators, `tl.add`, `tl.sub`, `tl.mul`, `tl.cdiv` and the
sums and products of tiles. The arithmetic inside of the language's functions, such as that of
random numbers, may wrap. Functions that are given to reductions, scans and maps are not checked,
because these take no assertions.
"""

from __future__ import annotations

from collections.abc import Callable

from tilewright.language._build import compare, constant, emit, emit_void
from tilewright.language._context import current
from tilewright.language.casts import convert
from tilewright.language.constexpr import builtin
from tilewright.language.dtypes import dtype, int32, int64
from tilewright.language.tensor import tensor

_OPERATIONS = {"add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli"}


def check(operation: str, a: tensor, b: tensor) -> None:
    """Asserts that the exact result of an operation on integers of one type fits the type.

    Args:
        operation: "add", "sub" or "mul".
        a, b: The operands, of one type and shape. Types of 64 bits are not checked.
    """
    type = a.dtype
    if not _is_checked(type):
        return
    # Twice the width holds each result, modulo that of unsigned integers.
    wide = int32 if type.int_bitwidth <= 16 else int64
    exact = emit(_OPERATIONS[operation], [convert(a, wide), convert(b, wide)])
    _assert_fits(exact, type, operation)


def check_sums(x: tensor, sums: Callable[[tensor], tensor]) -> None:
    """Asserts that the sums of integers fit their type; `sums` adds the elements of a tile."""
    if _is_checked(x.dtype):
        # A tile has at most 2^20 elements.
        _assert_fits(sums(convert(x, int64)), x.dtype, "add")


def check_products(x: tensor, products: Callable[[tensor, Callable[..., tensor]], tensor]) -> None:
    """Asserts that products of integers fit their type; `products` combines elements of a tile."""
    if not _is_checked(x.dtype):
        return
    signed = x.dtype.is_int_signed()
    # A product that does not fit becomes `beyond`, and stays that until it is multiplied by zero:
    # neither its square nor its product with a number of the type wraps to one that fits. -2^31 is
    # the product of 2^31, which is therefore kept, and -1.
    most = 1 << x.dtype.int_bitwidth - 1 if signed else (1 << x.dtype.int_bitwidth) - 1
    beyond = (1 << 31 if signed else 1 << 32) + 1

    @builtin
    def multiply(a: tensor, b: tensor) -> tensor:
        product = emit("arith.muli", [a, b])
        size = product
        if signed:
            negative = emit("arith.subi", [constant(0, product.type), product])
            size = emit("arith.maxsi", [product, negative])
        fits = compare(size, constant(most, size.type), "ule")
        return emit("arith.select", [fits, product, constant(beyond, product.type)])

    _assert_fits(products(convert(x, int64), multiply), x.dtype, "mul")


def _is_checked(type: dtype) -> bool:
    return current().checks_overflow and type.is_int() and type.int_bitwidth < 64


def _assert_fits(exact: tensor, type: dtype, operation: str) -> None:
    low, high = (0, 1) if type.is_bool() else (type.get_int_min_value(), type.get_int_max_value())
    # One comparison: what is below `low` is a large unsigned number.
    above = emit("arith.subi", [exact, constant(low, exact.type)]) if low else exact
    fits = compare(above, constant(high - low, exact.type), "ule")
    if not fits.known:
        message = f"{type} overflow detected for operation {operation}"
        emit_void("tile.assert", [fits], {"message": current().ctx.string_attr(message)})
