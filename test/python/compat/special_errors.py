"""Prints the table of errors in docs/math.md: libdevice's special functions of float64 on the CPU.

    python test/python/compat/special_errors.py [name...] [--count 20000] [--seed 1]

The bound that the page states, and the tests check, is the largest error found and a quarter more.
All functions take a few minutes.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from elementwise import apply
from special_references import CASES, Case, errors

from tilewright.compat.facade import find
from tilewright.compat.table import MODULES

SIZE = 64


def row(case: Case, count: int, seed: int) -> str:
    arguments = case.arguments(seed, count, np.float64)
    function = find(MODULES["triton.language.extra.libdevice"], case.name)
    parts = zip(*(np.split(x, count // SIZE) for x in arguments), strict=True)
    found = np.concatenate([apply(function, np.float64, *part) for part in parts])
    error = errors(case, found, case.values(arguments))
    index = int(error.argmax())
    where = ", ".join(f"{x[index]:.9g}" for x in arguments)
    bound = math.ceil(error[index] * 12.5) / 10
    return f"| {case.label} | {bound:.1f} | {error[index]:.2f} at {where} | {case.cuda} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for case in CASES:
        if not options.names or case.name in options.names:
            print(row(case, -(-options.count // SIZE) * SIZE, options.seed), flush=True)


if __name__ == "__main__":
    main()
