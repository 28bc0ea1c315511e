"""Products under conditions of a loop, as after `continue`: their operands are copied ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler import Options, compile

SIDE, DEPTH, STEP = 64, 448, 64


@tilewright.jit
def _operand(a, b, i, start, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    x = tl.load(a + i[:, None] * DEPTH + start + k[None, :])
    y = tl.load(b + (start + k[:, None]) * SIDE + i[None, :])
    return x, y


@tilewright.jit
def by_index(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    if start % 3 != 0:
        x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def by_argument(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    if start < bound:
        x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
        total = tl.dot(x, y, total)
    else:
        total = total * 0.5
    return total


@tilewright.jit
def by_flag(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    if tl.load(flags + start // 64) > 1:
        x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def otherwise(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    if tl.load(flags + start // 64) > 1:
        total += 1
    else:
        x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def either(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    if tl.load(flags + start // 64) > 1:
        x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
        total = tl.dot(x, y, total)
    else:
        x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
        total = tl.dot(x, tl.trans(y), total)
    return total


@tilewright.jit
def nested(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    flag = tl.load(flags + start // 64)
    if flag > 0:
        total += 1
        if start < bound:
            x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
            # A mask of its own, whose index must not be read where the outer condition is false.
            x = tl.load(a + i[:, None] * DEPTH + start + k[None, :], k[None, :] < flag * 20, 0.0)
            total = tl.dot(x, y, total)
    return total


@tilewright.jit
def after_a_sum(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    if tl.sum(tl.load(flags + tl.arange(0, 4))) > start // 64:
        x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def of_the_total(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    if tl.sum(total) >= 0:
        x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def divided(total, a, b, flags, bound, start, i, k, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    flag = tl.load(flags + start // 64)
    if flag != 0:
        x, y = _operand(a, b, i, 64 * ((start // 64) // flag), k, DEPTH, SIDE)
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def first_steps(
    a, b, c, n, MODE: tl.constexpr, DEPTH: tl.constexpr, STEP: tl.constexpr, SIDE: tl.constexpr
):
    """`first` is 1, and 0 from the second iteration on: a constant from outside of the loop."""
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    first = 1
    for step in range(n):
        start = step * STEP
        if MODE == "condition":
            if first == 0:
                x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
                total = tl.dot(x, y, total)
        elif MODE == "mask":
            x, _ = _operand(a, b, i, start, k, DEPTH, SIDE)
            y = tl.load(b + (start + k[:, None]) * SIDE + i[None, :], first == 0, 0.0)
            total = tl.dot(x, y, total)
        elif MODE == "address":
            x, y = _operand(a, b, i, start * (1 - first), k, DEPTH, SIDE)
            total = tl.dot(x, y, total)
        else:
            x, y = _operand(a, b, i, start, k, DEPTH, SIDE)
            total = tl.dot(x, y, total) + first
        first = 0
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


@tilewright.jit
def one_of_three(
    a, b, c, flags, DEPTH: tl.constexpr, STEP: tl.constexpr, M: tl.constexpr, N: tl.constexpr
):
    """Branches that exclude each other share shared memory."""
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, DEPTH, STEP):
        flag = tl.load(flags + start // STEP)
        rows = a + m[:, None] * DEPTH + start + k[None, :]
        columns = b + (start + k[:, None]) * N + n[None, :]
        if flag == 0:
            total = tl.dot(tl.load(rows), tl.load(columns), total)
        elif flag == 1:
            total = tl.dot(tl.load(rows + 1, k < 63, 0.0), tl.load(columns), total)
        elif flag == 2:
            total = tl.dot(tl.load(rows), tl.load(columns + N, k[:, None] < 63, 0.0), total)
    tl.store(c + m[:, None] * N + n[None, :], total)


@tilewright.jit
def kernel(
    a, b, c, flags, bound, BODY: tl.constexpr, SKIPS: tl.constexpr, DEPTH: tl.constexpr,
    STEP: tl.constexpr, SIDE: tl.constexpr,
):  # fmt: skip
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for start in range(0, DEPTH, STEP):
        if SKIPS and start == 128:
            continue
        total = BODY(total, a, b, flags, bound, start, i, k, DEPTH, SIDE)
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


def expected(body: Any, skips: bool, a: Any, b: Any, flags: Any, bound: int) -> Any:
    total = np.zeros((SIDE, SIDE))
    for start in range(0, DEPTH, STEP):
        if skips and start == 128:
            continue
        flag = int(flags[start // STEP])
        x, y = a[:, start : start + STEP], b[start : start + STEP]
        if body is by_index:
            total += x @ y if start % 3 else 0
        elif body is by_argument:
            total = total + x @ y if start < bound else total / 2
        elif body is by_flag:
            total += x @ y if flag > 1 else 0
        elif body is otherwise:
            total += 1 if flag > 1 else x @ y
        elif body is either:
            total += x @ y if flag > 1 else x @ y.T
        elif body is nested:
            total += flag > 0
            if flag > 0 and start < bound:
                total += np.where(np.arange(STEP) < flag * 20, x, 0) @ y
        elif body is after_a_sum:
            total += x @ y if flags[:4].sum() > start // STEP else 0
        elif body is of_the_total:
            total += x @ y if total.sum() >= 0 else 0
        elif flag:
            at = STEP * (start // STEP // flag)
            total += a[:, at : at + STEP] @ b[at : at + STEP]
    return total


BODIES = [
    by_index, by_argument, by_flag, otherwise, either, nested, after_a_sum, of_the_total, divided,
]  # fmt: skip


@pytest.mark.parametrize(("warps", "stages"), [(4, 2), (4, 4), (8, 3)])
@pytest.mark.parametrize("skips", [False, True])
@pytest.mark.parametrize("body", BODIES)
def test_values(body: Any, skips: bool, warps: int, stages: int) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(-3, 4, (SIDE, DEPTH)).astype(np.float16)
    b = rng.integers(-3, 4, (DEPTH, SIDE)).astype(np.float16)
    flags = np.array([0, 2, 1, 0, 3, 2, 0], np.int32)
    c = np.full((SIDE, SIDE), np.nan, np.float32)
    kernel[(1,)](
        a, b, c, flags, 250, body, skips, DEPTH, STEP, SIDE, num_warps=warps, num_stages=stages
    )
    wanted = expected(body, skips, a.astype(np.float64), b.astype(np.float64), flags, 250)
    np.testing.assert_array_equal(c, wanted)


@pytest.mark.parametrize(("warps", "stages"), [(4, 2), (4, 3), (8, 5)])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("mode", ["condition", "mask", "address", "late"])
def test_constants_that_loops_carry(mode: str, n: int, warps: int, stages: int) -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(-3, 4, (SIDE, DEPTH)).astype(np.float16)
    b = rng.integers(-3, 4, (DEPTH, SIDE)).astype(np.float16)
    c = np.full((SIDE, SIDE), np.nan, np.float32)
    first_steps[(1,)](
        a, b, c, n, mode, DEPTH, STEP, SIDE, num_warps=warps, num_stages=stages
    )  # fmt: skip
    a, b = a.astype(np.float64), b.astype(np.float64)
    used = a[:, : n * STEP] @ b[: n * STEP]
    if mode in ("condition", "mask"):
        used = a[:, STEP : n * STEP] @ b[STEP : n * STEP]
    np.testing.assert_array_equal(c, used + (1 if mode == "late" and n else 0))


@pytest.mark.parametrize(("size", "warps", "stages"), [(64, 4, 4), (128, 8, 3), (128, 8, 4)])
def test_branches_that_exclude_each_other(size: int, warps: int, stages: int) -> None:
    """All of them in all stages would not fit shared memory."""
    rng = np.random.default_rng(6)
    a = rng.integers(-3, 4, (size, DEPTH)).astype(np.float16)
    b = rng.integers(-3, 4, (DEPTH, size)).astype(np.float16)
    flags = np.array([2, 1, 0, 3, 1, 2, 0], np.int32)
    c = np.full((size, size), np.nan, np.float32)
    one_of_three[(1,)](
        a, b, c, flags, DEPTH, STEP, size, size, num_warps=warps, num_stages=stages
    )  # fmt: skip
    expected = np.zeros((size, size))
    for at, flag in zip(range(0, DEPTH, STEP), flags, strict=True):
        x, y = (part.astype(np.float64) for part in (a[:, at : at + STEP], b[at : at + STEP]))
        if flag == 1:
            x = np.pad(x[:, 1:], ((0, 0), (0, 1)))
        elif flag == 2:
            y = np.pad(y[1:], ((0, 1), (0, 0)))
        expected += x @ y if flag < 3 else 0
    np.testing.assert_array_equal(c, expected)


TYPES = ("*fp16:D", "*fp16:D", "*fp32:D", "*i32:D", "i32")


def assembly(body: Any, stages: int = 3) -> str:
    options = Options.make({"num_warps": 4, "num_stages": stages})
    constants = (body, True, DEPTH, STEP, SIDE)
    return str(compile(kernel, (*TYPES, *constants), "cuda:80", options).assembly())


@pytest.mark.cpu_only("compiles for a GPU whatever the targets are")
@pytest.mark.parametrize("body", [by_index, by_argument, by_flag, otherwise, either, nested])
def test_copies(body: Any) -> None:
    assert "cp.async" in assembly(body)
    assert "cp.async" not in assembly(body, stages=1)


@pytest.mark.cpu_only("compiles for a GPU whatever the targets are")
@pytest.mark.parametrize("body", [of_the_total, divided])
def test_no_copies(body: Any) -> None:
    """The first condition is known too late; the second protects a division."""
    assert "cp.async" not in assembly(body)
