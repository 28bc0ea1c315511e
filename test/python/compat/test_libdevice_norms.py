"""Lengths of vectors and rsqrt_rn of libdevice, compared with mpmath and on special values."""

import math

import numpy as np
import pytest
from elementwise import apply, padded, same
from special_references import mp

import tilewright
import tilewright.language as tl
from tilewright.compat import libdevice_norms as lib

pytest.importorskip("mpmath")

INF, NAN = math.inf, math.nan
FLOATS = pytest.mark.parametrize("dtype", [np.float32, np.float64])
COUNTS = {"hypot": 2, "rhypot": 2, "norm3d": 3, "rnorm3d": 3, "norm4d": 4, "rnorm4d": 4}


def length(name, dtype, columns):
    @tilewright.jit
    def kernel(out, x, COUNT: tl.constexpr, FUNCTION: tl.constexpr):
        i = tl.arange(0, 64)
        a, b = tl.load(x + i), tl.load(x + 64 + i)
        c, d = tl.load(x + 128 + i), tl.load(x + 192 + i)
        if COUNT == 2:
            tl.store(out + i, FUNCTION(a, b))
        elif COUNT == 3:
            tl.store(out + i, FUNCTION(a, b, c))
        else:
            tl.store(out + i, FUNCTION(a, b, c, d))

    out, given = np.zeros(64, dtype), np.zeros((4, 64), dtype)
    given[: len(columns)] = columns
    kernel[(1,)](out, given, COUNT=COUNTS[name], FUNCTION=getattr(lib, name))
    return out


@FLOATS
@pytest.mark.parametrize("name", COUNTS)
def test_errors(name, dtype, target) -> None:
    """Also of vectors whose squares over- or underflow, and of subnormal numbers."""
    rng, info, count = np.random.default_rng(0), np.finfo(dtype), COUNTS[name]
    scale = np.ldexp(1.0, np.linspace(info.minexp - 8, info.maxexp - 2, 64).astype(int))
    smaller = rng.choice([1, 1e-8], (count, 64))
    smaller[0] = 1
    columns = (rng.normal(0, 1, (count, 64)) * scale * smaller).astype(dtype)
    columns = np.nan_to_num(columns, posinf=info.max / 3, neginf=-info.max / 3)
    found = length(name, dtype, columns)
    m = mp()
    for i, value in enumerate(found.tolist()):
        exact = m.sqrt(sum(m.mpf(float(v)) ** 2 for v in columns[:, i]))
        exact = 1 / exact if name.startswith("r") else exact
        if exact > info.max:
            assert value == INF
            continue
        exponent = max(int(m.frexp(exact)[1]) - 1, info.minexp)
        assert abs(m.mpf(value) - exact) / m.mpf(2) ** (exponent - info.nmant) < 1, columns[:, i]


@FLOATS
@pytest.mark.parametrize("name", COUNTS)
def test_special_vectors(name, dtype, target) -> None:
    """Infinity counts, also beside NaN; the reciprocal length of zero is infinite."""
    given = [(0.0, -0.0), (INF, 1), (NAN, -INF), (NAN, 1), (1, NAN), (3, 4), (0.0, 2)]
    columns = np.zeros((COUNTS[name], 64), dtype)
    columns[0], columns[-1] = (padded(c, dtype) for c in zip(*given, strict=True))
    wanted = np.array([0, INF, INF, NAN, NAN, 5, 2], dtype)
    with np.errstate(divide="ignore"):
        wanted = 1 / wanted if name.startswith("r") else wanted
    same(length(name, dtype, columns)[:7], wanted)


def test_rsqrt_rn(target) -> None:
    """The nearest float32 of the exact value: its neighbors' midpoints are on the other sides."""
    rng = np.random.default_rng(0)
    x = (2.0 ** rng.uniform(-149, 127, 64)).astype(np.float32)
    found = apply(lib.rsqrt_rn, np.float32, x)
    m = mp()
    for argument, value in zip(x.tolist(), found, strict=True):
        exact = 1 / m.sqrt(m.mpf(argument))
        low, high = (m.mpf(float(np.nextafter(value, np.float32(to)))) for to in (0, INF))
        assert (low + m.mpf(float(value))) / 2 < exact < (high + m.mpf(float(value))) / 2
    x = padded([0.0, -0.0, INF, -1, NAN, 4], np.float32)
    same(
        apply(lib.rsqrt_rn, np.float32, x)[:6], np.array([INF, -INF, 0, NAN, NAN, 0.5], np.float32)
    )
