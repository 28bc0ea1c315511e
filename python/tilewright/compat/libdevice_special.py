"""Special functions of `triton.language.extra.libdevice`, and powers.

They are computed in float64, also for float32 operands: the result is rounded once more, which
leaves an error of at most 0.51 ulp of float32. docs/math.md has the errors for float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.compat.libdevice import FLOATS, operand, pair
from tilewright.compat.special import angles, bessel, error_functions, gamma, orders, powers
from tilewright.compat.special.double import Double
from tilewright.language._build import emit, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin, constexpr_value
from tilewright.language.dtypes import float32, float64, int32
from tilewright.language.promotion import promoted
from tilewright.language.tensor import tensor

__all__ = [
    "cospi", "cyl_bessel_i0", "cyl_bessel_i1", "erfc", "erfcinv", "erfcx", "erfinv", "exp10", "j0",
    "j1", "jn", "lgamma", "normcdf", "normcdfinv", "pow", "rcbrt", "sincospi", "sinpi", "tgamma",
    "y0", "y1", "yn",
]  # fmt: skip


def _special(function: Callable[[Double], Double]) -> Callable[[Any], tensor]:
    """The function of float32 and float64 values."""
    name = function.__name__

    def wide(x: Any) -> tensor:
        value = operand(x, FLOATS, name)
        return cast(function(Double(value)).value, value.dtype)

    wide.__name__ = wide.__qualname__ = name
    wide.__doc__ = function.__doc__
    return builtin(wide)


erfc = _special(error_functions.erfc)
erfcx = _special(error_functions.erfcx)
erfinv = _special(error_functions.erfinv)
erfcinv = _special(error_functions.erfcinv)
normcdf = _special(error_functions.normcdf)
normcdfinv = _special(error_functions.normcdfinv)
lgamma, tgamma = _special(gamma.lgamma), _special(gamma.tgamma)
exp10, rcbrt = _special(powers.exp10), _special(powers.rcbrt)
sinpi, cospi = _special(angles.sinpi), _special(angles.cospi)
j0, j1 = _special(bessel.j0), _special(bessel.j1)
y0, y1 = _special(bessel.y0), _special(bessel.y1)
cyl_bessel_i0 = _special(bessel.cyl_bessel_i0)
cyl_bessel_i1 = _special(bessel.cyl_bessel_i1)


@builtin
def jn(n: Any, x: Any) -> tensor:
    """The Bessel function of the first kind of order n, an int32; NaN for negative n."""
    result: tensor = current().inline(orders.jn, [n, x])
    return result


@builtin
def yn(n: Any, x: Any) -> tensor:
    """The Bessel function of the second kind of order n, an int32; NaN for negative n or x."""
    result: tensor = current().inline(orders.yn, [n, x])
    return result


@builtin
def sincospi(x: Any) -> tuple[tensor, tensor]:
    """The sine and the cosine of pi x. CUDA's function; Triton has no such name."""
    value = operand(x, FLOATS, "sincospi")
    sine, cosine = angles.sincospi(Double(value))
    return cast(sine.value, value.dtype), cast(cosine.value, value.dtype)


@builtin
def pow(x: Any, y: Any) -> tensor:
    """`x` to the power of `y`, of floats, or of a float and an int32."""
    exponent = to_tensor(y)
    is_whole = exponent.dtype == int32 and not isinstance(constexpr_value(y), int)
    if is_whole:
        base = operand(x, FLOATS, "pow")
        # A float32 does not hold every int32.
        a, b = promoted(cast(base, float64), cast(exponent, float64), "libdevice.pow")
        return cast(powers.pow(Double(a), Double(b)).value, base.dtype)
    a, b = pair(x, y, "pow")
    if a.dtype == float32:
        return emit("math.powf", [a, b])
    return powers.pow(Double(a), Double(b)).value
