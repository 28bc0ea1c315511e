"""Elementwise functions and operators against float64 and unlimited integers."""

import math
import operator

import numpy as np
import pytest
import torch
from inputs import FLOATS, INTS, ROUNDOFF, error, fresh, poisoned, wide, wrapped

import tilewright
import tilewright.language as tl

SIZE = 1000  # Not a multiple of BLOCK: the last program is masked.
BLOCK = 256


@tilewright.jit
def unary(x, out, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, FUNCTION(tl.load(x + i, mask=m)), mask=m)


@tilewright.jit
def binary(x, y, out, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    # Masked-off divisors must not be zero.
    a = tl.load(x + i, mask=m, other=1)
    b = tl.load(y + i, mask=m, other=1)
    tl.store(out + i, FUNCTION(a, b), mask=m)


def run(kernel, function, out, *inputs):
    kernel[(tilewright.cdiv(SIZE, BLOCK),)](*inputs, out, SIZE, FUNCTION=function, BLOCK=BLOCK)
    return out


MATH = {
    "exp": (-20, 20, np.exp),
    "exp2": (-20, 20, np.exp2),
    "log": (1e-3, 1e3, np.log),
    "log2": (1e-3, 1e3, np.log2),
    "sin": (-30, 30, np.sin),
    "cos": (-30, 30, np.cos),
    "tanh": (-5, 5, np.tanh),
    "erf": (-4, 4, np.vectorize(math.erf)),
    "sqrt": (0, 1e3, np.sqrt),
    "rsqrt": (1e-3, 1e3, lambda x: 1 / np.sqrt(x)),
    "floor": (-9, 9, np.floor),
    "ceil": (-9, 9, np.ceil),
    "abs": (-9, 9, np.abs),
    "sigmoid": (-9, 9, lambda x: 1 / (1 + np.exp(-x))),
}


@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
@pytest.mark.parametrize("name", MATH)
def test_math(name, dtype):
    low, high, reference = MATH[name]
    x = fresh(dtype, (SIZE,), low, high)
    out = run(unary, getattr(tl, name), poisoned(dtype, (SIZE,)), x)
    assert error(out, reference(wide(x))) < 4 * ROUNDOFF[dtype]


OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "and_": operator.and_,
    "or_": operator.or_,
    "xor": operator.xor,
}


