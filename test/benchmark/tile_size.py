"""The ratio of the compile times of large tiles and small tiles on the CPU.

    .venv/bin/python test/benchmark/tile_size.py

Each time is processor time, the least of several interleaved compilations. The kernels are those
of test/python/language/test_code_size.py, which tests their code size.
"""

import os
import sys
import time
from pathlib import Path

os.environ["TILEWRIGHT_CACHE"] = "0"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "language"))

import numpy as np
from test_code_size import KERNELS

import tilewright

SMALL, LARGE = 16, 128
GOAL = 1.5
ROUNDS = 7


def seconds(kernel: tilewright.JITFunction, size: int) -> float:
    memory = np.zeros(size * size, np.float32)
    fresh = tilewright.jit(kernel.fn)
    start = time.process_time()
    fresh.warmup(memory, memory, ROWS=size, COLUMNS=size, grid=(1,))
    return time.process_time() - start


def main() -> None:
    for kernel in KERNELS:
        best = {SMALL: float("inf"), LARGE: float("inf")}
        for _ in range(ROUNDS):
            for size in best:
                best[size] = min(best[size], seconds(kernel, size))
        ratio = best[LARGE] / best[SMALL]
        print(f"{kernel.__name__:20} {ratio:.2f} times, goal {GOAL}")


if __name__ == "__main__":
    main()
