"""Speed on a GPU against PyTorch, and Triton if it can be imported: ratios from one run.

    python test/benchmark/gpu.py                 every row
    python test/benchmark/gpu.py matmul          rows whose name contains the word
    python test/benchmark/gpu.py --check-only    compares results at small sizes, without timing
    python test/benchmark/gpu.py --json FILE     writes JSON, too

A ratio is the other's time over Tilewright's: above 1 means that Tilewright is faster. Results are
compared first, by the norm of the error against a float64 reference.
"""

import argparse
import importlib.util
import json
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

import tilewright
import tilewright.language
from tilewright.testing import compare

KERNELS = Path(__file__).with_name("gpu_kernels.py")


def load_kernels(compiler: str) -> Any:
    """The kernels of gpu_kernels.py, compiled by "tilewright" or "triton", or None."""
    try:
        package = importlib.import_module(compiler)
        language = importlib.import_module(f"{compiler}.language")
    except ImportError:
        return None
    stand_in = types.ModuleType("kernel_language")
    stand_in.__dict__.update(jit=package.jit, tl=language)
    sys.modules["kernel_language"] = stand_in
    spec = importlib.util.spec_from_file_location(f"kernels_of_{compiler}", KERNELS)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def triton_version() -> str:
    return str(importlib.import_module("triton").__version__)


OURS, TRITONS = load_kernels("tilewright"), load_kernels("triton")


@dataclass
class Case:
    """One computation; `run(kernels)` launches it and returns its result.

    `work` is the amount that one call moves or computes, in `unit`; `error` is the largest accepted
    distance of the result from the reference, as a relative norm.
    """

    name: str
    run: Callable[[Any], torch.Tensor]
    torch: Callable[[], torch.Tensor] | None
    reference: Callable[[], torch.Tensor]
    work: float
    unit: str
    error: float
    goal: str = ""
    details: dict[str, Any] = field(default_factory=dict)


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(dtype)


