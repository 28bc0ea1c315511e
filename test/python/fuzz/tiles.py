"""Tiles as NumPy arrays: the types, promotion and rounding of the language.

A tile of floats has an error bound for each element besides its value, or none if all elements are
exact. An operation that is not continuous (comparing, rounding, converting to integers) raises
`Inexact` on an inexact element, because the result of the kernel is then not unique.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar

import numpy as np

FLOATS = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
WIDENED = ("int32", "int64")
# Conversions after which a value is the same one in the IR, or its extension.
KEEP_FULL = {("int32", "int64"), ("int32", "uint32"), ("uint32", "int32"), ("int32", "uint64")}
KEEP_FULL |= {("int64", "uint64"), ("uint64", "int64")}
_STORED = {"int1": np.bool_, "bfloat16": np.float32}


class Inexact(Exception):
    """The result depends on how floats are rounded."""


class DType(str):
    """A scalar type, as its name; a pointer type is "*" and the name of the pointee type."""

    @property
    def is_float(self) -> bool:
        return self in FLOATS or self.is_float8

    @property
    def is_float8(self) -> bool:
        return self.startswith("float8")

    @property
    def is_pointer(self) -> bool:
        return self.startswith("*")

    @property
    def is_signed(self) -> bool:
        return self.startswith("int") and self != "int1"

    @property
    def bits(self) -> int:
        if self.is_pointer or self.is_float8:
            return 64 if self.is_pointer else 8
        return int("".join(c for c in self if c.isdigit()))

    @property
    def stored(self) -> Any:
        """The NumPy type of the values."""
        if self.is_float8:
            return np.float32
        return np.int64 if self.is_pointer else _STORED.get(self) or np.dtype(str(self)).type


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Floats of 32 or more bits rounded once to the nearest bfloat16, as float32."""
    single = values.astype(np.float32)
    if values.itemsize > 4:
        single = _to_odd(values, single)
    bits = single.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    result = rounded.astype(np.uint32).view(np.float32)
    return np.where(np.isnan(single), np.float32(np.nan), result)


def _to_odd(wide: np.ndarray, single: np.ndarray) -> np.ndarray:
    """Rounds to odd: truncates and sets the last bit if the result is inexact."""
    bits = np.atleast_1d(single).view(np.uint32)
    bits = np.where(np.abs(np.atleast_1d(single).astype(wide.dtype)) > np.abs(wide), bits - 1, bits)
    lost = bits.astype(np.uint32).view(np.float32).astype(wide.dtype) != wide
    return (bits | lost).astype(np.uint32).view(np.float32).reshape(np.shape(wide))


def rounded(values: Any, dtype: DType) -> np.ndarray:
    """Converts values to a type; integers wrap."""
    values = np.asarray(values)
    if dtype == "bfloat16":
        if values.dtype.kind in "iu":
            values = values.astype(np.longdouble)  # exact
        return to_bfloat16(values if values.itemsize > 4 else values.astype(np.float32))
    if dtype == "int1":
        return values.astype(np.bool_)
    return values.astype(dtype.stored)


