"""Control flow gives the same results as in Python: scalar kernels against Python code."""

# ruff: noqa: B007, RUF021

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

VALUES = (-3, 0, 1, 2, 3, 7, 16)


def run(kernel: Any, n: int, **constants: Any) -> list[int]:
    """The values that the kernel writes for `n`, into poisoned memory."""
    out = np.full(8, -12345, np.int32)
    data = np.array([5, -2, 0, 3, 9, 3, -7, 1], np.int32)
    kernel[(1,)](data, out, n, **constants)
    return [int(v) for v in out]


def expect(*values: int) -> list[int]:
    return [*values, *[-12345] * (8 - len(values))]


@tilewright.jit
def branches(x, out, n):
    a = n + 1
    if n > 2:
        a = 10
        b = n
    elif n == 0:
        b = 5
    else:
        b = -n
        a += 100
    tl.store(out, a)
    tl.store(out + 1, b)


@pytest.mark.parametrize("n", VALUES)
def test_branches(n: int):
    a = 10 if n > 2 else 1 if n == 0 else n + 101
    b = n if n > 2 else 5 if n == 0 else -n
    assert run(branches, n) == expect(a, b)


@tilewright.jit
def loops(x, out, n):
    total = 0
    previous = -1
    current = 0
    for i in range(n):
        total += i * i
        previous, current = current, i
    tl.store(out, total)
    tl.store(out + 1, previous)
    tl.store(out + 2, current)


@pytest.mark.parametrize("n", VALUES)
def test_for(n: int):
    total, previous, current = 0, -1, 0
    for i in range(n):
        total += i * i
        previous, current = current, i
    assert run(loops, n) == expect(total, previous, current)


@tilewright.jit
def falling(x, out, n):
    code = 0
    for i in range(n, -3, -2):
        code = code * 3 + i
    tl.store(out, code)


@pytest.mark.parametrize("n", VALUES)
def test_falling_range(n: int):
    code = 0
    for i in range(n, -3, -2):
        code = code * 3 + i
    assert run(falling, n) == expect(code)


@tilewright.jit
def nested(x, out, n):
    total = 0
    for i in range(n):
        for j in range(i):
            if (i + j) % 3 == 0:
                continue
            total += i * 10 + j
        else:
            total += 1
    tl.store(out, total)


@pytest.mark.parametrize("n", VALUES)
def test_nested_loops_with_continue(n: int):
    total = sum(i * 10 + j for i in range(n) for j in range(i) if (i + j) % 3) + max(n, 0)
    assert run(nested, n) == expect(total)


@tilewright.jit
def collatz(x, out, n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    tl.store(out, steps)
    tl.store(out + 1, n)


@pytest.mark.parametrize("n", VALUES)
def test_while(n: int):
    steps, m = 0, n
    while m > 1:
        m = m // 2 if m % 2 == 0 else 3 * m + 1
        steps += 1
    assert run(collatz, n) == expect(steps, m)


@tilewright.jit
def search(x, out, n):
    found = -1
    for i in range(8):
        if tl.load(x + i) == n:
            found = i
            break
    else:
        tl.store(out + 1, 99)
    tl.store(out, found)


@pytest.mark.parametrize("n", VALUES)
def test_break(n: int):
    data = [5, -2, 0, 3, 9, 3, -7, 1]
    assert run(search, n) == (expect(data.index(n)) if n in data else expect(-1, 99))


@tilewright.jit
def endless(x, out, n):
    i = 0
    while True:
        value = tl.load(x + i)
        if value < 0:
            break
        i += 1
        if i == n:
            break
    tl.store(out, i)


@pytest.mark.parametrize(("n", "i"), [(-3, 1), (0, 1), (1, 1), (7, 1)])
def test_endless_loop_with_breaks(n: int, i: int):
    assert run(endless, n) == expect(i)


@tilewright.jit
def guarded_condition(x, out, n):
    i = 0
    while tl.load(x + i) != n:
        i += 1
        if i == 8:
            break
    tl.store(out, i)


@pytest.mark.parametrize("n", VALUES)
def test_break_from_while(n: int):
    data = [5, -2, 0, 3, 9, 3, -7, 1]
    assert run(guarded_condition, n) == expect(data.index(n) if n in data else 8)


@tilewright.jit
def leaves_all_loops(x, out, n):
    for i in range(4):
        for j in range(4):
            if i * j == n:
                tl.store(out, i)
                tl.store(out + 1, j)
                return
        tl.store(out + 2, i)
    tl.store(out + 3, 77)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 6, 9])
def test_return_from_nested_loops(n: int):
    expected = expect()
    for i, j in ((i, j) for i in range(4) for j in range(4)):
        if i * j == n:
            expected[:2] = i, j
            break
        if j == 3:
            expected[2] = i
    else:
        expected[3] = 77
    assert run(leaves_all_loops, n) == expected


@tilewright.jit
def classify(n):
    if n < 0:
        return 1, n
    if n > 5:
        if n > 10:
            return 2, n * 2
        n += 1
    return 3, n + 100


