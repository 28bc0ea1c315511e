"""Arithmetic with directed rounding, compared with rational numbers."""

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from elementwise import apply, same
from exact_rounding import is_above, is_below, rounded

import tilewright
import tilewright.language as tl
from tilewright.compat import libdevice_rounding as lib
from tilewright.errors import TypeMismatchError

INF, NAN = math.inf, math.nan
MODES = pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
EXACT = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv
}  # fmt: skip
COUNT = 256


def numbers(dtype, seed: int) -> np.ndarray:
    """Numbers of all magnitudes, and many that are near each other or near the limits."""
    rng = np.random.default_rng(seed)
    info = np.finfo(dtype)
    spread = np.ldexp(rng.uniform(1, 2, 96), rng.integers(info.minexp, info.maxexp, 96))
    close = 1 + rng.integers(-9, 9, 64) * info.eps
    short = np.ldexp(rng.integers(1, 64, 32).astype(np.float64), rng.integers(-30, 30, 32))
    small = info.smallest_subnormal * rng.integers(1, 9, 32).astype(dtype)
    large = np.ldexp(rng.uniform(1, 2, 32), info.maxexp - rng.integers(1, 4, 32))
    found = np.concatenate([spread, close, short, small, large]).astype(dtype)
    return rng.permutation(found * rng.choice([-1, 1], COUNT).astype(dtype))


