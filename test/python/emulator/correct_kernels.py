"""Correct kernels, small enough to run often, with their arguments and expected results.

Comments `# <- name` mark the lines at which faults in their lowerings are reported.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from planting import Problem

import tilewright
import tilewright.language as tl

# The number of random thread orders in which the kernels run.
ORDERS = 100


@tilewright.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    here = tl.program_id(0) * columns + i
    inside = i < columns
    values = tl.load(x + here, mask=inside, other=-float("inf"))  # <- load
    largest = tl.max(values, axis=0)  # <- max
    numerator = tl.exp(values - largest)
    total = tl.sum(numerator, axis=0)  # <- sum
    tl.store(out + here, numerator / total, mask=inside)  # <- store


@tilewright.jit
def layer_norm(out, x, weight, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    here = tl.program_id(0) * columns + i
    inside = i < columns
    values = tl.load(x + here, mask=inside, other=0.0)  # <- load
    mean = tl.sum(values, axis=0) / columns  # <- mean
    centered = tl.where(inside, values - mean, 0.0)
    variance = tl.sum(centered * centered, axis=0) / columns  # <- variance
    scale = tl.load(weight + i, mask=inside)  # <- weight
    tl.store(out + here, centered * tl.rsqrt(variance + 1e-5) * scale, mask=inside)  # <- store


@tilewright.jit
def matmul(c, a, b, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)[None, :]
    k = tl.arange(0, K)
    total = tl.zeros((M, N), c.dtype.element_ty)
    for start in range(0, depth, K):  # <- loop
        left = tl.load(a + i * depth + start + k[None, :])  # <- left
        right = tl.load(b + (start + k[:, None]) * N + j)  # <- right
        total = tl.dot(left, right, total)  # <- dot
    tl.store(c + i * N + j, total)  # <- store


@tilewright.jit
def transpose(out, x, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    values = tl.load(x + i[:, None] * N + j[None, :])  # <- load
    turned = tl.trans(values)  # <- trans
    tl.store(out + j[:, None] * M + i[None, :], turned)  # <- store


@tilewright.jit
def column_sums(out, x, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None]
    j = tl.arange(0, N)
    values = tl.load(x + i * N + j[None, :])  # <- load
    tl.store(out + j, tl.sum(values, axis=0))  # <- sum


@tilewright.jit
def row_sums(out, x, rows, N: tl.constexpr):
    j = tl.arange(0, N)
    for row in range(rows):
        values = tl.load(x + row * N + j)
        tl.store(out + row, tl.sum(values, axis=0))  # <- sum


@tilewright.jit
def running_sum(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0))  # <- scan


@tilewright.jit
def gather(out, x, at, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    tl.store(out + i, tl.gather(values, tl.load(at + i), axis=0))  # <- gather


@tilewright.jit
def argmax(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.program_id(0), tl.argmax(tl.load(x + i), axis=0))  # <- argmax


@tilewright.jit
def count(bins, x, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(bins + tl.load(x + i), 1)  # <- atomic


@tilewright.jit
def ticket(taken, order, N: tl.constexpr):
    mine = tl.atomic_add(taken, 1)  # <- ticket
    tl.store(order + mine * N + tl.arange(0, N), mine)  # <- store


@tilewright.jit
def smooth_in_place(x, N: tl.constexpr):
    i = tl.arange(0, N)
    for _ in range(2):
        sums = tl.load(x + i) + tl.load(x + i + 1)  # <- load
        tl.store(x + i, sums)  # <- store


@tilewright.jit
def reverse_twice(out, x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i))  # <- first
    tl.store(out + N - 1 - i, tl.load(x + i))  # <- second


@tilewright.jit
def count_and_read(out, bins, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(bins + i % 4, 1)  # <- atomic
    tl.store(out + i, tl.load(bins + i % 4))  # <- load


@tilewright.jit
def last_program(part, count, out, N: tl.constexpr, P: tl.constexpr):
    program, i = tl.program_id(0), tl.arange(0, N)
    tl.store(part + program * N + i, i)  # <- part
    if tl.atomic_add(count, 1) == P - 1:  # <- last
        total = tl.zeros((N,), tl.int32)
        for other in range(P):
            total += tl.load(part + other * N + i)
        tl.store(out + i, total)


@tilewright.jit
def message(data, flag, seen, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(data + i, i + 1)  # <- data
    tl.atomic_or(flag + i, 1, sem="release")  # <- release
    there = tl.atomic_max(flag + i, 0, sem="acquire")  # <- acquire
    tl.store(seen + i, there)  # <- seen


def _integers(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Small integers, whose sums and products are exact in any dtype."""
    return np.random.default_rng(0).integers(-4, 5, shape).astype(dtype)


def _softmax(rows: int = 2, columns: int = 500) -> Problem:
    x = _integers(rows, columns)
    numerator = np.exp(x - x.max(1, keepdims=True))
    expected = numerator / numerator.sum(1, keepdims=True)
    arguments = {"out": np.zeros_like(x), "x": x, "columns": columns, "BLOCK": 512}
    return Problem(softmax, (rows,), arguments, {"out": expected}, tolerance=1e-6)


