"""Conversions between all types, against PyTorch and NumPy."""

import math

import numpy as np
import pytest
import torch
from inputs import FLOATS, INTS, fresh, poisoned, wide, wrapped

import tilewright
import tilewright.language as tl

N = 512


@tilewright.jit
def convert(x, out, TYPE: tl.constexpr, BITCAST: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(TYPE, bitcast=BITCAST))


def converted(x, target, bitcast=False):
    out = poisoned(target, (N,))
    convert[(1,)](x, out, TYPE=tl.dtype(target), BITCAST=bitcast, N=N)
    return out


def rounded(values, target, rounding=np.rint):
    """float64 rounded once; PyTorch converts through float32 and rounds twice."""
    bits = {"fp16": 11, "bf16": 8, "fp32": 24, "fp64": 53}[target]
    mantissa, exponent = np.frexp(values)
    return np.ldexp(rounding(np.ldexp(mantissa, bits)), exponent - bits)


@pytest.mark.parametrize("source", INTS)
@pytest.mark.parametrize("target", INTS)
def test_integers_wrap_around(source, target):
    x = fresh(source, (N,))
    assert np.array_equal(converted(x, target), wrapped(wide(x), target))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", INTS)
def test_floats_are_truncated(source, target):
    low = 0 if target.startswith("u") else -100
    x = fresh(source, (N,), low, 100)
    assert np.array_equal(converted(x, target), np.trunc(wide(x)).astype(INTS[target]))


@pytest.mark.parametrize("source", INTS)
@pytest.mark.parametrize("target", FLOATS)
def test_integers_are_rounded_to_nearest(source, target):
    x = fresh(source, (N,), -30000, 30000)
    expected = torch.from_numpy(x.astype(np.float64)).to(FLOATS[target])
    assert torch.equal(converted(x, target), expected)


@pytest.mark.parametrize("source", ["int64", "uint64", "int32", "uint32"])
@pytest.mark.parametrize("target", ["fp32", "fp64"])
def test_large_integers_are_rounded_once(source, target):
    x = fresh(source, (N,))
    expected = x.astype(np.float32 if target == "fp32" else np.float64)
    assert np.array_equal(converted(x, target).numpy(), expected)


@pytest.mark.parametrize("source", ["int64", "uint64", "int32", "uint32"])
def test_large_integers_are_rounded_once_to_bfloat16(source):
    """Neighbors of ties of 8 bits, which float32 and float64 round to the ties."""
    limits = np.iinfo(INTS[source])
    ties = [257 << shift for shift in range(limits.bits - 9)]
    near = [tie + nudge for tie in ties for nudge in (-1, 0, 1)]
    exact = np.array((near * N)[:N], INTS[source])
    if limits.min < 0:
        exact[::2] *= -1
    exact[:4] = limits.min, limits.max, limits.min + 1, 0
    # Two bits more than the result has, and one that says whether there are others.
    sizes = [(abs(int(x)), max(abs(int(x)).bit_length() - 11, 0)) for x in exact]
    odd = [(size >> low | (size % (1 << low) > 0)) << low for size, low in sizes]
    expected = rounded(np.copysign(np.array(odd, np.float64), exact), "bf16")
    assert np.array_equal(wide(converted(exact, "bf16")), expected)


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", FLOATS)
def test_floats_are_rounded_to_nearest_even(source, target):
    x = fresh(source, (N,), 1e-3, 9)
    assert np.array_equal(wide(converted(x, target)), rounded(wide(x), target))


