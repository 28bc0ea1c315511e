"""Speed against PyTorch on the CPU: a table of ratios, from medians of interleaved runs.

    python test/benchmark/cpu.py                  every row
    python test/benchmark/cpu.py softmax          rows whose name contains the word
    python test/benchmark/cpu.py --threads 1      on one processor
    python test/benchmark/cpu.py --compile        beside torch.compile, too
    python test/benchmark/cpu.py --json FILE      writes JSON, too

A ratio is PyTorch's time over Tilewright's: above 1 means that Tilewright is faster. "goal" is
the project's goal. Where PyTorch can, both write into memory that is already allocated: fresh
memory costs both the same page faults, which take longer than some of the kernels.
"""

import argparse
import json
import math
import os
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from cpu_cases import Case, cases

from tilewright.testing import compare


@dataclass(frozen=True)
class Row:
    name: str
    ours_ms: float
    theirs_ms: float
    speed: float
    unit: str
    ratio: float
    goal: float
    compiled_ratio: float | None


def processor() -> str:
    """The name that the kernel gives to the first processor."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def check(case: Case) -> None:
    """Checks that both functions compute the same before they are timed."""
    if case.limit is not None:
        ours, theirs = case.ours().double(), case.theirs().double()
        error = ((ours - theirs).norm() / theirs.norm()).item()
        if not error < case.limit:
            raise AssertionError(f"{case.name}: relative error {error}")


def measure(case: Case, rounds: int, compiles: bool) -> Row:
    check(case)
    functions = {"ours": case.ours, "theirs": case.theirs}
    if compiles and case.eager:
        functions["compiled"] = torch.compile(case.eager)
    times = compare(functions, rounds=rounds)
    ours, theirs, compiled = times["ours"], times["theirs"], times.get("compiled")
    return Row(
        case.name, 1e3 * ours, 1e3 * theirs, case.work / ours, case.unit, theirs / ours, case.goal,
        compiled / ours if compiled else None,
    )  # fmt: skip


def format_row(row: Row) -> str:
    compiled = "" if row.compiled_ratio is None else f"{row.compiled_ratio:8.2f}"
    return (
        f"{row.name:36s} {row.ours_ms:9.3f} {row.theirs_ms:9.3f}   {row.speed:7.1f} {row.unit:8s}"
        f"{row.ratio:6.2f} {row.goal:6.2f}{compiled}{'  below' if row.ratio < row.goal else ''}"
    )


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--threads", type=int, help="the number of processors to use")
    parser.add_argument("--compile", action="store_true", help="time torch.compile, too")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    return parser.parse_args()


def use_threads(count: int) -> None:
    """Restricts both to the first processors that the process may use."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])
    torch.set_num_threads(count)


def main() -> int:
    options = parse_options()
    if options.threads:
        use_threads(options.threads)
    threads = torch.get_num_threads()
    print(f"PyTorch {torch.__version__}, {threads} threads; median of {options.rounds}")
    units = f"{'ours ms':>9s} {'torch ms':>9s}   {'ours':>7s} {'':8s}{'ratio':>6s}   goal"
    print(f"{'':36s} {units}{' compiled' if options.compile else ''}")
    rows = []
    for case in cases():
        if not options.words or any(word in case.name for word in options.words):
            rows.append(measure(case, options.rounds, options.compile))
            print(format_row(rows[-1]), flush=True)
    mean = math.exp(sum(math.log(row.ratio) for row in rows) / len(rows)) if rows else math.nan
    print(f"geometric mean of the ratios: {mean:.2f}")
    if options.json:
        run = {
            "machine": processor(),
            "versions": f"PyTorch {torch.__version__}, {threads} threads",
            "rows": [asdict(row) for row in rows],
        }
        options.json.write_text(json.dumps(run, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
