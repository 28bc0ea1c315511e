"""Measures the errors for which docs/math.md states bounds.

    python test/python/conversion/worst_errors.py [function...] [--bits 28] [--seed 1]

Single precision: every float is compared with double precision of the C library, which is called
only if the expansion in double precision indicates a large error. pow: 2^bits pairs. Double
precision is compared with extended precision of the library: multiples of pi/2, ends of intervals
and similar inputs, then 2^bits doubles, half of them where errors were largest. For each function
the largest error and its input are printed. The bounds in docs/math.md are rounded up: to two
digits if every float was tested, else by 5 %. The arithmetic is the same for every processor.
All functions take about half an hour on one core.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import expanded

DOUBLES = "exp exp2 expm1 log log2 log10 log1p sin cos tanh erf rsqrt".split()  # noqa: SIM905
SINGLES = [*DOUBLES, "pow"]


class Worst(NamedTuple):
    """The largest error in ulp, and the arguments where it occurs."""

    error: float
    where: tuple[float, ...]


def build_search(folder: Path) -> Path:
    """Builds the program that runs a function on many numbers."""
    program = folder / "worst_errors"
    source = Path(__file__).with_suffix(".cpp")
    options = ["-std=c++17", "-O2", "-fno-math-errno", "-march=native"]
    subprocess.run(["c++", *options, source, "-o", program, "-ldl"], check=True)
    return program


def measure(folder: Path, search: Path, name: str, element: str, bits: int, seed: int) -> Worst:
    operation, operands = ("math.powf", 2) if name == "pow" else (f"math.{name}", 1)
    library = expanded.library(folder, operation, operands, element)
    command: list[str | Path] = [search, element, library, name, str(bits), str(seed)]
    if name == "pow":
        command[1] = name
    elif element == "f32":
        command[4:] = [expanded.library(folder, operation, element="f64")]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    error, *where = map(float, line.split())
    return Worst(error, tuple(where))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("functions", nargs="*", help="exp, sin, ...; by default all")
    parser.add_argument("--bits", type=int, default=28)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        search = build_search(folder)
        for element, functions in [("f32", SINGLES), ("f64", DOUBLES)]:
            for function in functions:
                if not options.functions or function in options.functions:
                    worst = measure(folder, search, function, element, options.bits, options.seed)
                    where = ", ".join(f"{x!r}" for x in worst.where)
                    print(f"{element} {function}: {worst.error:.4f} at {where}", flush=True)


if __name__ == "__main__":
    main()
