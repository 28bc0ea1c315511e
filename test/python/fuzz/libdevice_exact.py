"""Functions of libdevice with exact results, in NumPy and in rational arithmetic.

The kinds of operands and results:

    f, d    float32, float64          g   one of them, the same for all operands
    F, G    the same, positive        p   int1
    i, u    int32, uint32             w   one of them
    l, v    int64, uint64             z   one of the four types of integers
    s       an int32 from -40 to 40   j, k   the bits of a float32 or float64 below 2
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import word_functions as words
from tiles import Inexact


class Function(NamedTuple):
    operands: str
    result: str
    numpy: Callable[..., Any]


# Rounding


def _neighbors(exact: Fraction, dtype: Any) -> tuple[Any, Any]:
    """The largest float below a number, or equal to it, and the smallest above."""
    low = dtype(float(exact))
    if not np.isfinite(low):
        raise Inexact
    while Fraction(float(low)) > exact:
        low = np.nextafter(low, dtype(-np.inf))
    high = low if Fraction(float(low)) == exact else np.nextafter(low, dtype(np.inf))
    return low, high


def rounded(exact: Fraction, dtype: Any, mode: str) -> Any:
    """The number in a mode: "rn", "rd", "ru" or "rz"."""
    low, high = _neighbors(exact, dtype)
    if mode == "rn":
        below, above = exact - Fraction(float(low)), Fraction(float(high)) - exact
        is_even = int(np.asarray(low).view(f"u{low.itemsize}")) % 2 == 0
        return low if below < above or (below == above and is_even) else high
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    return low if mode == "rd" else high


def _each(function: Callable[..., Any], *operands: np.ndarray, like: Any = None) -> np.ndarray:
    """The function of each element, as Python's numbers; the operands must be finite."""
    if not all(np.isfinite(x).all() for x in operands):
        raise Inexact
    found = [function(*(v.item() for v in row)) for row in zip(*operands, strict=True)]
    return np.array(found, operands[0].dtype if like is None else like)


def _arithmetic(exact: Callable[..., Fraction], mode: str) -> Callable[..., np.ndarray]:
    def apply(*operands: np.ndarray) -> np.ndarray:
        dtype = operands[0].dtype.type

        def one(*values: float) -> Any:
            return rounded(exact(*map(Fraction, values)), dtype, mode)

        return _each(one, *operands)

    return apply


def _root(mode: str) -> Callable[[np.ndarray], np.ndarray]:
    def one(x: Any, dtype: Any) -> Any:
        low = np.sqrt(dtype(x))
        while Fraction(float(low)) ** 2 > Fraction(x):
            low = np.nextafter(low, dtype(0))
        is_exact = Fraction(float(low)) ** 2 == Fraction(x)
        return np.nextafter(low, dtype(np.inf)) if mode == "ru" and not is_exact else low

    return lambda x: _each(lambda v: one(v, x.dtype.type), x)


def _reciprocal_root(x: np.ndarray) -> np.ndarray:
    """Rounded to nearest by way of an integer root of 64 more bits than are needed."""

    def one(value: float) -> Any:
        exact = 1 / Fraction(value)
        scaled = math.isqrt(int(exact * (1 << 400)))
        return rounded(Fraction(scaled, 1 << 200), np.float32, "rn")

    return _each(one, x)


def _rounding_functions() -> dict[str, Function]:
    exact: dict[str, tuple[str, Callable[..., Fraction]]] = {
        "add": ("gg", lambda x, y: x + y), "sub": ("gg", lambda x, y: x - y),
        "mul": ("gg", lambda x, y: x * y), "div": ("gG", lambda x, y: x / y),
        "fma": ("ggg", lambda x, y, z: x * y + z), "rcp": ("G", lambda x: 1 / x),
    }  # fmt: skip
    found = {
        "sqrt_rn": Function("G", "g", np.sqrt),
        "rsqrt_rn": Function("F", "f", _reciprocal_root),
    }
    for mode in ("rn", "rd", "ru", "rz"):
        for name, (operands, function) in exact.items():
            found[f"{name}_{mode}"] = Function(operands, "g", _arithmetic(function, mode))
        if mode != "rn":
            found[f"sqrt_{mode}"] = Function("G", "g", _root(mode))
    return found


# Conversions

_TO_WHOLE: dict[str, Callable[[float], int]] = {
    "rd": math.floor, "rn": round, "ru": math.ceil, "rz": math.trunc,
}  # fmt: skip
_INTEGERS = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
_KINDS = {"int": "i", "uint": "u", "ll": "l", "ull": "v"}


def _saturated(whole: Callable[[float], int], target: Any) -> Callable[..., np.ndarray]:
    """The nearest integer of the target; the result is signed."""
    info = np.iinfo(target)

    def apply(x: np.ndarray) -> np.ndarray:
        found = _each(lambda v: min(max(whole(v), info.min), info.max), x, like=target)
        return found.view(f"i{found.itemsize}")

    return apply


def _to_float(dtype: Any, mode: str) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: _each(lambda v: rounded(Fraction(v), dtype, mode), x, like=dtype)


