"""Integer `//` and `%` are as in C at the limits of each type, for tiles, scalars and constants."""

import numpy as np
import pytest
from seeds import generator

import tilewright
import tilewright.language as tl
from tilewright.compiler.targets import check_runnable
from tilewright.errors import DeviceError

N = 512
DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@tilewright.jit
def by_tile(a, b, quotient, remainder, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.load(b + i)
    tl.store(quotient + i, x // y)
    tl.store(remainder + i, x % y)


@tilewright.jit
def by_scalar(a, b, quotient, remainder, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.load(b)
    tl.store(quotient + i, x // y)
    tl.store(remainder + i, x % y)


@tilewright.jit
def by_constant(a, quotient, remainder, D: tl.constexpr, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x, y = tl.load(a + i), tl.full((N,), D, TYPE)
    tl.store(quotient + i, x // y)
    tl.store(remainder + i, x % y)


def edges(dtype):
    """The limits of the type, the powers of two, and their neighbors."""
    info = np.iinfo(dtype)
    near = [s * 2**k + d for k in range(info.bits) for s in (1, -1) for d in (-1, 0, 1)]
    ends = [info.min, info.min + 1, info.max - 1, info.max, 0, 3, 7, 10, 41, -41]
    inside = {n for n in (*near, *ends) if info.min <= n <= info.max}
    return np.array(sorted(inside), dtype)


def dividends(dtype):
    info = np.iinfo(dtype)
    x = generator().integers(info.min, info.max, N, dtype=dtype, endpoint=True)
    some = edges(dtype)[:N]
    x[: some.size] = some
    return x


def expected(a, b):
    """Rounded toward zero and wrapped, computed with Python integers."""
    bits, is_signed = a.dtype.itemsize * 8, a.dtype.kind == "i"
    pairs = [(int(x), int(y)) for x, y in zip(a, np.broadcast_to(b, a.shape), strict=True)]
    quotients = [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in pairs]
    remainders = [x - q * y for q, (x, y) in zip(quotients, pairs, strict=True)]
    offset = 2 ** (bits - 1) if is_signed else 0
    wrapped = [(q + offset) % 2**bits - offset for q in quotients]
    return np.array(wrapped, a.dtype), np.array(remainders, a.dtype)


def check(launch, a, b):
    quotient, remainder = np.full_like(a, 85), np.full_like(a, 85)
    launch(quotient, remainder)
    for got, wanted in zip((quotient, remainder), expected(a, b), strict=True):
        wrong = got != wanted
        assert not wrong.any(), (a[wrong][:4], np.broadcast_to(b, a.shape)[wrong][:4])


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_tiles(dtype):
    a, some = dividends(dtype), edges(dtype)
    b = generator().permutation(np.resize(some[some != 0], N))
    check(lambda *out: by_tile[(1,)](a, b, *out, N=N), a, b)


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_scalars(dtype):
    a, some = dividends(dtype), edges(dtype)
    for divisor in some[some != 0][:: 1 if some.size < 64 else 5]:
        b = np.array([divisor])
        check(lambda *out, b=b: by_scalar[(1,)](a, b, *out, N=N), a, b)


@pytest.mark.parametrize("target", [None, "cpu:avx2", "cpu:sse2"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_by_constants(dtype, target, launch_target):
    if target is not None:
        if launch_target != "cpu":
            pytest.skip("tests the CPU's instruction sets")
        try:
            check_runnable(target)
        except DeviceError as error:
            pytest.skip(str(error))
    a, info = dividends(dtype), np.iinfo(dtype)
    where = {} if target is None else {"target": target}
    for divisor in {1, 3, 7, 41, -1, -3, 64, info.max, info.max - 1, info.min, info.min + 1}:
        if divisor != 0 and info.min <= divisor <= info.max:
            b = np.array([divisor], dtype)

            def launch(*out, d=divisor):
                by_constant[(1,)](a, *out, D=d, TYPE=tl.dtype(dtype), N=N, **where)

            check(launch, a, b)