@pytest.mark.parametrize("source", ["fp32", "fp64"])
@pytest.mark.parametrize("target", ["fp16", "bf16"])
def test_floats_become_denormal_halves(source, target):
    """Ties, their neighbors and underflowing values; the source may also be denormal."""
    smallest = torch.finfo(FLOATS[target]).smallest_normal * torch.finfo(FLOATS[target]).eps
    halves = np.arange(N // 2) / 2 * smallest
    nudges = torch.finfo(FLOATS[source]).eps * np.array([0, 1, -1, 0.25])
    positive = halves * (1 + np.resize(nudges, N // 2))
    x = torch.from_numpy(np.concatenate([positive, -positive])).to(FLOATS[source])
    expected = np.copysign(np.rint(wide(x) / smallest) * smallest, wide(x))
    got = wide(converted(x, target))
    assert np.array_equal(got, expected)
    assert np.array_equal(np.signbit(got), np.signbit(expected))


@pytest.mark.parametrize("source", [*INTS, *FLOATS])
def test_to_bool(source):
    x = fresh(source, (N,), -1, 1)
    x[::5] = 0
    assert np.array_equal(converted(x, "int1"), wide(x) != 0)


@pytest.mark.parametrize("target", [*INTS, *FLOATS])
def test_from_bool(target):
    x = fresh("int1", (N,))
    assert np.array_equal(wide(converted(x, target)), x.astype(int))


@pytest.mark.parametrize(
    "source, target", [("fp32", "int32"), ("fp64", "int64"), ("fp16", "int16")]
)
def test_bitcast(source, target):
    x = fresh(source, (N,))
    bits = converted(x, target, bitcast=True)
    assert np.array_equal(bits, x.numpy().view(INTS[target]))
    assert torch.equal(converted(bits, source, bitcast=True), x)


def test_bitcast_of_bfloat16():
    x = fresh("bf16", (N,))
    bits = converted(x, "int16", bitcast=True)
    assert np.array_equal(bits, x.view(torch.int16).numpy())


@tilewright.jit
def toward_zero(x, out, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(TYPE, fp_downcast_rounding="rtz"))


NARROWER = [
    ("fp32", "fp16"),
    ("fp32", "bf16"),
    ("fp64", "fp16"),
    ("fp64", "bf16"),
    ("fp64", "fp32"),
]


@pytest.mark.parametrize("source, target", NARROWER)
def test_rounding_toward_zero(source, target):
    x, out = fresh(source, (N,)), poisoned(target, (N,))
    x[:4] = torch.tensor([math.inf, -math.inf, math.nan, 0.0])
    toward_zero[(1,)](x, out, TYPE=tl.dtype(target), N=N)
    cut = rounded(wide(x), target, np.trunc)
    # Small numbers have fewer bits than the reference.
    regular = ~(np.abs(cut) < 2.0**-13)
    regular[3] = True
    assert np.array_equal(wide(out)[regular], cut[regular], equal_nan=True)


def test_overflow_toward_zero_is_the_greatest():
    x, out = torch.full((N,), -1e30), poisoned("fp16", (N,))
    toward_zero[(1,)](x, out, TYPE=tl.float16, N=N)
    assert (out == -65504).all()


def test_double_is_rounded_once_to_bfloat16():
    # Just above a tie: a conversion through float32 would give the tie and round down to even.
    x = torch.full((N,), 1 + 2.0**-8 + 2.0**-40, dtype=torch.float64)
    assert (converted(x, "bf16") == 1 + 2.0**-7).all()
    assert torch.isnan(converted(torch.full((N,), math.nan, dtype=torch.float64), "bf16")).all()
    assert torch.isinf(converted(torch.full((N,), 3.4e38, dtype=torch.float64), "bf16")).all()


@tilewright.jit
def half_of_bfloats_kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i).to(tl.float32), tl.load(y + i).to(tl.float32)
    tl.store(out + i, (a + b).to(tl.float16))
    tl.store(out + N + i, (a % b).to(tl.float16))


def test_half_of_bfloats_beyond_its_range():
    x, y = torch.full((16,), 99840.0).bfloat16(), torch.full((16,), -100352.0).bfloat16()
    out = torch.full((32,), math.nan).half()
    half_of_bfloats_kernel[(1,)](x, y, out, N=16)
    assert torch.equal(out[:16], (x.float() + y.float()).half())
    assert torch.equal(out[16:], torch.fmod(x.float(), y.float()).half())
