"""Speed against PyTorch on the CPU: a table of ratios, from medians of interleaved runs.

    .venv/bin/python test/benchmark/kernels.py            every row
    .venv/bin/python test/benchmark/kernels.py softmax    rows whose name contains the word
    .venv/bin/python test/benchmark/kernels.py --json FILE    writes JSON, too

A ratio is PyTorch's time over Tilewright's: above 1 means that Tilewright is faster. "goal" is
the project's goal. Where PyTorch can, both write into memory that is already allocated: fresh
memory costs both the same page faults, which take longer than some of the kernels.
"""

import argparse
import importlib.util
import json
import math
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import torch

import tilewright
from tilewright.testing import compare

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"


def tutorial(name: str) -> ModuleType:
    """The tutorial as a module: the benchmark measures the kernels that the tutorials show."""
    spec = importlib.util.spec_from_file_location(name, TUTORIALS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Case:
    """Two functions with equal results; one call moves or computes `work`, in `unit`."""

    name: str
    ours: Callable[[], torch.Tensor]
    theirs: Callable[[], torch.Tensor]
    work: float
    unit: str
    goal: float | None = None
    same_result: bool = True


@dataclass(frozen=True)
class Row:
    name: str
    ours_ms: float
    theirs_ms: float
    speed: float
    unit: str
    ratio: float
    goal: float | None


def elementwise_cases() -> Iterator[Case]:
    add, dropout = tutorial("01_vector_add"), tutorial("03_dropout")
    n, block = 1 << 24, 16384
    x, y, ours, theirs = torch.rand(n), torch.rand(n), torch.empty(n), torch.empty(n)

    def add_ours() -> torch.Tensor:
        add.add_kernel[(tilewright.cdiv(n, block),)](x, y, ours, n, BLOCK=block)
        return ours

    yield Case(
        "add 2^24", add_ours, lambda: torch.add(x, y, out=theirs), 12 * n / 1e9, "GB/s", 0.95
    )
    d = torch.randn(1 << 22)
    yield Case(
        "dropout 2^22", lambda: dropout.dropout(d, 0.5, 7), lambda: torch.dropout(d, 0.5, True),
        8 * 2**22 / 1e9, "GB/s", 1.0, same_result=False,
    )  # fmt: skip


def row_cases() -> Iterator[Case]:
    softmax, norm = tutorial("02_fused_softmax"), tutorial("04_layer_norm")
    rows, n = 4096, 1024
    x, weight, bias = torch.randn(rows, n), torch.rand(n), torch.rand(n)
    ours, theirs = torch.empty_like(x), torch.empty_like(x)
    mean, rstd = torch.empty(rows), torch.empty(rows)
    moved = 8 * x.numel() / 1e9

    def softmax_ours() -> torch.Tensor:
        softmax.softmax_kernel[(rows,)](ours, x, n, n, n, BLOCK=n)
        return ours

    def norm_ours() -> torch.Tensor:
        norm.forward_kernel[(rows,)](x, weight, bias, ours, mean, rstd, n, n, 1e-5, BLOCK=n)
        return ours

    def norm_theirs() -> torch.Tensor:
        torch.ops.aten.native_layer_norm.out(
            x,
            [n],
            weight,
            bias,
            1e-5,
            out0=theirs,
            out1=mean.view(rows, 1),
            out2=rstd.view(rows, 1),
        )
        return theirs

    yield Case(
        f"softmax {rows}x{n}", softmax_ours, lambda: torch.softmax(x, 1, out=theirs),
        moved, "GB/s", 1.2,
    )  # fmt: skip
    yield Case(f"layer norm {rows}x{n}", norm_ours, norm_theirs, moved, "GB/s", 1.0)


def matmul_cases() -> Iterator[Case]:
    matmul = tutorial("05_matmul").matmul
    sizes = ((torch.float32, 512, 0.8), (torch.float32, 1024, 0.8), (torch.bfloat16, 512, None))
    for dtype, size, goal in sizes:
        a, b = torch.randn(size, size).to(dtype), torch.randn(size, size).to(dtype)
        yield Case(
            f"{str(dtype)[6:]} matmul {size}^3",
            lambda a=a, b=b: matmul(a, b),
            lambda a=a, b=b: a @ b,
            2 * size**3 / 1e9,
            "GFLOP/s",
            goal,
        )


def processor() -> str:
    """The name that the kernel gives to the first processor."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def cases() -> Iterator[Case]:
    yield from elementwise_cases()
    yield from row_cases()
    yield from matmul_cases()


def check(case: Case) -> None:
    """Checks that both functions compute the same before they are timed."""
    if case.same_result:
        ours, theirs = case.ours().double(), case.theirs().double()
        error = ((ours - theirs).norm() / theirs.norm()).item()
        limit = 1e-2 if "bfloat16" in case.name else 1e-5
        if not error < limit:
            raise AssertionError(f"{case.name}: relative error {error}")


def measure(case: Case, rounds: int) -> Row:
    check(case)
    times = compare({"ours": case.ours, "theirs": case.theirs}, rounds=rounds)
    ours, theirs = times["ours"], times["theirs"]
    return Row(
        case.name, 1e3 * ours, 1e3 * theirs, case.work / ours, case.unit, theirs / ours, case.goal
    )


def format_row(row: Row) -> str:
    goal = "" if row.goal is None else f"{row.goal:6.2f}"
    missed = row.goal is not None and row.ratio < row.goal
    return (
        f"{row.name:22s} {row.ours_ms:9.3f} {row.theirs_ms:9.3f}   {row.speed:7.1f} {row.unit:8s}"
        f"{row.ratio:6.2f} {goal:>6s}{'  below' if missed else ''}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    chosen = [c for c in cases() if not options.words or any(w in c.name for w in options.words)]
    threads = torch.get_num_threads()
    print(f"PyTorch {torch.__version__}, {threads} threads; median of {options.rounds}")
    print(f"{'':22s} {'ours ms':>9s} {'torch ms':>9s}   {'ours':>7s} {'':8s}{'ratio':>6s}   goal")
    rows = []
    for case in chosen:
        rows.append(measure(case, options.rounds))
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
