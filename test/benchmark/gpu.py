"""Speed on a GPU against PyTorch, and Triton if it can be imported: ratios from one run.

    python test/benchmark/gpu.py                 every row
    python test/benchmark/gpu.py matmul          rows whose name contains the word
    python test/benchmark/gpu.py --check-only    compares results at small sizes, without timing
    python test/benchmark/gpu.py --json FILE     writes JSON, too

A ratio is the other's time over Tilewright's: above 1 means that Tilewright is faster. Results are
compared first, by the norm of the error against a float64 reference.
"""

import argparse
import importlib
import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpu_cases
import torch
from gpu_cases import Case
from gpu_gemm_cases import grouped_cases, persistent_cases, weight_cases
from kernel_packages import load_kernels

from tilewright.testing import compare

ALL_CASES = (*gpu_cases.ALL_CASES, weight_cases, persistent_cases, grouped_cases)


def triton_version() -> str:
    return str(importlib.import_module("triton").__version__)


OURS, TRITONS = load_kernels("tilewright"), load_kernels("triton")


def relative_error(found: torch.Tensor, expected: torch.Tensor) -> float:
    return float((found.double() - expected).norm() / expected.norm())


def check(case: Case) -> float:
    """The largest error of our results; PyTorch's and Triton's are assumed to be right."""
    expected, found = (
        [tensors] if isinstance(tensors, torch.Tensor) else tensors
        for tensors in (case.reference(), case.run(OURS))
    )
    return max(map(relative_error, found, expected))


def measure(case: Case) -> dict[str, float]:
    functions: dict[str, Callable[[], object]] = {"ours": lambda: case.run(OURS)}
    if case.torch:
        functions["torch"] = case.torch
    if TRITONS:
        functions["triton"] = lambda: case.run(TRITONS)
    return compare(functions, device="cuda")


def report(case: Case, times: dict[str, float], error: float) -> dict[str, Any]:
    ours = times["ours"]
    row = {"name": case.name, "speed": case.work / ours, "unit": case.unit, "error": error}
    row |= {other: times[other] / ours for other in ("torch", "triton") if other in times}
    ratios = "  ".join(f"{row.get(other, float('nan')):>6.2f}" for other in ("torch", "triton"))
    print(f"{case.name:<44}{row['speed']:>9.1f} {case.unit:<8}{ratios}  {case.goal}", flush=True)
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="rows whose name contains one of them")
    parser.add_argument("--check-only", action="store_true")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    rows, failed = [], 0
    print(
        f"{torch.cuda.get_device_name()}; ratios: torch, Triton {'' if TRITONS else '(not here)'}"
    )
    for cases in ALL_CASES:
        for case in cases(arguments.check_only):
            if arguments.words and not any(word in case.name for word in arguments.words):
                continue
            try:
                error = check(case)
                assert error <= case.error, f"{case.name}: error {error:.2e}, allowed {case.error}"
                if arguments.check_only:
                    print(f"{case.name}: error {error:.1e}")
                else:
                    rows.append(report(case, measure(case), error))
            except Exception as problem:
                failed += 1
                print(f"{case.name}: FAILED: {str(problem)[:1500]}", flush=True)
                traceback.print_exc(limit=2)
    if arguments.json:
        versions = f"PyTorch {torch.__version__}" + (
            f", Triton {triton_version()}" if TRITONS else ""
        )
        run = {"machine": torch.cuda.get_device_name(), "versions": versions, "rows": rows}
        Path(arguments.json).write_text(json.dumps(run, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
