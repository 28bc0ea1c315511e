"""Assertions that the arithmetic of integers does not overflow: `debug` and `sanitize_overflow`."""

import inspect
import runpy

import numpy as np
import pytest
from inputs import INTS, fresh, poisoned
from seeds import generator

import tilewright
import tilewright.language as tl
from tilewright.errors import DeviceAssertError

pytestmark = pytest.mark.loses_gpu

NARROW = [name for name in INTS if INTS[name].itemsize < 8]
NAMES = {"+": "add", "-": "sub", "*": "mul"}


@tilewright.jit(debug=True)
def binary(x, y, out, KIND: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    if KIND == "+":
        c = a + b
    elif KIND == "-":
        c = a - b
    else:
        c = a * b
    tl.store(out + i, c)


def exactly(kind, a, b):
    a, b = (int(number) for number in (a, b))
    return {"+": a + b, "-": a - b, "*": a * b}[kind]


def edges(dtype, kind):
    """Pairs of numbers whose results fit just so, and pairs whose results do not fit."""
    info = np.iinfo(dtype)
    numbers = [info.min, info.min + 1, 0, 1, 2, info.max // 2, info.max - 1, info.max]
    if info.min:
        numbers += [-1, -2]
    pairs = [(a, b) for a in numbers for b in numbers]
    fits = [info.min <= exactly(kind, *pair) <= info.max for pair in pairs]
    return (
        [pair for pair, fit in zip(pairs, fits, strict=True) if fit],
        [pair for pair, fit in zip(pairs, fits, strict=True) if not fit],
    )


def fails(kernel, *args, dtype="int32", operation="add", **options):
    with pytest.raises(
        DeviceAssertError, match=rf": {dtype} overflow detected for operation {operation}\n"
    ):
        kernel[(1,)](*args, **options)


@pytest.mark.parametrize("kind", ["+", "-", "*"])
@pytest.mark.parametrize("dtype", NARROW)
def test_tiles(dtype, kind):
    good, bad = edges(dtype, kind)
    pairs = np.array(good)[np.arange(128) % len(good)].astype(dtype)
    x, y = np.ascontiguousarray(pairs.T)
    out = poisoned(dtype, (128,))
    for warps in (1, 4, 16):
        binary[(1,)](x, y, out, kind, N=128, num_warps=warps)
        assert out.tolist() == [exactly(kind, a, b) for a, b in zip(x, y, strict=True)]
    for place, pair in enumerate(bad[:: 1 + len(bad) // 12]):
        left, right = x.copy(), y.copy()
        left[place * 7], right[place * 7] = pair
        fails(binary, left, right, out, kind, N=128, dtype=dtype, operation=NAMES[kind])


@pytest.mark.parametrize("kind", ["+", "-", "*"])
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_64_bits_wrap(dtype, kind):
    x, y, out = fresh(dtype, (64,)), fresh(dtype, (64,)), poisoned(dtype, (64,))
    binary[(1,)](x, y, out, kind, N=64)
    assert np.array_equal(out, {"+": x + y, "-": x - y, "*": x * y}[kind])


def test_booleans_are_0_and_1():
    x, out = np.array([False, True] * 8), np.zeros(16, bool)
    binary[(1,)](x, ~x, out, "+", N=16)
    assert out.all()
    fails(binary, x, x, out, "+", N=16, dtype="int1")
    fails(binary, ~x, x, out, "-", N=16, dtype="int1", operation="sub")
    binary[(1,)](x, x, out, "*", N=16)
    assert np.array_equal(out, x)


@tilewright.jit(debug=True)
def scalars(out, n, small, KIND: tl.constexpr):
    if KIND == "add":
        n += 1
    elif KIND == "sub":
        n = 5 - n
    elif KIND == "mul":
        n = n * 3
    elif KIND == "minus":
        n = -n
    elif KIND == "mixed":
        n = n + small.to(tl.uint32)
    tl.store(out, n)


@pytest.mark.parametrize(
    ("kind", "good", "bad", "operation"),
    [
        ("add", 2**31 - 2, 2**31 - 1, "add"),
        ("sub", 6 - 2**31, 5 - 2**31, "sub"),
        ("mul", -715827882, 715827883, "mul"),
        ("minus", 1 - 2**31, -(2**31), "sub"),
    ],
)
def test_scalars(kind, good, bad, operation):
    out = np.zeros(1, np.int32)
    expected = {"add": good + 1, "sub": 5 - good, "mul": 3 * good, "minus": -good}[kind]
    scalars[(1,)](out, good, 0, kind)
    assert out[0] == expected
    fails(scalars, out, bad, 0, kind, operation=operation)


def test_the_common_type_counts():
    out = np.zeros(1, np.uint32)
    scalars[(1,)](out, 2**31 - 1, 2**31 - 1, "mixed")
    assert out[0] == 2**32 - 2
    fails(scalars, out, 2, -1, "mixed", dtype="uint32")


def test_an_argument_that_is_compiled_in():
    out = np.zeros(1, np.int32)
    scalars[(1,)](out, 1, 0, "mul")
    assert out[0] == 3


@tilewright.jit(debug=True)
def negated(x, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), -tl.load(x + tl.arange(0, N)))


def test_a_negative_unsigned_number():
    out = poisoned("uint8", (16,))
    negated[(1,)](np.zeros(16, np.uint8), out, N=16)
    assert not out.any()
    fails(negated, np.eye(1, 16, 3, dtype=np.uint8)[0], out, N=16, dtype="uint8", operation="sub")


# Where it can be switched off


@tilewright.jit
def opting_out(x, out, HOW: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if HOW == "add":
        c = tl.add(a, a, sanitize_overflow=False)
    elif HOW == "sub":
        c = tl.sub(a ^ a, a, sanitize_overflow=False)
    elif HOW == "mul":
        c = tl.mul(a, a, sanitize_overflow=False)
    else:
        c = tl.add(a, a)
    tl.store(out + i, c)


@pytest.mark.parametrize("how", ["add", "sub", "mul"])
def test_an_operation_that_may_wrap(how):
    x, out = np.full(16, -(2**31), np.int32), poisoned("int32", (16,))
    opting_out[(1,)](x, out, how, N=16, debug=True)
    assert np.array_equal(out, {"add": x + x, "sub": -x, "mul": x * x}[how])


def test_options_and_settings(monkeypatch):
    x, out = np.full(16, 2**31 - 1, np.int32), poisoned("int32", (16,))
    for options in ({}, {"debug": True, "sanitize_overflow": False}, {"sanitize_overflow": True}):
        opting_out[(1,)](x, out, "", N=16, **options)
        assert np.array_equal(out, x + x)
    fails(opting_out, x, out, "", N=16, debug=True)
    fails(opting_out, x, out, "", N=16, debug=True, sanitize_overflow=True)
    monkeypatch.setenv("TRITON_SANITIZE_OVERFLOW", "0")
    opting_out[(1,)](x, out, "", N=16, debug=True)
    monkeypatch.setenv("TILEWRIGHT_DEBUG", "1")
    opting_out[(1,)](x, out, "", N=16)
    monkeypatch.setenv("TRITON_SANITIZE_OVERFLOW", "1")
    fails(opting_out, x, out, "", N=16)


def test_the_message_shows_the_operation():
    x, out = np.full(16, 2**31 - 1, np.int32), poisoned("int32", (16,))
    with pytest.raises(DeviceAssertError) as raised:
        opting_out[(1,)](x, out, "", N=16, debug=True)
    lines, first = inspect.getsourcelines(opting_out.fn)
    line = next(i for i, text in enumerate(lines) if "c = tl.add(a, a)" in text)
    assert (raised.value.file, raised.value.line) == (__file__, first + line)


# In control flow, helpers and combine functions


@tilewright.jit
def doubled(a):
    return a + a


@tilewright.jit
def sum_of_doubles(a, b):
    return doubled(a) - a + b


@tilewright.jit(debug=True)
def loops(x, out, count, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    for step in range(count):
        if step % 2 == 0:
            value += value
        else:
            value = doubled(value)
        value -= 1
    tl.store(out + i, value)


@pytest.mark.parametrize("warps", [1, 2, 8])
def test_loops_branches_and_helpers(warps):
    x, out = np.arange(64, dtype=np.int32), poisoned("int32", (64,))
    loops[(1,)](x, out, 20, N=64, num_warps=warps)
    assert np.array_equal(out, (x << 20) - (1 << 20) + 1)
    fails(loops, x, out, 26, N=64, num_warps=warps)


@tilewright.jit(debug=True)
def conditions(out, start, limit):
    n = start
    while n + start < limit and n * 2 > 0:
        n += start if n - 1 > 0 else n
        if n + 1 > limit:
            break
    tl.store(out, n)


def test_conditions():
    out = np.zeros(1, np.int32)
    conditions[(1,)](out, 3, 100)
    assert out[0] == 99
    fails(conditions, out, 2**30, 2**31 - 1)
    fails(conditions, out, 2**20, 2**31 - 1, operation="mul")


@tilewright.jit(debug=True)
def wrapping_combiner(x, out, KIND: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    if KIND == "reduce":
        tl.store(out, tl.reduce(value, 0, sum_of_doubles))
        tl.store(out + 1, doubled(tl.load(x)))
    elif KIND == "scan":
        tl.store(out + i, tl.associative_scan(value, 0, sum_of_doubles))
    else:
        tl.store(out + i, tl.map_elementwise(sum_of_doubles, value, value))


@pytest.mark.parametrize("kind", ["reduce", "scan", "map"])
def test_combine_functions_wrap(kind):
    x = np.full(32, 2**30, np.int32)
    out = poisoned("int32", (32,))
    if kind == "reduce":  # the same helper in the kernel is checked
        fails(wrapping_combiner, x, out, kind, N=32)
        x[0] = 2**29
    wrapping_combiner[(1,)](x, out, kind, N=32)


# Sums and products of tiles


@tilewright.jit(debug=True)
def totals(x, out, KIND: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tile = tl.load(x + i)
    if KIND == "sum":
        tl.store(out + tl.arange(0, M), tl.sum(tile, 1).to(out.dtype.element_ty))
    elif KIND == "narrow":
        tl.store(out + tl.arange(0, M), tl.sum(tile, 1, dtype=out.dtype.element_ty))
    elif KIND == "all":
        tl.store(out, tl.sum(tile))
    elif KIND == "cumsum":
        tl.store(out + i, tl.cumsum(tile, 1))
    elif KIND == "reverse":
        tl.store(out + i, tl.cumsum(tile, 0, reverse=True))
    else:
        tl.store(out + i, tl.cumprod(tile, 1))


def test_sums():
    x, out = np.zeros((4, 16), np.int32), poisoned("int32", (4, 16))
    x[:, 0], x[:, 1], x[:, 2] = 2**31 - 1, 2**31 - 1, -(2**31)
    totals[(1,)](x, out, "sum", M=4, N=16)  # the order of the elements does not matter
    assert (out[0, :4] == 2**31 - 2).all()
    fails(totals, x, out, "cumsum", M=4, N=16)
    fails(totals, x, out, "all", M=4, N=16)
    x[2, 5] = 2
    fails(totals, x, out, "sum", M=4, N=16)
    x[:] = 0
    x[1], x[3, 3] = 2**30, -(2**31)
    x[1, 2:] = 0
    fails(totals, x, out, "sum", M=4, N=16)
    x[1, 1] -= 1
    totals[(1,)](x, out, "cumsum", M=4, N=16)
    assert np.array_equal(out, x.cumsum(1))
    totals[(1,)](x, out, "reverse", M=4, N=16)
    assert np.array_equal(out, x[::-1].cumsum(0)[::-1])


def test_sums_of_narrow_integers_have_32_bits():
    x, out = np.full((4, 16), 127, np.int8), poisoned("int32", (4, 16))
    totals[(1,)](x, out, "sum", M=4, N=16)
    assert (out.ravel()[:4] == 127 * 16).all()
    narrow = poisoned("int8", (4,))
    fails(totals, x, narrow, "narrow", M=4, N=16, dtype="int8")


@pytest.mark.parametrize("dtype", NARROW)
def test_products(dtype):
    info, out = np.iinfo(dtype), poisoned(dtype, (2, 8))
    x = np.ones((2, 8), dtype)
    half = 1 << info.bits // 2
    x[0, 2:4] = half // 2
    x[0, 5] = -2 if info.min else 3
    totals[(1,)](x, out, "cumprod", M=2, N=8)
    assert np.array_equal(out, x.cumprod(1, dtype=dtype))
    for position in (0, 4, 7):
        bad = x.copy()
        bad[1] = 1
        bad[1, position] = info.max
        bad[1, (position + 3) % 8] = 2
        fails(totals, bad, out, "cumprod", M=2, N=8, dtype=dtype, operation="mul")
    # A zero in front makes all products zero.
    x[1] = info.max
    x[1, 0] = 0
    totals[(1,)](x, out, "cumprod", M=2, N=8)
    assert not out[1].any()
    if info.min:
        x[1] = [info.min, -1, 1, 1, 1, 1, 1, 1]
        fails(totals, x, out, "cumprod", M=2, N=8, dtype=dtype, operation="mul")
        x[1] = [-1, info.max // 2 + 1, 2, 1, 1, 1, 1, 1]
        totals[(1,)](x, out, "cumprod", M=2, N=8)
        assert out[1].tolist() == [-1, info.min // 2, *[info.min] * 6]


@tilewright.jit(debug=True)
def quotient(out, n, d):
    tl.store(out, tl.cdiv(n, d))
    tl.store(out + 1, tl.cdiv(n, 128))


def test_cdiv():
    out = np.zeros(2, np.int32)
    quotient[(1,)](out, 2**31 - 128, 1)
    assert out.tolist() == [2**31 - 128, 2**24 - 1]
    fails(quotient, out, 2**31 - 127, 1)
    fails(quotient, out, 5, 2**31 - 1)


# What may wrap


@tilewright.jit(debug=True)
def pointers_and_random(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x + n - n + i
    keys = tl.randint(n, i) ^ tl.rand(7, i).to(tl.int32, bitcast=True)
    a, _, _, _ = tl.philox(n, keys, keys, keys, keys)
    sorted = tl.sort(tl.load(p) ^ a.to(tl.int32))
    tl.store(out + i, tl.flip(sorted) | tl.histogram(sorted, BLOCK))
    tl.store(out + i + BLOCK, tl.umulhi(a, a) // 2, mask=i < BLOCK - 1)


def test_functions_of_the_language_do_not_report_their_own():
    x, out = fresh("int32", (64,)), poisoned("int32", (128,))
    pointers_and_random[(1,)](x, out, 2**31 - 1, BLOCK=64)


@tilewright.jit(debug=True)
def any_size(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i) + 1  # the padding holds 1, too
    b = tl.load(y + tl.arange(0, 3))[:, None] * a[None, :]
    tl.store(out + tl.arange(0, 3)[:, None] * N + i[None, :], b)


def test_tiles_of_any_size():
    x, y = np.full(20, 2**30 - 1, np.int32), np.array([1, 0, -2], np.int32)
    out = poisoned("int32", (3, 20))
    any_size[(1,)](x, y, out, N=20)
    assert np.array_equal(out, y[:, None] * (x + 1)[None, :])
    y[1] = 2
    fails(any_size, x, y, out, N=20, operation="mul")


@tilewright.jit(debug=True)
def indices(x, out, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = i * stride
    tl.store(out + i, tl.load(x + at, mask=at < 0, other=5))


def test_indices_that_would_be_exact_in_an_address():
    """Addresses have 64 bits where their arithmetic would wrap, but the result is checked."""
    x, out = np.zeros(16, np.int32), poisoned("int32", (16,))
    indices[(1,)](x, out, 3, BLOCK=16)
    assert out.tolist() == [5] * 16
    for stride in (2**31 // 15 + 1, 2**30, 2**31 - 1):
        fails(indices, x, out, stride, BLOCK=16, operation="mul")


# Random expressions

HEADER = """
import tilewright
import tilewright.language as tl


@tilewright.jit(debug=True)
def kernel(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
"""


def random_statements(random):
    names, lines = ["a", "b"], []
    for number in range(random.integers(1, 6)):
        left, right = random.choice(names, 2)
        kind = random.choice(["+", "-", "*"])
        right = str(random.integers(0, 4)) if random.random() < 0.3 else right
        lines.append(f"v{number} = {left} {kind} {right}")
        names.append(f"v{number}")
    return lines


@pytest.mark.parametrize("seed", range(8))
def test_random_expressions(seed, tmp_path):
    random = generator()
    dtype = random.choice(NARROW)
    info = np.iinfo(dtype)
    lines = random_statements(random)
    path = tmp_path / f"random_overflow_{seed}.py"
    body = "".join(f"    {line}\n" for line in lines)
    path.write_text(f"{HEADER}{body}    tl.store(out + i, {lines[-1].split()[0]})\n")
    scope = runpy.run_path(str(path))
    for bits in range(1, info.bits):
        low = 0 if info.min == 0 else -(1 << bits - 1)
        x, y = (random.integers(low, (1 << bits - 1) + 1, 32).astype(dtype) for _ in range(2))
        state = {"a": x.astype(object), "b": y.astype(object)}
        overflows = False
        for line in lines:
            exec(line, {}, state)
            values = state[line.split()[0]]
            overflows |= min(values) < info.min or max(values) > info.max
        out = poisoned(dtype, (32,))
        if overflows:
            with pytest.raises(DeviceAssertError, match=f": {dtype} overflow detected"):
                scope["kernel"][(1,)](x, y, out, N=32)
        else:
            scope["kernel"][(1,)](x, y, out, N=32)
            assert out.tolist() == state[lines[-1].split()[0]].tolist()
