"""How compile time grows with the size of a tile and with the length of a program.

    .venv/bin/python test/benchmark/compile_growth.py                  a table
    .venv/bin/python test/benchmark/compile_growth.py --json FILE      writes JSON, too
    .venv/bin/python test/benchmark/compile_growth.py --plot FILE.svg  draws it; needs matplotlib

Each time is the least processor time of several compilations to PTX for sm_90a, or to object code
for this processor, in milliseconds. The last column compares the two largest sizes: 2.0 is linear
growth, 4.0 quadratic.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# NVIDIA's assembler is left out: its time is not ours.
os.environ.update(TILEWRIGHT_CACHE="0", TILEWRIGHT_NVJITLINK="0", TILEWRIGHT_PTXAS="0")

import tilewright
import tilewright.language as tl
from tilewright.compiler import compile

WARPS = 4
VALUES_PER_THREAD = (8, 32, 128, 512, 1024, 2048)
STATEMENTS = (10, 20, 40, 80, 160, 320)


def elementwise(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i)
    tl.store(out + i, values * tl.exp(values) + 1.0)


def softmax(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i)
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + i, numerator / tl.sum(numerator, axis=0))


def long_arithmetic(x, out, COUNT: tl.constexpr):
    i = tl.arange(0, 128)
    values = tl.load(x + i)
    for step in tl.static_range(COUNT):
        values = values * values + step
    tl.store(out + i, values)


def long_memory(x, out, COUNT: tl.constexpr):
    i = tl.arange(0, 128)
    for step in tl.static_range(COUNT):
        tl.store(out + 128 * step + i, tl.load(x + 128 * step + i) + 1.0)


def long_reductions(x, out, COUNT: tl.constexpr):
    i = tl.arange(0, 128)
    for step in tl.static_range(COUNT):
        tl.store(out + step, tl.sum(tl.load(x + 128 * step + i), axis=0))


SERIES: list[tuple[str, Callable[..., None], Sequence[int], int]] = [
    ("elementwise", elementwise, VALUES_PER_THREAD, 32 * WARPS),
    ("softmax", softmax, VALUES_PER_THREAD, 32 * WARPS),
    ("arithmetic", long_arithmetic, STATEMENTS, 1),
    ("loads and stores", long_memory, STATEMENTS, 1),
    ("reductions", long_reductions, STATEMENTS, 1),
]
TARGETS = {"cuda:90a": "ptx", "cpu": "asm"}


def milliseconds(function: Callable[..., None], constant: int, target: str) -> float:
    """Of one compilation. A new function each time, so that no kernel in memory is found."""
    kernel = tilewright.jit(function)
    options = {"num_warps": WARPS} if target.startswith("cuda") else {}
    start = time.process_time()
    compile(kernel, ("*fp32:D", "*fp32:D", constant), target, options).ir(TARGETS[target])
    return 1e3 * (time.process_time() - start)


def measure(rounds: int) -> list[dict[str, Any]]:
    rows = []
    for target in TARGETS:
        for name, function, sizes, scale in SERIES:
            times = [
                min(milliseconds(function, size * scale, target) for _ in range(rounds))
                for size in sizes
            ]
            rows.append({"target": target, "name": name, "sizes": list(sizes), "ms": times})
            growth = times[-1] / times[-2]
            cells = "".join(f"{ms:8.0f}" for ms in times)
            print(f"{target:10}{name:18}{cells}   {growth:4.1f}", flush=True)
    return rows


def plot(rows: list[dict[str, Any]], file: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "compile_growth"  # the same file for the same data
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    kinds = [("values per thread", VALUES_PER_THREAD), ("statements", STATEMENTS)]
    for axis, (label, sizes) in zip(axes, kinds, strict=True):
        for row in rows:
            if tuple(row["sizes"]) == sizes:
                style = "-" if row["target"] != "cpu" else "--"
                axis.plot(
                    sizes, row["ms"], style, marker=".", label=f"{row['target']} {row['name']}"
                )
        axis.set(xscale="log", yscale="log", xlabel=label)
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize="small")
    axes[0].set_ylabel("compile time, ms")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="also write the times to this file")
    parser.add_argument("--from-json", type=Path, help="use these times instead of measuring")
    parser.add_argument("--plot", type=Path, help="also draw them")
    options = parser.parse_args()
    if options.from_json:
        rows = json.loads(options.from_json.read_text())
    else:
        milliseconds(elementwise, 128, "cuda:90a")  # imports what is imported when compiling
        rows = measure(options.rounds)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.plot:
        plot(rows, options.plot)


if __name__ == "__main__":
    main()
