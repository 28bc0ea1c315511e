"""Rounds rational numbers to floats in every direction, for the tests."""

from fractions import Fraction

import numpy as np

INF = float("inf")


def is_below(value, exact: Fraction) -> bool:
    return value == -INF or (value != INF and Fraction(float(value)) < exact)


def is_above(value, exact: Fraction) -> bool:
    return value == INF or (value != -INF and Fraction(float(value)) > exact)


def rounded(exact: Fraction, dtype, mode: str):
    """`exact`, which is not zero, as a float: "rd" down, "ru" up, "rz" toward zero."""
    down, up = dtype(-INF), dtype(INF)
    limit = Fraction(float(np.finfo(dtype).max))
    if abs(exact) <= limit:
        near = dtype(float(exact))
        down = np.nextafter(near, dtype(-INF)) if is_above(near, exact) else near
        up = np.nextafter(near, dtype(INF)) if is_below(near, exact) else near
    elif exact > 0:
        down = dtype(limit)
    else:
        up = dtype(-limit)
    result = {"rd": down, "ru": up, "rz": down if exact > 0 else up}[mode]
    # A result that underflows has the sign of the exact number.
    return np.copysign(result, dtype(-1 if exact < 0 else 1))
