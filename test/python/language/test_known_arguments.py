"""Integer arguments equal to 1 are compile-time constants, with the arithmetic of int32 scalars."""

from typing import NamedTuple

import numpy as np
import pytest
from inputs import poisoned

import tilewright
import tilewright.language as tl
from tilewright.compiler.sources import ASTSource
from tilewright.errors import CompileError, ConstantError


def launched(kernel, *args, size=16, **options):
    out = poisoned("int32", (size,))
    kernel[(1,)](out, *args, **options)
    return out.tolist()


@tilewright.jit
def shapes(out, n):
    tl.static_assert(n == 1)
    i = tl.arange(0, n) + tl.arange(n - 1, n * 2 - 1)
    column = tl.full([2 * n, n], 3, tl.int32).reshape(n, n + 1, 1)
    tile = tl.zeros((n, 4), tl.int32) + column.shape[1]
    tl.store(out + i, tl.sum(tile))
    for j in tl.static_range(n):
        tl.store(out + tl.arange(0, 1) + j + n, j + 7)
    constant: tl.constexpr = n + 1
    tl.store(out + tl.arange(0, constant) + 2, n.value)


def test_one_is_a_size():
    assert launched(shapes, 1)[:4] == [8, 7, 1, 1]


@pytest.mark.parametrize("n", [2, 0, True, 16])
def test_other_values_are_no_constants(n):
    @tilewright.jit
    def kernel(out, n):
        tl.store(out + tl.arange(0, n), 1)

    assert launched(kernel, 1)[0] == 1
    with pytest.raises(ConstantError, match="end of arange must be an integer known at compile"):
        launched(kernel, n)
    assert launched(kernel, 1)[0] == 1


@tilewright.jit
def rows(x, out, columns, stride, N: tl.constexpr):
    line = tl.arange(0, N)
    if columns == 1:
        line = line[:, None] + N * tl.arange(0, 2)[None, :]  # another type, so not a run-time `if`
    tl.store(out + line * stride, tl.load(x + line * stride) + columns)


def test_a_comparison_selects_the_code():
    x = np.arange(64, dtype=np.int32)
    for stride in (1, 2, 1, np.int64(1)):
        out = poisoned("int32", (64,))
        rows[(1,)](x, out, 1, stride, N=16)
        assert np.array_equal(out[: 32 * stride : stride], x[: 32 * stride : stride] + 1)
    with pytest.raises(CompileError, match="`line` has the type"):
        rows[(1,)](x, out, 2, 1, N=16)


@tilewright.jit
def conditions(out, n, m):
    tl.store(out, 1 if n == 1 and m > 5 else 0)
    tl.store(out + 1, 1 if n != 1 or m > 5 else 0)
    tl.store(out + 2, 1 if not n else 2)
    tl.store(out + 3, 1 if 0 < n < 2 else 2)
    if n > 1 and "text" + m:  # the right side would be an error
        tl.store(out + 4, 1)
    elif n:
        tl.store(out + 4, 2)
    tl.static_assert(n in (1, 3) and isinstance(n, tl.constexpr))
    tl.store(out + 5, (n and m) + 1)  # int1 + a number


@pytest.mark.parametrize(("m", "wanted"), [(9, 1), (3, 0)])
def test_conditions(m, wanted):
    assert launched(conditions, 1, m)[:5] == [wanted, wanted, 2, 1, 2]


