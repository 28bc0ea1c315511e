"""The cost of a launch on the host, in microseconds.

    .venv/bin/python test/benchmark/launch.py [cpu|cuda|fake]

The grid is one program that does almost nothing, so the time is that of the path from Python to the
kernel and back. The best of many rounds counts, because other work on the machine only adds time.
For comparison, the output has for cuda the time of an empty kernel with as many parameters that a
loop in C launches, and for all how much longer other ways to launch take. "fake" uses the tests'
stand-in for the driver, which does nothing: this measures the host's part of a launch on a GPU.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from bare_driver import bare_launch_time

import tilewright
import tilewright.language as tl


@tilewright.jit
def none():
    pass


@tilewright.jit
def four(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@tilewright.jit
def nineteen(
    p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, n0, n1, n2, n3, n4, n5, n6, n7, n8, BLOCK: tl.constexpr
):
    i = tl.arange(0, BLOCK)
    tl.store(p0 + i, tl.load(p1 + i) + n0)


LIMITS = {
    "cpu": {0: 3, 4: 3, 19: 4},
    "fake": {0: 0.8, 4: 0.8, 19: 1.6},
}
MOST_TIMES_THE_DRIVER = 1.3
PARAMETERS = {0: "", 4: "8,8,8,4", 19: "8,8,8,8,8,8,8,8,8,8,4,4,4,4,4,4,4,4,4"}


def microseconds(function: Callable[[], object], device: str) -> float:
    best = float("inf")
    calls = 500
    for _ in range(40):
        if device == "cuda":  # a launch into a full queue would wait
            torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter() - start) / calls)
    return 1e6 * best


@contextmanager
def stand_in() -> Iterator[None]:
    """Redirects launches to the stand-in's device, for which the kernels get code."""
    folder = Path(__file__).resolve().parents[1] / "python" / "runtime"
    sys.path.insert(0, str(folder))
    import fake_cuda
    from conftest import Substitute

    from tilewright import _core

    fake_cuda.configure()
    _core.use_cuda_driver(fake_cuda.LIBRARY)
    for count, kernel in KERNELS.items():
        code = fake_cuda.load(kernel.fn.__name__, PARAMETERS[count])
        Substitute(kernel, "nothing").code["cuda:0"] = code
    fake_cuda.configure("quiet")
    fake_cuda.make_current(0)
    os.environ["TILEWRIGHT_TARGET"] = "cuda"
    yield
    _core.use_cuda_driver()


KERNELS = {0: none, 4: four, 19: nineteen}


def make_arguments(device: str) -> dict[int, tuple[tuple[object, ...], dict[str, int]]]:
    if device == "fake":
        from fake_cuda import Tensor

        tensors = [Tensor.make(0, 256 * i) for i in range(10)]
    else:
        tensors = [torch.zeros(16, device=device) for _ in range(10)]
    numbers = [16 * (i + 2) for i in range(9)]
    block = {"BLOCK": 16}
    return {0: ((), {}), 4: ((*tensors[:3], 16), block), 19: ((*tensors, *numbers), block)}


def call_of(
    kernel: object, arguments: tuple, constants: dict, grid: object = (1,)
) -> Callable[[], object]:
    """A function that launches as programs do: with the arguments spelled out."""
    names = {f"a{i}": value for i, value in enumerate(arguments)}
    given = ", ".join([*names, *(f"{name}={value!r}" for name, value in constants.items())])
    function: Callable[[], object] = eval(
        f"lambda: kernel[grid]({given})", {"kernel": kernel, "grid": grid, **names}
    )
    return function


def launches(
    count: int, arguments: tuple, constants: dict, device: str
) -> dict[str, Callable[[], object]]:
    """Launches of a kernel: as it is, on a grid that is a function, autotuned, with heuristics."""
    kernel = KERNELS[count]
    named = {"plain": call_of(kernel, arguments, constants)}
    if not constants:
        return named
    computed = tilewright.heuristics({"BLOCK": lambda meta: 16})(kernel)
    named["grid function"] = call_of(
        kernel, arguments, constants, lambda meta: (meta["BLOCK"] // 16,)
    )
    named["heuristics"] = call_of(computed, arguments, {})
    if device != "fake":  # Python finds the choices for arrays without DLPack's functions
        configs = [tilewright.Config({"BLOCK": block}) for block in (8, 16)]
        tuned = tilewright.autotune(configs, key=[kernel.arg_names[-2]], rep=1)(kernel)
        configs = [tilewright.Config({}, num_warps=warps) for warps in (4, 8)]
        both = tilewright.autotune(configs, key=[], rep=1)(computed)
        named["autotuned"] = call_of(tuned, arguments, {})
        named["autotuned, with heuristics"] = call_of(both, arguments, {})
    return named


# Microseconds that each kind of launch may take longer than a plain one.
MORE = {
    "grid function": 0.5,
    "heuristics": 1.0,
    "autotuned": 1.0,
    "autotuned, with heuristics": 1.0,
}


def measure(device: str) -> None:
    if device == "cuda":
        torch.zeros(1, device="cuda")
    for count, (arguments, constants) in make_arguments(device).items():
        plain = 0.0
        for kind, launch in launches(count, arguments, constants, device).items():
            took = microseconds(launch, device)
            if kind != "plain":
                print(f"  {kind} {took - plain:+5.2f} us, goal {MORE[kind]:+.1f}")
                continue
            plain = took
            if device == "cuda":
                bare = bare_launch_time(len(arguments))
                goal, beside = MOST_TIMES_THE_DRIVER * bare, f"; the driver alone {bare:.2f} us"
            else:
                goal, beside = LIMITS[device][count], ""
            print(f"{device}: {count:2} arguments {took:5.2f} us, goal {goal:.1f}{beside}")


def main(device: str) -> None:
    if device == "fake":
        with stand_in():
            measure(device)
    else:
        measure(device)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
