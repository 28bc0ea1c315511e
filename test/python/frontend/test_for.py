"""Loops that are not unrolled: scf.for."""

# ruff: noqa: B007

from __future__ import annotations

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import (
    ConstantError,
    LoopTypeError,
    TypeMismatchError,
    UndefinedNameError,
)


@jit
def accumulate(x, out, n):
    acc = tl.zeros((16,), tl.float32)
    total = 0
    for i in range(n):
        value = tl.load(x + i)
        acc += value
        total += i
    tl.store(out + tl.arange(0, 16), acc + total)


def test_assigned_variables_are_carried():
    text = build(accumulate, "*fp32", "*fp32", "i32")
    assert "-> (tensor<16xf32>, i32)  : i32" in text
    assert text.count("scf.yield") == 1


@jit
def ranges(out, a, b):
    for i in range(a, b, 2):
        tl.store(out, i)


@pytest.mark.parametrize(
    ("a", "b", "ir"),
    [
        ("i32", "i32", ": i32"),
        ("i32", "i64", ": i64"),
        (3, "i32", ": i32"),
        (2**40, "i32", ": i64"),
    ],
)
def test_the_loop_variable_is_as_wide_as_the_bounds(a: object, b: object, ir: str):
    text = build(ranges, "*i64", a, b)
    [line] = [line for line in text.splitlines() if "scf.for" in line]
    assert ir in line


def test_unsigned_ranges_compare_unsigned():
    assert "scf.for unsigned" in build(ranges, "*i64", "u32", "i32")


@jit
def falling(out, n):
    for i in range(n, 0, -2):
        tl.store(out + i, i)


def test_a_falling_range_is_mirrored():
    text = build(falling, "*i32", "i32")
    assert "scf.for" in text
    assert text.count("arith.subi") == 2


@jit
def with_attributes(out, n):
    for i in tl.range(0, n, 1, num_stages=3, flatten=True):
        tl.store(out, i)


def test_attributes_of_the_range_are_kept():
    text = build(with_attributes, "*i32", "i32")
    assert "tile.num_stages = 3 : i32" in text
    assert "tile.flatten" in text
    assert "tile.warp_specialize" not in text


@jit
def use_loop_variable_twice(out, n):
    for i in range(n):
        tl.store(out, i)
    for i in range(n):
        tl.store(out, i)


def test_the_loop_variable_is_free_after_the_loop():
    text = build(use_loop_variable_twice, "*i32", "i32")
    assert "iter_args" not in text


@jit
def reuse_variable(out, n):
    i = 5
    for i in range(n):
        pass
    tl.store(out, i)


def test_a_variable_that_existed_has_the_last_value_after_the_loop():
    text = build(reuse_variable, "*i32", "i32")
    assert "iter_args(%arg3 = %c5_i32)" in text
    assert "scf.yield %arg2" in text


@jit
def nested(out, n):
    acc = 0
    for i in range(n):
        for j in range(i):
            acc += j
    tl.store(out, acc)


def test_nested_loops():
    assert build(nested, "*i32", "i32").count("iter_args") == 2


@jit
def alias(out, n):
    x = n + 1
    y = x
    for _ in range(n):
        x += 1
        x = y
    tl.store(out, x)


def test_a_carried_variable_may_get_back_its_first_value():
    assert "scf.yield %0" in build(alias, "*i32", "i32")


@jit
def continues(out, n):
    acc = 0
    for i in range(n):
        if i == 3:
            continue
        acc += i
    else:
        acc += 100
    tl.store(out, acc)


def test_continue_skips_the_rest_of_the_body():
    text = build(continues, "*i32", "i32")
    assert "scf.if" in text
    assert "constant 100" in text


@jit
def changes_type(out, n):
    acc = 0
    for i in range(n):
        acc += 0.5
    tl.store(out, acc)


