"""Transcendental functions of libdevice against the C library: errors and special values."""

import math

import numpy as np
import pytest
from elementwise import apply, padded, same

from tilewright.compat import libdevice_math as lib
from tilewright.compat.facade import find
from tilewright.compat.table import MODULES
from tilewright.errors import CompileError

LIBRARY = MODULES["triton.language.extra.libdevice"]
INF, NAN = math.inf, math.nan

# In ulp: the bounds of docs/math.md; that of float64 allows for 1 ulp of the C library.
SINGLE = {"expm1": 1.44, "log1p": 1.53, "log10": 0.95}
DOUBLE = {"log10": 1.02, "cbrt": 1, "atan": 1.5, "hypot": 2, "atan2": 2}
DOMAINS = {
    "acos": (-1, 1), "acosh": (1, 1e3), "asin": (-1, 1), "atanh": (-0.9999, 0.9999),
    "log1p": (-0.99, 9), "log10": (1e-30, 1e3),
}  # fmt: skip
UNARY = {
    "acos": math.acos, "acosh": math.acosh, "asin": math.asin, "asinh": math.asinh,
    "atan": math.atan, "atanh": math.atanh, "cbrt": np.cbrt, "cosh": math.cosh,
    "expm1": math.expm1, "log10": math.log10, "log1p": math.log1p, "sinh": math.sinh,
    "tan": math.tan,
}  # fmt: skip
BINARY = {"atan2": math.atan2, "hypot": math.hypot}


def bound(name, dtype):
    return SINGLE.get(name, 0.51) if dtype == np.float32 else DOUBLE.get(name, 3) + 1


def check_errors(name, found, wanted, dtype):
    wanted = np.array(wanted, np.float64)
    size = np.maximum(np.abs(wanted), np.finfo(dtype).tiny).astype(dtype)
    errors = np.abs(found.astype(np.float64) - wanted) / np.spacing(size)
    assert errors.max() <= bound(name, dtype), (name, errors.max())


def arguments(low, high, dtype, seed=0):
    generator = np.random.default_rng(seed)
    spread = [generator.uniform(low, high, 40), generator.normal(0, 1e-3, 12)]
    spread.append(np.exp(generator.uniform(-40, math.log(high), 12)))
    return np.clip(np.concatenate(spread), low, high).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY)
def test_errors(name, dtype, target) -> None:
    x = arguments(*DOMAINS.get(name, (-40, 40)), dtype)
    wanted = [UNARY[name](float(value)) for value in x]
    check_errors(name, apply(find(LIBRARY, name), dtype, x), wanted, dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BINARY)
def test_errors_of_two_operands(name, dtype, target) -> None:
    x, y = arguments(-40, 40, dtype, 1), arguments(-9, 9, dtype, 2)
    wanted = list(map(BINARY[name], x.tolist(), y.tolist()))
    check_errors(name, apply(find(LIBRARY, name), dtype, x, y), wanted, dtype)


def test_tangents_of_large_numbers(target) -> None:
    """The argument is reduced by as many bits of pi as it takes."""
    mp = pytest.importorskip("mpmath")
    x = padded([1e22, -1e22, 2.0**1000, 1.7e308, 5319372648326541 * 2.0**849, 1e5], np.float64)
    with mp.workprec(1300):
        wanted = [float(mp.tan(mp.mpf(value))) for value in x.tolist()]
    check_errors("tan", apply(lib.tan, np.float64, x), wanted, np.float64)