def apply_wide(function, dtype, *operands):
    """`function` of 256 operands, in four launches."""
    parts = zip(*(np.split(x, COUNT // 64) for x in operands), strict=True)
    return np.concatenate([apply(function, dtype, *part) for part in parts])


def check(found, exact, dtype, mode, operands):
    for i, wanted in enumerate(exact):
        if wanted != 0:
            reference = rounded(wanted, dtype, mode)
            signs = np.signbit(found[i]) == np.signbit(reference)
            assert found[i] == reference and signs, [x[i] for x in operands]


@FLOATS
@MODES
@pytest.mark.parametrize("name", EXACT)
def test_two_operands(name, mode, dtype, target) -> None:
    x, y = numbers(dtype, 0), numbers(dtype, 1)
    y[:40] = np.nextafter(x[:40], dtype(0)) * np.resize(np.array([1, -1], dtype), 40)
    y[y == 0] = 3
    found = apply_wide(getattr(lib, f"{name}_{mode}"), dtype, x, y)
    wide = [map(Fraction, map(float, v)) for v in (x, y)]
    check(found, map(EXACT[name], *wide), dtype, mode, (x, y))


@FLOATS
@MODES
def test_fma(mode, dtype, target) -> None:
    x, y, z = (numbers(dtype, seed) for seed in (2, 3, 4))
    # Sums that cancel, exactly or nearly, and results near the subnormal numbers.
    with np.errstate(all="ignore"):
        z[:96] = -(x[:96] * y[:96])
        z[32:64] = np.nextafter(z[32:64], dtype(0))
    z[~np.isfinite(z)] = 1
    tiny = np.finfo(dtype).tiny
    x[128:160], y[128:160] = dtype(np.sqrt(tiny)), y[128:160] % 1 * dtype(np.sqrt(tiny))
    z[128:160] = z[128:160] % 1 * tiny
    function = getattr(lib, f"fma_{mode}")

    @tilewright.jit
    def kernel(out, x, y, z, FUNCTION: tl.constexpr):
        i = tl.arange(0, 256)
        tl.store(out + i, FUNCTION(tl.load(x + i), tl.load(y + i), tl.load(z + i)))

    found = np.zeros(COUNT, dtype)
    kernel[(1,)](found, x, y, z, FUNCTION=function)
    a, b, c = (list(map(Fraction, map(float, v))) for v in (x, y, z))
    exact = [p * q + r for p, q, r in zip(a, b, c, strict=True)]
    assert sum(value == 0 for value in exact) > 3
    check(found, exact, dtype, mode, (x, y, z))
    wanted = -0.0 if mode == "rd" else 0.0
    for i in (i for i, value in enumerate(exact) if value == 0 and a[i] * b[i] != 0):
        assert found[i] == 0 and np.signbit(found[i]) == np.signbit(wanted)


@FLOATS
@MODES
def test_reciprocals_and_roots(mode, dtype, target) -> None:
    x = numbers(dtype, 5)
    found = apply_wide(getattr(lib, f"rcp_{mode}"), dtype, x)
    check(found, [1 / Fraction(float(value)) for value in x], dtype, mode, (x,))
    x = np.abs(x)
    x[:20] = np.arange(1, 21).astype(dtype) ** 2
    found = apply_wide(getattr(lib, f"sqrt_{mode}"), dtype, x)
    for value, root in zip(x, found, strict=True):
        exact = Fraction(float(value))
        low = root if mode != "ru" else np.nextafter(root, dtype(0))
        high = np.nextafter(low, dtype(INF))
        ends = [Fraction(float(v)) ** 2 for v in (low, high)]
        assert ends[0] <= exact <= ends[1], value
        assert (exact < ends[1]) if mode != "ru" else (ends[0] < exact), value


SPECIAL = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 5e-45]


@FLOATS
@MODES
@pytest.mark.parametrize("name", EXACT)
def test_special_values(name, mode, dtype, target) -> None:
    """Where a result is exact it is that of NumPy, but for sums that are zero."""
    x = np.array([a for a in SPECIAL for _ in SPECIAL], dtype)
    y = np.array([b for _ in SPECIAL for b in SPECIAL], dtype)
    found = apply(getattr(lib, f"{name}_{mode}"), dtype, x, y)
    with np.errstate(all="ignore"):
        wanted = EXACT[name](x, y)
    finite = np.isfinite(x) & np.isfinite(y)
    for i in np.flatnonzero(finite):
        zero_divisor = name == "div" and y[i] == 0
        if not zero_divisor:
            exact = EXACT[name](Fraction(float(x[i])), Fraction(float(y[i])))
            wanted[i] = rounded(exact, dtype, mode) if exact else wanted[i]
            if not exact and name in ("add", "sub") and mode == "rd":
                other = y[i] if name == "add" else -y[i]
                is_positive = x[i] == 0 and not np.signbit(x[i]) and not np.signbit(other)
                wanted[i] = 0.0 if is_positive else -0.0
    same(found, wanted)


@FLOATS
@MODES
def test_special_roots(mode, dtype, target) -> None:
    x = np.resize(np.array([0.0, -0.0, INF, -1.0, NAN, 4.0], dtype), 64)
    wanted = np.resize(np.array([0.0, -0.0, INF, NAN, NAN, 2.0], dtype), 64)
    same(apply(getattr(lib, f"sqrt_{mode}"), dtype, x), wanted)
    x = np.resize(np.array([0.0, -0.0, INF, -INF, NAN, 4.0], dtype), 64)
    wanted = np.resize(np.array([INF, -INF, 0.0, -0.0, NAN, 0.25], dtype), 64)
    same(apply(getattr(lib, f"rcp_{mode}"), dtype, x), wanted)


def test_the_reference_rounds() -> None:
    third = Fraction(1, 3)
    low, high = rounded(third, np.float32, "rd"), rounded(third, np.float32, "ru")
    assert np.nextafter(low, np.float32(1)) == high and is_below(low, third)
    assert is_above(high, third) and rounded(-third, np.float32, "rz") == -low
    assert rounded(Fraction(10) ** 400, np.float64, "rd") == np.finfo(np.float64).max
    assert rounded(Fraction(10) ** 400, np.float64, "ru") == INF


def test_numbers_and_mixed_types(target) -> None:
    x = np.linspace(0.1, 2, 64, dtype=np.float32)
    y = np.linspace(3, 4, 64)

    @tilewright.jit
    def kernel(out, x, y, ADD: tl.constexpr, FMA: tl.constexpr):
        i = tl.arange(0, 64)
        tl.store(out + i, ADD(tl.load(x + i), 1.0))
        tl.store(out + 64 + i, FMA(tl.load(x + i), tl.load(y + i), 2.0))

    out = np.zeros(128, np.float64)
    kernel[(1,)](out, x, y, ADD=lib.add_ru, FMA=lib.fma_rd)
    for i in range(64):
        assert out[i] == rounded(Fraction(float(x[i])) + 1, np.float32, "ru")
        exact = Fraction(float(x[i])) * Fraction(float(y[i])) + 2
        assert out[64 + i] == rounded(exact, np.float64, "rd")


def test_other_dtypes_are_errors() -> None:
    x = np.ones(64, np.float16)
    with pytest.raises(TypeMismatchError, match=r"libdevice\.mul_rz takes fp32 or fp64, found"):
        apply(lib.mul_rz, np.float16, x, x)
