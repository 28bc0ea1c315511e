"""float8e4b15: conversions of every code and of every float16 and bfloat16, loads, dots, errors."""

import math

import numpy as np
import pytest
import torch
from inputs import FLOATS, error, poisoned, wide
from seeds import generator

import tilewright
import tilewright.language as tl
from tilewright.errors import TypeMismatchError

CODES = np.arange(256, dtype=np.uint8)


def decoded(codes):
    """Values from the definition: a sign, an exponent with bias 15, and three bits of mantissa."""
    codes = codes.astype(int)
    exponent, mantissa = codes >> 3 & 15, (codes & 7) / 8
    size = np.where(exponent == 0, np.ldexp(mantissa, -14), np.ldexp(1 + mantissa, exponent - 15))
    return np.where(codes >= 128, -size, size)


def encoded(values, toward_zero=False):
    """The nearest codes, the greater magnitude of a tie; at most 1.75, whose code is 126."""
    sizes = decoded(CODES[:127])
    limits = sizes[1:] if toward_zero else (sizes[1:] + sizes[:-1]) / 2
    size = np.nan_to_num(np.abs(values), nan=math.inf)
    codes = np.searchsorted(limits, size, side="right")
    return (codes + 128 * np.signbit(values)).astype(np.uint8)


def equal_codes(found, values, toward_zero=False):
    """Whether the codes are those of the values; the sign of a NaN is unspecified."""
    bits = np.where(np.isnan(values), 127, 255)
    return np.array_equal(found & bits, encoded(values, toward_zero) & bits)


@tilewright.jit
def decode_kernel(x, out, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.float8e4b15, bitcast=True).to(TYPE))


@pytest.mark.parametrize("target", FLOATS)
def test_every_code_to_wider_floats(target):
    out = poisoned(target, (256,))
    decode_kernel[(1,)](CODES, out, TYPE=tl.dtype(target), N=256)
    assert np.array_equal(wide(out), decoded(CODES))
    assert np.array_equal(np.signbit(wide(out)), CODES >= 128)


@pytest.mark.parametrize("target", ["int8", "int1", "fp8e5"])
def test_every_code_to_narrow_types(target):
    out = np.full(256, 85, np.int8) if target != "int1" else np.zeros(256, bool)
    memory = torch.from_numpy(out).view(torch.float8_e5m2) if target == "fp8e5" else out
    decode_kernel[(1,)](CODES, memory, TYPE=tl.dtype(target), N=256)
    if target == "fp8e5":
        assert torch.equal(
            memory.double(), torch.from_numpy(decoded(CODES)).to(memory.dtype).double()
        )
    elif target == "int1":
        assert np.array_equal(out, decoded(CODES) != 0)
    else:
        assert np.array_equal(out, np.trunc(decoded(CODES)))


@tilewright.jit
def encode_kernel(x, out, ROUNDING: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    y = tl.load(x + i).to(tl.float8e4b15, fp_downcast_rounding=ROUNDING)
    tl.store(out + i, y.to(tl.uint8, bitcast=True))


@pytest.mark.parametrize("rounding", [None, "rtz"])
@pytest.mark.parametrize("source", ["fp16", "bf16"])
def test_every_half(source, rounding):
    x = torch.arange(65536).to(torch.uint16).view(FLOATS[source])
    out = np.full(65536, 85, np.uint8)
    encode_kernel[(16,)](x, out, ROUNDING=rounding, N=4096)
    assert equal_codes(out, wide(x), rounding == "rtz")


@pytest.mark.parametrize("source", ["fp32", "fp64"])
def test_ties_and_adjacent_values(source):
    sizes = torch.from_numpy(decoded(CODES[:127])).to(FLOATS[source])
    ties = (sizes[1:] + sizes[:-1]) / 2
    infinity = torch.tensor(math.inf, dtype=ties.dtype)
    special = torch.tensor([1.75, 1.8, 1e30, math.inf, math.nan, 1e-30, 0], dtype=ties.dtype)
    x = torch.cat([ties, ties.nextafter(infinity), ties.nextafter(-infinity), special])
    x = torch.nn.functional.pad(torch.cat([x, -x]), (0, 1024 - 2 * len(x)))
    out = np.full(1024, 85, np.uint8)
    encode_kernel[(1,)](x, out, ROUNDING=None, N=1024)
    assert equal_codes(out, wide(x))


def test_integers():
    x = np.array([0, 1, -1, 2, -100, 2**31 - 1, -(2**31), 3], np.int32)
    out = np.full(8, 85, np.uint8)
    encode_kernel[(1,)](x, out, ROUNDING=None, N=8)
    assert np.array_equal(decoded(out), np.clip(x, -1.75, 1.75))


@tilewright.jit
def scaled_kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.static_assert(x.dtype.element_ty == tl.float8e4b15)
    tl.store(out + i, tl.load(x + i, mask=i < N - 1, other=0).to(tl.float16) * 0.5)


def test_arrays_that_are_reinterpreted():
    codes = CODES[:64].copy()
    out = np.full(64, 85, np.uint8)
    x, y = (tilewright.reinterpret(array, tl.float8e4b15) for array in (codes, out))
    scaled_kernel[(1,)](x, y, N=64)
    expected = encoded(decoded(codes) * 0.5)
    expected[-1] = 0
    assert np.array_equal(out, expected)


@tilewright.jit
def product_kernel(a, b, out, RIGHT: tl.constexpr, M: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :]
    x = tl.load(a + i * M + j).to(tl.float8e4b15, bitcast=True)
    y = tl.load(b + i * M + j).to(RIGHT, bitcast=True)
    tl.store(out + i * M + j, tl.dot(x, y))


@pytest.mark.parametrize("right", ["fp8e4b15", "fp8e5"])
def test_dots(right):
    a, b = (generator().integers(0, 60, (32, 32), dtype=np.uint8) for _ in range(2))
    out = poisoned("fp32", (32, 32))
    product_kernel[(1,)](a, b, out, RIGHT=tl.dtype(right), M=32)
    other = decoded(b)
    if right == "fp8e5":
        other = torch.from_numpy(b).view(torch.float8_e5m2).double().numpy()
    assert error(out, decoded(a) @ other) < 1e-6


def test_no_arithmetic(values):
    (a,) = values("fp8e4b15[16]")
    with pytest.raises(TypeMismatchError, match=r"'\+' does not take fp8e4b15"):
        a + a
    with pytest.raises(TypeMismatchError, match="cannot convert fp8e4b15 to pointer<fp32>"):
        a.to(tl.pointer_type(tl.float32))
    assert (a + a.to(tl.float16)).dtype == tl.float16
    (b,) = values("fp8e5[16]")
    assert (a + b).dtype == tl.float16
