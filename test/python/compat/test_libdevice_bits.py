"""The functions of libdevice on the bits of integers and floats, compared with NumPy."""

import numpy as np
import pytest
from elementwise import SPECIAL, apply, padded, same

import tilewright
import tilewright.language as tl
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


WORDS = [
    0, 1, 2, 3, -1, -2, 2**31 - 1, -(2**31), 0x12345678, -0x12345678, 2**23, -(2**23), 2**24 - 1,
]  # fmt: skip


def words(dtype, shift: int) -> np.ndarray:
    return np.roll(np.resize(np.array(WORDS, np.int64).astype(dtype), 64), shift)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_arithmetic_of_words(dtype, target) -> None:
    x, y = words(dtype, 0), words(dtype, 5)
    a, b = x.astype(object), y.astype(object)
    wanted = {
        "hadd": (a + b) // 2,
        "rhadd": (a + b + 1) // 2,
        "mul24": low_24_bits(a, dtype) * low_24_bits(b, dtype),
    }
    for name, exact in wanted.items():
        found = apply(getattr(libdevice, name), dtype, x, y)
        assert found.tolist() == (exact & 0xFFFFFFFF).astype(np.uint32).view(dtype).tolist(), name


def low_24_bits(values, dtype):
    low = values & 0xFFFFFF
    return np.where((low >> 23 == 1) & (dtype is np.int32), low - (1 << 24), low)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_sum_of_absolute_differences(dtype, target) -> None:
    x, y, z = words(dtype, 0), words(dtype, 5), words(np.uint32, 3)
    exact = abs(x.astype(object) - y.astype(object)) + z.astype(object)
    found = apply3(libdevice.sad, dtype, x, y, z)
    assert found.tolist() == (exact & 0xFFFFFFFF).astype(np.uint32).view(dtype).tolist()


def test_byte_perm(target) -> None:
    rng = np.random.default_rng(0)
    x, y, s = (rng.integers(-(2**31), 2**31, 64).astype(np.int32) for _ in range(3))
    s[:2] = [0x3210, 0x7654]
    found = apply3(libdevice.byte_perm, np.int32, x, y, s)
    for a, b, selector, result in zip(x, y, s, found, strict=True):
        given = a.tobytes() + b.tobytes()
        wanted = bytes(given[(int(selector) >> (4 * i)) & 7] for i in range(4))
        assert result.tobytes() == wanted
    assert found[0] == x[0] and found[1] == y[1]


def apply3(function, out, *operands):
    @tilewright.jit
    def kernel(out, x, y, z, FUNCTION: tl.constexpr):
        i = tl.arange(0, 64)
        tl.store(out + i, FUNCTION(tl.load(x + i), tl.load(y + i), tl.load(z + i)))

    result = np.zeros(64, out)
    kernel[(1,)](result, *operands, FUNCTION=function)
    return result


def test_rcp64h(target) -> None:
    """The upper halves of reciprocals of upper halves, without subnormal numbers."""
    tiny = np.finfo(np.float64).tiny
    x = padded([*SPECIAL, 3, 1 / 3, 1e-310, -1e-310, tiny, 1 / tiny, 1.7e308, 1e300], np.float64)
    bits = (x.view(np.int64) & -(1 << 32)).view(np.float64)
    bits = np.where(np.abs(bits) < tiny, np.copysign(0, bits), bits)
    with np.errstate(divide="ignore"):
        wanted = 1 / bits
    wanted = np.where(np.abs(wanted) < tiny, np.copysign(0, wanted), wanted)
    same(apply(libdevice.rcp64h, np.float64, x), (wanted.view(np.int64) & -(1 << 32)).view(float))


def test_another_dtype_is_an_error() -> None:
    with pytest.raises(TypeMismatchError, match=r"libdevice\.popc takes int32 or uint32 or"):
        apply(libdevice.popc, np.int32, np.zeros(64, np.float32))
    with pytest.raises(TypeMismatchError, match=r"libdevice\.ldexp takes int32, found"):
        apply(libdevice.ldexp, np.float32, np.zeros(64, np.float32), np.zeros(64, np.float32))