@tilewright.jit
def early_returns(x, out, n):
    kind, value = classify(n)
    tl.store(out, kind)
    tl.store(out + 1, value)
    if kind == 2:
        return
    tl.store(out + 2, classify(value)[1])


@pytest.mark.parametrize("n", VALUES)
def test_early_returns_and_tuples(n: int):
    kind, value = classify.fn(n)
    rest = [] if kind == 2 else [classify.fn(value)[1]]
    assert run(early_returns, n) == expect(kind, value, *rest)


@tilewright.jit
def unrolled(x, out, n, LIMIT: tl.constexpr):
    total = 0
    for i in tl.static_range(6):
        if i == LIMIT:
            break
        if i == n:
            continue
        total += i + 1
    tl.store(out, total)


@pytest.mark.parametrize("n", VALUES)
@pytest.mark.parametrize("limit", [0, 4, 9])
def test_unrolled_loop_with_jumps(n: int, limit: int):
    total = sum(i + 1 for i in range(min(limit, 6)) if i != n)
    assert run(unrolled, n, LIMIT=limit) == expect(total)


@tilewright.jit
def unrolled_in_running(x, out, n):
    total = 0
    for i in range(n):
        for j in tl.static_range(3):
            if i == j:
                continue
            if i + j == 5:
                break
            total += i * 10 + j
        total += 1000
    tl.store(out, total)


@pytest.mark.parametrize("n", VALUES)
def test_unrolled_loop_within_one_that_runs(n: int):
    total = 0
    for i in range(n):
        for j in range(3):
            if i == j:
                continue
            if i + j == 5:
                break
            total += i * 10 + j
        total += 1000
    assert run(unrolled_in_running, n) == expect(total)


@tilewright.jit
def logic(x, out, n):
    a = n > 0 and n < 5 or n == 16
    b = not a
    tl.store(out, a.to(tl.int32))
    tl.store(out + 1, b.to(tl.int32))
    tl.store(out + 2, (0 <= n <= 3).to(tl.int32))
    tl.store(out + 3, (n if a else -n))
    tl.store(out + 4, max(n, 2) + min(n, 2))


@pytest.mark.parametrize("n", VALUES)
def test_logic(n: int):
    a = 0 < n < 5 or n == 16
    assert run(logic, n) == expect(a, not a, 0 <= n <= 3, n if a else -n, n + 2)


@tilewright.jit
def reused_variable(x, out, n):
    i = 5
    for i in range(n):
        pass
    tl.store(out, i)


@pytest.mark.parametrize("n", VALUES)
def test_the_loop_variable_after_the_loop(n: int):
    assert run(reused_variable, n) == expect(n - 1 if n > 0 else 5)


@tilewright.jit
def tile_in_loop(x, out, n):
    i = tl.arange(0, 8)
    acc = tl.zeros((8,), tl.int32)
    for k in range(n):
        if k == 2:
            acc = tl.where(i < 4, acc, 0)
        else:
            acc += tl.load(x + i) * k
    tl.store(out + i, acc)


@pytest.mark.parametrize("n", VALUES)
def test_tiles_in_loops(n: int):
    data = np.array([5, -2, 0, 3, 9, 3, -7, 1])
    acc = np.zeros(8, int)
    for k in range(n):
        acc = np.where(np.arange(8) < 4, acc, 0) if k == 2 else acc + data * k
    assert run(tile_in_loop, n) == acc.tolist()


@tilewright.jit
def chosen(x, IS_DOUBLED: tl.constexpr, PAIR: tl.constexpr):
    if IS_DOUBLED:
        x += x
    return x + PAIR[0] * PAIR[1]


@tilewright.jit
def tensors_for_constants(x, out, n):
    factor: tl.constexpr = n * 2
    tl.store(out, chosen(factor, n > 2, (n, 3)))


@pytest.mark.parametrize("n", VALUES)
def test_tensors_for_constant_parameters_stay_tensors(n: int):
    assert run(tensors_for_constants, n) == expect((4 * n if n > 2 else 2 * n) + 3 * n)


@tilewright.jit
def choose_by_pointers(out, first, second):
    code = 0
    if first:
        code += 1
    elif second:
        code += 2
    if not second:
        code += 4
    code += 16 if second else 32
    tl.store(out, code)


@pytest.mark.parametrize("has_first", [False, True])
@pytest.mark.parametrize("has_second", [False, True])
def test_a_pointer_is_true_and_none_is_false(has_first: bool, has_second: bool):
    out = np.zeros(1, np.int32)
    first, second = (np.zeros(1, np.int32) if has else None for has in (has_first, has_second))
    choose_by_pointers[(1,)](out, first, second)
    expected = (1 if has_first else 2 if has_second else 0) + (4 if not has_second else 0)
    expected += 16 if has_second else 32
    assert out[0] == expected


@tilewright.jit
def is_null(out, address):
    pointer = address.to(tl.pointer_type(tl.float32))
    tl.store(out, 1 if pointer else 2)


@pytest.mark.parametrize("address", [0, 64, 2**40])
def test_a_null_pointer_is_false(address: int):
    out = np.zeros(1, np.int32)
    is_null[(1,)](out, np.int64(address))
    assert out[0] == (1 if address else 2)
