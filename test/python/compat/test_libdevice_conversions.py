"""libdevice's conversions between floats and integers, compared with rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
from elementwise import SPECIAL, apply, padded, same
from exact_rounding import rounded

from tilewright.compat import libdevice_conversions as lib
from tilewright.errors import TypeMismatchError

TARGETS = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
MODES = ("rd", "rn", "ru", "rz")
WHOLE = {"rd": np.floor, "rn": np.rint, "ru": np.ceil, "rz": np.trunc}


def floats(dtype, info) -> np.ndarray:
    """Floats around the limits of an integer type, and ordinary ones."""
    limits = [float(info.min), float(info.max), float(info.max) / 2]
    near = [np.nextafter(dtype(x), dtype(d)) for x in limits for d in (-np.inf, np.inf)]
    more = [*limits, *near, 2147483647.5, 2147483646.5, -2147483648.5, 4294967295.5, -0.75, 1e19]
    rng = np.random.default_rng(0)
    found = np.array([*SPECIAL, *more, *rng.normal(0, 1e9, 16)], dtype)
    return padded(found, dtype)


def reference(x, info, mode: str, not_a_number: int) -> int:
    if np.isnan(x):
        return not_a_number
    if np.isinf(x):
        return info.max if x > 0 else info.min
    return min(max(int(WHOLE[mode](x)), info.min), info.max)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("target_name", TARGETS)
@pytest.mark.parametrize("source", ["float", "double"])
def test_floats_to_integers(source, target_name, mode, target) -> None:
    dtype, integer = (np.float32 if source == "float" else np.float64), TARGETS[target_name]
    info = np.iinfo(integer)
    x = floats(dtype, info)
    is_zero = source == "float" and info.bits == 32
    not_a_number = 0 if is_zero else (1 << (info.bits - 1)) * (-1 if info.min else 1)
    wanted = np.array([reference(value, info, mode, not_a_number) for value in x], integer)
    signed = np.dtype(f"i{info.bits // 8}")
    found = apply(getattr(lib, f"{source}2{target_name}_{mode}"), signed, x)
    assert found.tolist() == wanted.view(signed).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nearest_integers(dtype, target) -> None:
    info = np.iinfo(np.int64)
    x = floats(dtype, info)
    even = [reference(value, info, "rn", info.min) for value in x]
    assert apply(lib.llrint, np.int64, x).tolist() == even
    with np.errstate(invalid="ignore"):
        half = np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.copysign(1, x), 0)
    away = [reference(value, info, "rz", info.min) for value in half]
    assert apply(lib.llround, np.int64, x).tolist() == away


def integers(dtype) -> np.ndarray:
    """Integers with more bits than floats, of all magnitudes, and ties."""
    info = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    spread = rng.integers(info.min, info.max, 20, dtype, endpoint=True)
    spread >>= rng.integers(0, info.bits, 20).astype(dtype)
    edges = [0, 1, 2**24 + 1, 2**24 + 3, 2**31 - 1, info.max, info.max - 1, info.min, info.min + 1]
    if info.bits == 64:
        edges += [2**53 + 1, 2**53 + 3, 2**54 + 2, 2**62 + 1, 2**40 + 2**15, 2**40 + 2**16 + 1]
    return padded([*spread.tolist(), *edges], dtype)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("source", "result"),
    [*((source, "float") for source in TARGETS), ("ll", "double"), ("ull", "double")],
)
def test_integers_to_floats(source, result, mode, target) -> None:
    dtype = np.float32 if result == "float" else np.float64
    x = integers(TARGETS[source])
    wanted = np.array([
        rounded(Fraction(int(v)), dtype, mode) if v and mode != "rn" else dtype(v) for v in x
    ])  # fmt: skip
    same(apply(getattr(lib, f"{source}2{result}_{mode}"), dtype, x), wanted)


def test_integers_of_32_bits_to_doubles(target) -> None:
    for name, dtype in (("int2double_rn", np.int32), ("uint2double_rn", np.uint32)):
        x = integers(dtype)
        same(apply(getattr(lib, name), np.float64, x), x.astype(np.float64))


@pytest.mark.parametrize("mode", MODES)
def test_doubles_to_floats(mode, target) -> None:
    x = [*SPECIAL, 0.1, 1 + 2.0**-24, 1 + 3 * 2.0**-24, 1e300, -1e300, 3.4028235677973366e38,
         1e-46, -1e-46, 1e-45, 1.1754943e-38, 2.0**-150, -(2.0**-149) * 1.5]  # fmt: skip
    wide = padded(x, np.float64)
    found = apply(getattr(lib, f"double2float_{mode}"), np.float32, wide)
    with np.errstate(all="ignore"):
        wanted = wide.astype(np.float32)
    for i in np.flatnonzero(np.isfinite(wide) & (wide != 0) & (mode != "rn")):
        wanted[i] = rounded(Fraction(wide[i]), np.float32, mode)
    same(found, wanted)


def test_the_bits_of_floats(target) -> None:
    x = padded(SPECIAL, np.float32)
    assert np.array_equal(apply(lib.float_as_int, np.int32, x), x.view(np.int32))
    assert np.array_equal(apply(lib.float_as_uint, np.int32, x), x.view(np.int32))
    for function, dtype in ((lib.int_as_float, np.int32), (lib.uint_as_float, np.uint32)):
        back = apply(function, np.float32, x.view(dtype))
        assert np.array_equal(back.view(np.int32), x.view(np.int32))
    wide = padded(SPECIAL, np.float64)
    bits = wide.view(np.int64)
    assert np.array_equal(apply(lib.double_as_longlong, np.int64, wide), bits)
    back = apply(lib.longlong_as_double, np.float64, bits)
    assert np.array_equal(back.view(np.int64), bits)


def test_the_halves_of_doubles(target) -> None:
    x = padded([*SPECIAL, -1.1, 1e-310], np.float64)
    halves = x.view(np.int32).reshape(-1, 2)
    low, high = np.ascontiguousarray(halves[:, 0]), np.ascontiguousarray(halves[:, 1])
    assert np.array_equal(apply(lib.double2loint, np.int32, x), low)
    assert np.array_equal(apply(lib.double2hiint, np.int32, x), high)
    back = apply(lib.hiloint2double, np.float64, high, low)
    assert np.array_equal(back.view(np.int64), x.view(np.int64))


def test_other_dtypes_are_errors() -> None:
    with pytest.raises(TypeMismatchError, match=r"libdevice\.float2int_rd takes fp32, found"):
        apply(lib.float2int_rd, np.int32, np.zeros(64))
    with pytest.raises(TypeMismatchError, match=r"libdevice\.ll2float_ru takes int64, found"):
        apply(lib.ll2float_ru, np.float32, np.zeros(64, np.int32))
