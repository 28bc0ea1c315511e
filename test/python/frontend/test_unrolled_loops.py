"""Loops that are unrolled: their variable is constant."""

# ruff: noqa: B007

from __future__ import annotations

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import ConstantError, LoopTypeError, UndefinedNameError


@jit
def static(out, N: tl.constexpr):
    for i in tl.static_range(N):
        tl.store(out + tl.arange(0, 2**i), i)


def test_static_range():
    text = build(static, "*i32", 3)
    assert "scf.for" not in text
    for size in (1, 2, 4):
        assert f"tensor<{size}xi32>" in text


@jit
def over_tuple(out, a):
    acc = a
    for x in (a, 2, a * a):
        acc += x
    tl.store(out, acc)


def test_tuples():
    assert build(over_tuple, "*i32", "i32").count("arith.addi") == 3


@jit
def index_again(out, n, M: tl.constexpr):
    for i in tl.static_range(3):
        tl.store(out + i, i)
    for k in range(n):
        for i in tl.static_range(5, 7):
            tl.store(out + k, tl.full([2**i], i, tl.int32).sum())
        for a in range(n):
            for i, M in ((8, 9), (9, 10)):
                tl.store(out + a, i + M)
    while tl.load(out) > n:
        for i in range(n):
            tl.store(out, i)
    for i in tl.static_range(30, 31):
        tl.store(out + i, i)


def test_an_index_is_used_again_in_a_loop() -> None:
    text = build(index_again, "*i32", "i32", 4)
    assert "tensor<32xi32>" in text and "tensor<64xi32>" in text
    assert text.count("scf.for") == 3


@jit
def read_first(out, n):
    for i in tl.static_range(3):
        tl.store(out + i, i)
    for k in range(n):
        tl.store(out + k, i)
        for i in tl.static_range(5):
            tl.store(out + k, i)


@jit
def changed(out, n):
    for i in tl.static_range(3):
        tl.store(out + i, i)
    for k in range(n):
        for i in tl.static_range(5):
            i += k
            tl.store(out + k, i)


@jit
def read_in_else(out, n, COUNT: tl.constexpr):
    for i in tl.static_range(3):
        tl.store(out + i, i)
    for k in range(n):
        for i in tl.static_range(COUNT):
            tl.store(out + k, i)
        else:
            tl.store(out, i)


@jit
def read_afterwards(out, n):
    for i in tl.static_range(3):
        tl.store(out + i, i)
    for k in range(n):
        for i in tl.static_range(5):
            tl.store(out + k, i)
    tl.store(out, i)


@pytest.mark.parametrize("kernel", [read_first, changed])
def test_a_constant_index_that_a_loop_changes(kernel) -> None:
    with pytest.raises(LoopTypeError, match="a loop cannot change a constant"):
        build(kernel, "*i32", "i32")


def test_the_else_of_a_loop_reads_a_constant_index() -> None:
    with pytest.raises(LoopTypeError, match="a loop cannot change a constant"):
        build(read_in_else, "*i32", "i32", 5)
    build(read_in_else, "*i32", "i32", 0)


def test_an_index_is_read_after_a_loop_that_may_not_run() -> None:
    with pytest.raises(UndefinedNameError, match="`i` is assigned only in the `for` loop at line"):
        build(read_afterwards, "*i32", "i32")


@jit
def constant_jumps(out):
    for i in tl.static_range(10):
        if i == 1:
            continue
        if i == 3:
            break
        tl.store(out + i, i)
    else:
        tl.store(out, 99)


def test_break_and_continue_on_constants():
    text = build(constant_jumps, "*i32")
    assert text.count("tile.store") == 2
    assert "99" not in text


@jit
def variable_break(out, a):
    acc = 0
    for i in tl.static_range(2):
        if a == i:
            break
        acc += 1
    tl.store(out, acc)


def test_break_on_a_tensor():
    text = build(variable_break, "*i32", "i32")
    assert "scf.if" in text
    assert text.count("tile.store") == 1


@jit
def returns(out, a):
    for i in tl.static_range(2):
        if a == i:
            return
        tl.store(out + i, i)
    tl.store(out, 5)


def test_return_from_an_unrolled_loop():
    text = build(returns, "*i32", "i32")
    assert "scf.if" in text
    assert text.count("tile.store") == 3


@jit
def many_jumps(out, a, N: tl.constexpr):
    acc = 0
    for i in tl.static_range(N):
        if a == i:
            continue
        if a * i > 7:
            if a > 3:
                break
            acc += 3
        if a + i == 90:
            return
        acc += i
    tl.store(out, acc)


def depth(text: str) -> int:
    """The nesting depth of regions, from the indentation."""
    return max((len(line) - len(line.lstrip())) // 2 for line in text.splitlines())


def test_the_code_of_an_unrolled_loop_grows_with_its_iterations_only():
    short, long = (build(many_jumps, "*i32", "i32", n) for n in (300, 600))
    assert len(long.splitlines()) < 2.05 * len(short.splitlines())
    assert depth(long) == depth(short) < 60
    assert long.count("tile.store") == 1


def test_an_unrolled_loop_may_have_many_iterations():
    assert depth(build(many_jumps, "*i32", "i32", 1500)) < 60


@jit
def nested_unrolled(out, a):
    for i in tl.static_range(40):
        for j in tl.static_range(40):
            if a == i * j:
                break
            if a > i + j + 100:
                return
        else:
            tl.store(out, i)


def test_unrolled_loops_in_each_other():
    assert depth(build(nested_unrolled, "*i32", "i32")) < 100


@jit
def inside_running(out, n):
    acc = 0
    for i in range(n):
        for j in tl.static_range(2):
            if i == j:
                continue
            acc += j
        acc += 1
    tl.store(out, acc)


def test_continue_of_an_unrolled_loop_within_one_that_runs():
    text = build(inside_running, "*i32", "i32")
    assert text.count("scf.for") == 1
    assert "tile.store" in text


@jit
def variable_bound(out, n):
    for i in tl.static_range(n):
        pass


def test_bounds_must_be_constant():
    with pytest.raises(ConstantError, match="bound of static_range"):
        build(variable_bound, "*i32", "i32")
