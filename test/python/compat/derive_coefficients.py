"""Derives the coefficients of the special functions and writes compat/special/coefficients.py.

    python test/python/compat/derive_coefficients.py

Each table interpolates a function at the zeros of a Chebyshev polynomial, with 60 digits by mpmath,
and is cut where the rest is below 2^-58 of the largest value; a table of a function with zeros is
of the function divided by them. The variable is mapped to [-1, 1] unless the table says otherwise.
`find_error` in test_special_coefficients.py measures the tables as they were rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath as mp

mp.mp.dps = 60
OUTPUT = (
    Path(__file__).resolve().parents[3]
    / "python" / "tilewright" / "compat" / "special" / "coefficients.py"
)  # fmt: skip
TINY = mp.mpf(10) ** -20  # where the formula of a function has no value at zero


@dataclass(frozen=True)
class Table:
    """A polynomial for `function` on an interval.

    Attributes:
        text: The comment above the table.
        is_mapped: Whether the variable is mapped to [-1, 1].
    """

    name: str
    text: str
    function: Callable[[Any], Any]
    low: Any
    high: Any
    is_mapped: bool = True

    def argument(self, x: Any) -> Any:
        """The polynomial's variable for the function's argument."""
        return (2 * x - self.low - self.high) / (self.high - self.low) if self.is_mapped else x


def scaled_erfc(x: Any) -> Any:
    """exp(x^2) erfc(x)."""
    if x < 50:
        return mp.exp(x * x) * mp.erfc(x)
    return mp.hyp2f0(1, 0.5, -1 / x**2) / (x * mp.sqrt(mp.pi))


def erfcx_of_t(t: Any) -> Any:
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * scaled_erfc(x)


def inverse_by_w(w: Any) -> Any:
    """The y with erfc(y) = x, over 1 - x, for the x below 1 with x (2 - x) = exp(-w)."""
    e = mp.exp(-w)
    x = e / (1 + mp.sqrt(1 - e))
    start = mp.sqrt(w - mp.log(w) / 2 - mp.mpf("0.57")) if w > 2 else 1 - x
    y = mp.findroot(lambda v: mp.log(mp.erfc(v) / x), start, solver="newton", tol=1e-90)
    return y / (1 - x)


def inverse_by_v(v: Any) -> Any:
    """The same over s, for v = 1 / s and s = sqrt(w)."""
    return inverse_by_w(1 / v**2) * v


def stirling(v: Any) -> Any:
    """The rest of Stirling's formula times x, for v = 1 / x^2."""
    x = 1 / mp.sqrt(v)
    return (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x


def over_zeros(value: Any, u: Any, zeros: list[Any]) -> Any:
    for zero in zeros:
        value /= u - zero
    return value


J_ZEROS = {n: [mp.besseljzero(n, k) for k in range(1, 5)] for n in (0, 1)}
Y_ZEROS = {n: [mp.besselyzero(n, k) for k in range(1, 5)] for n in (0, 1)}
# The zeros that the tables BESSEL_Y_MIDDLE are divided by, and the one of BESSEL_Y_LOW.
Y_MIDDLE = {0: Y_ZEROS[0][1:4], 1: Y_ZEROS[1][0:3]}


def bessel_j(n: int) -> Callable[[Any], Any]:
    def function(u: Any) -> Any:
        x = mp.sqrt(u)
        return over_zeros(mp.besselj(n, x) / x**n, u, [z * z for z in J_ZEROS[n]])

    return function


def bessel_y_low(n: int) -> Callable[[Any], Any]:
    def function(u: Any) -> Any:
        x, zero = mp.sqrt(u), Y_ZEROS[n][0]
        logarithm = 2 / mp.pi * mp.log(x / zero) * mp.besselj(n, x)
        return (mp.bessely(n, x) - logarithm) * x**n / (u - zero * zero)

    return function


def bessel_y_middle(n: int) -> Callable[[Any], Any]:
    return lambda x: over_zeros(mp.bessely(n, x), x, Y_MIDDLE[n])


def amplitudes(n: int, v: Any) -> tuple[Any, Any]:
    """Hankel's P and Q x of order n, for v = 1 / x^2."""
    x = 1 / mp.sqrt(v)
    phase = x - mp.pi * (2 * n + 1) / 4
    root = mp.sqrt(mp.pi * x / 2)
    j, y = mp.besselj(n, x), mp.bessely(n, x)
    p = root * (j * mp.cos(phase) + y * mp.sin(phase))
    return p, root * (y * mp.cos(phase) - j * mp.sin(phase)) * x


def bessel_i_tail(n: int) -> Callable[[Any], Any]:
    return lambda v: mp.besseli(n, 1 / v) * mp.exp(-1 / v) / mp.sqrt(v)


LN2 = mp.log(2)
TABLES = [
    Table("EXP", "(exp(r) - 1 - r) / r^2, |r| <= ln(2) / 2; the variable is r",
          lambda r: (mp.expm1(r) - r) / r**2, -LN2 / 2, LN2 / 2 * mp.mpf("1.0001"), False),
    Table("LOG", "The series of artanh from 1/7 on, of s^2 for s up to (sqrt(2)-1) / (sqrt(2)+1)",
          lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1 - z / 3 - z * z / 5) / z**3,
          TINY**0.5, ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2, False),
    Table("ERFCX", "(1 + 2x) erfcx(x) of (x - 4) / (x + 4), for all x >= 0",
          erfcx_of_t, mp.mpf(-1), 1 - TINY),
    Table("ERFINV_LOW", "erfinv(x) / x of w = -log(1 - x^2), w from 0 to 6.25",
          inverse_by_w, TINY, mp.mpf("6.25")),
    Table("ERFINV_MIDDLE", "erfinv(x) / (x s) of 1 / s, s = sqrt(w) from 2.5 to 6",
          inverse_by_v, 1 / mp.mpf(6), mp.mpf("0.4")),
    Table("ERFINV_HIGH", "The same, s from 6 to 28, for erfcinv",
          inverse_by_v, 1 / mp.mpf(28), 1 / mp.mpf(6)),
    Table("LGAMMA", "lgamma(x) / ((x - 1) (x - 2)) of x - 1.5, x from 0.5 to 2.5",
          lambda x: mp.loggamma(x) / ((x - 1) * (x - 2)), mp.mpf("0.5"), mp.mpf("2.5")),
    Table("GAMMA", "(gamma(2 + t) - 1) / t, |t| <= 0.5; the variable is t",
          lambda t: (mp.gamma(2 + t) - 1) / t, mp.mpf("-0.5"), mp.mpf("0.50001"), False),
    Table("STIRLING", "The rest of Stirling's formula times x, of 1 / x^2, x >= 8",
          stirling, TINY, 1 / mp.mpf(64), False),
    Table("SINPI", "(sin(pi f) / f - pi) / f^2 of f^2, |f| <= 1/4",
          lambda u: (mp.sin(mp.pi * mp.sqrt(u)) / mp.sqrt(u) - mp.pi) / u,
          TINY, 1 / mp.mpf(16), False),
    Table("COSPI", "(cos(pi f) - 1) / f^2 of f^2, |f| <= 1/4",
          lambda u: (mp.cos(mp.pi * mp.sqrt(u)) - 1) / u, TINY, 1 / mp.mpf(16), False),
]  # fmt: skip
for order in (0, 1):
    TABLES += [
        Table(f"BESSEL_J{order}", f"J{order}(x) / x^{order} over its first four zeros, of x^2 < 64",
              bessel_j(order), TINY, mp.mpf(64)),
        Table(f"BESSEL_Y{order}_LOW", f"Y{order} without its logarithm, over a zero, of x^2 < 9",
              bessel_y_low(order), TINY, mp.mpf(9)),
        Table(f"BESSEL_Y{order}_MIDDLE", f"Y{order}(x) over three zeros, x from 3 to 8",
              bessel_y_middle(order), mp.mpf(3), mp.mpf(8)),
        Table(f"BESSEL_P{order}", f"Hankel's P{order}, of 1 / x^2, x >= 8",
              lambda v, n=order: amplitudes(n, v)[0], TINY, 1 / mp.mpf(64)),
        Table(f"BESSEL_Q{order}", f"Hankel's Q{order} x, of 1 / x^2, x >= 8",
              lambda v, n=order: amplitudes(n, v)[1], TINY, 1 / mp.mpf(64)),
        Table(f"BESSEL_I{order}", f"I{order}(x) sqrt(x) / exp(x), of 1 / x, x >= 8",
              bessel_i_tail(order), TINY, 1 / mp.mpf(8)),
    ]  # fmt: skip


