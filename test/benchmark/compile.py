"""Compile times on the CPU: every figure from a process that has compiled nothing before.

    .venv/bin/python test/benchmark/compile.py                 add, softmax, matmul
    .venv/bin/python test/benchmark/compile.py softmax -n 9    one of them, median of nine processes
    .venv/bin/python test/benchmark/compile.py --json FILE     for machines, besides

"cold" starts with an empty cache, "from disk" with the file that the cold run left. Both include
everything between a launch that finds no code and the code being linked: imports that happen then,
the key, reading or compiling, writing, linking. "cpu" is the processor's time, which tells more
than the clock where the machine is busy. "wanted" is what the project holds itself to.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
FROM_DISK_WANTED = 5.0
BYTECODE = tempfile.TemporaryDirectory()


@dataclass(frozen=True)
class Case:
    file: str
    kernel: str
    signature: str
    wanted: float


POINTERS = "*fp32:D, *fp32:D"
CASES = {
    "add": Case("01_vector_add", "add_kernel", f"{POINTERS}, *fp32:D, i32:D, 1024", 50),
    "softmax": Case(
        "02_fused_softmax", "softmax_kernel", f"{POINTERS}, i32:D, i32:D, i32:D, 1024", 100
    ),
    "matmul": Case(
        "05_matmul",
        "matmul_kernel",
        f"{POINTERS}, *fp32:D, i32:D, i32:D, i32:D, i32:D, 1, i32:D, 1, i32:D, 1, 64, 64, 64, 8",
        150,
    ),
}


def measure_here(name: str) -> dict[str, object]:
    """Compiles and links one kernel in this process."""
    case = CASES[name]
    spec = importlib.util.spec_from_file_location(case.file, TUTORIALS / f"{case.file}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    fn = getattr(module, case.kernel)
    from tilewright import compiler
    from tilewright.cli.signature import parse_signature

    signature = parse_signature(case.signature, fn.params)
    start, cpu = time.perf_counter(), time.process_time()
    kernel = compiler.compile(fn, signature, noalias=True)
    compiled = time.perf_counter()
    kernel.load()
    end = time.perf_counter()
    phases = dict(kernel.phases) if kernel.origin == "compiled" else {}
    phases["link"] = end - compiled
    rest = end - start - sum(phases.values())
    phases["rest" if kernel.origin == "compiled" else "key and file"] = rest
    cpu = time.process_time() - cpu
    return {"origin": kernel.origin, "total": end - start, "cpu": cpu, "phases": phases}


def measure(name: str, cache: str, origin: str) -> dict[str, object]:
    """The same in a fresh process; modules are already byte-compiled, as they are for users."""
    env = {**os.environ, "TILEWRIGHT_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": BYTECODE.name}
    not_wanted = ("TILEWRIGHT_CACHE", "TILEWRIGHT_DUMP", "TILEWRIGHT_LOG")
    for variable in (*not_wanted, "PYTHONDONTWRITEBYTECODE"):
        env.pop(variable, None)
    command = [sys.executable, __file__, "--in-this-process", name]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    result: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    assert result["origin"] == origin, (result["origin"], origin)
    return result


def median_run(runs: list[dict[str, object]]) -> dict[str, object]:
    """The run whose total is the median, so that its phases add up."""
    return sorted(runs, key=lambda run: run["total"])[len(runs) // 2]


def measure_case(name: str, rounds: int) -> dict[str, dict[str, object]]:
    with tempfile.TemporaryDirectory() as cache:
        measure(name, cache, "compiled")
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(measure(name, cache, "compiled"))
            warm.append(measure(name, cache, "disk"))
    return {"cold": median_run(cold), "from disk": median_run(warm)}


def print_result(name: str, kind: str, run: dict[str, object], wanted: float) -> None:
    total, cpu = 1e3 * run["total"], 1e3 * run["cpu"]
    times = f"{total:8.1f} ms   cpu {cpu:6.1f} ms   wanted {wanted:4.0f} ms"
    print(f"{name:8s} {kind:9s} {times}{'  above' if total > wanted else ''}")
    phases = (f"{phase} {1e3 * seconds:.1f}" for phase, seconds in run["phases"].items())
    print(f"{'':18s} {', '.join(phases)}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="kernel", help=", ".join(CASES))
    parser.add_argument("-n", "--rounds", type=int, default=5, help="processes per figure")
    parser.add_argument("--json", type=Path, help="writes the figures into this file too")
    parser.add_argument("--in-this-process", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_this_process:
        print(json.dumps(measure_here(options.in_this_process)))
        return 0
    unknown = set(options.names) - set(CASES)
    if unknown:
        parser.error(f"no such kernel: {', '.join(unknown)}; there are {', '.join(CASES)}")
    results = {}
    for name in options.names or CASES:
        results[name] = measure_case(name, options.rounds)
        print_result(name, "cold", results[name]["cold"], CASES[name].wanted)
        print_result(name, "from disk", results[name]["from disk"], FROM_DISK_WANTED)
    colds = [result["cold"]["total"] for result in results.values()]
    print(f"mean of the cold compilations: {1e3 * statistics.mean(colds):.1f} ms")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
