"""Operators, comparisons, logic, tuples, attributes, f-strings, comprehensions."""

# ruff: noqa: RUF005, RUF021, SIM300

from __future__ import annotations

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import (
    CompileError,
    ConstantError,
    StaticAssertError,
    TypeMismatchError,
    UnsupportedError,
)


@jit
def operators(out, a, b):
    tl.store(out, -(a + b) * (a - b) % 3 ^ a & b | a << 2 | b >> 1)


def test_operators():
    text = build(operators, "*i32", "i32", "i32")
    for op in ["addi", "subi", "muli", "remsi", "xori", "andi", "ori", "shli", "shrsi"]:
        assert f"arith.{op}" in text


@jit
def constants(out, N: tl.constexpr):
    tl.store(out, (N * 3 + 2**4) // 5 - 1)


def test_constants_are_folded():
    text = build(constants, "*i32", 8)
    assert "arith.constant 7 : i32" in text
    assert "arith.addi" not in text


@jit
def chained(out, a, b):
    tl.store(out, 0 < a + b <= 10)


def test_chained_comparison_evaluates_the_middle_once():
    text = build(chained, "*i1", "i32", "i32")
    assert text.count("arith.addi") == 1
    assert text.count("arith.cmpi") == 2
    assert "arith.andi" in text


@jit
def short_circuit(out, FLAG: tl.constexpr, a):
    if FLAG and a.no_such_attribute > 0:
        tl.store(out, 1)
    if not FLAG or a.no_such_attribute > 0:
        tl.store(out, 2)


def test_constants_short_circuit():
    text = build(short_circuit, "*i32", False, "i32")
    assert "arith.constant 2 : i32" in text
    assert "arith.constant 1 : i32" not in text


@jit
def logic(out, a, b):
    tl.store(out, a > 0 and not (b > 0) or a == b)


def test_logic_on_tensors():
    text = build(logic, "*i1", "i32", "i32")
    for op in ("arith.andi", "arith.ori", "arith.xori"):
        assert op in text


@jit
def displays(out, N: tl.constexpr, SHAPE: tl.constexpr):
    x = tl.zeros([4, N], tl.float32)
    tl.static_assert(x.shape == [4, N] and [4, N] == x.shape and x.shape != [4, N + 1])
    tl.static_assert(SHAPE == [4, 8] and SHAPE + [3] == (4, 8, 3) and [3] + SHAPE == (3, 4, 8))
    tl.static_assert([[1], 2] == ((1,), 2) and ([1], 2) == [(1,), 2] and [1] < (2,))
    tl.static_assert([4, N] in ((4, 8),) and (4, N) in [[4, 8]] and [4, 9] not in ((4, 8),))
    wide = tl.broadcast_to(tl.reshape(x, x.shape + [1]), x.shape + [2])
    tl.static_assert(wide.shape == [4, N, 2])
    tl.static_assert(tl.reshape(wide, [2] + x.shape).shape == (2, 4, N))
    if x.shape == [4, N]:
        tl.store(out, 3)


@pytest.mark.parametrize("shape", [(4, 8), [4, 8]])
def test_lists_and_tuples_are_the_same(shape) -> None:
    assert "arith.constant 3" in build(displays, "*i32", 8, shape)


@jit
def unlike(out, x):
    tl.store(out, (1, 2) + x)


@pytest.mark.parametrize("other", [3, "i32", None])
def test_a_tuple_and_something_else(other) -> None:
    with pytest.raises(TypeMismatchError, match=r"[`']\+[`'] does not take"):
        build(unlike, "*i32", other)


@jit
def identity(out, x, DTYPE: tl.constexpr):
    if x is None and DTYPE is not tl.float16 and DTYPE in (tl.int32, tl.float32):
        tl.store(out, 3)


def test_is_and_in():
    assert "arith.constant 3" in build(identity, "*i32", None, tl.int32)
    assert "arith.constant 3" not in build(identity, "*i32", "i32", tl.int32)
    assert "arith.constant 3" not in build(identity, "*i32", None, tl.int8)


@jit
def tuples(out, a, b):
    t = (a, b, *(a, b))
    tl.store(out, t[1:][0] - t[-2])
    tl.store(out, len(t))


def test_tuples():
    text = build(tuples, "*i32", "i32", "i32")
    assert "arith.subi %arg2, %arg1" in text
    assert "arith.constant 4 : i32" in text


@jit
def new_axes(out):
    x = tl.arange(0, 4)
    tl.store(out + x[:, None] * 4 + x[None, :], 0)


def test_subscripts_of_tiles():
    assert build(new_axes, "*i32").count("tile.expand_dims") == 2


@jit
def attributes(out):
    x = tl.zeros((4, 8), tl.float32)
    tl.static_assert(x.dtype == tl.float32)
    tl.store(out, x.shape[0] + x.shape[1])


def test_attributes():
    assert "arith.constant 12 : i32" in build(attributes, "*i32")


@jit
def f_string(out, N: tl.constexpr):
    tl.static_assert(N == 4, f"N={N!r:>3} but {out.dtype}")


def test_f_strings():
    build(f_string, "*i32", 4)
    with pytest.raises(StaticAssertError, match=r"N=  3"):
        build(f_string, "*i32", 3)


@jit
def f_string_of_tensor(out, a):
    tl.static_assert(a is None, f"a is {a}")


def test_a_tensor_in_an_f_string_shows_its_type():
    with pytest.raises(StaticAssertError, match=r"a is tensor\(int32\)"):
        build(f_string_of_tensor, "*i32", "i32")


@jit
def comprehension(out, N: tl.constexpr):
    t = [i * i for i in range(N) if i % 2 == 1]
    tl.store(out, t[0] + t[1])


def test_comprehension():
    text = build(comprehension, "*i32", 4)
    assert "arith.constant 1 : i32" in text
    assert "arith.constant 9 : i32" in text


@jit
def variable_index(out, i):
    t = (1, 2)
    tl.store(out, t[i])


def test_a_variable_index_into_a_tuple_is_refused():
    with pytest.raises(ConstantError, match="index of a tuple must be constant"):
        build(variable_index, "*i32", "i32")


@jit
def index_out_of_range(out):
    t = (1, 2)
    tl.store(out, t[2])


def test_an_index_out_of_range_is_refused():
    with pytest.raises(TypeMismatchError, match="out of range"):
        build(index_out_of_range, "*i32")


@jit
def divide_by_zero(out, N: tl.constexpr):
    tl.store(out, 1 // N)


def test_dividing_constants_by_zero_is_refused():
    with pytest.raises(CompileError, match="zero") as info:
        build(divide_by_zero, "*i32", 0)
    assert info.value.line is not None


@jit
def add_string(out, a):
    tl.store(out, a + "x")


def test_an_operand_of_a_wrong_kind_is_refused():
    with pytest.raises(TypeMismatchError):
        build(add_string, "*i32", "i32")


@jit
def dictionary(out):
    {}  # noqa: B018


def test_dictionaries_are_refused():
    with pytest.raises(UnsupportedError, match="dictionary"):
        build(dictionary, "*i32")
