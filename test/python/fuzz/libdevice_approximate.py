"""Functions of libdevice with errors: mpmath's values, on domains, with the errors of math.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np
from tiles import FLOATS, Inexact, Tile

NARROW = 1.2  # the error of float32 in units of 2^-24, half of the largest that math.md allows


class Approximation(NamedTuple):
    """Attributes:
    exact: The function in mpmath.
    domains: The bounds of each operand; the order of a Bessel function is an int32.
    ulps: Half of the bound on the error in float64.
    narrow: That in float32.
    absolute: An absolute error.
    kinds: "g" for float32 and float64, or one of "f", "d", for each operand.
    """

    exact: Callable[..., Any]
    domains: tuple[tuple[float, float], ...]
    ulps: float = 2.0
    narrow: float = NARROW
    absolute: float = 0.0
    kinds: str = "g"


def _of_mp(name: str) -> Callable[..., Any]:
    return lambda *x: getattr(mpmath, name)(*x)


def _norm(*x: Any) -> Any:
    return mpmath.sqrt(mpmath.fsum(v * v for v in x))


_ALL, _SMALL, _POSITIVE, _INNER = (-8.0, 8.0), (-1.5, 1.5), (0.05, 50.0), (-0.95, 0.95)
_ORDER = (0.0, 5.0)

TABLE: dict[str, Approximation] = {
    **{name: Approximation(_of_mp(name), (_ALL,)) for name in (
        "atan", "sinh", "cosh", "asinh", "expm1", "erf", "exp", "sin", "cos", "tanh",
        "sinpi", "cospi",
    )},
    "cbrt": Approximation(lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), (_ALL,)),
    "exp2": Approximation(lambda x: mpmath.mpf(2) ** x, (_ALL,)),
    "exp10": Approximation(lambda x: mpmath.mpf(10) ** x, (_ALL,)),
    "tan": Approximation(_of_mp("tan"), (_SMALL,)),
    "asin": Approximation(_of_mp("asin"), (_INNER,)),
    "acos": Approximation(_of_mp("acos"), (_INNER,)),
    "atanh": Approximation(_of_mp("atanh"), (_INNER,)),
    "acosh": Approximation(_of_mp("acosh"), ((1.25, 50.0),)),
    "atan2": Approximation(_of_mp("atan2"), (_ALL, _POSITIVE)),
    "log": Approximation(_of_mp("log"), (_POSITIVE,)),
    "log10": Approximation(_of_mp("log10"), (_POSITIVE,)),
    "log2": Approximation(lambda x: mpmath.log(x, 2), (_POSITIVE,)),
    "log1p": Approximation(_of_mp("log1p"), ((-0.9, 50.0),)),
    "sqrt": Approximation(_of_mp("sqrt"), (_POSITIVE,)),
    "rsqrt": Approximation(lambda x: 1 / mpmath.sqrt(x), (_POSITIVE,)),
    "rcbrt": Approximation(lambda x: 1 / mpmath.cbrt(x), (_POSITIVE,)),
    "pow": Approximation(lambda x, y: x**y, (_POSITIVE, _ALL)),
    "hypot": Approximation(_norm, (_ALL, _POSITIVE)),
    "norm3d": Approximation(_norm, (_ALL, _POSITIVE, _ALL)),
    "norm4d": Approximation(_norm, (_ALL, _POSITIVE, _ALL, _ALL)),
    "rhypot": Approximation(lambda *x: 1 / _norm(*x), (_ALL, _POSITIVE)),
    "rnorm3d": Approximation(lambda *x: 1 / _norm(*x), (_ALL, _POSITIVE, _ALL)),
    "rnorm4d": Approximation(lambda *x: 1 / _norm(*x), (_ALL, _POSITIVE, _ALL, _ALL)),
    "erfc": Approximation(_of_mp("erfc"), (_ALL,), 2.4),
    "erfcx": Approximation(lambda x: mpmath.exp(x * x) * mpmath.erfc(x), ((-2.0, 8.0),), 2.0),
    "erfinv": Approximation(_of_mp("erfinv"), (_INNER,)),
    "erfcinv": Approximation(lambda x: mpmath.erfinv(1 - x), ((0.05, 1.95),), 2.4),
    "normcdf": Approximation(_of_mp("ncdf"), (_ALL,), 2.4),
    "normcdfinv": Approximation(
        lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1), ((0.02, 0.98),), 2.4
    ),
    "lgamma": Approximation(lambda x: mpmath.re(mpmath.loggamma(x)), (_POSITIVE,)),
    "tgamma": Approximation(_of_mp("gamma"), (_POSITIVE,)),
    "j0": Approximation(lambda x: mpmath.besselj(0, x), (_ALL,), 3.5),
    "j1": Approximation(lambda x: mpmath.besselj(1, x), (_ALL,), 3.5),
    "y0": Approximation(lambda x: mpmath.bessely(0, x), ((0.1, 8.0),), 3.5),
    "y1": Approximation(lambda x: mpmath.bessely(1, x), ((0.1, 8.0),), 3.5),
    "jn": Approximation(mpmath.besselj, (_ORDER, _ALL), 7.0, absolute=1e-15, kinds="ng"),
    "yn": Approximation(mpmath.bessely, (_ORDER, (4.0, 8.0)), 7.0, absolute=1e-15, kinds="ng"),
    "cyl_bessel_i0": Approximation(lambda x: mpmath.besseli(0, x), (_ALL,)),
    "cyl_bessel_i1": Approximation(lambda x: mpmath.besseli(1, x), (_ALL,)),
    "fast_expf": Approximation(_of_mp("exp"), (_ALL,), kinds="f"),
    "fast_sinf": Approximation(_of_mp("sin"), (_ALL,), kinds="f"),
    "fast_cosf": Approximation(_of_mp("cos"), (_ALL,), kinds="f"),
    "fast_tanf": Approximation(_of_mp("tan"), (_SMALL,), narrow=3.0, kinds="f"),
    "fast_tanhf": Approximation(_of_mp("tanh"), (_ALL,), kinds="f"),
    "fast_logf": Approximation(_of_mp("log"), (_POSITIVE,), kinds="f"),
    "fast_log2f": Approximation(lambda x: mpmath.log(x, 2), (_POSITIVE,), kinds="f"),
    "fast_log10f": Approximation(_of_mp("log10"), (_POSITIVE,), narrow=2.4, kinds="f"),
    "fast_exp10f": Approximation(lambda x: mpmath.mpf(10) ** x, (_ALL,), narrow=20, kinds="f"),
    "fast_powf": Approximation(lambda x, y: x**y, (_POSITIVE, _ALL), narrow=40, kinds="ff"),
    "fast_dividef": Approximation(lambda x, y: x / y, (_ALL, _POSITIVE), kinds="ff"),
}  # fmt: skip


def apply(function: Approximation, *operands: Tile) -> Tile:
    """The value of each element, with the error of the function and those of the operands."""
    of = operands[-1]
    flat = [np.broadcast_to(x.value, of.shape).reshape(-1) for x in operands]
    errors = [np.zeros(of.value.size) if x.error is None else x.error.reshape(-1) for x in operands]
    if not all(np.isfinite(x).all() for x in [*flat, *errors]):
        raise Inexact
    values, moved = [], []
    with mpmath.workprec(80):
        for row in range(of.value.size):
            at = [x[row].item() for x in flat]
            exact = function.exact(*map(mpmath.mpf, at))
            change = sum(
                _change(function.exact, at, i, error[row], exact)
                for i, error in enumerate(errors)
                if error[row]
            )
            values.append(float(exact))
            moved.append(float(change))
    wide = np.array(values).reshape(of.shape)
    own = function.ulps if of.dtype == "float64" else function.narrow
    error = np.array(moved).reshape(of.shape) + function.absolute
    error = error + FLOATS[of.dtype] * own * np.abs(wide) + 1e-45
    return of.like(wide, error)


def _change(exact: Any, at: list[float], which: int, error: float, value: Any) -> Any:
    """How much the value changes if one operand is off by its error."""
    found = []
    for sign in (-1, 1):
        operands = list(map(mpmath.mpf, at))
        operands[which] += sign * error
        found.append(abs(exact(*operands) - value))
    return max(found)
