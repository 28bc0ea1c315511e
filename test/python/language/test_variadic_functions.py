"""Parameters `*args` of kernels and of functions that they call, and keyword-only parameters."""

import numpy as np
import pytest
from inputs import poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, TypeMismatchError, UnsupportedError


@tilewright.jit
def total(first, *rest, scale=1):
    result = first
    for item in tl.static_range(len(rest)):
        result += rest[item] * scale
    return result


@tilewright.jit
def sums(out, *values, N: tl.constexpr, offset=0):
    i = tl.arange(0, N)
    tl.store(out + i, total(*values) + offset)
    tl.store(out + N + i, total(i, *values, 2, scale=3))
    tl.store(out + 2 * N + i, len(values) + total(values[0]))


def expected(values, offset, n):
    i = np.arange(n)
    lines = [np.full(n, sum(values) + offset), i + 3 * sum(values) + 6]
    return np.concatenate([*lines, np.full(n, len(values) + values[0])])


@pytest.mark.parametrize("values", [(5,), (1, 2), (1, 1), (7, 2**40, 16, 1), tuple(range(2, 40))])
def test_numbers(values):
    out = poisoned("int64", (24,))
    sums[(1,)](out, *values, N=8, offset=9)
    assert out.tolist() == expected(values, 9, 8).tolist()
    sums[(1,)](out, *values, N=8)
    assert out.tolist() == expected(values, 0, 8).tolist()


@tilewright.jit
def copies(out, *inputs, N: tl.constexpr):
    i = tl.arange(0, N)
    for k in tl.static_range(len(inputs)):
        if inputs[k] is not None:
            x, scale = inputs[k]
            tl.store(out + k * N + i, tl.load(x + i) * scale)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_tuples_of_arrays(count):
    x = [np.arange(k, k + 16, dtype=np.int32) for k in range(count)]
    out = poisoned("int32", (64,))
    pairs = [(array, k) for k, array in enumerate(x)]
    kernel = copies[(1,)](out, *pairs, None, N=16)
    for k in range(count):
        assert np.array_equal(out[16 * k : 16 * (k + 1)], x[k] * k)
    assert (out[16 * count :] == 85).all()
    assert len(kernel.src.signature["inputs"]) == count + 1


@tilewright.jit
def no_others(out, *rest):
    tl.store(out, len(rest))


def test_without_further_arguments():
    out = poisoned("int32", (16,))
    no_others[(1,)](out)
    assert out[0] == 0
    no_others[(1,)](out=out)
    assert out[0] == 0


@tilewright.jit
def of_constants(*sizes: tl.constexpr):
    result = 0
    for k in tl.static_range(len(sizes)):
        result += tl.sum(tl.arange(0, sizes[k]))
    return result


@tilewright.jit
def uses_constants(out):
    tl.store(out, of_constants(4, 8))


def test_constants():
    out = poisoned("int32", (16,))
    uses_constants[(1,)](out)
    assert out[0] == 6 + 28


def test_errors():
    out = poisoned("int32", (16,))
    with pytest.raises(ArgumentError, match="'rest' collects positional arguments"):
        no_others[(1,)](out, rest=(1, 2))
    with pytest.raises(ArgumentError, match="missing argument 'N'"):
        sums[(1,)](out, 1, 2, 8)
    with pytest.raises(UnsupportedError, match=r"`kernel` collects arguments with `\*\*options`"):

        @tilewright.jit
        def kernel(out, **options):
            pass

    @tilewright.jit
    def wrong(out):
        tl.store(out, total(1, scales=3))

    with pytest.raises(TypeMismatchError, match="unexpected keyword argument 'scales'"):
        wrong[(1,)](out)
