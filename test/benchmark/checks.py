"""What checks of bounds cost on the CPU: the tutorials' kernels without and with them.

    .venv/bin/python test/benchmark/checks.py            every row
    .venv/bin/python test/benchmark/checks.py softmax    rows whose name holds the word

A ratio is the time with `checks="bounds"` over that without; "wanted" is the most that the project
holds itself to. Sizes are such that masks matter, and such that they do not.
"""

import argparse
import sys
from collections.abc import Callable
from types import ModuleType

import torch
from kernels import tutorial

import tilewright
import tilewright.language as tl
from tilewright.testing import compare

WANTED = 2.0


@tilewright.jit
def gather_kernel(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + at, mask=i < n), mask=i < n)


def checked(module: ModuleType) -> ModuleType:
    """The module, whose kernels are compiled with checks."""
    for value in vars(module).values():
        if isinstance(value, tilewright.JITFunction):
            value.checks = "bounds"
    return module


def gather_module() -> ModuleType:
    module = ModuleType("gather")
    module.kernel = tilewright.jit(gather_kernel.fn)  # type: ignore[attr-defined]
    return module


def vectors(module: ModuleType) -> dict[str, Callable[[], object]]:
    n = 1 << 22
    x, y, out = torch.rand(n), torch.rand(n), torch.empty(n)
    grid = (tilewright.cdiv(n, 16384),)
    small = torch.rand(1 << 15), torch.rand(1 << 15), torch.empty(1 << 15)

    def add(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
        module.add_kernel[(tilewright.cdiv(len(x), 1024),)](x, y, out, len(x), BLOCK=1024)

    return {
        "add 2^22": lambda: module.add_kernel[grid](x, y, out, n, BLOCK=16384),
        "add 2^15, in the cache": lambda: add(*small),
    }


def gathers(module: ModuleType) -> dict[str, Callable[[], object]]:
    n = 1 << 20
    x, out = torch.rand(n), torch.empty(n)
    index = torch.randint(0, n, (n,), dtype=torch.int32)
    near = torch.randint(0, 1 << 12, (n,), dtype=torch.int32)
    grid = (tilewright.cdiv(n, 1024),)
    return {
        "gather 2^20": lambda: module.kernel[grid](x, index, out, n, BLOCK=1024),
        "gather, in the cache": lambda: module.kernel[grid](x, near, out, n, BLOCK=1024),
    }


def softmaxes(module: ModuleType) -> dict[str, Callable[[], object]]:
    whole, odd = torch.randn(2048, 1024), torch.randn(2048, 781)
    return {
        "softmax 2048x1024": lambda: module.softmax(whole),
        "softmax 2048x781": lambda: module.softmax(odd),
    }


def dropouts(module: ModuleType) -> dict[str, Callable[[], object]]:
    x = torch.randn(1 << 20)
    return {"dropout 2^20": lambda: module.dropout(x, 0.5, 7)}


def norms(module: ModuleType) -> dict[str, Callable[[], object]]:
    functions = {}
    for n in (1024, 781):
        x, dy = torch.randn(2048, n), torch.randn(2048, n)
        weight, bias = torch.rand(n), torch.rand(n)

        def both(x=x, dy=dy, weight=weight, bias=bias) -> None:
            module.gradients(module.layer_norm, x, weight, bias, dy)

        functions[f"layer norm, both ways, 2048x{n}"] = both
    return functions


def matmuls(module: ModuleType) -> dict[str, Callable[[], object]]:
    functions = {}
    for shape in ((512, 512, 512), (500, 300, 700), (130, 77, 200)):
        m, n, k = shape
        a, b = torch.randn(m, k), torch.randn(k, n)
        functions[f"matmul {m}x{n}x{k}"] = lambda a=a, b=b: module.matmul(a, b)
    a, b = torch.randn(512, 512), torch.randn(512, 512).T
    functions["matmul 512^3, B transposed"] = lambda: module.matmul(a, b)
    return functions


CASES = {
    "01_vector_add": vectors,
    "02_fused_softmax": softmaxes,
    "03_dropout": dropouts,
    "04_layer_norm": norms,
    "05_matmul": matmuls,
}


def pairs() -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """By name: the function without and with checks."""
    found = {}
    modules = [(lambda name=name: tutorial(name), make) for name, make in CASES.items()]
    for load, make in [*modules, (gather_module, gathers)]:
        plain, with_checks = make(load()), make(checked(load()))
        found |= {name: (plain[name], with_checks[name]) for name in plain}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only rows whose name holds one of these")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    print(f"{'':34s} {'without ms':>10s} {'with ms':>10s} {'ratio':>6s} wanted")
    for name, (plain, with_checks) in pairs().items():
        if options.words and not any(word in name for word in options.words):
            continue
        times = compare({"plain": plain, "checked": with_checks}, rounds=options.rounds)
        ratio = times["checked"] / times["plain"]
        above = "  above" if ratio > WANTED else ""
        print(
            f"{name:34s} {1e3 * times['plain']:10.3f} {1e3 * times['checked']:10.3f} {ratio:6.2f}"
            f" {WANTED:6.2f}{above}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