def _layer_norm(rows: int = 2, columns: int = 500) -> Problem:
    x, weight = _integers(rows, columns), _integers(columns)
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * weight
    arguments = {"out": np.zeros_like(x), "x": x, "weight": weight, "columns": columns}
    return Problem(
        layer_norm, (rows,), {**arguments, "BLOCK": 512}, {"out": expected}, tolerance=1e-4
    )


def _matmul(stages: int, dtype: type, accumulator: type = np.float32, n: int = 32) -> Problem:
    depth = 192
    a, b = _integers(n, depth, dtype=dtype), _integers(depth, n, dtype=dtype)
    c = np.zeros((n, n), accumulator)
    arguments = {"c": c, "a": a, "b": b, "depth": depth, "M": n, "N": n, "K": 32}
    expected = a.astype(accumulator) @ b.astype(accumulator)
    return Problem(matmul, (1,), {**arguments, "num_stages": stages}, {"c": expected})


def _transpose() -> Problem:
    x = _integers(64, 128, dtype=np.float16)
    arguments = {"out": np.zeros((128, 64), x.dtype), "x": x, "M": 64, "N": 128}
    return Problem(transpose, (1,), arguments, {"out": x.T})


def _column_sums() -> Problem:
    x = _integers(64, 32)
    arguments = {"out": np.zeros(32, x.dtype), "x": x, "M": 64, "N": 32}
    return Problem(column_sums, (1,), arguments, {"out": x.sum(0)})


def _row_sums() -> Problem:
    x = _integers(3, 256)
    arguments = {"out": np.zeros(3, x.dtype), "x": x, "rows": 3, "N": 256}
    return Problem(row_sums, (1,), arguments, {"out": x.sum(1)})


def _running_sum() -> Problem:
    x = _integers(512, dtype=np.int32)
    arguments = {"out": np.zeros_like(x), "x": x, "N": 512}
    return Problem(running_sum, (1,), arguments, {"out": x.cumsum(dtype=np.int32)})


def _gather() -> Problem:
    x = _integers(256)
    at = np.random.default_rng(1).permutation(256).astype(np.int32)
    arguments = {"out": np.zeros_like(x), "x": x, "at": at, "N": 256}
    return Problem(gather, (1,), arguments, {"out": x[at]})


def _argmax() -> Problem:
    x = np.random.default_rng(2).permutation(512).astype(np.float32)
    arguments = {"out": np.zeros(1, np.int32), "x": x, "N": 512}
    return Problem(argmax, (1,), arguments, {"out": np.array([x.argmax()])})


def _count() -> Problem:
    x = np.abs(_integers(512, dtype=np.int32))
    arguments = {"bins": np.zeros(5, np.int32), "x": x, "N": 256}
    return Problem(count, (2,), arguments, {"bins": np.bincount(x, minlength=5)})


def _ticket() -> Problem:
    order = np.zeros((4, 128), np.int32)
    expected = np.broadcast_to(np.arange(4)[:, None], order.shape)
    arguments = {"taken": np.zeros(1, np.int32), "order": order, "N": 128}
    return Problem(ticket, (4,), arguments, {"order": expected})


def _smooth_in_place() -> Problem:
    x = _integers(257)
    once = x[:-1] + x[1:]
    twice = once + np.append(once[1:], x[-1])
    arguments = {"x": x, "N": 256}
    return Problem(smooth_in_place, (1,), arguments, {"x": np.append(twice, x[-1])})


def _reverse_twice() -> Problem:
    x = _integers(256)
    arguments = {"out": np.zeros_like(x), "x": x, "N": 256}
    return Problem(reverse_twice, (1,), arguments, {"out": x[::-1]})


def _count_and_read() -> Problem:
    arguments = {"out": np.zeros(256, np.int32), "bins": np.zeros(4, np.int32), "N": 256}
    return Problem(count_and_read, (1,), arguments, {"out": np.full(256, 64)})


def _last_program() -> Problem:
    arguments = {
        "part": np.zeros((3, 128), np.int32),
        "count": np.zeros(1, np.int32),
        "out": np.zeros(128, np.int32),
    }
    # The last program adds up what all programs have stored.
    expected = {"out": 3 * np.arange(128)}
    return Problem(last_program, (3,), {**arguments, "N": 128, "P": 3}, expected)


def _message() -> Problem:
    data, flag, seen = (np.zeros(128, np.int32) for _ in range(3))
    arguments = {"data": data, "flag": flag, "seen": seen, "N": 128}
    return Problem(message, (1,), arguments, {"seen": np.ones(128)})


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "softmax": _softmax,
    "layer norm": _layer_norm,
    "matmul fp16": lambda: _matmul(3, np.float16),
    "matmul fp16, 2 stages": lambda: _matmul(2, np.float16),
    "matmul fp16, 4 stages": lambda: _matmul(4, np.float16),
    "matmul tf32": lambda: _matmul(3, np.float32),
    "matmul int8": lambda: _matmul(3, np.int8, np.int32),
    "matmul fp64": lambda: _matmul(3, np.float64, np.float64),
    "transpose": _transpose,
    "column sums": _column_sums,
    "row sums": _row_sums,
    "running sum": _running_sum,
    "gather": _gather,
    "argmax": _argmax,
    "count": _count,
    "ticket": _ticket,
    "smooth in place": _smooth_in_place,
    "reverse twice": _reverse_twice,
    "count and read": _count_and_read,
    "last program": _last_program,
    "message": _message,
}