def chebyshev(table: Table, degree: int = 63) -> list[Any]:
    """The coefficients of the Chebyshev polynomials, cut off where they no longer matter."""
    count = degree + 1
    angles = [mp.pi * (2 * k + 1) / (2 * count) for k in range(count)]
    middle, half = (table.low + table.high) / 2, (table.high - table.low) / 2
    values = [table.function(middle + half * mp.cos(angle)) for angle in angles]
    found = []
    for j in range(count):
        total = mp.fsum(v * mp.cos(j * angle) for v, angle in zip(values, angles, strict=True))
        found.append(total * (2 if j else 1) / count)
    limit, rest = max(map(abs, found)) * mp.mpf(2) ** -58, mp.mpf(0)
    while rest + abs(found[-1]) < limit:
        rest += abs(found.pop())
    return found


def monomials(table: Table) -> list[float]:
    """The coefficients of the powers of the table's variable, the highest first, rounded."""
    previous, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    total: list[Any] = []
    for coefficient in chebyshev(table):
        total += [mp.mpf(0)] * (len(previous) - len(total))
        for power, number in enumerate(previous):
            total[power] += coefficient * number
        following = [mp.mpf(0), *(2 * number for number in current)]
        for power, number in enumerate(previous):
            following[power] -= number
        previous, current = current, following
    if not table.is_mapped:
        total = substituted(total, table)
    return [float(number) for number in reversed(total)]


