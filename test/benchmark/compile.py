"""Compile times: each figure comes from a process that has not compiled or launched before.

    .venv/bin/python test/benchmark/compile.py                      for this processor
    .venv/bin/python test/benchmark/compile.py --target cuda:90a    for a GPU; none is needed
    .venv/bin/python test/benchmark/compile.py --target cuda        for this GPU, with a launch
    .venv/bin/python test/benchmark/compile.py softmax -n 9         one kernel, in nine processes
    .venv/bin/python test/benchmark/compile.py --json FILE          writes JSON, too

One table of milliseconds: a row per kernel, a column per phase. "cold" starts with an empty cache,
"disk" with the file that the cold run left. The total is the time of a first launch: from the call
that finds no code until there is code that can be launched (linked on the host; loaded and run on a
GPU if there is one). It includes modules of Tilewright that are imported only then; these, the key
and the file are "rest". It excludes the import of PyTorch and Tilewright and PyTorch's creation of
the device context. "cpu" is the processor time of all threads, which is more reliable than the wall
clock on a busy machine. "goal" is the target of the project.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
DISK_GOAL = 5.0
BYTECODE = tempfile.TemporaryDirectory()
Run = dict[str, Any]


@dataclass(frozen=True)
class Tensor:
    dtype: str
    elements: int


@dataclass(frozen=True)
class Case:
    """A launch of a tutorial's kernel; `goal` is in milliseconds."""

    file: str
    kernel: str
    arguments: tuple[Tensor | int, ...]
    constants: dict[str, int]
    grid: int
    goal: float
    options: dict[str, int] = field(default_factory=dict)


ROW = Tensor("float32", 1 << 20)
ADD = Case("01_vector_add", "add_kernel", (ROW, ROW, ROW, 1 << 20), {"BLOCK": 1024}, 1024, 50)
SOFTMAX = Case(
    "02_fused_softmax", "softmax_kernel", (ROW, ROW, 1024, 1024, 1024), {"BLOCK": 1024}, 1024, 100
)


