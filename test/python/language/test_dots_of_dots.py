"""Dots whose operands are computed from results of dots: each type, shape and number of warps, with
the result in between also stored, reduced, used twice, and used as the other operand.
"""

import numpy as np
import pytest
import torch
from seeds import generator

import tilewright
import tilewright.language as tl

TYPES = {
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp8e5": torch.float8_e5m2,
    "int8": torch.int8, "fp32": torch.float32, "fp64": torch.float64,
}  # fmt: skip


@tilewright.jit
def small(x, element: tl.constexpr):
    """Integers that all types represent."""
    return tl.minimum(tl.maximum(x, -2), 2).to(element)


@tilewright.jit
def dots(
    q, k, v, u, out, middle, peaks, sums, left, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
    E: tl.constexpr, STORED: tl.constexpr, REDUCED: tl.constexpr, TWICE: tl.constexpr,
    THIRD: tl.constexpr, RIGHT: tl.constexpr,
):  # fmt: skip
    element: tl.constexpr = q.dtype.element_ty
    m, n, d, e = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D), tl.arange(0, E)
    queries = tl.load(q + m[:, None] * D + d[None, :])
    keys = tl.load(k + n[:, None] * D + d[None, :])
    values = tl.load(v + n[:, None] * E + e[None, :])
    scores = tl.dot(queries, keys.T, input_precision="ieee")
    p = small(scores, element)
    if REDUCED:
        tl.store(peaks + m, tl.max(scores, 1))
        tl.store(sums + m, tl.sum(scores, 1))
    if STORED:
        tl.store(middle + m[:, None] * N + n[None, :], p)
    if RIGHT:
        rows = tl.load(u + e[:, None] * M + m[None, :])
        result = tl.dot(rows, p, input_precision="ieee")
        tl.store(left + e[:, None] * N + n[None, :], result)
    total = tl.dot(p, values, input_precision="ieee")
    if TWICE:
        total = tl.dot(small(scores + 1, element), values, total, input_precision="ieee")
    if THIRD:
        rows = tl.load(u + e[:, None] * M + m[None, :])
        total = tl.dot(small(total, element), rows, input_precision="ieee")
        tl.store(out + m[:, None] * M + m[None, :], total)
    else:
        tl.store(out + m[:, None] * E + e[None, :], total)


def pick(rng, values):
    return values[int(rng.integers(len(values)))]


def arrays(rng, name, *shapes):
    return [
        torch.from_numpy(rng.integers(-1, 2, shape)).float().to(TYPES[name]) for shape in shapes
    ]


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize(
    "number", [0, 1, *(pytest.param(i, marks=pytest.mark.full("two seconds each")) for i in (2, 3))]
)
def test_dots_of_dots(name, number, launch_target) -> None:
    rng = generator()
    sides = {"fp16": (32, 64, 128), "bf16": (32, 64, 128), "fp32": (32, 32, 64)}
    sides["fp64"] = sides["fp32"]
    side = sides.get(name, (32, 64))  # what passes through LDS has to fit
    rows, block, depth, width = (pick(rng, (16, *side)), *(pick(rng, side) for _ in range(3)))
    case = {
        flag: bool(rng.integers(2)) for flag in ("STORED", "REDUCED", "TWICE", "THIRD", "RIGHT")
    }
    if rows < 32:  # the least K of 8-bit elements
        case |= {"THIRD": False, "RIGHT": False}
    options = {"num_warps": pick(rng, (1, 2, 4, 8))}
    if "hip" in str(launch_target):
        options["matrix_instr_nonkdim"] = pick(rng, (0, 0, 16))
    q, k, v, u = arrays(rng, name, (rows, depth), (block, depth), (block, width), (width, rows))
    sums = torch.int32 if name == "int8" else torch.float64 if name == "fp64" else torch.float32
    out = torch.full((rows, rows if case["THIRD"] else width), 77, dtype=sums)
    middle = torch.full((rows, block), 1.0).to(q.dtype)
    peaks, totals = torch.full((rows,), 77, dtype=sums), torch.full((rows,), 77, dtype=sums)
    left = torch.full((width, block), 77, dtype=sums)
    dots[(1,)](
        q, k, v, u, out, middle, peaks, totals, left, M=rows, N=block, D=depth, E=width, **case,
        **options,
    )  # fmt: skip
    q, k, v, u = (x.double().numpy() for x in (q, k, v, u))
    scores = q @ k.T
    want = (p := scores.clip(-2, 2)) @ v
    want = want + (scores + 1).clip(-2, 2) @ v if case["TWICE"] else want
    want = want.clip(-2, 2) @ u if case["THIRD"] else want
    about = (name, rows, block, depth, width, case, options)
    assert np.array_equal(out.double().numpy(), want), about
    if case["STORED"]:
        assert np.array_equal(middle.double().numpy(), p), about
    if case["REDUCED"]:
        assert np.array_equal(peaks.double().numpy(), scores.max(1)), about
        assert np.array_equal(totals.double().numpy(), scores.sum(1)), about
    if case["RIGHT"]:
        assert np.array_equal(left.double().numpy(), u @ p), about