def substituted(total: list[Any], table: Table) -> list[Any]:
    """A polynomial in the mapped variable as one in the variable itself."""
    middle, half = (table.low + table.high) / 2, (table.high - table.low) / 2
    result: list[Any] = []
    for coefficient in reversed(total):
        shifted = [mp.mpf(0), *(number / half for number in result)]
        for power, number in enumerate(result):
            shifted[power] -= number * middle / half
        shifted[0] += coefficient
        result = shifted[: len(total)]
    return result


def zero_pairs(name: str, text: str, zeros: list[Any]) -> str:
    lines = [f"    ({float(z)!r}, {float(z - mp.mpf(float(z)))!r})," for z in zeros]
    return "\n".join([f"# {text}", f"{name} = (", *lines, ")"])


def table_text(table: Table) -> str:
    lines, line = [f"# {table.text}.", f"{table.name} = ("], "   "
    for number in monomials(table):
        word = f" {number!r},"
        if len(line + word) > 100:
            lines.append(line)
            line = "   "
        line += word
    return "\n".join([*lines, line, ")  # fmt: skip"])


def main() -> None:
    parts = [
        '"""Coefficients that test/python/compat/derive_coefficients.py wrote; it says how.\n\n'
        "The coefficient of the highest power is first. The variable is mapped to [-1, 1] unless\n"
        'the comment of the table says otherwise.\n"""'
    ]
    parts += map(table_text, TABLES)
    text = "as sums of two numbers."
    for n in (0, 1):
        squares = [zero**2 for zero in J_ZEROS[n]]
        parts.append(
            zero_pairs(f"J{n}_SQUARES", f"Squares of the first zeros of J{n} {text}", squares)
        )
        parts.append(zero_pairs(f"Y{n}_ZEROS", f"The first zeros of Y{n} {text}", Y_ZEROS[n]))
        square = [Y_ZEROS[n][0] ** 2]
        parts.append(zero_pairs(f"Y{n}_SQUARE", f"The square of the first of these {text}", square))
    OUTPUT.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
