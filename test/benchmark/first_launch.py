"""The time of the first launch of a process on the CPU, with an empty cache, and of its parts.

    .venv/bin/python test/benchmark/first_launch.py

The shortest of several fresh processes, in milliseconds. "imports" is the time in which Python
imports the compiler's modules, "core" is the C++ core. Set PYTHONPYCACHEPREFIX if
PYTHONDONTWRITEBYTECODE is set: Python otherwise compiles the compiler's modules each time.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROUNDS = 7
GOALS = {"add": 50.0, "softmax": 80.0, "matmul": 100.0}


def launch_of(name: str) -> Callable[[], object]:
    import torch
    from cpu_cases import tutorial

    x, y, out = (torch.rand(512, 512) for _ in range(3))
    if name == "add":
        add = tutorial("01_vector_add").add_kernel
        return lambda: add[(16,)](x, y, out, x.numel(), BLOCK=16384)
    if name == "softmax":
        softmax = tutorial("02_fused_softmax").softmax_kernel
        return lambda: softmax[(512,)](out, x, 512, 512, 512, BLOCK=512)
    matmul = tutorial("05_matmul").matmul_kernel
    strides = (512, 1) * 3
    return lambda: matmul[(8,)](
        x, y, out, 512, 512, 512, *strides, BM=128, BN=256, BK=64, GROUP=8
    )  # fmt: skip


def measure(name: str) -> None:
    """Prints the milliseconds of the first launch, of imports in it, and of the core."""
    import builtins
    import time

    from tilewright import _core

    launch = launch_of(name)
    spent = {"imports": 0.0, "core": 0.0}
    depth = 0

    def timed(key: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            nonlocal depth
            depth += 1
            start = time.perf_counter()
            try:
                return function(*args, **options)
            finally:
                depth -= 1
                if depth == 0:
                    spent[key] += time.perf_counter() - start

        return call

    builtins.__import__ = timed("imports", builtins.__import__)  # type: ignore[assignment]
    _core.compile = timed("core", _core.compile)  # type: ignore[assignment]
    start = time.perf_counter()
    launch()
    total = time.perf_counter() - start
    print(*(1e3 * seconds for seconds in (total, *spent.values())))


def main() -> None:
    environment = os.environ | {"TRITON_ALWAYS_COMPILE": "1"}
    command = [sys.executable, str(Path(__file__).resolve())]
    for name, goal in GOALS.items():
        runs = [
            subprocess.run(
                [*command, name], env=environment, check=True, capture_output=True, text=True
            ).stdout
            for _ in range(ROUNDS)
        ]
        total, imports, core = min([float(x) for x in run.split()] for run in runs)
        print(
            f"{name:8} {total:6.1f} ms ({goal:.0f} wanted): imports {imports:.1f}, core {core:.1f},"
            f" the rest {total - imports - core:.1f}"
        )


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
