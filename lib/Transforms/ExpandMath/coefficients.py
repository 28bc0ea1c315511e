"""Derives the polynomial coefficients of the math expansions and prints them as C++ tables.

Each polynomial is a minimax approximation: a weighted least-squares fit on a dense grid of
Chebyshev nodes, with weights that increase where the error is large (Lawson's algorithm) until the
error is level. `Table.weight` converts the error of the polynomial to the relative error of the
function. The coefficients are rounded to their type one by one from the lowest, and the remaining
ones are fitted again each time. References are computed with mpmath (`pip install mpmath`) to 40
digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 40
NODES = 2000


@dataclass
class Table:
    """One polynomial; `weight` times its error is the relative error of the function."""

    name: str
    target: Callable[[mp.mpf], mp.mpf]
    weight: Callable[[mp.mpf], mp.mpf]
    interval: tuple[float, float]
    degree: int
    dtype: type = np.float32


def lawson(basis: np.ndarray, target: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Coefficients that minimize max |weight * (basis @ c - target)|."""
    level = np.ones(len(target)) / len(target)
    best, least = np.zeros(basis.shape[1]), np.inf
    scale = np.abs(basis).max(axis=0)
    for _ in range(300):
        root = np.sqrt(level) * weight
        rows = basis / scale * root[:, None]
        coefficients = np.linalg.lstsq(rows, target * root, rcond=None)[0] / scale
        error = np.abs(weight * (basis @ coefficients - target))
        if error.max() < least:
            best, least = coefficients, error.max()
        level = level * (error + 1e-3 * error.max())
        level /= level.sum()
    return best


def fit(table: Table) -> tuple[list[float], float]:
    """Returns the rounded coefficients and their largest weighted error."""
    low, high = table.interval
    angles = (np.arange(NODES) + 0.5) * np.pi / NODES
    nodes = (low + high) / 2 + (high - low) / 2 * np.cos(angles)
    nodes = nodes[np.abs(nodes) > 1e-9]
    target = np.array([float(table.target(mp.mpf(x))) for x in nodes])
    weight = np.array([abs(float(table.weight(mp.mpf(x)))) for x in nodes])
    powers = nodes[:, None] ** np.arange(table.degree + 1)
    rounded: list[float] = []
    rest = target.copy()
    for power in range(table.degree + 1):
        value = float(table.dtype(lawson(powers[:, power:], rest, weight)[0]))
        rounded.append(value)
        rest -= value * powers[:, power]
    return rounded, float(np.abs(weight * rest).max())


def odd(f: Callable[[mp.mpf], mp.mpf], slope: mp.mpf) -> Callable[[mp.mpf], mp.mpf]:
    """(f(x) - slope x) / x^3 as a function of z = x^2."""
    return lambda z: (f(mp.sqrt(z)) - slope * mp.sqrt(z)) / mp.sqrt(z) ** 3


def odd_weight(f: Callable[[mp.mpf], mp.mpf]) -> Callable[[mp.mpf], mp.mpf]:
    return lambda z: mp.sqrt(z) ** 3 / f(mp.sqrt(z))


def log_table(name: str, base: mp.mpf, degree: int, dtype: type = np.float32) -> Table:
    """(log_base(1 + f) - f / ln base) / f^2 for 1 + f in [sqrt(1/2), sqrt 2]."""
    scale = 1 / mp.log(base)
    return Table(
        name,
        lambda f: scale * (mp.log1p(f) - f) / f**2,
        lambda f: f**2 / (scale * mp.log1p(f)),
        (float(mp.sqrt(0.5) - 1), float(mp.sqrt(2) - 1)),
        degree,
        dtype,
    )


LN2 = float(mp.log(2))
QUARTER_PI_SQUARED = float((mp.pi / 4) ** 2) * 1.0001
ERF_SPLIT = 0.9


def tables() -> list[Table]:
    return [
        Table("kExp", lambda r: mp.expm1(r) / r, lambda r: r / mp.exp(r), (-LN2, LN2), 6),
        Table("kExp2", lambda r: (2**r - 1) / r, lambda r: r / 2**r, (-1.0, 1.0), 6),
        Table(
            "kExpHalf",
            lambda r: (mp.expm1(r) - r) / r**2,
            lambda r: r**2 / mp.expm1(r),
            (-LN2 / 2, LN2 / 2),
            5,
        ),
        log_table("kLog", mp.e, 8),
        log_table("kLog2", mp.mpf(2), 8),
        log_table("kLog10", mp.mpf(10), 8),
        Table("kSin", odd(mp.sin, mp.mpf(1)), odd_weight(mp.sin), (0, QUARTER_PI_SQUARED), 2),
        Table(
            "kCos",
            lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
            lambda z: z**2 / mp.cos(mp.sqrt(z)),
            (0, QUARTER_PI_SQUARED),
            2,
        ),
        Table("kTanh", odd(mp.tanh, mp.mpf(1)), odd_weight(mp.tanh), (0, 0.6**2), 4),
        Table(
            "kErf",
            odd(mp.erf, 2 / mp.sqrt(mp.pi)),
            odd_weight(mp.erf),
            (0, ERF_SPLIT**2),
            5,
        ),
        Table(
            "kErfTail",
            lambda x: mp.log(mp.erfc(x)) / x,
            lambda x: x * mp.erfc(x) / mp.erf(x),
            (ERF_SPLIT, 4.0),
            6,
        ),
        log_table("kLog2Double", mp.mpf(2), 13, np.float64),
        Table(
            "kExp2Double", lambda r: (2**r - 1) / r, lambda r: r / 2**r, (-0.5, 0.5), 6, np.float64
        ),
    ]


def main() -> None:
    for table in tables():
        coefficients, error = fit(table)
        low, high = table.interval
        digits = 17 if table.dtype is np.float64 else 9
        values = ", ".join(f"{c:.{digits}g}" for c in coefficients)
        print(f"// On [{low:.4g}, {high:.4g}], error 2^{np.log2(error):.1f}.")
        print(f"constexpr double {table.name}[] = {{{values}}};\n")


if __name__ == "__main__":
    main()