def add_cases(small: bool) -> Iterator[Case]:
    for exponent in (12,) if small else (20, 28):
        n = 1 << exponent
        x, y, out = random(n), random(n), random(n)

        def run(kernels: Any, x=x, y=y, out=out, n=n) -> torch.Tensor:
            kernels.add[(tilewright.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
            return out

        yield Case(
            f"add 2^{exponent}", run, lambda x=x, y=y, out=out: torch.add(x, y, out=out),
            lambda x=x, y=y: x.double() + y.double(), 12 * n / 1e9, "GB/s", 1e-6, "torch 0.99",
        )  # fmt: skip


def row_warps(columns: int) -> int:
    return 4 if columns <= 2048 else 8 if columns <= 4096 else 16


def softmax_cases(small: bool) -> Iterator[Case]:
    for columns in (100, 781) if small else (1024, 4096, 8192, 12544):
        rows = 16 if small else 4096
        x, out = random(rows, columns), random(rows, columns)

        def run(kernels: Any, x=x, out=out, rows=rows, columns=columns) -> torch.Tensor:
            block = tilewright.next_power_of_2(columns)
            kernels.softmax[(rows,)](
                out, x, x.stride(0), columns, BLOCK=block, num_warps=row_warps(columns)
            )
            return out

        yield Case(
            f"softmax {rows}x{columns}", run, lambda x=x: torch.softmax(x, 1),
            lambda x=x: torch.softmax(x.double(), 1), 8 * rows * columns / 1e9, "GB/s", 1e-5,
            "Triton 1.0",
        )  # fmt: skip


def layer_norm_cases(small: bool) -> Iterator[Case]:
    rows, columns = (8, 300) if small else (4096, 8192)
    half = torch.float16
    x, y, w, b = (
        random(*s, dtype=half) for s in ((rows, columns), (rows, columns), (columns,), (columns,))
    )
    mean, rstd = random(rows), random(rows)
    block = tilewright.next_power_of_2(columns)

    def forward(kernels: Any) -> torch.Tensor:
        kernels.layer_norm[(rows,)](
            x, y, w, b, mean, rstd, x.stride(0), columns, 1e-5, BLOCK=block, num_warps=8
        )
        return y

    def reference() -> torch.Tensor:
        return torch.nn.functional.layer_norm(x.double(), (columns,), w.double(), b.double())

    yield Case(
        f"layer norm {rows}x{columns} fp16", forward,
        lambda: torch.nn.functional.layer_norm(x, (columns,), w, b), reference,
        4 * rows * columns / 1e9, "GB/s", 2e-3, "Triton 1.0",
    )  # fmt: skip

    dy, dx = random(rows, columns, dtype=half), random(rows, columns, dtype=half)
    programs = 4 if small else 132
    dw_parts, db_parts = random(programs, columns), random(programs, columns)

    def backward(kernels: Any) -> torch.Tensor:
        kernels.layer_norm_backward[(programs,)](
            x, dy, dx, w, mean, rstd, dw_parts, db_parts, x.stride(0), rows, columns,
            BLOCK=block, num_warps=16,
        )  # fmt: skip
        return torch.cat([dx.float(), dw_parts.sum(0)[None], db_parts.sum(0)[None]])

    def backward_reference() -> torch.Tensor:
        forward(OURS)
        inputs = [t.double().requires_grad_() for t in (x, w, b)]
        out = torch.nn.functional.layer_norm(inputs[0], (columns,), *inputs[1:])
        dx, dw, db = torch.autograd.grad(out, inputs, dy.double())
        return torch.cat([dx, dw[None], db[None]])

    yield Case(
        f"layer norm backward {rows}x{columns} fp16", backward, None, backward_reference,
        6 * rows * columns / 1e9, "GB/s", 4e-3, "Triton 1.0",
    )  # fmt: skip


MATMULS = [
    # size, dtype, block sizes m n k, warps, stages
    (1024, torch.float16, 64, 64, 64, 4, 4),
    (1024, torch.float16, 128, 64, 64, 4, 4),
    (1024, torch.float16, 64, 128, 64, 4, 4),
    (4096, torch.float16, 128, 128, 32, 4, 4),
    (4096, torch.float16, 128, 128, 64, 8, 3),
    (4096, torch.float16, 128, 256, 32, 8, 4),
    (4096, torch.float16, 128, 256, 64, 8, 3),
    (4096, torch.bfloat16, 128, 256, 32, 8, 4),
    (4096, torch.float32, 128, 128, 32, 8, 3),
    (4096, torch.float8_e5m2, 128, 128, 64, 4, 4),
    (4096, torch.float8_e5m2, 128, 256, 64, 8, 4),
]


def matmul_cases(small: bool) -> Iterator[Case]:
    for size, dtype, m, n, k, warps, stages in MATMULS:
        shape = (192, 160, 200) if small else (size, size, size)
        yield matmul_case(shape, dtype, (m, n, k, warps, stages))


def matmul_case(shape: tuple[int, int, int], dtype: torch.dtype, blocks: tuple[int, ...]) -> Case:
    m, n, k = shape
    block_m, block_n, block_k, warps, stages = blocks
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    narrow = dtype in (torch.float16, torch.bfloat16)
    c = random(m, n, dtype=dtype if narrow else torch.float32)

    def run(kernels: Any) -> torch.Tensor:
        grid = (tilewright.cdiv(m, block_m) * tilewright.cdiv(n, block_n),)
        kernels.matmul[grid](
            a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=block_m,
            BLOCK_N=block_n, BLOCK_K=block_k, GROUP=8, num_warps=warps, num_stages=stages,
        )  # fmt: skip
        return c

    plain = dtype != torch.float8_e5m2
    name = f"{str(dtype).removeprefix('torch.')} {block_m}x{block_n}x{block_k} w{warps} s{stages}"
    return Case(
        f"matmul {m} {name}", run, (lambda: torch.matmul(a, b)) if plain else None,
        lambda: a.double() @ b.double(), 2 * m * n * k / 1e12, "TFLOP/s",
        1e-3 if dtype != torch.bfloat16 else 1e-2,
    )  # fmt: skip


def relative_error(found: torch.Tensor, expected: torch.Tensor) -> float:
    return float((found.double() - expected).norm() / expected.norm())


def check(case: Case) -> float:
    """The error of our result; PyTorch's and Triton's are assumed to be right."""
    expected = case.reference()
    return relative_error(case.run(OURS), expected)


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
    for cases in (add_cases, softmax_cases, layer_norm_cases, matmul_cases):
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
