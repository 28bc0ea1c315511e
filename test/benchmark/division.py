"""The cost of division: a softmax that divides by the sum, against one that multiplies by its
reciprocal, which is not exact.

    .venv/bin/python test/benchmark/division.py [target]

Medians of interleaved launches on one thread, with rows that fit in the cache and rows that do not.
"""

import os
import sys

os.environ.setdefault("TILEWRIGHT_NUM_THREADS", "1")

import numpy as np

import tilewright
import tilewright.language as tl
from tilewright.testing import compare

COLUMNS = 1024


@tilewright.jit
def softmax(out, x, columns, DIVIDE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=-float("inf"))
    numerator = tl.exp(values - tl.max(values, axis=0))
    total = tl.sum(numerator, axis=0)
    result = numerator / total if DIVIDE else numerator * (1.0 / total)
    tl.store(out + row * columns + i, result, mask=inside)


def ratio(rows: int, launches: int, target: str) -> float:
    """The time with divisions over the time with multiplications."""
    x = np.random.default_rng(0).standard_normal((rows, COLUMNS)).astype(np.float32)
    out = np.empty_like(x)

    def launch(divide: bool) -> None:
        for _ in range(launches):
            softmax[(rows,)](out, x, COLUMNS, DIVIDE=divide, BLOCK=COLUMNS, target=target)

    times = compare({"/": lambda: launch(True), "*": lambda: launch(False)})
    return times["/"] / times["*"]


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    print(f"{target}, rows in cache:  {ratio(32, 100, target):.2f}")
    print(f"{target}, rows in memory: {ratio(1 << 14, 1, target):.2f}")


if __name__ == "__main__":
    main()
