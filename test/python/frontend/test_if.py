"""Conditionals: folded, or scf.if with joined variables."""

# ruff: noqa: F841, SIM108

from __future__ import annotations

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import LoopTypeError, TypeMismatchError, UndefinedNameError


@jit
def constant(out, FLAG: tl.constexpr):
    if FLAG == 1:
        tl.store(out, 10)
    elif FLAG == 2:
        tl.store(out, 20)
    else:
        not_a_name.nor_visited()  # noqa: F821


def test_constant_conditions_choose_without_visiting_the_rest():
    text = build(constant, "*i32", 2)
    assert "scf.if" not in text
    assert "constant 20" in text
    assert "constant 10" not in text


@jit
def joined(out, a):
    x = 1
    if a > 0:
        x = a
        y = 2
    elif a < -5:
        y = 3
    else:
        x += 7
        y = a
    tl.store(out, x + y)


def test_variables_are_joined():
    text = build(joined, "*i32", "i32")
    assert text.count("scf.if") == 2
    assert text.count("-> (i32, i32)") == 2


@jit
def joined_tuple(out, a):
    t = (a, None, a + 1)
    if a > 0:
        t = (t[2], None, t[0])
    if t[1] is None:
        tl.store(out, t[0])


def test_tuples_are_joined():
    assert "-> (i32, i32)" in build(joined_tuple, "*i32", "i32")


@jit
def no_results(out, a):
    if a > 0:
        tl.store(out, a)


def test_a_branch_without_results_has_no_else():
    text = build(no_results, "*i32", "i32")
    assert "scf.if" in text
    assert "else" not in text


@jit
def joined_constexpr(out, a, N: tl.constexpr):
    n = N
    if a > 0:
        n = a
    tl.store(out, n)


def test_a_constant_is_joined_as_a_tensor():
    assert "-> (i32)" in build(joined_constexpr, "*i32", "i32", 4)


@jit
def float_condition(out, a):
    if a:
        tl.store(out, 1)


def test_numbers_are_conditions():
    assert "arith.cmpf" in build(float_condition, "*i32", "fp32")


@jit
def ternary(out, a, FLAG: tl.constexpr):
    tl.store(out, (a if a > 0 else -a) if FLAG else no_name)  # noqa: F821


def test_conditional_expressions():
    assert "scf.if" in build(ternary, "*i32", "i32", True)


@jit
def ternary_mismatch(out, a):
    tl.store(out, a if a > 0 else 0.5)


def test_a_conditional_expression_of_two_types_is_refused():
    with pytest.raises(TypeMismatchError, match="int32 and fp32"):
        build(ternary_mismatch, "*i32", "i32")


@jit
def one_branch(out, a):
    if a > 0:
        x = a
    tl.store(out, x)


def test_a_variable_of_one_branch_is_not_there_afterwards():
    with pytest.raises(UndefinedNameError, match="`x` is assigned in only one branch") as info:
        build(one_branch, "*i32", "i32")
    assert info.value.source_line.strip() == "tl.store(out, x)"


@jit
def two_types(out, a):
    if a > 0:
        x = a
    else:
        x = 0.5
    tl.store(out, x)


def test_a_variable_of_two_types_is_refused():
    with pytest.raises(LoopTypeError, match=r"`x` has the type int32 .* and fp32") as info:
        build(two_types, "*i32", "i32")
    assert "same type" in str(info.value.hint)


@jit
def unused_two_types(out, a):
    if a > 0:
        x = a
    else:
        x = 0.5
    tl.store(out, a)


def test_a_variable_of_two_types_is_fine_where_it_is_not_used():
    assert "tile.store" in build(unused_two_types, "*i32", "i32")


@jit
def tile_condition(out):
    if tl.arange(0, 4) > 0:
        tl.store(out, 1)


def test_a_tile_is_no_condition():
    with pytest.raises(TypeMismatchError, match="condition must be a scalar") as info:
        build(tile_condition, "*i32")
    assert "tl.where" in str(info.value.hint)
