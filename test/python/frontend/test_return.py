"""Early returns, structured into scf.if."""

from __future__ import annotations

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import TypeMismatchError


@jit
def guard(out, n):
    if tl.program_id(0) >= n:
        return
    tl.store(out, 1)


def test_a_kernel_may_return_early():
    text = build(guard, "*i32", "i32")
    assert "scf.if" in text
    assert "else" in text
    assert text.count("return") == 1


@jit
def clamp(x):
    if x < 0:
        return 0
    elif x > 10:
        y = 10
    else:
        return x
    return y


@jit
def call_clamp(out, a):
    tl.store(out, clamp(a))


def test_a_function_may_return_early():
    text = build(call_clamp, "*i32", "i32")
    assert "scf.if" in text
    assert text.count("return %") == 1


@jit
def partly(out, a, b):
    if a > 0:
        if b > 0:
            return
        tl.store(out, 1)
    tl.store(out, 2)


def test_what_follows_a_branch_that_may_return_runs_in_every_other_case():
    text = build(partly, "*i32", "i32", "i32")
    assert text.count("tile.store") == 2
    assert text.count("scf.if") == 3


@jit
def late(out, a):
    if a < 0:
        y = 0.5
        tl.store(out, y)
        return
    elif a > 10:
        y = 10
        z = a
    else:
        return
    tl.store(out, y + z)


def test_a_branch_that_returns_need_not_assign():
    assert "arith.addi" in build(late, "*i32", "i32")


@jit
def after_return(out):
    tl.store(out, 1)
    return
    not_a_name()  # noqa: F821


def test_nothing_after_a_return_is_visited():
    build(after_return, "*i32")


@jit
def constant_return(out, FLAG: tl.constexpr):
    if FLAG:
        return
    tl.store(out, 1)


def test_a_constant_return():
    text = build(constant_return, "*i32", True)
    assert "tile.store" not in text
    assert "scf.if" not in text


@jit
def two_types(x):
    if x < 0:
        return 0.5
    return x


@jit
def call_two_types(out, a):
    tl.store(out, two_types(a))


def test_returns_of_two_types_are_refused():
    with pytest.raises(TypeMismatchError, match=r"returns fp32 at line .* and int32 at line"):
        build(call_two_types, "*i32", "i32")


@jit
def missing(x):
    if x < 0:
        return x


@jit
def call_missing(out, a):
    tl.store(out, missing(a))


def test_a_missing_return_is_refused():
    with pytest.raises(TypeMismatchError, match=r"int32 at line .* and None at its end"):
        build(call_missing, "*i32", "i32")


@jit
def kernel_value(out):
    return 1


def test_a_kernel_returns_nothing():
    with pytest.raises(TypeMismatchError, match="a kernel cannot return a value"):
        build(kernel_value, "*i32")


@jit
def in_loop(out, n):
    for i in range(n):
        for j in range(i):
            if i + j == 3:
                return
            tl.store(out, j)
        tl.store(out, 77)
    tl.store(out, 99)


def test_a_return_in_a_loop_ends_all_loops():
    text = build(in_loop, "*i32", "i32")
    assert text.count("scf.while") == 2
    assert text.count("constant 99") == 1
    assert "scf.for" not in text


@jit
def find(x, n):
    for i in range(n):
        if tl.load(x + i) == 3:
            return i
    return -1


@jit
def call_find(x, n):
    tl.store(x, find(x, n))


@jit
def find_text(x, n):
    for i in range(n):
        if tl.load(x + i) == 3:
            return i
        if tl.load(x + i) == 4:
            return tl.full((4,), 0, tl.int32)
    return -1


@jit
def call_find_text(x, n):
    tl.store(x, find_text(x, n))


def test_values_returned_from_a_loop_have_one_type():
    build(call_find, "*i32", "i32")
    with pytest.raises(
        TypeMismatchError, match=r"returns int32 at line \d+ and <\[4\], int32>"
    ) as info:
        build(call_find_text, "*i32", "i32")
    assert info.value.line == find_text.first_line + 6