@tilewright.jit
def arithmetic(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) * n + 100)
    tl.store(out + N + i, (n - 2) // 3 + (n << 31).to(tl.int64) + (-n) % 2 + i * 0)
    tl.store(out + 2 * N + i, tl.maximum(n, 0) + max(n, 2) + min(n, 5) + abs(-n) + i * 0)
    tl.static_assert((n + 0).dtype == tl.int32 and (n / 2).dtype == tl.float32)
    tl.static_assert(n.to(tl.uint8).dtype == tl.uint8)


@pytest.mark.parametrize("n", [1, 3])
def test_arithmetic_is_that_of_other_arguments(n):
    x, out = np.full(16, 100, np.int8), np.zeros((3, 16), np.int64)
    arithmetic[(1,)](x, out, n, N=16)
    assert (out[0] == 100 * n + 100).all()
    assert (out[1] == int((n - 2) / 3) - 2**31 - 1).all()
    assert (out[2] == 3 * n + max(n, 2)).all()


@tilewright.jit
def twice(n):
    return n * 2


@tilewright.jit
def early(n, m):
    if m > 3:
        return n
    return n + 1


@tilewright.jit
def size_of(n: tl.constexpr):
    return tl.arange(0, n)


@tilewright.jit
def helpers(out, n, m):
    tl.store(out + tl.arange(0, twice(n)), 3)
    tl.store(out + 2 + tl.arange(0, tl.cdiv(n, 8)), 4)
    tl.store(out + 3 + size_of(n), early(n, m))
    tl.store(out + 4 + size_of(twice(twice(n))), twice(m))


def test_helpers_take_and_return_constants():
    assert launched(helpers, 1, 5)[:8] == [3, 3, 4, 1, 10, 10, 10, 10]
    assert launched(helpers, 1, 2)[3] == 2


@tilewright.jit
def changing(out, n, count):
    k = n
    for _ in range(count):
        k = k * 2
    if count > 2:
        n = n + 5
    while n > 3:
        n -= 4
    tl.store(out, k)
    tl.store(out + 1, n)


@pytest.mark.parametrize("n", [1, 2])
def test_variables_change(n):
    assert launched(changing, n, 3)[:2] == [8 * n, (n + 5) % 4]
    assert launched(changing, n, 0)[:2] == [n, n]


class Sizes(NamedTuple):
    rows: int
    strides: tuple


@tilewright.jit
def of_tuples(out, sizes):
    rows, (first, second) = sizes
    tl.static_assert(sizes.strides[1] == 1)
    tl.store(out + tl.arange(0, second) + first * 0, rows)
    tl.store(out + 1 + tl.arange(0, 2 * sizes.strides[sizes.strides[1]]), first)


def test_items_of_tuples():
    assert launched(of_tuples, Sizes(5, (8, 1)))[:3] == [5, 8, 8]
    assert launched(of_tuples, Sizes(1, (1, 1)))[:3] == [1, 1, 1]
    with pytest.raises(ConstantError, match="static_assert needs"):
        launched(of_tuples, Sizes(1, (1, 2)))


@tilewright.jit
def sum_of(out, n):
    tl.store(out, n + 1)


def test_the_value_may_change_between_launches():
    values = [1, 2, True, np.int64(1), 1.0, np.float32(1), False, 1]
    assert [launched(sum_of, value)[0] for value in values] == [2, 3, 2, 2, 2, 2, 1, 2]


def test_the_kernel_states_its_constants():
    out = poisoned("int32", (16,))
    kernel = sum_of[(1,)](out, 1)
    assert kernel.src.constants == {(1,): 1} and kernel.src.signature["n"] == "constexpr"


def test_without_specialization_it_is_no_constant():
    @tilewright.jit(do_not_specialize=["n"])
    def kernel(out, n):
        tl.store(out + tl.arange(0, n), 1)

    with pytest.raises(ConstantError):
        launched(kernel, 1)

    @tilewright.jit
    def annotated(out, n: tl.int64):
        tl.store(out + tl.arange(0, n), 1)

    with pytest.raises(ConstantError):
        launched(annotated, 1)


def test_constants_of_a_source():
    source = ASTSource(shapes, {"out": "*i32", "n": "constexpr"}, {(1,): 1})
    compiled = tilewright.compile(source, target="cpu")
    out = poisoned("int32", (16,))
    compiled[(1,)](out, 1)
    assert out[:4].tolist() == [8, 7, 1, 1]
