"""Times of launches on an emulated GPU, without checks and with all checks.

    .venv/bin/python test/benchmark/emulator.py

One row per kernel: the shortest of several launches in milliseconds, the project's goal, and the
slowdown with checks and with counters (the goal is at most a factor of ten).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tilewright
import tilewright.language as tl

MOST_WITH_CHECKS = 10.0
REPEATS = 5


@tilewright.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@tilewright.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=-float("inf"))
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, numerator / tl.sum(numerator, axis=0), mask=inside)


@tilewright.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + first + k[None, :])
        y = tl.load(b + (first + k)[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc)


def launch_add() -> None:
    n = 1 << 20
    x, y, out = (np.ones(n, np.float32) for _ in range(3))
    add[(n // 1024,)](x, y, out, n, BLOCK=1024)
    assert (out == 2).all()


def launch_softmax() -> None:
    x = np.zeros((1024, 1024), np.float32)
    softmax[(1024,)](out := np.empty_like(x), x, 1024, BLOCK=1024)
    assert np.allclose(out, 1 / 1024)


def launch_matmul() -> None:
    a, b = np.ones((256, 256), np.float16), np.ones((256, 256), np.float16)
    c = np.empty((256, 256), np.float32)
    matmul[(4, 4)](a, b, c, 256, 256, 256, BM=64, BN=64, BK=32)
    assert (c == 256).all()


# Name, launch, goal in milliseconds on two cores.
ROWS: list[tuple[str, Callable[[], None], float]] = [
    ("add of 2^20 elements", launch_add, 100),
    ("softmax 1024 x 1024", launch_softmax, 200),
    ("matmul 256^3 fp16", launch_matmul, 500),
]


def milliseconds(launch: Callable[[], None], **settings: Any) -> float:
    with tilewright.emulate("cuda:90a", **settings):
        launch()
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            launch()
            times.append(time.perf_counter() - start)
    return min(times) * 1e3


def main() -> None:
    print(f"{'':22}{'ms':>8}{'goal':>8}{'checks':>9}{'profile':>9}")
    for name, launch, goal in ROWS:
        plain = milliseconds(launch)
        checked = milliseconds(launch, checks=True) / plain
        profiled = milliseconds(launch, profile=True) / plain
        print(f"{name:22}{plain:8.1f}{goal:8.0f}{checked:8.1f}x{profiled:8.1f}x")


if __name__ == "__main__":
    main()
