"""tl.map_elementwise: functions of scalars with control flow, applied to tiles."""

import numpy as np
import pytest
from inputs import INTS, fresh, poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import CompileError, ConstantError, TypeMismatchError


@tilewright.jit
def collatz(n):
    """The number of steps: a loop whose trip count differs between elements."""
    count = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def steps(n):
    count = 0
    while n > 1:
        n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
    return count


@tilewright.jit
def compare(x, y):
    if x < y:
        return -1
    elif x == y:
        return 0
    else:
        return 1


@tilewright.jit
def divide(x, y):
    if y == 0:
        return x * 0, x
    return x // y, x % y


@tilewright.jit
def divide_two(x0, x1, y0, y1):
    q0, r0 = divide(x0, y0)
    q1, r1 = divide(x1, y1)
    return q0, q1, r0, r1


@tilewright.jit
def one(x, out, FN: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(FN, tl.load(x + i)))


@tilewright.jit
def two(x, y, out, FN: tl.constexpr, N: tl.constexpr, PACK: tl.constexpr):
    i = tl.arange(0, N)
    results = tl.map_elementwise(FN, tl.load(x + i), tl.load(y + i), pack=PACK)
    for k in tl.static_range(2):
        tl.store(out + k * N + i, results[k])


@pytest.mark.parametrize("size", [1, 2, 32, 256])
@pytest.mark.parametrize("num_warps", [1, 4])
def test_loops(size, num_warps):
    x, out = fresh("int32", (size,), 0, 60), poisoned("int32", (size,))
    one[(1,)](x, out, FN=collatz, N=size, num_warps=num_warps)
    assert out.tolist() == list(map(steps, x.tolist()))


@pytest.mark.parametrize("dtype", [*INTS, "fp16", "bf16", "fp32", "fp64"])
def test_dtypes(dtype):
    @tilewright.jit
    def kernel(x, y, out, N: tl.constexpr):
        i = tl.arange(0, N)
        found = tl.map_elementwise(compare, tl.load(x + i), tl.load(y + i))
        tl.static_assert(found.dtype == tl.int32 and found.shape == (N,))
        tl.store(out + i, found)

    x, y = fresh(dtype, (64,)), fresh(dtype, (64,))
    y[::3] = x[::3]
    out = poisoned("int32", (64,))
    kernel[(1,)](x, y, out, N=64)
    a, b = (v.double().numpy() if hasattr(v, "double") else v for v in (x, y))
    assert out.tolist() == ((a > b).astype(int) - (a < b)).tolist()


@pytest.mark.parametrize("pack", [1, 2])
@pytest.mark.parametrize("size", [1, 2, 64, 512])
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64"])
def test_several_results(pack, size, dtype):
    x, y = fresh(dtype, (size,), 0, 100), fresh(dtype, (size,), 0, 9)
    out = poisoned(dtype, (2 * size,))
    two[(1,)](x, y, out, FN=divide if pack == 1 else divide_two, N=size, PACK=pack)
    whole = np.where(y == 0, 0, x // np.maximum(y, 1))
    rest = np.where(y == 0, x, x % np.maximum(y, 1))
    assert out.tolist() == [*whole.tolist(), *rest.tolist()]


@tilewright.jit
def of_four(a, b, c, d):
    return a + 1, b + 1, c + 1, d + 1


@pytest.mark.parametrize("size", [1, 2, 4, 128])
def test_groups_of_four(size):
    @tilewright.jit
    def kernel(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        (found,) = tl.map_elementwise(of_four, tl.load(x + i), pack=4)
        tl.store(out + i, found)

    x, out = fresh("int64", (size,), -9, 9), poisoned("int64", (size,))
    kernel[(1,)](x, out, N=size)
    assert np.array_equal(out, x + 1)


@tilewright.jit
def clipped(x, low, scale):
    if x < low:
        return low * 1.0
    return x * scale


@tilewright.jit
def in_between(x, out, count, N: tl.constexpr, M: tl.constexpr):
    """Broadcasting, captured scalars' use beside tiles, a loop, a reduction of the result."""
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + rows[:, None] * N + columns[None, :])
    total = tl.zeros([M], tl.float32)
    for k in range(count):
        low = (k - 1).to(tl.float32)
        total += tl.sum(tl.map_elementwise(clipped, tile, low, (rows + 0.5)[:, None]), axis=1)
    tl.store(out + rows, total)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_among_other_operations(count):
    x, out = fresh("fp32", (8, 32)), poisoned("fp32", (8,))
    in_between[(1,)](x, out, count, N=32, M=8)
    wanted, values = np.zeros(8), x.double().numpy()
    for k in range(count):
        scaled = values * (np.arange(8) + 0.5)[:, None]
        wanted += np.where(values < k - 1, k - 1, scaled).sum(axis=1)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-4, atol=1e-4)


def test_pointers_and_bits():
    @tilewright.jit
    def choose(flag, a, b):
        return (a if flag else b), not flag

    @tilewright.jit
    def kernel(x, out, bits, N: tl.constexpr):
        i = tl.arange(0, N)
        source, odd = tl.map_elementwise(choose, i % 2 == 0, x + i, x + N - 1 - i)
        tl.static_assert(source.dtype == tl.pointer_type(tl.int32) and odd.dtype == tl.int1)
        tl.store(out + i, tl.load(source))
        tl.store(bits + i, odd)

    x, out, bits = fresh("int32", (32,)), poisoned("int32", (32,)), poisoned("int1", (32,))
    kernel[(1,)](x, out, bits, N=32)
    i = np.arange(32)
    assert np.array_equal(out, np.where(i % 2 == 0, x, x[::-1]))
    assert np.array_equal(bits, i % 2 == 1)


def test_scalars():
    @tilewright.jit
    def kernel(out, n):
        tl.store(out, tl.map_elementwise(collatz, n))

    out = poisoned("int32", (16,))
    kernel[(1,)](out, 27)
    assert out[0] == steps(27)


# Misuse


@tilewright.jit
def tile_of(x):
    return x + tl.arange(0, 4)


@tilewright.jit
def nothing(x):
    x + 1


@tilewright.jit
def mixed(x, y):
    return x, y + 0.5


def plain(x):
    return x


@pytest.mark.parametrize(
    ("function", "pack", "error", "match"),
    [
        (plain, 1, TypeMismatchError, "takes a @jit function"),
        (collatz, 3, ConstantError, "pack must be a positive power of 2, found 3"),
        (collatz, 0, ConstantError, "pack must be a positive power of 2, found 0"),
        (collatz, 2, CompileError, "`collatz` takes 1 arguments, but .* calls it with 2"),
        (tile_of, 1, TypeMismatchError, "returns the tile"),
        (nothing, 1, TypeMismatchError, "returns nothing"),
        (mixed, 2, TypeMismatchError, "differ in type: int32 and fp32"),
    ],
)
def test_errors(function, pack, error, match):
    @tilewright.jit
    def kernel(x, FN: tl.constexpr, PACK: tl.constexpr):
        tl.map_elementwise(FN, tl.load(x + tl.arange(0, 16)), pack=PACK)

    with pytest.raises(error, match=match):
        kernel[(1,)](fresh("int32", (16,)), FN=function, PACK=pack)


def test_memory_is_not_accessed():
    @tilewright.jit
    def read(p):
        return tl.load(p)

    @tilewright.jit
    def kernel(x, out):
        i = tl.arange(0, 16)
        tl.store(out + i, tl.map_elementwise(read, x + i))

    x = fresh("int32", (16,))
    with pytest.raises(CompileError, match="the function of a map must not access memory"):
        kernel[(1,)](x, poisoned("int32", (16,)))
