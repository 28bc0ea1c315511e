"""How long a kernel takes to compile, by phase, and to come from the disk cache.

    .venv/bin/python test/benchmark/compile_time.py

Every number is of a fresh process that has compiled nothing: "cold" with an empty cache, "disk"
with a cache that another process filled. Medians of several processes, in milliseconds.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
PROCESSES = 7

# What is compiled: the tutorial, the kernel in it, its signature, and the milliseconds wanted.
KERNELS = {
    "add": ("01_vector_add", "add_kernel", ["*fp32:D"] * 3 + ["i32:D", 1024], 50),
    "softmax": (
        "02_fused_softmax", "softmax_kernel", ["*fp32:D"] * 2 + ["i32:D"] * 3 + [1024], 100,
    ),
    "matmul": (
        "05_matmul", "matmul_kernel",
        ["*fp32:D"] * 3 + ["i32:D"] * 3 + ["i32:D", 1] * 3 + [64, 64, 64, 8], 150,
    ),
}  # fmt: skip
DISK_WANTED = 5

CHILD = """
import importlib.util, json, sys, time
file, kernel, signature = json.loads(sys.argv[1])
spec = importlib.util.spec_from_file_location("tutorial", file)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from tilewright import compiler
start = time.perf_counter()
compiled = compiler.compile(getattr(module, kernel), signature, noalias=True)
compiled.load()
total = time.perf_counter() - start
print(json.dumps([compiled.origin, total, compiled.phases]))
"""


def child(name: str, cache: str) -> tuple[str, float, list[tuple[str, float]]]:
    file, kernel, signature, _ = KERNELS[name]
    argument = json.dumps([str(TUTORIALS / f"{file}.py"), kernel, signature])
    environment = os.environ | {"TILEWRIGHT_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, argument],
        env=environment, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    origin, total, phases = json.loads(done.stdout.splitlines()[-1])
    return origin, 1e3 * total, [(phase, 1e3 * seconds) for phase, seconds in phases]


def measure(name: str) -> None:
    cold, disk, phases = [], [], {}
    for _ in range(PROCESSES):
        with tempfile.TemporaryDirectory() as cache:
            origin, total, parts = child(name, cache)
            assert origin == "compiled", origin
            cold.append(total)
            for phase, taken in parts:
                phases.setdefault(phase, []).append(taken)
            origin, total, _ = child(name, cache)
            assert origin == "disk", origin
            disk.append(total)
    wanted = KERNELS[name][3]
    shares = ", ".join(f"{phase} {statistics.median(taken):.1f}" for phase, taken in phases.items())
    print(
        f"{name:10s} cold {statistics.median(cold):6.1f} of {wanted:3d}   "
        f"disk {statistics.median(disk):5.1f} of {DISK_WANTED}   {shares}",
        flush=True,
    )


def main() -> None:
    print(f"milliseconds, medians of {PROCESSES} processes")
    for name in KERNELS:
        measure(name)


if __name__ == "__main__":
    main()
