"""Special functions of libdevice: arguments to try, and their values by mpmath."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Sampler = Callable[[np.random.Generator, int], Array]


def mp() -> Any:
    import mpmath

    mpmath.mp.prec = 140
    return mpmath


def uniform(*ranges: tuple[float, float]) -> Sampler:
    """Numbers from ranges, as many from each."""

    def sample(rng: np.random.Generator, count: int) -> Array:
        low, high = np.array(ranges).T
        which = np.arange(count) % len(ranges)
        return rng.uniform(low[which], high[which])

    return sample


def powers(low: float, high: float) -> Sampler:
    """Numbers whose logarithm to base 2 is uniform."""
    return lambda rng, count: 2.0 ** rng.uniform(low, high, count)


def near(*points: float) -> Sampler:
    """Numbers close to some points."""

    def sample(rng: np.random.Generator, count: int) -> Array:
        return np.resize(np.array(points), count) + rng.normal(0, 1, count) * 10.0 ** -rng.uniform(
            2, 12, count
        )

    return sample


def mixed(*samplers: Sampler) -> Sampler:
    def sample(rng: np.random.Generator, count: int) -> Array:
        parts = [sampler(rng, -(-count // len(samplers))) for sampler in samplers]
        return rng.permutation(np.concatenate(parts))[:count]

    return sample


@dataclass(frozen=True)
class Case:
    """A function on a part of its domain.

    Attributes:
        reference: Its value for numbers of mpmath.
        samples: The arguments, a sampler for each operand. That of an order gives integers.
        absolute: Whether the absolute error counts, in 1e-16, and not that in ulp.
        cuda: The bound that NVIDIA documents for float64, or "".
    """

    name: str
    part: str
    reference: Callable[..., Any]
    samples: tuple[Sampler, ...]
    absolute: bool = False
    cuda: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}, {self.part}" if self.part else self.name

    def arguments(self, seed: int, count: int, dtype: Any) -> list[Array]:
        rng = np.random.default_rng(seed)
        found = [sample(rng, count) for sample in self.samples]
        return [x if x.dtype == np.int32 else _converted(x, dtype) for x in found]

    def values(self, arguments: list[Array]) -> list[Any]:
        numbers = [[mp().mpf(x) for x in array.tolist()] for array in arguments]
        return [self.reference(*row) for row in zip(*numbers, strict=True)]


def _converted(x: Array, dtype: Any) -> Array:
    """The numbers in a dtype, but finite and no integers, which may be poles."""
    with np.errstate(over="ignore"):
        x = x.astype(dtype)
    x[np.isinf(x)] = 2.5
    whole = x == np.rint(x)
    x[whole] = np.nextafter(x[whole], dtype(np.inf))
    return x


def bessely(n: Any, x: Any) -> Any:
    """Y of an integer order, from those of orders 0 and 1."""
    m = mp()
    below, value = m.bessely(0, x), m.bessely(1, x)
    for k in range(1, int(n)):
        below, value = value, 2 * k / x * value - below
    return value if n else below


def scaled_erfc(x: Any) -> Any:
    m = mp()
    if x < 50:
        return m.exp(x * x) * m.erfc(x)
    return m.hyp2f0(1, 0.5, -1 / x**2) / (x * m.sqrt(m.pi))


def inverse_erfc(x: Any) -> Any:
    m = mp()
    if x > 0.1:
        return m.erfinv(1 - x)
    start = m.sqrt(-m.log(x) - m.log(-m.log(x)) / 2 - 0.5)
    return m.findroot(lambda y: m.log(m.erfc(y) / x), start, solver="newton", tol=1e-80)


def orders(low: int, high: int) -> Sampler:
    return lambda rng, count: rng.integers(low, high, count).astype(np.int32)


def power_exponents(rng: np.random.Generator, count: int) -> Array:
    return rng.normal(0, 1, count) * 10.0 ** rng.uniform(-2, 2, count)


HALVES = tuple(k / 2 for k in range(-8, 9))
J0, J1 = (2.404825557695773, 5.520078110286311), (3.8317059702075125, 7.015586669815619)
Y0, Y1 = (0.8935769662791675, 3.957678419314858, 7.086051060301773), (2.197141326031017, 5.42968104)

CASES = [
    Case("pow", "", lambda x, y: x**y, (powers(-9, 9), power_exponents), cuda="2"),
    Case("pow", "near 1", lambda x, y: x**y,
         (lambda r, n: 1 + r.normal(0, 1e-6, n), lambda r, n: r.uniform(-1e8, 1e8, n)), cuda="2"),
    Case("exp10", "", lambda x: mp().mpf(10) ** x, (mixed(uniform((-323, 308), (-3, 3))),),
         cuda="1"),
    Case("sinpi", "", lambda x: mp().sinpi(x),
         (mixed(uniform((-3, 3), (-1e5, 1e5)), near(*HALVES), powers(-300, -2)),), cuda="2"),
    Case("cospi", "", lambda x: mp().cospi(x),
         (mixed(uniform((-3, 3), (-1e5, 1e5)), near(*HALVES)),), cuda="2"),
    Case("erfc", "", lambda x: mp().erfc(x), (mixed(uniform((-6, 27.2), (-2, 3)), near(0.0)),),
         cuda="5"),
    Case("erfcx", "", scaled_erfc, (mixed(uniform((-26, 27), (-2, 3)), powers(-9, 1000)),),
         cuda="4"),
    Case("erfinv", "", lambda x: mp().erfinv(x),
         (mixed(uniform((-1, 1)), powers(-300, -1), lambda r, n: 1 - 2.0 ** r.uniform(-23, 0, n)),),
         cuda="5"),
    Case("erfcinv", "", inverse_erfc, (mixed(uniform((0, 2), (0, 0.1)), powers(-1022, 0)),),
         cuda="6"),
    Case("normcdf", "", lambda x: mp().erfc(-x / mp().sqrt(2)) / 2,
         (mixed(uniform((-37.5, 6), (-3, 3)), near(0.0)),), cuda="5"),
    Case("normcdfinv", "", lambda x: -mp().sqrt(2) * inverse_erfc(2 * x),
         (mixed(uniform((0, 1), (0, 0.1)), powers(-1021, -1)),), cuda="8"),
    Case("lgamma", "x > -2.26", lambda x: mp().log(abs(mp().gamma(x))) if x < 0 else
         mp().loggamma(x),
         (mixed(uniform((-2.26, 3), (0, 20)), powers(-300, 1000), near(1.0, 2.0, 2.5, 8.0)),),
         cuda="4"),
    Case("lgamma", "x < -10", lambda x: mp().log(abs(mp().gamma(x))), (uniform((-99, -10)),),
         cuda="4 below -23"),
    Case("tgamma", "", lambda x: mp().gamma(x),
         (mixed(uniform((-30, 30), (-3, 3), (0, 171.6), (-170, 0)), near(*HALVES)),), cuda="10"),
    Case("j0", "x < 8", lambda x: mp().besselj(0, x), (mixed(uniform((-8, 8)), near(*J0)),),
         cuda="7"),
    Case("j1", "x < 8", lambda x: mp().besselj(1, x), (mixed(uniform((-8, 8)), near(*J1)),),
         cuda="7"),
    Case("y0", "x < 8", lambda x: mp().bessely(0, x),
         (mixed(uniform((0, 8)), near(*Y0), powers(-300, 1)),), cuda="7"),
    Case("y1", "x < 8", lambda x: mp().bessely(1, x),
         (mixed(uniform((0, 8)), near(*Y1), powers(-300, 1)),), cuda="7"),
    Case("j0", "x > 8", lambda x: mp().besselj(0, x), (mixed(uniform((8, 99)), powers(3, 40)),),
         True, "50,000"),
    Case("j1", "x > 8", lambda x: mp().besselj(1, x), (mixed(uniform((8, 99)), powers(3, 40)),),
         True, "50,000"),
    Case("y0", "x > 8", lambda x: mp().bessely(0, x), (mixed(uniform((8, 99)), powers(3, 40)),),
         True, "50,000"),
    Case("y1", "x > 8", lambda x: mp().bessely(1, x), (mixed(uniform((8, 99)), powers(3, 40)),),
         True, "50,000"),
    Case("jn", "", lambda n, x: mp().besselj(int(n), x), (orders(0, 129), uniform((-200, 200))),
         True, "50,000"),
    Case("yn", "x > 1.5 n", lambda n, x: mp().bessely(int(n), x),
         (orders(0, 129), uniform((193, 300))), True, "50,000"),
    Case("cyl_bessel_i0", "", lambda x: mp().besseli(0, x), (uniform((-20, 20), (-713, 713)),),
         cuda="6"),
    Case("cyl_bessel_i1", "", lambda x: mp().besseli(1, x),
         (mixed(uniform((-20, 20), (-713, 713)), powers(-1000, 0)),), cuda="6"),
    Case("rcbrt", "", lambda x: 1 / mp().cbrt(x), (powers(-1074, 1023),), cuda="1"),
    Case("rhypot", "", lambda x, y: 1 / mp().sqrt(x * x + y * y),
         (uniform((-9, 9)), uniform((-9, 9))), cuda="1"),
]  # fmt: skip


def errors(case: Case, found: Array, wanted: list[Any]) -> NDArray[np.float64]:
    """The error of each value, in ulp of its dtype, or in 1e-16.

    A subnormal result has the ulp of the smallest normal number.
    """
    m, info = mp(), np.finfo(found.dtype)
    result = []
    for value, exact in zip(found.tolist(), wanted, strict=True):
        exponent = max(int(m.frexp(abs(exact))[1]) - 1 if exact else info.minexp, info.minexp)
        unit = m.mpf("1e-16") if case.absolute else m.mpf(2) ** (exponent - info.nmant)
        if abs(exact) >= m.mpf(2) ** info.maxexp:
            result.append(0.0 if value == float("inf") * float(m.sign(exact)) else float("inf"))
        else:
            result.append(float(abs(m.mpf(value) - exact) / unit) if np.isfinite(value) else np.inf)
    return np.array(result)
