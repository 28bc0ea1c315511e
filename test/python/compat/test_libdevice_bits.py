"""The functions of libdevice on the bits of integers and floats, compared with NumPy."""

import numpy as np
import pytest
from elementwise import SPECIAL, apply, padded, same

from tilewright.compat import libdevice_bits as libdevice
from tilewright.errors import TypeMismatchError

FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
INTEGERS = pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])


def numbers(dtype) -> np.ndarray:
    """Numbers of all magnitudes: subnormal ones, the smallest and the largest normal ones."""
    info = np.finfo(dtype)
    tiny = info.smallest_subnormal
    extremes = [tiny, 3 * tiny, info.tiny, info.tiny - tiny, info.max, 1.5, 1 + info.eps]
    found = np.array([*SPECIAL, *extremes, *(-value for value in extremes)], dtype)
    assert len(found) <= 64
    return padded(found, dtype)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_bits(dtype, target) -> None:
    bits = np.dtype(dtype).itemsize * 8
    info = np.iinfo(dtype)
    numbers = [0, 1, 2, 3, 12, info.max, info.min, info.max - 1, 1 << (bits - 2), 0x12345678]
    x = padded(numbers, dtype)
    texts = [format(int(value) & ((1 << bits) - 1), f"0{bits}b") for value in x]
    counts = {
        "popc": [text.count("1") for text in texts],
        "clz": [bits - len(text.lstrip("0")) for text in texts],
        "ffs": [len(text) - text.rfind("1") if "1" in text else 0 for text in texts],
    }
    for name, expected in counts.items():
        assert apply(getattr(libdevice, name), np.int32, x).tolist() == expected, name
    reverse = np.array([int(text[::-1], 2) for text in texts], np.uint64).astype(f"u{bits // 8}")
    assert np.array_equal(apply(libdevice.brev, dtype, x), reverse.view(dtype))


@INTEGERS
def test_mulhi(dtype, target) -> None:
    info = np.iinfo(dtype)
    values = [0, 1, 2, info.max, info.min, info.max - 1, info.max // 3, info.min // 5, 12345]
    x = np.resize(np.array(values, dtype), 64)
    y = np.roll(np.resize(np.array(values, dtype), 64), 5)
    upper = [int(a) * int(b) >> info.bits for a, b in zip(x, y, strict=True)]
    assert apply(libdevice.mulhi, dtype, x, y).tolist() == upper


@FLOATS
@pytest.mark.parametrize("name", ["ldexp", "scalbn"])
def test_scaling(name, dtype, target) -> None:
    """Rounds once, also where the result is subnormal."""
    function = getattr(libdevice, name)
    x = numbers(dtype)
    info = np.finfo(dtype)
    reach = info.maxexp - info.minexp + info.nmant
    for n in (0, 1, -1, 7, info.minexp, info.maxexp, -reach, reach, 2**31 - 1, -(2**31)):
        exponents = np.full(64, n, np.int32)
        with np.errstate(all="ignore"):
            same(apply(function, dtype, x, exponents), np.ldexp(x, exponents))
    rng = np.random.default_rng(0)
    x = rng.standard_normal(64).astype(dtype)
    for _ in range(4):
        # Most results are near the limit of the subnormal numbers.
        exponents = rng.integers(info.minexp - info.nmant - 3, info.minexp + 3, 64, np.int32)
        same(apply(function, dtype, x, exponents), np.ldexp(x, exponents))


@FLOATS
def test_exponents(dtype, target) -> None:
    x = numbers(dtype)
    finite = np.isfinite(x) & (x != 0)
    exponents = np.frexp(x)[1] - 1
    expected = np.where(finite, exponents, np.iinfo(np.int32).min)
    expected[np.isinf(x)] = np.iinfo(np.int32).max
    assert apply(libdevice.ilogb, np.int32, x).tolist() == expected.tolist()
    floats = np.where(finite, exponents, np.abs(x)).astype(dtype)
    floats[x == 0] = -np.inf
    same(apply(libdevice.logb, dtype, x), floats)


@FLOATS
def test_nextafter(dtype, target) -> None:
    x = numbers(dtype)
    for shift in (0, 1, 5, 17):
        y = np.roll(x, shift)
        with np.errstate(all="ignore"):
            same(apply(libdevice.nextafter, dtype, x, y), np.nextafter(x, y))


def test_the_bits_of_floats(target) -> None:
    x = padded(SPECIAL, np.float32)
    assert np.array_equal(apply(libdevice.float_as_int, np.int32, x), x.view(np.int32))
    back = apply(libdevice.int_as_float, np.float32, x.view(np.int32))
    assert np.array_equal(back.view(np.int32), x.view(np.int32))
    wide = padded(SPECIAL, np.float64)
    assert np.array_equal(apply(libdevice.double_as_longlong, np.int64, wide), wide.view(np.int64))


def test_conversions(target) -> None:
    x = padded([0, 1, -1, 2**24 + 1, 2**24 + 3, 2**31 - 1, -(2**31)], np.int32)
    same(apply(libdevice.int2float_rn, np.float32, x), x.astype(np.float32))
    same(apply(libdevice.int2double_rn, np.float64, x), x.astype(np.float64))
    wide = padded([0.1, 1 + 2.0**-24, 1 + 3 * 2.0**-24, -0.0, 1e300, np.inf], np.float64)
    with np.errstate(all="ignore"):
        same(apply(libdevice.double2float_rn, np.float32, wide), wide.astype(np.float32))


def test_another_dtype_is_an_error() -> None:
    with pytest.raises(TypeMismatchError, match=r"libdevice\.popc takes int32 or uint32 or"):
        apply(libdevice.popc, np.int32, np.zeros(64, np.float32))
    with pytest.raises(TypeMismatchError, match=r"libdevice\.ldexp takes int32, found"):
        apply(libdevice.ldexp, np.float32, np.zeros(64, np.float32), np.zeros(64, np.float32))
