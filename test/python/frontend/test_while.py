"""`while`: scf.while."""

# ruff: noqa: F841

from __future__ import annotations

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import LoopTypeError, UnsupportedError


@jit
def collatz(out, n):
    steps = 0
    while n != 1 and steps < 100:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    tl.store(out, steps)


def test_variables_of_body_and_condition_are_carried():
    text = build(collatz, "*i32", "i32")
    assert "scf.while" in text
    assert "(i32, i32) -> (i32, i32)" in text


@jit
def never(out):
    while False:
        not_a_name()  # noqa: F821
    tl.store(out, 1)


def test_a_loop_that_never_runs_is_left_out():
    text = build(never, "*i32")
    assert "scf.while" not in text
    assert "tile.store" in text


@jit
def forever(out):
    while True:
        tl.store(out, 1)


def test_a_loop_that_never_ends_is_refused():
    with pytest.raises(UnsupportedError, match="never ends"):
        build(forever, "*i32")


@jit
def changes_type(out, n):
    while n > 0:
        n = n * 0.5
    tl.store(out, n)


def test_a_carried_variable_cannot_change_its_type():
    with pytest.raises(LoopTypeError, match="`n` is int32 before the loop"):
        build(changes_type, "*i32", "i32")


@jit
def continues(out, n):
    total = 0
    while n > 0:
        n -= 1
        if n == 3:
            continue
        total += n
    tl.store(out, total)


def test_continue():
    text = build(continues, "*i32", "i32")
    assert "scf.while" in text
    assert "scf.if" in text


@jit
def breaks(x, out):
    n = 0
    while True:
        if tl.load(x + n) == 0:
            break
        n += 1
    tl.store(out, n)


def test_break_ends_an_endless_loop():
    text = build(breaks, "*i32", "*i32")
    assert "scf.while" in text
    assert "(i32, i1) -> (i32, i1)" in text


@jit
def breaks_by_condition(x, out, n):
    while tl.load(x + n) > 0:
        n += 1
        if n == 5:
            break
    tl.store(out, n)


def test_the_condition_is_not_evaluated_after_a_break():
    text = build(breaks_by_condition, "*i32", "*i32", "i32")
    condition = text.split("scf.while")[1].split("do {")[0]
    assert 0 < condition.index("scf.if") < condition.index("tile.load")


@jit
def assigns_in_condition(x, out):
    while (v := tl.load(x)) > 0:
        tl.store(out, 1)
        x += 1


def test_the_condition_may_assign():
    assert "scf.while" in build(assigns_in_condition, "*i32", "*i32")
