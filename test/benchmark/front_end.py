"""The time of the front end and of the passes on tiles, for the forward kernel of fused attention.

    python test/benchmark/front_end.py            for sm_90a
    python test/benchmark/front_end.py -t cpu

Each compilation of one process has another signature, so that none is found in memory; the first
one, which imports what only compilations need, does not count. Milliseconds of the wall clock; on
a busy machine the least is the most reliable. The goal for both together is 15 ms.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from pathlib import Path
from typing import Any

# NVIDIA's assembler is left out: its time is not ours.
os.environ.update(TILEWRIGHT_CACHE="0", TILEWRIGHT_NVJITLINK="0", TILEWRIGHT_PTXAS="0")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "programs"))

from attention import attention_forward_kernel

from tilewright.compiler import compile

PHASES = ("frontend", "tile")
SIZES = 16  # strides, which are multiples of 16 or not
CONSTANTS = (1, 64, True, "tf32", 128, 64, 64)  # the order of the kernel's parameters


def signature(variant: int) -> tuple[Any, ...]:
    """Causal attention of float16 with 64 dimensions; the bits of `variant` choose strides."""
    strides = ["i32" if variant >> i & 1 else "i32:D" for i in range(SIZES)]
    return (*("*fp16:D",) * 4, "*fp32:D", *strides, "i32", "i32:D", "i32:D", "fp32", *CONSTANTS)


def phases(target: str, variant: int) -> dict[str, float]:
    """The seconds of each phase."""
    return dict(compile(attention_forward_kernel, signature(variant), target).phases)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-t", "--target", default="cuda:90a")
    parser.add_argument("-n", "--rounds", type=int, default=15)
    options = parser.parse_args()
    phases(options.target, 0)
    runs = [phases(options.target, variant) for variant in range(1, options.rounds + 1)]
    rows = {name: [1e3 * run[name] for run in runs] for name in PHASES}
    rows["both"] = [sum(each) for each in zip(*rows.values(), strict=True)]
    for name, times in rows.items():
        print(f"{name:10}  least {min(times):6.1f} ms   median {statistics.median(times):6.1f} ms")


if __name__ == "__main__":
    main()