def matmul(
    dtype: str, size: int, blocks: tuple[int, int, int], goal: float, **options: int
) -> Case:
    matrix = Tensor(dtype, size * size)
    constants = dict(zip(("BM", "BN", "BK"), blocks, strict=True)) | {"GROUP": 8}
    arguments = (*(matrix,) * 3, *(size,) * 3, *(size, 1) * 3)
    grid = (size // blocks[0]) * (size // blocks[1])
    return Case("05_matmul", "matmul_kernel", arguments, constants, grid, goal, options)


def with_goal(case: Case, goal: float) -> Case:
    return Case(**{**vars(case), "goal": goal})


CASES = {
    "cpu": {
        "add": ADD,
        "softmax": SOFTMAX,
        "matmul": matmul("float32", 512, (64, 64, 64), 150),
    },
    "cuda": {
        "add": with_goal(ADD, 60),
        "softmax": with_goal(SOFTMAX, 120),
        "matmul": matmul("float16", 1024, (128, 128, 64), 200, num_warps=8),
    },
}


def load_kernel(case: Case) -> Any:
    spec = importlib.util.spec_from_file_location(case.file, TUTORIALS / f"{case.file}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, case.kernel)


def make_arguments(case: Case, on_device: bool) -> list[Any]:
    """The arguments; without a device, dtypes take the place of tensors."""
    import torch

    def make(value: Tensor | int) -> Any:
        if isinstance(value, int):
            return value
        dtype = getattr(torch, value.dtype)
        return torch.zeros(value.elements, dtype=dtype, device="cuda") if on_device else dtype

    made = [make(value) for value in case.arguments]
    if on_device:
        torch.cuda.synchronize()
    return made


def measure_here(name: str, target: str) -> Run:
    """Compiles one kernel in this process, and runs it if this machine has the target."""
    kind, _, arch = target.partition(":")
    case = CASES[kind][name]
    fn = load_kernel(case)
    on_device = kind == "cuda" and not arch
    arguments = make_arguments(case, on_device)
    given = {**case.constants, **case.options}
    named = {} if on_device else {"target": target}  # the tensors determine it
    clock, cpu = [time.perf_counter()], time.process_time()
    kernel = fn.warmup(*arguments, **named, **given)
    clock.append(time.perf_counter())
    phases = dict(kernel.phases) if kernel.origin == "compiled" else {}
    phases["rest"] = clock[1] - clock[0] - sum(phases.values())
    if kind == "cpu" or on_device:
        kernel.load()
        clock.append(time.perf_counter())
        phases["link" if kind == "cpu" else "load"] = clock[2] - clock[1]
    if on_device:
        launch(fn[(case.grid,)], arguments, given)
        clock.append(time.perf_counter())
        phases["run"] = clock[3] - clock[2]
    cpu = time.process_time() - cpu
    return {"origin": kernel.origin, "total": clock[-1] - clock[0], "cpu": cpu, "phases": phases}


def launch(bound: Any, arguments: list[Any], given: dict[str, int]) -> None:
    import torch

    bound(*arguments, **given)
    torch.cuda.synchronize()


def measure(name: str, target: str, cache: str, origin: str) -> Run:
    """The same in a fresh process; modules are already byte-compiled, as for users."""
    env = {**os.environ, "TILEWRIGHT_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": BYTECODE.name}
    unset = ("TILEWRIGHT_CACHE", "TILEWRIGHT_DUMP", "TILEWRIGHT_LOG", "TILEWRIGHT_TARGET")
    for variable in (*unset, "PYTHONDONTWRITEBYTECODE"):
        env.pop(variable, None)
    command = [sys.executable, __file__, "--target", target, "--in-this-process", name]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    result: Run = json.loads(done.stdout.splitlines()[-1])
    assert result["origin"] == origin, (result["origin"], origin)
    return result


def median_run(runs: list[Run]) -> Run:
    """The run whose total is the median, so that its phases add up."""
    return sorted(runs, key=lambda run: run["total"])[len(runs) // 2]


def measure_case(name: str, target: str, rounds: int) -> dict[str, Run]:
    with tempfile.TemporaryDirectory() as cache:
        measure(name, target, cache, "compiled")
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(measure(name, target, cache, "compiled"))
            warm.append(measure(name, target, cache, "disk"))
    return {"cold": median_run(cold), "disk": median_run(warm)}


def print_row(name: str, kind: str, cells: Iterable[object]) -> None:
    texts = (f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in cells)
    print(f"{name:8s} {kind:5s}" + "".join(f"{text:>10s}" for text in texts), flush=True)


def print_case(name: str, runs: dict[str, Run], goal: float, heading: bool) -> None:
    phases = list(runs["cold"]["phases"])
    if heading:
        print_row("", "", ["total", "goal", "cpu", *phases])
    for (kind, run), limit in zip(runs.items(), (goal, DISK_GOAL), strict=True):
        parts = [1e3 * run["phases"][p] if p in run["phases"] else "" for p in phases]
        print_row(name, kind, [1e3 * run["total"], limit, 1e3 * run["cpu"], *parts])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="kernel", help="add, softmax, matmul")
    parser.add_argument("-t", "--target", default="cpu", help="cpu, cuda:90a, cuda, ...")
    parser.add_argument("-n", "--rounds", type=int, default=5, help="processes per figure")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--in-this-process", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_this_process:
        print(json.dumps(measure_here(options.in_this_process, options.target)))
        return 0
    cases = CASES.get(options.target.partition(":")[0])
    if cases is None:
        parser.error(f"no such target: {options.target}")
    if unknown := set(options.names) - set(cases):
        parser.error(f"no such kernel: {', '.join(unknown)}; there are {', '.join(cases)}")
    results = {}
    for name in options.names or cases:
        results[name] = measure_case(name, options.target, options.rounds)
        print_case(name, results[name], cases[name].goal, heading=len(results) == 1)
    colds = [runs["cold"]["total"] for runs in results.values()]
    print(f"mean of the cold compilations: {1e3 * statistics.mean(colds):.1f} ms")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
