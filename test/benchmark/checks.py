"""The cost of bounds checks on the CPU: the tutorials' kernels without and with them.

    .venv/bin/python test/benchmark/checks.py            every row
    .venv/bin/python test/benchmark/checks.py softmax    rows whose name contains the word

A ratio is the time with `checks="bounds"` over the time without; "goal" is the largest ratio that
the project accepts. There are sizes with masked-off elements and sizes without. The two kernels of
a row alternate and use the same memory, and the shortest time of each counts: on a machine under
load, medians differ by more than the kernels do.
"""

import argparse
import functools
import sys
import time
from collections.abc import Callable
from types import ModuleType

import torch
from cpu_cases import tutorial

import tilewright
import tilewright.language as tl

GOAL = 2.0


@tilewright.jit
def gather_kernel(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + at, mask=i < n), mask=i < n)


def checked(module: ModuleType) -> ModuleType:
    """The module, with its kernels set to be compiled with checks."""
    for name, value in list(vars(module).items()):
        if isinstance(value, tilewright.JITFunction):
            setattr(module, name, tilewright.jit(value.fn, checks="bounds"))
    return module


def gather_module() -> ModuleType:
    module = ModuleType("gather")
    module.kernel = tilewright.jit(gather_kernel.fn)  # type: ignore[attr-defined]
    return module


@functools.cache
def uniform(*shape: int, what: str = "x") -> torch.Tensor:
    """A tensor that all cases share that use the same shape and name `what`."""
    return torch.rand(*shape)


@functools.cache
def indices(n: int, limit: int) -> torch.Tensor:
    return torch.randint(0, limit, (n,), dtype=torch.int32)


def vectors(module: ModuleType) -> dict[str, Callable[[], object]]:
    n = 1 << 22
    x, y, out = uniform(n), uniform(n, what="y"), uniform(n, what="out")
    grid = (tilewright.cdiv(n, 16384),)
    small = [uniform(1 << 15, what=what) for what in ("x", "y", "out")]

    def add(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
        module.add_kernel[(tilewright.cdiv(len(x), 1024),)](x, y, out, len(x), BLOCK=1024)

    return {
        "add 2^22": lambda: module.add_kernel[grid](x, y, out, n, BLOCK=16384),
        "add 2^15, in the cache": lambda: add(*small),
    }


def gathers(module: ModuleType) -> dict[str, Callable[[], object]]:
    n = 1 << 20
    x, out = uniform(n), uniform(n, what="out")
    index, near = indices(n, n), indices(n, 1 << 12)
    grid = (tilewright.cdiv(n, 1024),)
    return {
        "gather 2^20": lambda: module.kernel[grid](x, index, out, n, BLOCK=1024),
        "gather, in the cache": lambda: module.kernel[grid](x, near, out, n, BLOCK=1024),
    }


def softmaxes(module: ModuleType) -> dict[str, Callable[[], object]]:
    functions = {}
    for n in (1024, 781):
        x, out = uniform(2048, n), uniform(2048, n, what="out")

        def softmax(x: torch.Tensor = x, out: torch.Tensor = out, n: int = n) -> None:
            module.softmax_kernel[(2048,)](out, x, n, n, n, BLOCK=1024)

        functions[f"softmax 2048x{n}"] = softmax
    return functions


def dropouts(module: ModuleType) -> dict[str, Callable[[], object]]:
    n = 1 << 20
    x, out = uniform(n), uniform(n, what="out")
    grid = (tilewright.cdiv(n, 1024),)
    return {
        "dropout 2^20": lambda: module.dropout_kernel[grid](x, out, n, 0.5, 7, BLOCK=1024),
    }


def norms(module: ModuleType) -> dict[str, Callable[[], object]]:
    functions: dict[str, Callable[[], object]] = {}
    rows, programs = 2048, 16
    for n in (1024, 781):
        x, y, dy = (uniform(rows, n, what=what) for what in ("x", "out", "y"))
        weight, bias = uniform(n), uniform(n, what="y")
        mean, rstd = uniform(rows), uniform(rows, what="y")
        parts = [uniform(programs, n, what=what) for what in ("x", "y")]
        forward = (x, weight, bias, y, mean, rstd, n, n, 1e-5)
        backward = (dy, x, weight, mean, rstd, y, *parts, n, rows, n)
        functions[f"layer norm {rows}x{n}"] = lambda args=forward: module.forward_kernel[(rows,)](
            *args, BLOCK=1024
        )
        functions[f"its gradient {rows}x{n}"] = lambda args=backward: module.backward_kernel[
            (programs,)
        ](*args, BLOCK=1024)
    return functions


def matmuls(module: ModuleType) -> dict[str, Callable[[], object]]:
    functions: dict[str, Callable[[], object]] = {}

    def add(name: str, a: torch.Tensor, b: torch.Tensor) -> None:
        (m, k), n = a.shape, b.shape[1]
        c = uniform(m, n, what="out")
        sizes = module.blocks("cpu", 4)
        grid = (tilewright.cdiv(m, sizes["BM"]) * tilewright.cdiv(n, sizes["BN"]),)
        strides = (*a.stride(), *b.stride(), *c.stride())
        functions[name] = lambda: module.matmul_kernel[grid](
            a, b, c, m, n, k, *strides, **sizes, GROUP=8
        )

    for m, n, k in ((512, 512, 512), (500, 300, 700), (130, 77, 200)):
        add(f"matmul {m}x{n}x{k}", uniform(m, k), uniform(k, n, what="y"))
    add("matmul 512^3, B transposed", uniform(512, 512), uniform(512, 512, what="y").T)
    return functions


CASES = {
    "01_vector_add": vectors,
    "02_fused_softmax": softmaxes,
    "03_dropout": dropouts,
    "04_layer_norm": norms,
    "05_matmul": matmuls,
}


def pairs() -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """The functions without and with checks, by name."""
    found = {}
    modules = [(lambda name=name: tutorial(name), make) for name, make in CASES.items()]
    for load, make in [*modules, (gather_module, gathers)]:
        plain, with_checks = make(load()), make(checked(load()))
        found |= {name: (plain[name], with_checks[name]) for name in plain}
    return found


def least_seconds(functions: tuple[Callable[[], object], ...], rounds: int) -> list[float]:
    """The shortest call of each function; the functions alternate."""
    best = [float("inf")] * len(functions)
    for turn in range(rounds + 2):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            if turn >= 2:  # after compilation and the first page faults
                best[i] = min(best[i], time.perf_counter() - start)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    print(f"{'':34s} {'without ms':>10s} {'with ms':>10s} {'ratio':>6s} {'goal':>6s}")
    for name, pair in pairs().items():
        if options.words and not any(word in name for word in options.words):
            continue
        plain, with_checks = least_seconds(pair, options.rounds)
        ratio = with_checks / plain
        above = "  above" if ratio > GOAL else ""
        print(
            f"{name:34s} {1e3 * plain:10.3f} {1e3 * with_checks:10.3f} {ratio:6.2f}"
            f" {GOAL:6.2f}{above}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