def _conversions() -> dict[str, Function]:
    found = {}
    for mode, whole in _TO_WHOLE.items():
        for name, target in _INTEGERS.items():
            result = "i" if np.dtype(target).itemsize == 4 else "l"
            for base, kind in {"float": "f", "double": "d"}.items():
                function = _saturated(whole, target)
                found[f"{base}2{name}_{mode}"] = Function(kind, result, function)
            floats = _to_float(np.float32, mode)
            found[f"{name}2float_{mode}"] = Function(_KINDS[name], "f", floats)
            if result == "l" or mode == "rn":
                doubles = _to_float(np.float64, mode)
                found[f"{name}2double_{mode}"] = Function(_KINDS[name], "d", doubles)
        found[f"double2float_{mode}"] = Function("d", "f", _to_float(np.float32, mode))
    found["llrint"] = Function("g", "l", _saturated(round, np.int64))
    found["llround"] = Function("g", "l", _saturated(lambda v: int(_away(v)), np.int64))
    return found


def _bit_conversions() -> dict[str, Function]:
    def view(dtype: str) -> Callable[[np.ndarray], np.ndarray]:
        return lambda x: np.ascontiguousarray(x).view(dtype)

    def joined(high: np.ndarray, low: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.stack([low, high], 1)).view(np.float64)[:, 0]

    return {
        "float_as_int": Function("f", "i", view("i4")),
        "float_as_uint": Function("f", "i", view("i4")),
        "int_as_float": Function("j", "f", view("f4")),
        "double_as_longlong": Function("d", "l", view("i8")),
        "longlong_as_double": Function("k", "d", view("f8")),
        "double2hiint": Function("d", "i", lambda x: (view("i8")(x) >> 32).astype(np.int32)),
        "double2loint": Function("d", "i", lambda x: view("i8")(x).astype(np.int32)),
        "hiloint2double": Function("ji", "d", joined),
    }


# Integers


def _ffs(x: np.ndarray) -> np.ndarray:
    return np.array([(int(v) & -int(v)).bit_length() for v in x], np.int32)


def _integer(function: Callable[..., int]) -> Callable[..., np.ndarray]:
    """The function of Python's integers, modulo the width of the first operand."""

    def apply(*operands: np.ndarray) -> np.ndarray:
        mask = (1 << operands[0].itemsize * 8) - 1
        found = [function(*(int(v) for v in row)) & mask for row in zip(*operands, strict=True)]
        raw = np.array(found, f"u{operands[0].itemsize}")
        return raw.view(operands[0].dtype)

    return apply


def _mul24(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return ((x << 8) >> 8) * ((y << 8) >> 8)


def _byte_perm(x: int, y: int, selector: int) -> int:
    pair = (y & 0xFFFFFFFF) << 32 | (x & 0xFFFFFFFF)
    chosen = [pair >> 8 * (selector >> 4 * place & 7) & 255 for place in range(4)]
    return sum(byte << 8 * place for place, byte in enumerate(chosen))


def _mulhi(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _integer(lambda a, b: a * b >> x.itemsize * 8)(x, y)


_ON_INTEGERS = {
    "popc": Function("z", "i", words.popc), "clz": Function("z", "i", words.clz),
    "ffs": Function("z", "i", _ffs),
    "brev": Function("z", "z", lambda x: words.brev(x).view(x.dtype)),
    "mulhi": Function("zz", "z", _mulhi), "mul24": Function("ww", "w", _mul24),
    "hadd": Function("ww", "w", _integer(lambda x, y: (x + y) >> 1)),
    "rhadd": Function("ww", "w", _integer(lambda x, y: (x + y + 1) >> 1)),
    "sad": Function("wwu", "w", _integer(lambda x, y, z: abs(x - y) + z)),
    "byte_perm": Function("iii", "i", _integer(_byte_perm)),
}  # fmt: skip


# Floats


def _away(x: Any) -> Any:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)


def _exponent(x: np.ndarray) -> np.ndarray:
    if not np.isfinite(x).all() or (x == 0).any():
        raise Inexact
    return np.frexp(x)[1] - 1


_ON_FLOATS = {
    **{name: Function("g", "g", getattr(np, name)) for name in ("trunc", "rint", "floor", "ceil")},
    "nearbyint": Function("g", "g", np.rint), "abs": Function("g", "g", np.abs),
    "round": Function("g", "g", lambda x: _away(x).astype(x.dtype)),
    "isnan": Function("g", "p", np.isnan), "isinf": Function("g", "p", np.isinf),
    "finitef": Function("f", "p", np.isfinite), "isfinited": Function("d", "p", np.isfinite),
    "copysign": Function("gG", "g", np.copysign),
    "fdim": Function("gg", "g", lambda x, y: np.where(x <= y, 0, x - y).astype(x.dtype)),
    "fmod": Function("gG", "g", np.fmod),
    "remainder": Function("gG", "g", lambda x, y: _each(math.remainder, x, y)),
    "saturatef": Function("f", "f", lambda x: np.fmin(np.fmax(x, np.float32(0)), np.float32(1))),
    "nextafter": Function("gg", "g", np.nextafter),
    "ilogb": Function("G", "i", _exponent),
    "logb": Function("G", "g", lambda x: _exponent(x).astype(x.dtype)),
    "ldexp": Function("gs", "g", np.ldexp), "scalbn": Function("gs", "g", np.ldexp),
    "signbit": Function("G", "i", lambda x: np.signbit(x).astype(np.int32)),
}  # fmt: skip

TABLE: dict[str, Function] = {
    **_ON_INTEGERS, **_ON_FLOATS, **_rounding_functions(), **_conversions(), **_bit_conversions(),
}  # fmt: skip
TABLE["uint_as_float"] = Function("u", "f", lambda x: np.ascontiguousarray(x).view(np.float32))
