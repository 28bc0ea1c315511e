"""Python's builtins and NumPy's numbers in kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, ConstantError, TypeMismatchError

DTYPES = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.float16, np.float32]


@tilewright.jit
def absolute(x, out, scalar, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i)
    tl.store(out + i, abs(v))
    tl.store(out + SIZE, abs(tl.load(x)))
    tl.store(out + SIZE + 1, abs(scalar))
    tl.store(out + SIZE + 2, abs(-3))


@pytest.mark.parametrize("dtype", [*DTYPES, np.float64])
@pytest.mark.parametrize("scalar", [-5, 7, -2.0])
def test_abs(dtype: Any, scalar: float) -> None:
    x = np.array([-4, -1, 0, 3, 100, -100, 17, -128]).astype(dtype)
    if np.issubdtype(dtype, np.floating):
        x[1:3] = -np.inf, -0.0
    out = np.zeros(11, dtype)
    absolute[(1,)](x, out, scalar, 8)
    expected = [*np.abs(x), np.abs(x[0]), abs(scalar), 3]
    assert out.tolist() == np.array(expected).astype(dtype).tolist()
    assert not np.signbit(out).any() or dtype == np.int8


@tilewright.jit
def extremes(x, out, n, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, 4))
    tl.store(out + tl.arange(0, 4), min(v, n))
    tl.store(out + 4, max(n, 3, N))
    tl.store(out + 5, min((n, N)))
    tl.store(out + 6, max(N, 2) + len((n, N)) + int(2.5) + int(isinstance(N, int)))


def test_min_and_max() -> None:
    x, out = np.array([-9, 4, 1, 7], np.int32), np.zeros(7, np.int32)
    extremes[(1,)](x, out, 4, 6)
    assert out.tolist() == [-9, 4, 1, 4, 6, 4, 6 + 2 + 2 + 1]


@tilewright.jit
def numbers(out, SIZE: tl.constexpr, VALUE: tl.constexpr, FLAG: tl.constexpr, SHAPE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, VALUE if FLAG else -VALUE)
    for k in tl.static_range(SIZE):
        tl.store(out + SIZE + k, tl.sum(tl.full(SHAPE, k, tl.int32).ravel()))


class Pair(NamedTuple):
    rows: Any
    columns: Any


@pytest.mark.parametrize("integer", [np.int8, np.int32, np.int64, np.uint8, np.uint64, int])
@pytest.mark.parametrize("number", [np.float16, np.float32, np.float64, np.int16, float])
@pytest.mark.parametrize("flag", [np.bool_, np.int32, bool])
def test_numpy_constants(integer: Any, number: Any, flag: Any) -> None:
    for shape in ((integer(2), integer(4)), Pair(integer(2), integer(4))):
        out = np.zeros(8, np.float32)
        numbers[(1,)](out, integer(4), number(3), flag(0), shape)
        assert out.tolist() == [-3] * 4 + [0, 8, 16, 24]


SIZE = tl.constexpr(np.int64(4))
SCALE = tl.constexpr(np.float32(1.5))


@tilewright.jit
def reads_numpy_globals(out, n):
    tl.store(out + tl.arange(0, SIZE), n * SCALE + np.int16(2))


@pytest.mark.parametrize("scalar", [np.int32(2), np.uint8(2), np.float16(2), np.int64(2), 2])
def test_numpy_globals_and_arguments(scalar: Any) -> None:
    out = np.zeros(4, np.float32)
    reads_numpy_globals[(1,)](out, scalar)
    assert out.tolist() == [5] * 4


@tilewright.jit
def fills(out, value):
    tl.store(out, value)


@pytest.mark.cpu_only("the error does not depend on the target", compiles=False)
@pytest.mark.parametrize("place", ["out", "value"])
def test_a_string_is_no_argument(place: str) -> None:
    arguments = {"out": np.zeros(1, np.float32), "value": 1.0, place: "abc"}
    with pytest.raises(ArgumentError, match=f"argument '{place}' is the string 'abc'") as caught:
        fills[(1,)](**arguments)
    assert f"{__file__}:{fills.first_line + 2}:5" in str(caught.value)


@pytest.mark.cpu_only("the error does not depend on the target", compiles=False)
@pytest.mark.parametrize(("value", "what"), [(None, "None"), ((1, 2), "a tuple")])
def test_a_constant_where_the_kernel_needs_a_tensor(value: Any, what: str) -> None:
    with pytest.raises(TypeMismatchError, match=f"note: the argument 'out' is {what}") as caught:
        fills[(1,)](value, 1.0)
    assert caught.value.line == fills.first_line + 2


@tilewright.jit
def with_mode(out, mode):
    tl.store(out, 1 if mode == "one" else 2)


def test_a_string_chooses() -> None:
    """As in Triton, a string is a constant even without the annotation."""
    out = np.zeros(1, np.int32)
    for mode, expected in (("one", 1), ("two", 2), ("i32", 2), ("*fp32", 2)):
        with_mode[(1,)](out, mode)
        assert out[0] == expected


@tilewright.jit
def one_tile(out):
    tl.store(out, max(tl.arange(0, 4)))


@tilewright.jit
def axis_of_min(out):
    tl.store(out, min(tl.arange(0, 4), axis=0))


@tilewright.jit
def compares_tuples(out, n):
    tl.store(out, (n, 1) == (n, 1))


@tilewright.jit
def length_of_a_tile(out):
    tl.store(out, len(tl.arange(0, 4)))


@tilewright.jit
def two_operands(out, n):
    tl.store(out, abs(n, n))


@tilewright.jit
def integer_of_a_tensor(out, n):
    tl.store(out, int(n))


@pytest.mark.cpu_only("the error does not depend on the target", compiles=False)
@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (one_tile, (), r"`max` takes two or more .*\n.*\n.*\nhint: .* tl\.max\(x, axis\)"),
        (axis_of_min, (), r"`min` takes two or more .*\n.*\n.*\nhint: .* tl\.min\(x, axis\)"),
        (compares_tuples, (3,), "`==` does not take a tuple with tensors"),
        (length_of_a_tile, (), r"`len` needs a tuple.*\n.*\n.*\nhint: .* x\.shape\[0\]"),
        (two_operands, (3,), "`abs`: takes 1 positional argument but 2 were given"),
        (
            integer_of_a_tensor,
            (3,),
            r"`int` needs constants.*\n.*\n.*\nhint: .* x\.to\(tl\.int32\)",
        ),
    ],
)
def test_messages(kernel: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((TypeMismatchError, ConstantError), match=message) as caught:
        kernel[(1,)](np.zeros(1, np.int32), *arguments)
    assert caught.value.line == kernel.first_line + 2
