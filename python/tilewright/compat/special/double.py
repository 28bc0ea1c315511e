"""float64 arithmetic that rounds every operation, so that all targets compute the same bits.

A target may contract the language's `a * b + c` to one operation with one rounding. Here a product
is a multiply-add of negative zero and a sum is a multiply-add with one, which LLVM turns into a
multiplication and an addition that it must not contract. Multiply-adds are written explicitly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tilewright.language._build import compare, constant, emit, same_shape
from tilewright.language.casts import cast
from tilewright.language.dtypes import float64, int64
from tilewright.language.tensor import tensor

Operand: TypeAlias = "Double | float"


class Double:
    """A scalar or tile of float64.

    Operators take another Double of the same shape, or a number.
    """

    __slots__ = ("value",)

    def __init__(self, value: tensor) -> None:
        self.value = cast(value, float64)

    def like(self, x: Operand) -> Double:
        """`x`, or a constant of this shape."""
        return x if isinstance(x, Double) else Double(constant(float(x), self.value.type))

    def _emit(self, name: str, *others: Operand) -> Double:
        return Double(emit(name, [self.value, *(self.like(x).value for x in others)]))

    def __mul__(self, other: Operand) -> Double:
        return self._emit("math.fma", other, -0.0)

    def __add__(self, other: Operand) -> Double:
        return self._emit("math.fma", 1.0, other)

    def __sub__(self, other: Operand) -> Double:
        return self + (-other)

    def __neg__(self) -> Double:
        return self._emit("arith.negf")

    def __truediv__(self, other: Operand) -> Double:
        return self._emit("arith.divf", other)

    __rmul__, __radd__ = __mul__, __add__

    def __rsub__(self, other: float) -> Double:
        return self.like(other) - self

    def __rtruediv__(self, other: float) -> Double:
        return self.like(other) / self

    def _compare(self, other: Operand, predicate: str) -> tensor:
        return compare(self.value, self.like(other).value, predicate)

    def __lt__(self, other: Operand) -> tensor:
        return self._compare(other, "olt")

    def __le__(self, other: Operand) -> tensor:
        return self._compare(other, "ole")

    def __gt__(self, other: Operand) -> tensor:
        return self._compare(other, "ogt")

    def __ge__(self, other: Operand) -> tensor:
        return self._compare(other, "oge")

    def equals(self, other: Operand) -> tensor:
        return self._compare(other, "oeq")

    def is_nan(self) -> tensor:
        return self._compare(self, "une")

    def fma(self, factor: Operand, addend: Operand) -> Double:
        """self * factor + addend, rounded once."""
        return self._emit("math.fma", factor, addend)

    def call(self, name: str) -> Double:
        """The operation math.<name>: exp, log, sqrt, absf, floor, ..."""
        return self._emit(f"math.{name}")

    def copysign(self, sign: Operand) -> Double:
        return self._emit("math.copysign", sign)

    def bits(self) -> tensor:
        """The bits, as int64."""
        return emit("arith.bitcast", [self.value], type=same_shape(self.value, int64))


def from_bits(bits: tensor) -> Double:
    return Double(emit("arith.bitcast", [bits], type=same_shape(bits, float64)))


def choose(condition: tensor, x: Operand, y: Operand) -> Double:
    """`x` where the condition is true, `y` elsewhere; numbers take the condition's shape."""
    type = same_shape(condition, float64)
    first, second = (v.value if isinstance(v, Double) else constant(v, type) for v in (x, y))
    return Double(emit("arith.select", [condition, first, second]))


def smaller(x: Double, bound: float) -> Double:
    """The minimum of `x` and a bound; NaN stays."""
    return choose(x > bound, bound, x)


def clamped(x: Double, bound: float) -> Double:
    """`x` clamped to the range from -bound to bound; NaN stays."""
    return choose(x < -bound, -bound, smaller(x, bound))


def polynomial(x: Double, coefficients: Sequence[Operand]) -> Double:
    """A polynomial by Horner's rule; the coefficient of the highest power is first."""
    result = x.like(coefficients[0])
    for coefficient in coefficients[1:]:
        result = result.fma(x, coefficient)
    return result


def piecewise(
    conditions: Sequence[tensor], tables: Sequence[Sequence[float]], shape: Double
) -> list[Double]:
    """Coefficients by element: those of the first table whose condition is true, or of the last.

    Shorter tables are filled up with zeros at the front, the highest powers.
    """
    length = max(map(len, tables))
    padded = [(0.0,) * (length - len(table)) + tuple(table) for table in tables]
    chosen = []
    for row in zip(*padded, strict=True):
        value = shape.like(row[-1])
        for condition, number in reversed(list(zip(conditions, row, strict=False))):
            value = choose(condition, number, value)
        chosen.append(value)
    return chosen