SPECIAL = {
    "acos": [(1, 0.0), (-1, math.pi), (1.5, NAN), (-INF, NAN), (0.0, math.pi / 2)],
    "acosh": [(1, 0.0), (0.5, NAN), (-3, NAN), (INF, INF), (-INF, NAN), (1e30, math.acosh(1e30))],
    "asin": [(1, math.pi / 2), (-1, -math.pi / 2), (-0.0, -0.0), (1.5, NAN), (INF, NAN)],
    "asinh": [(-0.0, -0.0), (INF, INF), (-INF, -INF), (-1e30, -math.asinh(1e30)), (1e-30, 1e-30)],
    "atan": [(INF, math.pi / 2), (-INF, -math.pi / 2), (-0.0, -0.0), (1e30, math.pi / 2)],
    "atanh": [(1, INF), (-1, -INF), (-0.0, -0.0), (1.5, NAN), (INF, NAN), (1e-30, 1e-30)],
    "cbrt": [(-0.0, -0.0), (INF, INF), (-INF, -INF), (-27, -3.0), (1e-45, np.cbrt(1e-45))],
    "cosh": [(-0.0, 1.0), (INF, INF), (-INF, INF), (1000, INF)],
    "expm1": [(-0.0, -0.0), (INF, INF), (-INF, -1.0), (1000, INF)],
    "log10": [(0.0, -INF), (-0.0, -INF), (-1, NAN), (INF, INF), (1000, 3.0)],
    "log1p": [(-1, -INF), (-2, NAN), (-0.0, -0.0), (INF, INF)],
    "sinh": [(-0.0, -0.0), (INF, INF), (-INF, -INF), (-1000, -INF), (1e-30, 1e-30)],
    "tan": [(-0.0, -0.0), (INF, NAN), (-INF, NAN), (1e-30, 1e-30)],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name, dtype, target) -> None:
    given, wanted = zip(*SPECIAL[name], (NAN, NAN), strict=True)
    x = padded(given, dtype)
    if name == "cbrt":  # the operand is rounded
        wanted = (*wanted[:4], np.cbrt(np.float64(x[4])), NAN)
    found = apply(find(LIBRARY, name), dtype, x)[: len(given)]
    wanted = np.array(wanted, np.float64).astype(dtype)
    assert np.array_equal(np.isnan(found), np.isnan(wanted)), found
    with np.errstate(invalid="ignore"):
        close = np.abs(found - wanted) <= 3 * np.spacing(np.abs(wanted))
    assert (close | (found == wanted) | np.isnan(wanted)).all(), (found, wanted)
    numbers = ~np.isnan(wanted)
    assert np.array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])


NUMBERS = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-40]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["atan2", "hypot"])
def test_special_pairs(name, dtype, target) -> None:
    x = np.array([a for a in NUMBERS for _ in NUMBERS], dtype)
    y = np.array([b for _ in NUMBERS for b in NUMBERS], dtype)
    wanted = np.array(list(map(BINARY[name], x.tolist(), y.tolist()))).astype(dtype)
    found = apply(find(LIBRARY, name), dtype, x, y)
    assert np.array_equal(np.isnan(found), np.isnan(wanted))
    numbers = ~np.isnan(wanted)
    assert np.array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])
    assert np.allclose(found, wanted, rtol=1e-6, atol=0, equal_nan=True)


def test_hypot_and_atan2_of_large_and_small_numbers(target) -> None:
    x = padded([1e308, 3e300, 1e-310, 5e-324, -1.7e308, 1e-200], np.float64)
    y = padded([1e308, -4e300, 1e-310, 5e-324, 1.7e308, 1e-200], np.float64)
    for name in ("hypot", "atan2"):
        wanted = np.array(list(map(BINARY[name], x.tolist(), y.tolist())))
        found = apply(find(LIBRARY, name), np.float64, x, y)
        with np.errstate(invalid="ignore"):
            close = np.abs(found - wanted) <= 2 * np.spacing(wanted)
        assert (close | (found == wanted)).all(), (name, found[:6], wanted[:6])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_remainder(dtype, target) -> None:
    generator = np.random.default_rng(3)
    large = np.finfo(dtype).max
    x = generator.normal(0, 100, 64).astype(dtype)
    y = generator.normal(0, 3, 64).astype(dtype)
    x[:14] = [5, 7, -5, 3, -3, 2.5, 1.5, -0.0, 4, 1e30, large, large, 6, np.finfo(dtype).tiny]
    y[:14] = [2, 2, 2, 2, -2, 1, 1, 1, -2, 0.7, large, large / 1.5, INF, np.finfo(dtype).tiny / 4]
    with np.errstate(all="ignore"):
        wanted = np.array(list(map(math.remainder, x.tolist(), y.tolist())), dtype)
    same(apply(lib.remainder, dtype, x, y), wanted)
    x, y = padded([1, INF, NAN, 1, -INF, 0], dtype), padded([0, 2, 1, NAN, 2, 0], dtype)
    assert np.isnan(apply(lib.remainder, dtype, x, y)[:6]).all()


def test_integers_are_errors() -> None:
    x = np.ones(64, np.int32)
    for name in ("tan", "log1p", "cbrt"):
        with pytest.raises(CompileError, match=f"libdevice.{name} takes fp32 or fp64, found"):
            apply(find(LIBRARY, name), np.float32, x)


def test_the_table_has_them() -> None:
    module = MODULES["triton.language.extra.libdevice"]
    for name in lib.__all__:
        assert find(module, name).__wrapped__ is getattr(lib, name)