class Tile:
    """A scalar (shape ()) or tile of the language."""

    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, dtype: str, value: Any, error: Any = None, full: Any = None) -> None:
        self.dtype = DType(dtype)
        self.value = rounded(value, self.dtype)
        self._full = None if full is None or np.array_equal(full, self.value) else full
        inexact = error is not None and np.any(error)
        self.error = np.broadcast_to(error, self.value.shape) if inexact else None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    def like(self, value: Any, error: Any = None, full: Any = None) -> Tile:
        return Tile(self.dtype, value, error, full)

    def moved(self, move: Callable[[np.ndarray], np.ndarray]) -> Tile:
        """Rearranges the elements."""
        parts = (None if part is None else move(part) for part in (self.error, self._full))
        return self.like(move(self.value), *parts)

    @property
    def full(self) -> np.ndarray:
        """The integers of signed arithmetic before they wrapped in 32 bits: what addresses use."""
        return self.value.astype(np.int64) if self._full is None else self._full

    @property
    def has_wrapped(self) -> bool:
        return self._full is not None

    def exact(self) -> np.ndarray:
        if self.error is not None:
            raise Inexact
        return self.value

    def decided(self, function: Any) -> np.ndarray:
        """Applies a step function; raises Inexact if a step is within the error of an element."""
        if self.error is None:
            return function(self.value)
        with np.errstate(invalid="ignore"):
            low, high = (function(self.value + sign * 4 * self.error) for sign in (-1, 1))
        if not np.array_equal(low, high):
            raise Inexact
        return low

    def __bool__(self) -> bool:
        return bool(self.exact())

    def __index__(self) -> int:
        return int(self.exact())

    # methods: the functions of the language, of which the first operand is a tile

    methods: ClassVar[dict[str, Any]] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in Tile.methods:
            raise AttributeError(name)
        return partial(Tile.methods[name], self)

    # operators

    def __add__(self, other: Any) -> Tile:
        return add(self, other)

    def __radd__(self, other: Any) -> Tile:
        return add(other, self)

    def __sub__(self, other: Any) -> Tile:
        if self.dtype.is_pointer:
            return add(self, -lift(other).to("int64"))
        return _arithmetic(np.subtract, self, other)

    def __rsub__(self, other: Any) -> Tile:
        return _arithmetic(np.subtract, other, self)

    def __mul__(self, other: Any) -> Tile:
        return multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tile:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Tile:
        return divide(other, self)

    def __floordiv__(self, other: Any) -> Tile:
        return _integer(_quotient, self, other)

    def __rfloordiv__(self, other: Any) -> Tile:
        return _integer(_quotient, other, self)

    def __mod__(self, other: Any) -> Tile:
        return remainder(self, other)

    def __rmod__(self, other: Any) -> Tile:
        return remainder(other, self)

    def __and__(self, other: Any) -> Tile:
        return _integer(np.bitwise_and, self, other)

    def __or__(self, other: Any) -> Tile:
        return _integer(np.bitwise_or, self, other)

    def __xor__(self, other: Any) -> Tile:
        return _integer(np.bitwise_xor, self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lshift__(self, other: Any) -> Tile:
        return _integer(np.left_shift, self, other)

    def __rshift__(self, other: Any) -> Tile:
        return _integer(np.right_shift, self, other)

    def __neg__(self) -> Tile:
        with np.errstate(all="ignore"):
            full = np.negative(self.full) if self.dtype in WIDENED else None
            return self.like(np.negative(self.value), self.error, full)

    def __pos__(self) -> Tile:
        return self

    def __invert__(self) -> Tile:
        return self.like(~self.value)

    def __eq__(self, other: object) -> Tile:  # type: ignore[override]
        return _compare(np.equal, self, other)

    def __ne__(self, other: object) -> Tile:  # type: ignore[override]
        return _compare(np.not_equal, self, other)

    def __lt__(self, other: Any) -> Tile:
        return _compare(np.less, self, other)

    def __le__(self, other: Any) -> Tile:
        return _compare(np.less_equal, self, other)

    def __gt__(self, other: Any) -> Tile:
        return _compare(np.greater, self, other)

    def __ge__(self, other: Any) -> Tile:
        return _compare(np.greater_equal, self, other)

    def __getitem__(self, index: Any) -> Tile:
        items = index if isinstance(index, tuple) else (index,)
        known = tuple(int(item) if isinstance(item, Tile) else item for item in items)
        return self.moved(lambda x: x[known])

    @property
    def T(self) -> Tile:
        return self.moved(lambda x: x.swapaxes(-1, -2))

    def to(self, dtype: str, bitcast: bool = False, fp_downcast_rounding: str = "rtne") -> Tile:
        dtype = DType(dtype)
        if dtype == self.dtype:
            return self
        if dtype.is_float8 or self.dtype.is_float8:
            from narrow import convert

            return convert(self, dtype, bitcast, fp_downcast_rounding == "rtz")
        if bitcast:
            return Tile(dtype, np.ascontiguousarray(self.exact()).view(dtype.stored))
        if dtype == "int1":
            return Tile(dtype, self.exact() != 0)
        if not dtype.is_float:
            values = self.decided(np.trunc) if self.dtype.is_float else self.value
            keeps = (self.dtype, dtype) in KEEP_FULL
            return Tile(dtype, _to_integer(values, dtype), full=self._full if keeps else None)
        with np.errstate(all="ignore"):
            result = Tile(dtype, self.value)
        narrower = self.dtype.is_float and dtype.bits < self.dtype.bits
        return result.propagated(self.error, rounds=narrower)

    def blurred(self, error: Any, ulps: float = 2.0) -> Tile:
        """Adds the error of the operands, and a bound on the operation's own error."""
        with np.errstate(all="ignore"):
            own = FLOATS[self.dtype] * ulps * np.abs(self.value.astype(np.float64))
            return self.like(self.value, error + own + 1e-45)

    def propagated(self, error: Any, rounds: bool = True) -> Tile:
        """Adds the error of the operands, and the rounding error that it causes.

        The result of exact operands stays exact, because it is rounded correctly.
        """
        if error is None:
            return self
        inexact = self.blurred(error, 2.0 if rounds else 0.0)
        return self.like(self.value, np.where(error == 0, 0, wide_error(inexact)))


def _to_integer(values: np.ndarray, dtype: DType) -> np.ndarray:
    if values.dtype.kind != "f":
        return values.astype(np.uint8 if values.dtype == np.bool_ else values.dtype)
    whole = np.trunc(values.astype(np.float64))
    info = np.iinfo(dtype.stored)
    if not np.all((whole >= info.min) & (whole <= info.max)):
        raise Inexact  # undefined
    return whole.astype(dtype.stored)


def lift(x: Any) -> Tile:
    """Converts a Python number to a scalar tile."""
    if isinstance(x, Tile):
        return x
    if isinstance(x, (bool, np.bool_)):
        return Tile("int1", x)
    if isinstance(x, int):
        return Tile("int32" if -(2**31) <= x < 2**31 else "int64", x)
    return Tile("float32", x)


def common_type(a: DType, b: DType, division: bool = False) -> DType:
    """The common type of two operands, neither of them a Python number."""
    for wide in ("float64", "float32"):
        if wide in (a, b):
            return DType(wide)
    if "float16" in (a, b):
        return DType("float32" if division else "float16")
    if "bfloat16" in (a, b):
        return DType("bfloat16" if a == b and not division else "float32")
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return b if a.is_signed else a


def promoted(x: Any, y: Any, division: bool = False) -> tuple[Tile, Tile]:
    """Both operands in their common type."""
    a, b = lift(x), lift(y)
    weak = [not isinstance(operand, Tile) for operand in (x, y)]
    if weak[0] != weak[1]:
        strong, other = (b, a) if weak[0] else (a, b)
        if strong.dtype.is_float or not other.dtype.is_float:
            half = division and strong.dtype in ("float16", "bfloat16")
            dtype = DType("float32") if half else strong.dtype
            return _in(x, a, dtype), _in(y, b, dtype)
    dtype = common_type(a.dtype, b.dtype, division)
    return a.to(dtype), b.to(dtype)


def _in(given: Any, x: Tile, dtype: DType) -> Tile:
    return x.to(dtype) if isinstance(given, Tile) else Tile(dtype, given)


def wide_error(x: Tile) -> Any:
    return 0.0 if x.error is None else x.error


def combined_error(a: Tile, b: Tile, slope_a: Any = 1.0, slope_b: Any = 1.0) -> Any:
    """The error of a function with these slopes in its operands; None if both are exact."""
    if a.error is None and b.error is None:
        return None
    with np.errstate(all="ignore"):
        parts = ((wide_error(a), slope_a), (wide_error(b), slope_b))
        first, second = (np.where(error == 0, 0, np.abs(slope) * error) for error, slope in parts)
        return first + second


def _arithmetic(function: Any, x: Any, y: Any) -> Tile:
    a, b = promoted(x, y)
    with np.errstate(all="ignore"):
        if a.dtype in WIDENED:
            return a.like(function(a.value, b.value), full=function(a.full, b.full))
        return a.like(function(a.value, b.value)).propagated(combined_error(a, b))


def add(x: Any, y: Any) -> Tile:
    a, b = lift(x), lift(y)
    if b.dtype.is_pointer:
        a, b = b, a
    if a.dtype.is_pointer:
        size = DType(a.dtype[1:]).bits // 8 or 1
        return a.like(a.value + b.full * size)
    return _arithmetic(np.add, x, y)


def multiply(x: Any, y: Any) -> Tile:
    a, b = promoted(x, y)
    if not a.dtype.is_float:
        return _arithmetic(np.multiply, a, b)
    with np.errstate(all="ignore"):
        wide = (np.abs(v.value.astype(np.float64)) + wide_error(v) for v in (a, b))
        slope_b, slope_a = wide
        product = a.like(np.multiply(a.value, b.value))
    return product.propagated(combined_error(a, b, slope_a, slope_b))


_rounds_correctly = True


@contextmanager
def rounding(correctly: bool) -> Iterator[None]:
    """Sets whether quotients and roots are rounded correctly or may be off by two ulps."""
    global _rounds_correctly
    before, _rounds_correctly = _rounds_correctly, correctly
    try:
        yield
    finally:
        _rounds_correctly = before


def divide(x: Any, y: Any) -> Tile:
    a, b = promoted(x, y, division=True)
    if not a.dtype.is_float:
        a, b = a.to("float32"), b.to("float32")
    with np.errstate(all="ignore"):
        quotient = a.like(np.divide(a.value, b.value))
        least = np.abs(b.value.astype(np.float64)) - wide_error(b)
        slope = 1 / np.where(least > 0, least, 0)
        error = combined_error(a, b, slope, quotient.value * slope)
        propagated = quotient.propagated(error)
        if _rounds_correctly or a.dtype != "float32":
            return propagated
        # A GPU may round an inexact quotient in the other direction: docs/math.md.
        wide = (v.value.astype(np.float64) for v in (quotient, b, a))
        is_float = next(wide) * next(wide) == next(wide)
        own = FLOATS[a.dtype] * 2 * np.abs(quotient.value.astype(np.float64))
        error = wide_error(propagated)
        return quotient.like(quotient.value, np.where((error == 0) & ~is_float, own, error))


def root(x: Tile) -> Tile:
    """The square root, which a GPU approximates for types up to float32: docs/math.md."""
    with np.errstate(all="ignore"):
        result = x.like(np.sqrt(x.exact()))
    return result if _rounds_correctly or x.dtype == "float64" else result.blurred(0.0)


def _integer(function: Any, x: Any, y: Any) -> Tile:
    a, b = promoted(x, y)
    with np.errstate(all="ignore"):
        return a.like(function(a.value, b.value))


_zero_divides = False


@contextmanager
def division_by_zero(defined: bool) -> Iterator[None]:
    """Sets whether integer quotients by zero, and those that overflow, have values or are inexact.

    Their values are unspecified, so that addresses must not depend on them; `guard-division`
    divides by one.
    """
    global _zero_divides
    before, _zero_divides = _zero_divides, defined
    try:
        yield
    finally:
        _zero_divides = before


def _defined_divisor(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """One instead of the divisors with which the quotient is unspecified."""
    unspecified = b == 0
    if a.dtype.kind == "i":
        unspecified = unspecified | ((b == -1) & (a == np.iinfo(a.dtype).min))
    if np.any(unspecified) and not _zero_divides:
        raise Inexact
    return np.where(unspecified, b.dtype.type(1), b)


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quotient rounded toward zero."""
    b = _defined_divisor(a, b)
    floor = a // b
    return floor + ((a % b != 0) & ((a < 0) != (b < 0)))


def _remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    b = _defined_divisor(a, b)
    return a - _quotient(a, b) * b


def remainder(x: Any, y: Any) -> Tile:
    a, b = promoted(x, y, division=True)
    function = np.fmod if a.dtype.is_float else _remainder
    with np.errstate(all="ignore"):
        return a.like(function(a.exact(), b.exact()))


def _compare(function: Any, x: Any, y: Any) -> Tile:
    a, b = promoted(x, y)
    error = combined_error(a, b)
    if error is not None:
        with np.errstate(all="ignore"):
            distance = np.abs(a.value.astype(np.float64) - b.value.astype(np.float64))
        if np.any((error != 0) & ~(distance > 4 * error)):
            raise Inexact
    result = function(a.value, b.value)
    if (a.has_wrapped or b.has_wrapped) and not np.array_equal(result, function(*_full(a, b))):
        raise Inexact  # whether it is compared before it wraps depends on its use in addresses
    return Tile("int1", result)


def _full(a: Tile, b: Tile) -> list[np.ndarray]:
    if a.dtype != "uint32":
        return [a.full, b.full]
    return [
        np.where((x.full < 0) & (x.full >= -(2**31)), x.full + 2**32, x.full).astype(np.uint64)
        for x in (a, b)
    ]
