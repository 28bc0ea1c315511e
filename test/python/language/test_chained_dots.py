"""Random loops like that of attention: a dot of a dot, masked, with rows loaded in between."""

import numpy as np
import pytest
import torch
from seeds import generator

import tilewright
import tilewright.language as tl


@tilewright.jit(do_not_specialize=("first", "low", "high", "length"))
def chain(
    q, k, v, rows_in, out, first, low, high, length, M: tl.constexpr, N: tl.constexpr,
    D: tl.constexpr, MASK: tl.constexpr, ROW: tl.constexpr, DECAY: tl.constexpr,
    SECOND: tl.constexpr,
):  # fmt: skip
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    queries = tl.load(q + m[:, None] * D + d[None, :])
    total = tl.zeros((M, D), tl.float32)
    other = tl.zeros((M, D), tl.float32)
    for start in range(low, high, N):
        rows, columns = first + m, start + n
        keys = tl.load(k + columns[:, None] * D + d[None, :])
        scores = tl.dot(queries, keys.T)
        if MASK == "causal":
            scores = tl.where(rows[:, None] >= columns[None, :], scores, 0.0)
        elif MASK == "inverted":
            scores = tl.where(columns[None, :] > rows[:, None], 1.0, scores)
        elif MASK == "tail":
            scores = tl.where((columns < length)[None, :], scores, 0.0)
        elif MASK == "window":
            near = (rows[:, None] >= columns[None, :]) & (columns[None, :] > rows[:, None] - length)
            scores = tl.where(near, scores, 0.0)
        if ROW != "none":
            scores += tl.load(rows_in + columns)[None, :]
        if ROW == "written":
            tl.store(rows_in + columns + N, (n % 3).to(tl.float32))
        p = tl.minimum(tl.maximum(scores, -1.0), 2.0).to(q.dtype.element_ty)
        values = tl.load(v + columns[:, None] * D + d[None, :])
        if DECAY:
            total = total * 0.5
        total = tl.dot(p, values, total)
        if SECOND:
            other = tl.dot((p + 1).to(q.dtype.element_ty), keys, other)
    tl.store(out + m[:, None] * D + d[None, :], total + other)


def masked(scores, kind, rows, columns, length) -> np.ndarray:
    if kind == "causal":
        return np.where(rows >= columns, scores, 0)
    if kind == "inverted":
        return np.where(columns > rows, 1, scores)
    if kind == "tail":
        return np.where(columns < length, scores, 0)
    if kind == "window":
        return np.where((rows >= columns) & (columns > rows - length), scores, 0)
    return scores


def expected(q, k, v, row, first, low, high, length, block, case) -> np.ndarray:
    total, other, row = np.zeros(q.shape), np.zeros(q.shape), row.copy()
    rows = first + np.arange(len(q))[:, None]
    for start in range(low, high, block):
        places = start + np.arange(block)
        scores = masked(q @ k[places].T, case["MASK"], rows, places[None, :], length)
        if case["ROW"] != "none":
            scores = scores + row[places][None, :]
        if case["ROW"] == "written":
            row[places + block] = np.arange(block) % 3
        p = scores.clip(-1, 2)
        total = total * (0.5 if case["DECAY"] else 1) + p @ v[places]
        if case["SECOND"]:
            other += (p + 1) @ k[places]
    return total + other


# Programs that take turns on sm_90a, and those that just do not, for lack of slots or of groups.
SHAPES = (
    (128, 64, 128, 8, 3), (128, 64, 128, 8, 3), (128, 128, 64, 8, 3), (128, 64, 64, 8, 4),
    (64, 64, 128, 4, 3), (128, 64, 128, 8, 2), (128, 32, 64, 8, 2), (64, 32, 64, 4, 4),
)  # fmt: skip


def pick(rng, values):
    return values[int(rng.integers(len(values)))]


@pytest.mark.parametrize("number", range(16))
def test_chains(number, launch_target) -> None:
    rng = generator()
    rows, block, depth, warps, stages = pick(rng, SHAPES)
    if "cuda:90a" not in str(launch_target):
        stages = 1  # other GPUs have less memory
    case = {
        "MASK": pick(rng, ("none", "causal", "causal", "inverted", "tail", "window")),
        "ROW": pick(rng, ("none", "none", "read", "read", "written")),
        "DECAY": bool(rng.integers(2)),
        "SECOND": int(rng.integers(4)) == 0,
    }
    dtype = pick(rng, (torch.float16, torch.float16, torch.bfloat16))
    low = int(pick(rng, (0, 0, 64, 128)))
    high = low + int(pick(rng, (0, 1, block, 2 * block, 3 * block, 5 * block - 1)))
    first, length = (int(rng.integers(-64, 512)) for _ in range(2))
    places = high + 2 * block
    q, k, v = (
        torch.from_numpy(rng.integers(-1, 2, (count, depth))).to(dtype)
        for count in (rows, places, places)
    )
    row = torch.from_numpy(rng.integers(-2, 3, places)).float()
    want = expected(
        *(x.double().numpy() for x in (q, k, v, row)), first, low, high, length, block, case
    )
    out = torch.full((rows, depth), -1.0)
    chain[(1,)](
        q, k, v, row, out, first, low, high, length, M=rows, N=block, D=depth, **case,
        num_warps=warps, num_stages=stages,
    )  # fmt: skip
    assert np.array_equal(out.double().numpy(), want), (case, rows, block, depth, first, low, high)
