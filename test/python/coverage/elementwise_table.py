"""Operators and elementwise functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import stated
from number_formats import (
    ALL,
    BITS_ONLY,
    BOOL,
    DTYPES,
    FLOAT8S,
    FLOATS,
    FORMATS,
    INTS,
    NUMBERS,
    SIGNED,
    Wide,
    bits,
    rounded,
)
from operands import Operand
from operation import Bound, Operation, nearest

WIDE_FLOATS = ("fp32", "fp64")
TWO = (Operand(), Operand(like=0))
Reference = Callable[..., Any]


def to_bool(dtype: str) -> str:
    return "int1"


def quotient_type(dtype: str) -> str:
    """`/` gives float32 but for float64 and float8."""
    return dtype if dtype == "fp64" or dtype in FLOAT8S else "fp32"


def division_bound(dtype: str, gpu: bool) -> float:
    """A GPU approximates float32 quotients, and through them those of float8."""
    return stated.errors_on_gpus()["x / y"] if gpu and dtype == "fp32" else 0.5


def quotient(dtype: str, a: Wide, b: Wide) -> Wide:
    """The quotient of integers as float32 numbers."""
    if dtype in INTS or dtype in BOOL:
        a, b = rounded(a, "fp32"), rounded(b, "fp32")
    return np.asarray(a, np.longdouble) / np.asarray(b, np.longdouble)


def towards_zero(dtype: str, a: Wide, b: Wide) -> Wide:
    a, b = a.astype(object), b.astype(object)
    return abs(a) // abs(b) * np.where((a < 0) == (b < 0), 1, -1)


def remainder(dtype: str, a: Wide, b: Wide) -> Wide:
    if dtype in FORMATS:
        return np.fmod(a, b)
    return a.astype(object) - b.astype(object) * towards_zero(dtype, a, b)


def truth(dtype: str, a: Wide) -> Wide:
    """Whether numbers are not zero; float8e4b15 is given as bytes, with a bit of the sign."""
    return (a & 127 if dtype in BITS_ONLY else a) != 0


def both(dtype: str, a: Wide, b: Wide) -> Wide:
    return truth(dtype, a) & truth(dtype, b)


def either(dtype: str, a: Wide, b: Wide) -> Wide:
    return truth(dtype, a) | truth(dtype, b)


def lifted(function: Reference) -> Reference:
    """A function of values as a reference; bools become integers, and then wrap."""

    def reference(dtype: str, *operands: Wide) -> Any:
        return function(*(x.astype(object) if x.dtype == bool else x for x in operands))

    return reference


def binary(symbol: str, takes: tuple[str, ...], reference: Reference, **rest: Any) -> Operation:
    options = {"operands": TWO, "bound": nearest, **rest}
    return Operation(f"a {symbol} b", f"a {symbol} b", takes, reference, **options)


def negative(t: str, a: Wide) -> Wide:
    return a ^ 128 if t in BITS_ONLY else lifted(operator.neg)(t, a)


INT1_AND_INTS = (*BOOL, *INTS)
SAFE_DIVISION = (Operand(low=-1000, high=1000), Operand(low=-9, high=9, zero=False))

SHIFT = (Operand(), Operand(low=0, high=7))

OPERATORS = [
    binary("+", ALL, lifted(operator.add)),
    binary("-", ALL, lifted(operator.sub)),
    binary("*", ALL, lifted(operator.mul)),
    binary("/", ALL, quotient, result=quotient_type, bound=division_bound),
    binary("//", INT1_AND_INTS, towards_zero, operands=SAFE_DIVISION),
    binary("%", INT1_AND_INTS, remainder, operands=SAFE_DIVISION, skips=DTYPES),
    binary("%", (*FLOATS, *FLOAT8S), remainder, result=quotient_type, skips=INT1_AND_INTS),
    binary("&", INT1_AND_INTS, lifted(operator.and_)),
    binary("|", INT1_AND_INTS, lifted(operator.or_)),
    binary("^", INT1_AND_INTS, lifted(operator.xor)),
    *(
        binary(symbol, ALL, lifted(function), result=to_bool)
        for symbol, function in (
            ("==", operator.eq), ("!=", operator.ne), ("<", operator.lt), ("<=", operator.le),
            (">", operator.gt), (">=", operator.ge),
        )
    ),
    Operation("-a", "-a", DTYPES, negative),
    Operation("+a", "+a", DTYPES, lambda t, a: a),
    Operation("a << b", "a << b", INTS, lifted(operator.lshift), operands=SHIFT, skips=BOOL),
    Operation("a >> b", "a >> b", INTS, lifted(operator.rshift), operands=SHIFT, skips=BOOL),
    Operation("not a", "not a", DTYPES, lambda t, a: ~truth(t, a), to_bool),
    Operation("a and b", "a and b", DTYPES, both, to_bool, TWO),
    Operation("a or b", "a or b", DTYPES, either, to_bool, TWO),
    Operation("~a", "~a", INT1_AND_INTS, lambda t, a: ~a if a.dtype == bool else -1 - a),
]  # fmt: skip


def math_bound(name: str) -> Bound:
    """What docs/math.md states."""

    def bound(dtype: str, gpu: bool) -> float:
        if gpu and dtype == "fp32":
            return stated.errors_on_gpus()[name]
        return stated.errors("f64" if dtype == "fp64" else "f32")[name]

    return bound


def erf(t: str, a: Wide) -> Wide:
    import mpmath

    with mpmath.workprec(100):
        digits = [mpmath.nstr(mpmath.erf(float(x)), 25) for x in a.ravel()]
    values = np.array([np.longdouble(text) for text in digits]).reshape(a.shape)
    return np.copysign(values, a)


def of_one(function: Reference) -> Reference:
    return lambda t, a: function(a)


def unary(name: str, function: Reference, **rest: Any) -> Operation:
    options = {"bound": math_bound(name), **rest}
    return Operation(f"tl.{name}", f"tl.{name}(a)", WIDE_FLOATS, function, **options)


MATH = [
    unary("exp", of_one(np.exp)),
    unary("exp2", of_one(np.exp2), flushes=True),
    unary("log", of_one(np.log)),
    unary("log2", of_one(np.log2)),
    unary("sin", of_one(np.sin)),
    unary("cos", of_one(np.cos)),
    unary("tanh", of_one(np.tanh)),
    unary("erf", erf),
    unary("sqrt", of_one(np.sqrt)),
    unary("rsqrt", of_one(lambda a: 1 / np.sqrt(a))),
    unary("floor", of_one(np.floor), bound=nearest),
    unary("ceil", of_one(np.ceil), bound=nearest),
]


def extremum_type(dtype: str) -> str:
    """Extrema of bfloat16 are computed in float32, as in Triton."""
    return "fp32" if dtype == "bf16" else dtype


def fused(t: str, a: Wide, b: Wide, c: Wide) -> Wide:
    """`a * b + c` rounded once, to extended precision."""

    def one(x: np.longdouble, y: np.longdouble, z: np.longdouble) -> np.longdouble:
        if not np.isfinite([x, y, z]).all():
            return x * y + z
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        return nearest_wide(exact) if exact else x * y + z

    return np.frompyfunc(one, 3, 1)(a, b, c).astype(np.longdouble)


def nearest_wide(number: Fraction) -> np.longdouble:
    """Truncated to 64 bits, of which the last is set if the rest is not zero: rounding this again
    to at most 62 bits is the same as rounding once."""
    magnitude = abs(number)
    shift = 64 - (magnitude.numerator.bit_length() - magnitude.denominator.bit_length())
    scaled = magnitude * Fraction(2) ** shift
    whole = int(scaled)
    extra = max(0, whole.bit_length() - 64)
    kept = whole >> extra
    sticky = int(scaled != kept << extra)
    high, low = kept >> 32, (kept & 0xFFFFFFFF) | sticky
    value = np.ldexp(np.longdouble(high), 32) + np.longdouble(low)
    return np.copysign(np.ldexp(value, extra - shift), 1 if number > 0 else -1)


def absolute(t: str, a: Wide) -> Wide:
    return a & 127 if t in BITS_ONLY else a if t == "int1" else abs(a)


def sigmoid(t: str, a: Wide) -> Wide:
    return 1 / (1 + np.exp(-a))


def upper_half(t: str, a: Wide, b: Wide) -> Wide:
    width = bits(t)
    return ((a % (1 << width)) * (b % (1 << width))) >> width


def of_two(function: Reference) -> Reference:
    return lambda t, a, b: function(a, b)


EXTREMUM = {"result": extremum_type, "operands": TWO, "signed_zeros": False}
NAN = ", propagate_nan=tl.PropagateNan.ALL"
LIMITED = Operand(low=-60, high=60)
POSITIVE = (Operand(low=0, high=100), Operand(low=1, high=9))


def extremum(code: str, ignoring: Reference) -> Operation:
    name = f"tl.{code.partition('(')[0]}"
    return Operation(name, f"tl.{code}", ALL, of_two(ignoring), **EXTREMUM)  # type: ignore[arg-type]


def select(t: str, c: Wide, a: Wide, b: Wide) -> Wide:
    return np.where(c, a, b)


FUNCTIONS = [
    extremum("maximum(a, b)", np.fmax),
    extremum("minimum(a, b)", np.fmin),
    Operation("max(a, b)", "max(a, b)", ALL, of_two(np.fmax), **EXTREMUM),
    Operation("min(a, b)", "min(a, b)", ALL, of_two(np.fmin), **EXTREMUM),
    extremum(f"maximum(a, b{NAN})", np.maximum),
    extremum(f"minimum(a, b{NAN})", np.minimum),
    Operation(
        "tl.clamp", "tl.clamp(a, b, c)", (*FLOATS, *FLOAT8S),
        lambda t, a, b, c: np.fmin(np.fmax(a, b), c), extremum_type,
        (Operand(), Operand(low=-9, high=1), Operand(low=1, high=9)), signed_zeros=False,
    ),
    Operation(
        "tl.clamp", f"tl.clamp(a, b, c{NAN})", (*FLOATS, *FLOAT8S),
        lambda t, a, b, c: np.minimum(np.maximum(a, b), c), extremum_type,
        (Operand(), Operand(low=-9, high=1), Operand(low=1, high=9)), signed_zeros=False,
    ),
    Operation(
        "tl.fma", "tl.fma(a, b, c)", (*FLOATS, *FLOAT8S), fused,
        operands=(Operand(), Operand(), Operand()), bound=nearest,
    ),
    Operation("tl.umulhi", "tl.umulhi(a, b)", ("int32", "int64", "uint32", "uint64"), upper_half,
              operands=TWO),
    Operation("tl.abs", "tl.abs(a)", DTYPES, absolute),
    Operation("abs(a)", "abs(a)", DTYPES, absolute),
    Operation("tl.div_rn", "tl.div_rn(a, b)", ("fp32",), quotient, operands=TWO, bound=nearest),
    Operation("tl.sqrt_rn", "tl.sqrt_rn(a)", ("fp32",), of_one(np.sqrt), bound=nearest),
    Operation("tl.fdiv", "tl.fdiv(a, b)", (*FLOATS, *FLOAT8S), quotient, operands=TWO,
              bound=division_bound),
    Operation("tl.fdiv", "tl.fdiv(a, b, ieee_rounding=True)", (*FLOATS, *FLOAT8S), quotient,
              operands=TWO, bound=nearest),
    Operation("tl.sigmoid", "tl.sigmoid(a)", WIDE_FLOATS, sigmoid, operands=(LIMITED,),
              bound=lambda t, gpu: 5.0),
    Operation("tl.cdiv", "tl.cdiv(a, b)", INTS, lambda t, a, b: -(-a // b), operands=POSITIVE),
    Operation("tl.add", "tl.add(a, b)", ALL, lifted(operator.add), operands=TWO, bound=nearest),
    Operation("tl.sub", "tl.sub(a, b)", ALL, lifted(operator.sub), operands=TWO, bound=nearest),
    Operation("tl.mul", "tl.mul(a, b)", ALL, lifted(operator.mul), operands=TWO, bound=nearest),
    Operation("tl.logical_and", "tl.logical_and(a, b)", DTYPES, both, to_bool, TWO),
    Operation("tl.logical_or", "tl.logical_or(a, b)", DTYPES, either, to_bool, TWO),
    Operation("tl.logical_not", "tl.logical_not(a)", DTYPES, lambda t, a: ~truth(t, a), to_bool),
    Operation("tl.where", "tl.where(a, b, c)", DTYPES, select,
              operands=(Operand(dtype="int1"), Operand(), Operand())),
]  # fmt: skip


# Numbers of Python: `a + 1` has the type of `a`, a float makes float32 of an integer.


def float_type(dtype: str) -> str:
    return "fp32" if dtype in (*INTS, *BOOL) else dtype


def integer_type(dtype: str) -> str:
    return "int32" if dtype == "int1" else dtype


def with_float(function: Reference) -> Reference:
    """Integers become float32 first."""
    return lambda t, a: function(rounded(a, "fp32") if t in INTS or t in BOOL else a)


NUMBER = [
    Operation("a + 1", "a + 1", ALL, lifted(lambda a: a + 1), integer_type, bound=nearest),
    Operation("3 - a", "3 - a", ALL, lifted(lambda a: 3 - a), integer_type, bound=nearest),
    Operation("a * 3", "a * 3", ALL, lifted(lambda a: a * 3), integer_type, bound=nearest),
    Operation("a * 0.5", "a * 0.5", ALL, with_float(lambda a: a * np.longdouble(0.5)), float_type,
              bound=nearest),
    Operation("a + 1.5", "1.5 + a", ALL, with_float(lambda a: a + np.longdouble(1.5)), float_type,
              bound=nearest),
    Operation("a // 7", "a // 7", INTS, lambda t, a: towards_zero(t, a, np.full(a.shape, 7))),
    Operation("a // 8", "a // 8", INTS, lambda t, a: towards_zero(t, a, np.full(a.shape, 8))),
    Operation("a % 7", "a % 7", INTS, lambda t, a: remainder(t, a, np.full(a.shape, 7)),
              skips=FLOATS + FLOAT8S),
    Operation("a % 8", "a % 8", INTS, lambda t, a: remainder(t, a, np.full(a.shape, 8)),
              skips=FLOATS + FLOAT8S),
    Operation("a % -3", "a % -3", SIGNED, lambda t, a: remainder(t, a, np.full(a.shape, -3)),
              skips=FLOATS + FLOAT8S),
    Operation("a / 3", "a / 3", NUMBERS, lambda t, a: quotient(t, a, np.full(a.shape, 3)),
              quotient_type, bound=division_bound),
    Operation("1 / a", "1 / a", NUMBERS, lambda t, a: quotient(t, np.full(a.shape, 1), a),
              quotient_type, bound=division_bound),
    Operation("a & 5", "a & 5", INT1_AND_INTS, lifted(lambda a: a & 5), integer_type),
    Operation("a >> 3", "a >> 3", INT1_AND_INTS, lifted(lambda a: a >> 3), integer_type),
    Operation("a << 3", "a << 3", INT1_AND_INTS, lifted(lambda a: a << 3), integer_type),
    Operation("a < 1", "a < 1", ALL, lifted(lambda a: a < 1), to_bool),
    Operation("a == 1", "a == 1", ALL, lifted(lambda a: a == 1), to_bool),
    Operation("tl.maximum", "tl.maximum(a, 2)", ("int32", "int64", *FLOATS),
              lambda t, a: np.fmax(a, 2), extremum_type, skips=DTYPES),
]  # fmt: skip