@tilewright.jit
def arithmetic(x, y, out, n, NAME: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    a = tl.load(x + i, mask=m, other=1)
    b = tl.load(y + i, mask=m, other=1)
    if NAME == "add":
        c = a + b
    elif NAME == "sub":
        c = a - b
    elif NAME == "mul":
        c = a * b
    elif NAME == "and_":
        c = a & b
    elif NAME == "or_":
        c = a | b
    elif NAME == "xor":
        c = a ^ b
    elif NAME == "floordiv":
        c = a // b
    elif NAME == "mod":
        c = a % b
    elif NAME == "truediv":
        c = a / b
    elif NAME == "lshift":
        c = a << b
    elif NAME == "rshift":
        c = a >> b
    elif NAME == "lt":
        c = a < b
    elif NAME == "eq":
        c = a == b
    tl.store(out + i, c, mask=m)


def compute(name, out, x, y):
    arithmetic[(tilewright.cdiv(SIZE, BLOCK),)](x, y, out, SIZE, NAME=name, BLOCK=BLOCK)
    return out


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", OPERATORS)
def test_integers_wrap_around(name, dtype):
    x, y = fresh(dtype, (SIZE,)), fresh(dtype, (SIZE,))
    out = compute(name, poisoned(dtype, (SIZE,)), x, y)
    assert np.array_equal(out, wrapped(OPERATORS[name](wide(x), wide(y)), dtype))


@pytest.mark.parametrize("dtype", INTS)
def test_integers_divide_towards_zero(dtype):
    x = fresh(dtype, (SIZE,), -1000, 1000)
    y = fresh(dtype, (SIZE,), 1, 9)
    if dtype.startswith("int"):
        y = y * np.where(fresh("int1", (SIZE,)), 1, -1).astype(y.dtype)
    quotient = compute("floordiv", poisoned(dtype, (SIZE,)), x, y)
    rest = compute("mod", poisoned(dtype, (SIZE,)), x, y)
    a, b = x.astype(np.float64), y.astype(np.float64)
    assert np.array_equal(quotient, np.trunc(a / b).astype(x.dtype))
    assert np.array_equal(rest, np.fmod(a, b).astype(x.dtype))


@pytest.mark.parametrize("dtype", INTS)
def test_shifts(dtype):
    x, y = fresh(dtype, (SIZE,)), fresh(dtype, (SIZE,), 0, 7)
    left = compute("lshift", poisoned(dtype, (SIZE,)), x, y)
    right = compute("rshift", poisoned(dtype, (SIZE,)), x, y)
    assert np.array_equal(left, wrapped(wide(x) << wide(y), dtype))
    assert np.array_equal(right, wrapped(wide(x) >> wide(y), dtype))


@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
@pytest.mark.parametrize("name", ["lt", "eq"])
def test_comparisons(name, dtype):
    x, y = fresh(dtype, (SIZE,)), fresh(dtype, (SIZE,))
    y[::3] = x[::3]
    out = compute(name, poisoned("int1", (SIZE,)), x, y)
    assert np.array_equal(out, getattr(operator, name)(wide(x), wide(y)).astype(bool))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_floats(name, dtype):
    x, y = fresh(dtype, (SIZE,)), fresh(dtype, (SIZE,))
    out = compute(name, poisoned(dtype, (SIZE,)), x, y)
    assert error(out, OPERATORS[name](wide(x), wide(y))) < ROUNDOFF[dtype]


@pytest.fixture
def division_error(launch_target):
    """A quotient is rounded once; on a GPU a float32 quotient may be off by two ulps."""
    single = 1 if launch_target == "cpu" else 4
    return {"fp32": single * ROUNDOFF["fp32"], "fp64": ROUNDOFF["fp64"]}


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_division(dtype, division_error):
    x, y = fresh(dtype, (SIZE,)), fresh(dtype, (SIZE,), 0.5, 2)
    result = "fp64" if dtype == "fp64" else "fp32"
    out = compute("truediv", poisoned(result, (SIZE,)), x, y)
    assert error(out, wide(x) / wide(y)) < division_error[result]


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32"])
def test_integer_division_gives_float32(dtype, division_error):
    x, y = fresh(dtype, (SIZE,), -1000, 1000), fresh(dtype, (SIZE,), 1, 9)
    out = compute("truediv", poisoned("fp32", (SIZE,)), x, y)
    assert error(out, x.astype(np.float64) / y.astype(np.float64)) < division_error["fp32"]


@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
def test_float_remainder_is_fmod(dtype):
    x, y = fresh(dtype, (SIZE,), -50, 50), fresh(dtype, (SIZE,), 0.5, 2)
    out = compute("mod", poisoned(dtype, (SIZE,)), x, y)
    assert np.array_equal(wide(out), np.fmod(wide(x), wide(y)))


@pytest.mark.parametrize("a, b", [("int8", "int32"), ("uint8", "int8"), ("int16", "uint32")])
def test_mixed_integers(a, b):
    x, y = fresh(a, (SIZE,)), fresh(b, (SIZE,))
    out = compute("add", poisoned("int64", (SIZE,)), x, y)
    common = {"int32": "int32", "int8": "uint8", "uint32": "uint32"}[b]
    # Both operands are converted to the common type first.
    sums = wide(wrapped(wide(x), common)) + wide(wrapped(wide(y), common))
    assert np.array_equal(out, wrapped(sums, common).astype(np.int64))


def with_nan(dtype):
    x = fresh(dtype, (SIZE,))
    x[::7] = math.nan
    return x


@pytest.mark.parametrize("function, reference", [(tl.maximum, np.fmax), (tl.minimum, np.fmin)])
def test_extrema_ignore_nan(function, reference):
    x, y = with_nan("fp32"), fresh("fp32", (SIZE,))
    out = run(binary, function, poisoned("fp32", (SIZE,)), x, y)
    assert np.array_equal(wide(out), reference(wide(x), wide(y)))


@tilewright.jit
def propagating(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    a, b = tl.load(x + i, mask=m), tl.load(y + i, mask=m)
    tl.store(out + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL), mask=m)


def test_maximum_propagates_nan():
    x, y, out = with_nan("fp32"), fresh("fp32", (SIZE,)), poisoned("fp32", (SIZE,))
    propagating[(tilewright.cdiv(SIZE, BLOCK),)](x, y, out, SIZE, BLOCK=BLOCK)
    assert np.array_equal(wide(out), np.maximum(wide(x), wide(y)), equal_nan=True)


@tilewright.jit
def ordered_zeros(x, y, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(low + i, tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL))
    tl.store(high + i, tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL))


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp64"])
def test_negative_zero_is_less_than_zero_where_nan_propagates(dtype):
    x, y = fresh(dtype, (4,), -1, 1), fresh(dtype, (4,), -1, 1)
    x[:], y[:] = torch.tensor([0.0, -0.0, -0.0, 2]), torch.tensor([-0.0, 0.0, -0.0, 2])
    low, high = poisoned(dtype, (4,)), poisoned(dtype, (4,))
    ordered_zeros[(1,)](x, y, low, high, BLOCK=4)
    assert np.signbit(wide(low)).tolist() == [True, True, True, False]
    assert np.signbit(wide(high)).tolist() == [False, False, True, False]
    assert wide(low).tolist() == wide(high).tolist() == [0, 0, 0, 2]


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_umulhi(dtype):
    x, y = fresh(dtype, (SIZE,)), fresh(dtype, (SIZE,))
    out = run(binary, tl.umulhi, poisoned(dtype, (SIZE,)), x, y)
    bits = x.dtype.itemsize * 8
    mask = (1 << bits) - 1
    assert np.array_equal(out, wrapped(((wide(x) & mask) * (wide(y) & mask)) >> bits, dtype))


@tilewright.jit
def clamped(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    a = tl.load(x + i, mask=m)
    tl.store(out + i, tl.fma(tl.clamp(a, -1.0, 0.5), a, 1.0), mask=m)


def test_clamp_and_fma():
    x, out = fresh("fp32", (SIZE,)), poisoned("fp32", (SIZE,))
    clamped[(tilewright.cdiv(SIZE, BLOCK),)](x, out, SIZE, BLOCK=BLOCK)
    assert error(out, np.clip(wide(x), -1, 0.5) * wide(x) + 1) < ROUNDOFF["fp32"]


def test_nothing_is_written_beyond_the_mask():
    x, out = fresh("fp32", (SIZE,)), torch.full((SIZE + BLOCK,), math.nan)
    run(unary, tl.abs, out, x)
    assert torch.isnan(out[SIZE:]).all() and not torch.isnan(out[:SIZE]).any()
