"""Derives the polynomials of the expansions in double precision and prints them as C++ tables.

Each polynomial interpolates its function at Chebyshev nodes, computed with 100 digits by mpmath
(`pip install mpmath`), which is within a bit of the best approximation. At these degrees, a fit in
double precision, as in coefficients.py, would not be accurate enough. The coefficients are then
rounded and the error of the result is measured: `weight` times the error of the polynomial is the
relative error of the function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp

mp.mp.dps = 100
TINY = mp.mpf("1e-20")  # replaces zero, where the functions below are only defined as a limit
Function = Callable[[mp.mpf], mp.mpf]


@dataclass
class Table:
    name: str
    target: Function
    weight: Function
    interval: tuple[mp.mpf, mp.mpf]
    degree: int


def interpolate(table: Table) -> list[float]:
    low, high = table.interval
    count = table.degree + 1
    angles = [(2 * k + 1) * mp.pi / (2 * count) for k in range(count)]
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(angle) for angle in angles]
    nodes = [node if abs(node) > TINY else TINY for node in nodes]
    powers = mp.matrix([[node**power for power in range(count)] for node in nodes])
    values = mp.matrix([table.target(node) for node in nodes])
    return [float(c) for c in mp.lu_solve(powers, values)]


def largest_error(table: Table, coefficients: list[float]) -> mp.mpf:
    low, high = table.interval
    points = [low + (high - low) * (k + mp.mpf("0.37")) / 500 for k in range(500)]
    return max(
        abs(table.weight(x) * (mp.polyval(coefficients[::-1], x) - table.target(x))) for x in points
    )


def log_table(name: str, base: mp.mpf) -> Table:
    """(log_base(1 + f) - f / ln base) / f^2 for 1 + f in [sqrt(1/2), sqrt 2]."""
    scale = 1 / mp.log(base)
    return Table(
        name,
        lambda f: scale * (mp.log1p(f) - f) / f**2,
        lambda f: f**2 / (scale * mp.log1p(f)),
        (mp.sqrt(mp.mpf(0.5)) - 1, mp.sqrt(2) - 1),
        20,
    )


def odd_table(name: str, f: Function, slope: mp.mpf, square: mp.mpf, degree: int) -> Table:
    """(f(x) - slope x) / x^3 as a function of z = x^2 up to `square`."""
    return Table(
        name,
        lambda z: (f(mp.sqrt(z)) - slope * mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / f(mp.sqrt(z)),
        (mp.mpf(0), square),
        degree,
    )


def far(t: mp.mpf) -> mp.mpf:
    """The argument of erf's second polynomial, from 1 to 5.93, for t from -1 to 1."""
    return mp.mpf("3.465") + mp.mpf("2.465") * t


def tables() -> list[Table]:
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.0001")
    half = mp.mpf("0.5001")
    eighth = (mp.pi / 4) ** 2 * mp.mpf("1.0001")
    return [
        Table(
            "kExpHalfDouble",
            lambda r: (mp.expm1(r) - r) / r**2,
            lambda r: r**2,
            (-half_ln2, half_ln2),
            9,
        ),
        Table("kExp2WholeDouble", lambda r: mp.expm1(r * mp.log(2)) / r, abs, (-half, half), 11),
        log_table("kLogDouble", mp.e),
        log_table("kLog2WholeDouble", mp.mpf(2)),
        log_table("kLog10Double", mp.mpf(10)),
        odd_table("kSinDouble", mp.sin, mp.mpf(1), eighth, 5),
        Table(
            "kCosDouble",
            lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
            lambda z: z**2 / mp.cos(mp.sqrt(z)),
            (mp.mpf(0), eighth),
            5,
        ),
        odd_table("kTanhDouble", mp.tanh, mp.mpf(1), mp.mpf("0.36"), 10),
        odd_table("kErfDouble", mp.erf, 2 / mp.sqrt(mp.pi), mp.mpf(1), 12),
        Table(
            "kErfTailDouble",
            lambda t: mp.log(mp.erfc(far(t))) / far(t),
            lambda t: far(t) * mp.erfc(far(t)) / mp.erf(far(t)),
            (mp.mpf(-1), mp.mpf(1)),
            24,
        ),
    ]


def main() -> None:
    for table in tables():
        coefficients = interpolate(table)
        low, high = (mp.nstr(bound, 4) for bound in table.interval)
        error = mp.nstr(mp.log(largest_error(table, coefficients), 2), 3)
        print(f"// On [{low}, {high}], error 2^{error}.")
        values = ", ".join(f"{c:.17g}" for c in coefficients)
        print(f"constexpr double {table.name}[] = {{{values}}};\n")


if __name__ == "__main__":
    main()