def test_a_carried_variable_cannot_change_its_type():
    with pytest.raises(
        LoopTypeError, match=r"`acc` is int32 before .* and fp32 at its end"
    ) as info:
        build(changes_type, "*fp32", "i32")
    first = changes_type.first_line
    assert f"(line {first + 2})" in info.value.message
    assert f"(line {first + 4})" in info.value.message
    assert info.value.line == first + 4
    assert info.value.column == 9


@jit
def changes_type_and_continues(out, n):
    acc = 0
    for i in range(n):
        if i == 3:
            acc = 0.5
            continue
        acc += i
    tl.store(out, acc)


def test_a_carried_variable_cannot_change_its_type_before_continue():
    with pytest.raises(LoopTypeError, match=r"`acc` has the type fp32 .* and int32"):
        build(changes_type_and_continues, "*fp32", "i32")


@jit
def continues_before_assignment(out, n):
    for i in range(n):
        if i == 3:
            if n > 5:
                continue
            y = i
        else:
            y = 2 * i
        tl.store(out, y)


def test_a_branch_that_continues_need_not_assign():
    assert "scf.for" in build(continues_before_assignment, "*fp32", "i32")


@jit
def changes_shape(out, n):
    acc = tl.zeros((4,), tl.float32)
    for i in range(n):
        acc = tl.zeros((8,), tl.float32)
    tl.store(out + tl.arange(0, 4), acc)


def test_a_carried_variable_cannot_change_its_shape():
    with pytest.raises(LoopTypeError, match=r"\[4\].*\[8\]"):
        build(changes_shape, "*fp32", "i32")


@jit
def changes_constant(out, n, K: tl.constexpr):
    for i in range(n):
        K = K * 2
    tl.store(out, K)


def test_a_constant_cannot_change_in_a_loop():
    with pytest.raises(LoopTypeError, match="cannot change a constant"):
        build(changes_constant, "*i32", "i32", 2)


@jit
def changes_none(out, n):
    x = None
    for i in range(n):
        x = i
    tl.store(out, x)


def test_none_cannot_become_a_tensor_in_a_loop():
    with pytest.raises(LoopTypeError, match="`x` is None before the loop"):
        build(changes_none, "*i32", "i32")


@jit
def only_inside(out, n):
    for i in range(n):
        x = i
    tl.store(out, x)


def test_a_variable_of_the_body_is_not_there_afterwards():
    with pytest.raises(UndefinedNameError, match="`x` is assigned only in the `for` loop"):
        build(only_inside, "*i32", "i32")


@jit
def float_bound(out, n):
    for i in range(n):
        pass


def test_bounds_must_be_integers():
    with pytest.raises(TypeMismatchError, match="must be integers, found fp32"):
        build(float_bound, "*i32", "fp32")


@jit
def zero_step(out, n):
    for i in range(0, n, 0):
        pass


def test_the_step_must_not_be_zero():
    with pytest.raises(ConstantError, match="must not be 0"):
        build(zero_step, "*i32", "i32")


@jit
def breaks(x, out, n):
    acc = 0
    for i in range(n, 0, -1):
        if tl.load(x + i) < 0:
            acc -= 1
            break
        acc += i
    else:
        acc = 1000
    tl.store(out, acc)


def test_break_leaves_a_loop():
    text = build(breaks, "*i32", "*i32", "i32")
    assert "scf.while" in text
    assert "scf.for" not in text
    assert "(i32, i1, i32) -> (i32, i1, i32)" in text


@jit
def breaks_inner(out, n):
    for i in range(n):
        for j in range(n):
            if i < j:
                break
            tl.store(out, j)


def test_break_leaves_the_inner_loop_only():
    text = build(breaks_inner, "*i32", "i32")
    assert text.count("scf.for") == 1
    assert text.count("scf.while") == 1


@jit
def over_tensor(out):
    for i in tl.arange(0, 4):
        pass


def test_a_tensor_cannot_be_looped_over():
    with pytest.raises(TypeMismatchError, match="cannot loop over"):
        build(over_tensor, "*i32")
