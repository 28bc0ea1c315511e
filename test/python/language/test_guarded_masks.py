"""Selections in loops by masks of sums of indices, which GPUs skip where all elements are true."""

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl

LEAST, GREATEST = -(2**31), 2**31 - 1


@tilewright.jit(do_not_specialize=("first", "low", "high", "scale"))
def masks(
    x, out, first, low, high, scale, STEP: tl.constexpr, LOOP: tl.constexpr, FORM: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    """Adds up a tile over iterations, each with another mask of rows from first and columns."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    values = tl.load(x + m[:, None] * N + n[None, :])
    total = tl.zeros((M, N), tl.float32)
    carried = low
    for index in range(low, high, STEP):
        start = carried if LOOP == "carried" else index
        rows, columns = first + m, start + n
        if FORM == "causal":
            chosen = tl.where(rows[:, None] >= columns[None, :], values, -1.0)
        elif FORM == "inverted":
            chosen = tl.where(rows[:, None] < columns[None, :], -1.0, values)
        elif FORM == "window":
            mask = (rows[:, None] >= columns[None, :]) & (rows[:, None] - columns[None, :] < 96)
            chosen = tl.where(mask, values, -1.0)
        elif FORM == "tail":
            chosen = tl.where((columns <= first)[None, :], values, -1.0)
        elif FORM == "scaled":
            chosen = tl.where((rows * 3)[:, None] > (scale * columns - 7)[None, :], values, -1.0)
        elif FORM == "one index twice":
            chosen = tl.where((columns - n + first > start + n - 40)[None, :], values, -1.0)
        elif FORM == "constants":
            chosen = values + tl.where(rows[:, None] >= columns[None, :], 0.0, -8.0)
        elif FORM == "both":
            chosen = tl.where(rows[:, None] > columns[None, :], values, values * 2 - 1)
        elif FORM == "remainder":
            chosen = tl.where((rows % 48)[:, None] >= (columns % 80)[None, :], values, -1.0)
        elif FORM == "unsigned":
            above = rows.to(tl.uint32)[:, None] >= columns.to(tl.uint32)[None, :]
            chosen = tl.where(above, values, -1.0)
        elif FORM == "bytes":
            chosen = tl.where(
                rows.to(tl.int8)[:, None] >= columns.to(tl.int8)[None, :], values, -1.0
            )
        else:
            wide = rows.to(tl.int64)[:, None] * scale >= columns.to(tl.int64)[None, :] + first
            chosen = tl.where(wide, values, -1.0)
        total = total * 0.5 + chosen
        carried += STEP
    tl.store(out + m[:, None] * N + n[None, :], total)


def wrapped(values: np.ndarray, dtype: type = np.int32) -> np.ndarray:
    return values.astype(np.int64).astype(dtype)


def choose(form: str, x: np.ndarray, first: int, start: int, scale: int) -> np.ndarray:
    """What an iteration selects, by integers of 32 bits that wrap."""
    m, n = np.arange(x.shape[0])[:, None], np.arange(x.shape[1])[None, :]
    rows, columns = wrapped(first + m), wrapped(start + n)
    wide_rows, wide_columns = rows.astype(np.int64), columns.astype(np.int64)
    other = np.float32(-1.0)
    mask = rows >= columns
    if form == "window":
        mask = mask & (wrapped(wide_rows - wide_columns) < 96)
    elif form == "tail":
        mask = columns <= first
    elif form == "scaled":
        mask = wrapped(wide_rows * 3) > wrapped(wrapped(scale * wide_columns).astype(np.int64) - 7)
    elif form == "one index twice":
        left = wrapped(wrapped(wide_columns - n).astype(np.int64) + first)
        mask = left > wrapped(wide_columns - 40)
    elif form == "constants":
        return x + np.where(mask, np.float32(0), np.float32(-8))
    elif form == "both":
        mask, other = rows > columns, x * 2 - 1
    elif form == "remainder":
        mask = np.fmod(rows, 48) >= np.fmod(columns, 80)
    elif form == "unsigned":
        mask = rows.astype(np.uint32) >= columns.astype(np.uint32)
    elif form == "bytes":
        mask = wrapped(rows, np.int8) >= wrapped(columns, np.int8)
    elif form == "wide":
        mask = wide_rows * scale >= wide_columns + first
    return np.where(mask, x, other)


FORMS = (
    "causal", "inverted", "window", "tail", "scaled", "one index twice", "constants", "both",
    "remainder", "unsigned", "bytes", "wide",
)  # fmt: skip

# Rows that are compared as signed integers of 32 bits, by sums that GPUs find in the mask.
GUARDED = ("causal", "inverted", "window", "tail", "one index twice", "constants", "both")

# first row, first column, iterations, factor: diagonals, all true, all false, and sums that wrap
PLACES = (
    (0, 0, 4, 1), (128, 64, 3, 2), (127, 64, 1, -3), (63, 0, 3, 0), (1000, 7, 2, 5),
    (-64, -128, 3, 1), (-1, -300, 4, 1), (GREATEST - 63, 0, 3, 1), (GREATEST - 10, 64, 2, 2),
    (LEAST, -20, 3, 1), (LEAST + 20, LEAST, 2, 3), (100, GREATEST - 200, 3, 1),
    (GREATEST - 40, GREATEST - 200, 3, 1), (5, 2**30, 2, 2**20), (2**30, 2**30, 3, 7),
    (LEAST + 3, GREATEST - 190, 2, -1),
)  # fmt: skip


@pytest.mark.parametrize("loop", ["index", "carried"])
@pytest.mark.parametrize("step", [1, 64])
@pytest.mark.parametrize("form", FORMS)
def test_selects(form, step, loop, launch_target) -> None:
    x = torch.randint(-8, 8, (64, 64)).float()
    for first, low, count, scale in PLACES:
        out = torch.zeros(64, 64)
        made = masks[(1,)](
            x, out, first, low, low + (count - 1) * step + 1, scale, STEP=step, LOOP=loop,
            FORM=form, M=64, N=64, num_warps=4,
        )  # fmt: skip
        expected = np.zeros((64, 64), np.float32)
        for i in range(count):
            chosen = choose(form, x.numpy(), first, low + i * step, scale)
            expected = expected * np.float32(0.5) + chosen
        assert np.array_equal(out.numpy(), expected), (first, low, count, scale)
    if str(launch_target) != "cpu" and loop == "index":
        assert ("scf.if" in made.asm["tilegpu"]) == (form in GUARDED)
