"""What a launch costs the host, in microseconds.

    .venv/bin/python test/benchmark/launch.py [cpu|cuda]

The grid is one program that does next to nothing, so that what is measured is the way from Python
to the kernel and back. The best of many rounds: what else the machine does only ever adds time.
"""

import sys
import time

import torch

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


LIMITS = {"cpu": {0: 3, 4: 3, 19: 4}, "cuda": {0: 2, 4: 2.5, 19: 3}}


def microseconds(function, device: str, calls: int = 500, rounds: int = 40) -> float:
    best = float("inf")
    for _ in range(rounds):
        if device == "cuda":  # A full queue would be waited for.
            torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter() - start) / calls)
    return 1e6 * best


def main(device: str) -> None:
    tensors = [torch.zeros(16, device=device) for _ in range(10)]
    x, y, out = tensors[:3]
    numbers = [16 * (i + 2) for i in range(9)]
    functions = {
        0: lambda: none[(1,)](),
        4: lambda: four[(1,)](x, y, out, 16, BLOCK=16),
        19: lambda: nineteen[(1,)](*tensors, *numbers, BLOCK=16),
    }
    for count, function in functions.items():
        took = microseconds(function, device)
        print(f"{device}: {count:2} arguments {took:5.2f} us of {LIMITS[device][count]}")
    print(f"(an empty Python function: {microseconds(lambda: None, device):.2f} us)")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
