"""Functions on a GPU against wider precision: docs/math.md states their errors.

`python test/python/gpu/test_gpu_math.py 28` prints the numbers of the table, from 2^28 inputs per
function; double precision uses a sixteenth of them, because its references are slow.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
import seeds
import stated
import ulps

import tilewright
import tilewright.language as tl

FUNCTIONS = ["exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf", "sqrt", "rsqrt"]
SMALLEST_NORMAL = 2.0**-126
BLOCK = 1024


@tilewright.jit
def unary(x, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, FUNCTION(tl.load(x + i)))


@tilewright.jit
def quotient(x, y, out, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    if KIND == "/":
        result = a / b
    elif KIND == "constant":
        result = a / 3.0
    elif KIND == "rows":
        # One divisor for all elements.
        result = a / tl.max(b, axis=0)
    else:
        result = tl.div_rn(a, b)
    tl.store(out + i, result)


def on_device(
    device: str, kernel: tilewright.JITFunction, **constants
) -> Callable[..., ulps.Floats]:
    """The kernel as a function of NumPy arrays whose length is a multiple of BLOCK."""
    import torch

    def run(*arrays: ulps.Floats) -> ulps.Floats:
        inputs = [torch.from_numpy(np.ascontiguousarray(array)).to(device) for array in arrays]
        out = torch.full_like(inputs[0], 12345)
        kernel[(out.numel() // BLOCK,)](*inputs, out, **constants, BLOCK=BLOCK)
        return out.cpu().numpy()

    return run


def function(device: str, name: str) -> Callable[..., ulps.Floats]:
    return on_device(device, unary, FUNCTION=getattr(tl, name))


def single_error(device: str, name: str, count: int, seed: int) -> tuple[float, list[float]]:
    run = function(device, name)
    if name != "exp2":
        return ulps.worst(name, run, count, seed)

    def flushed(x: ulps.Floats) -> ulps.Floats:
        """The results, exact where they are denormal, because these may be flushed to zero."""
        with np.errstate(all="ignore"):
            exact = np.exp2(x.astype(np.float64))
        got = run(x)
        assert (got[exact < SMALLEST_NORMAL] <= SMALLEST_NORMAL).all()
        return np.where(exact < SMALLEST_NORMAL, exact, got).astype(np.float32)

    return ulps.worst(name, flushed, count, seed)


def double_error(device: str, name: str, count: int, seed: int) -> tuple[float, list[float]]:
    x = ulps.doubles(min(count, 1 << 15) if name == "erf" else count, seed)
    error = ulps.errors(function(device, name)(x), ulps.extended(name, x))
    index = int(error.argmax())
    return float(error[index]), [float(x[index])]


def quotient_error(device: str, kind: str, count: int, seed: int) -> tuple[float, list[float]]:
    """`kind` is "/", "div_rn", "constant" or "rows"."""
    run = on_device(device, quotient, KIND=kind)
    x = np.concatenate(list(ulps.stratified(count, seed)))
    y = np.random.default_rng(seed).permutation(x)
    divisor = y
    if kind == "rows":
        y = np.repeat(y[::BLOCK], BLOCK)
        divisor = y
    elif kind == "constant":
        divisor = np.full_like(x, 3)
    with np.errstate(all="ignore"):
        exact = x.astype(np.float64) / divisor.astype(np.float64)
    error = ulps.errors(run(x, y), exact)
    index = int(error.argmax())
    return float(error[index]), [float(x[index]), float(divisor[index])]


MEASURES: dict[str, tuple[Callable[..., tuple[float, list[float]]], str]] = {
    **{name: (single_error, name) for name in FUNCTIONS},
    "sqrt_rn": (single_error, "sqrt_rn"),
    "x / y": (quotient_error, "/"),
    "x / 3": (quotient_error, "constant"),
    "x / max(y)": (quotient_error, "rows"),
    "div_rn": (quotient_error, "div_rn"),
    **{f"{name}, f64": (double_error, name) for name in FUNCTIONS},
}


@pytest.mark.parametrize("row", MEASURES)
def test_largest_error(gpu, row: str) -> None:
    measure, name = MEASURES[row]
    if row == "erf, f64":
        pytest.importorskip("mpmath")
    seed = seeds.seed()
    error, where = measure("cuda", name, 1 << 22, seed)
    assert error <= stated.errors_on_gpus()[row], where


def main() -> None:
    bits = int(sys.argv[1])
    device = sys.argv[2] if len(sys.argv) > 2 else "cuda"
    for row, (measure, name) in MEASURES.items():
        error, where = measure(device, name, 1 << (bits - 4 * row.endswith("f64")), 1)
        print(f"| {row} | {error:.3f} | {', '.join(f'{x!r}' for x in where)} |", flush=True)


if __name__ == "__main__":
    main()
