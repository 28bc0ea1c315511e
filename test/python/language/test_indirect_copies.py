"""Operands of dots whose addresses or masks are loaded in the loop: both are read ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler import Options, compile

SIDE, PAGES, STEP = 64, 6, 32


@tilewright.jit
def pages(a, b, table, lengths, i, k, n, STEP: tl.constexpr, SIDE: tl.constexpr):
    """Paged rows of B, as in attention with a cache of pages."""
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for page in range(n):
        at = tl.load(table + page)
        x = tl.load(a + i[:, None] * n * STEP + page * STEP + k[None, :])
        y = tl.load(b + (at * STEP + k[:, None]) * SIDE + i[None, :])
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def ragged(a, b, table, lengths, i, k, n, STEP: tl.constexpr, SIDE: tl.constexpr):
    """Pages of which only some rows are in use."""
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for page in range(n):
        at = tl.load(table + page)
        mask = k < tl.load(lengths + at)
        x = tl.load(a + i[:, None] * n * STEP + page * STEP + k[None, :], mask[None, :], 0.0)
        y = tl.load(b + (at * STEP + k[:, None]) * SIDE + i[None, :], mask[:, None], 0.0)
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def rows(a, b, table, lengths, i, k, n, STEP: tl.constexpr, SIDE: tl.constexpr):
    """Rows of B by a tile of indices."""
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for page in range(n):
        at = tl.load(lengths + (page * STEP + k) % n)
        x = tl.load(a + i[:, None] * n * STEP + page * STEP + k[None, :])
        y = tl.load(b + at[:, None] * SIDE + i[None, :])
        total = tl.dot(x, y, total)
    return total


@tilewright.jit
def linked(a, b, table, lengths, i, k, n, STEP: tl.constexpr, SIDE: tl.constexpr):
    """A linked list of pages: each index is loaded by the one before."""
    total = tl.zeros((SIDE, SIDE), tl.float32)
    at = 0
    for page in range(n):
        x = tl.load(a + i[:, None] * n * STEP + page * STEP + k[None, :])
        y = tl.load(b + (at * STEP + k[:, None]) * SIDE + i[None, :])
        total = tl.dot(x, y, total)
        at = tl.load(table + at)
    return total


@tilewright.jit
def used_twice(a, b, table, lengths, i, k, n, STEP: tl.constexpr, SIDE: tl.constexpr):
    """The index is used by the dot's iteration, too."""
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for page in range(n):
        at = tl.load(table + page)
        x = tl.load(a + i[:, None] * n * STEP + page * STEP + k[None, :])
        y = tl.load(b + (at * STEP + k[:, None]) * SIDE + i[None, :])
        total = tl.dot(x, y, total) + at
    return total


@tilewright.jit
def written(a, b, table, lengths, i, k, n, STEP: tl.constexpr, SIDE: tl.constexpr):
    """The loop changes the table: the next index must not be read ahead."""
    total = tl.zeros((SIDE, SIDE), tl.float32)
    for page in range(n):
        at = tl.load(table + page)
        x = tl.load(a + i[:, None] * n * STEP + page * STEP + k[None, :])
        y = tl.load(b + (at * STEP + k[:, None]) * SIDE + i[None, :])
        total = tl.dot(x, y, total)
        tl.debug_barrier()
        tl.store(table + page + 1, (at + 2) % n, mask=page + 1 < n)
        tl.debug_barrier()
    return total


@tilewright.jit
def kernel(
    a, b, c, table, lengths, n, BODY: tl.constexpr, STEP: tl.constexpr, SIDE: tl.constexpr
):  # fmt: skip
    i, k = tl.arange(0, SIDE), tl.arange(0, STEP)
    total = BODY(a, b, table, lengths, i, k, n, STEP, SIDE)
    tl.store(c + i[:, None] * SIDE + i[None, :], total)


def expected(body: Any, a: Any, b: Any, table: Any, lengths: Any, n: int) -> Any:
    total, at = np.zeros((SIDE, SIDE)), 0
    table = [int(page) for page in table]
    for page in range(n):
        x = a[:, page * STEP : (page + 1) * STEP]
        if body is not linked:
            at = table[page]
        y = b[at * STEP : (at + 1) * STEP]
        if body is ragged:
            x, y = x[:, : lengths[at]], y[: lengths[at]]
        if body is rows:
            y = b[lengths[(page * STEP + np.arange(STEP)) % n]]
        total = total + x @ y + (at if body is used_twice else 0)
        if body is linked:
            at = table[at]
        if body is written and page + 1 < n:
            table[page + 1] = (at + 2) % n
    return total


@pytest.mark.parametrize(("warps", "stages"), [(4, 2), (4, 4), (8, 3)])
@pytest.mark.parametrize("n", [0, 1, 2, PAGES])
@pytest.mark.parametrize("body", [pages, ragged, rows, linked, used_twice, written])
def test_values(body: Any, n: int, warps: int, stages: int) -> None:
    rng = np.random.default_rng(4)
    a = rng.integers(-3, 4, (SIDE, max(n, 1) * STEP)).astype(np.float16)
    b = rng.integers(-3, 4, (PAGES * STEP, SIDE)).astype(np.float16)
    # Exactly as long as the loop needs: reading an index beyond them is an error of the checks.
    table = rng.permutation(PAGES)[:n] if body is not linked else rng.permutation(max(n, 1))
    table, lengths = table.astype(np.int32), np.arange(5, 5 + PAGES * 3, 3).astype(np.int32)
    table = np.concatenate([table, [0]])[: max(n, 1)].astype(np.int32)
    c = np.full((SIDE, SIDE), np.nan, np.float32)
    wanted = expected(body, a.astype(np.float64), b.astype(np.float64), table, lengths, n)
    kernel[(1,)](
        a, b, c, table, lengths, n, body, STEP, SIDE, num_warps=warps, num_stages=stages
    )  # fmt: skip
    np.testing.assert_array_equal(c, wanted)


def assembly(body: Any) -> str:
    types = ("*fp16:D", "*fp16:D", "*fp32:D", "*i32:D", "*i32:D", "i32:D")
    options = Options.make({"num_warps": 4, "num_stages": 3})
    made = compile(kernel, (*types, body, STEP, SIDE), "cuda:80", options, noalias=True)
    return str(made.assembly())


@pytest.mark.cpu_only("compiles for a GPU whatever the targets are")
def test_copies() -> None:
    for body in (pages, ragged, rows, linked, used_twice):
        assert assembly(body).count("cp.async.cg") >= 4, body


@pytest.mark.cpu_only("compiles for a GPU whatever the targets are")
def test_changing_tables_are_not_read_ahead() -> None:
    """Only the operand that does not depend on the table may be copied."""
    table_reads = [line for line in assembly(written).splitlines() if "ld.global.b32" in line]
    assert len(table_reads) == 1
