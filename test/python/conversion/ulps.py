"""Errors in units in the last place, and inputs that cover single precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Doubles = NDArray[np.float64]

SIZES = [0.0, np.inf, 1, 2, 0.5, 3, 1.5, 1e-45, 1e-38, 1.17549435e-38, 3.4e38, 1e-10, 1e5, 1e30]
EDGES = [np.nan, 88.72284, -103.97, 65536, 16777216, 8388609.0]
SPECIALS = np.array([*SIZES, *(-size for size in SIZES), *EDGES], dtype=np.float32)

REFERENCES: dict[str, Callable[..., Doubles]] = {
    "cos": np.cos,
    "erf": lambda x: np.frompyfunc(math.erf, 1, 1)(x).astype(np.float64),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "powf": np.power,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "sqrt": np.sqrt,
    "sqrt_rn": np.sqrt,
    "tanh": np.tanh,
}
BINARY = {"powf"}


def errors(got: Floats, reference: Floats) -> Floats:
    """|got - reference| in ulps of the float at the reference (denormals have the ulp of the
    smallest normal number); the reference is of a wider type. Infinity counts as the float that
    would follow the largest one. A NaN on one side only, or a zero of the wrong sign, is an
    infinite error."""
    info = np.finfo(got.dtype)
    with np.errstate(all="ignore"):
        rounded = reference.astype(got.dtype)
        beyond = np.exp2(reference.dtype.type(info.maxexp))
        value = np.clip(got.astype(reference.dtype), -beyond, beyond)
        exact = np.clip(reference, -beyond, beyond)
        _, exponent = np.frexp(exact)
        exponent = np.clip(exponent - 1, info.minexp, info.maxexp - 1)
        error = np.abs(value - exact) / np.exp2((exponent - info.nmant).astype(reference.dtype))
    both_nan = np.isnan(got) & np.isnan(rounded)
    wrong_sign = (got == 0) & (rounded == 0) & (np.signbit(got) != np.signbit(rounded))
    error[both_nan] = 0
    error[np.isnan(error) | wrong_sign] = np.inf
    return error


def stratified(count: int, seed: int) -> Iterator[Floats]:
    """`count` (a power of two) floats in chunks, one from each of `count` equal ranges of the 2^32
    bit patterns, so that every exponent and every leading mantissa bit occurs; special values come
    first."""
    rng = np.random.default_rng(seed)
    chunk, step = min(count, 1 << 21), (1 << 32) // count
    for start in range(0, count, chunk):
        patterns = np.arange(start, start + chunk, dtype=np.uint64) * np.uint64(step)
        patterns += rng.integers(0, step, chunk, dtype=np.uint64)
        values = patterns.astype(np.uint32).view(np.float32)
        if start == 0:
            values[: SPECIALS.size] = SPECIALS
        yield values


def pairs(count: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Bases and exponents: any two floats, those with a finite power, negative bases with integers;
    the first pairs are all pairs of special values."""
    rng = np.random.default_rng(seed)
    for x in stratified(count, seed):
        y = rng.permutation(x)
        half, rest = x.size // 2, x.size - x.size // 2
        x[half:] = np.exp(rng.uniform(-20, 20, rest))
        size = np.maximum(np.abs(np.log2(x[half:].astype(np.float64))), 1e-3)
        y[half:] = rng.uniform(-1, 1, rest) * 140 / size
        x[half + rest // 2 :] *= -1
        y[half + rest // 2 :] = np.round(y[half + rest // 2 :])
        base, exponent = np.meshgrid(SPECIALS, SPECIALS)
        x[: base.size], y[: base.size] = base.ravel(), exponent.ravel()
        yield x, y


def inputs(name: str, count: int, seed: int) -> Iterator[tuple[Floats, ...]]:
    return pairs(count, seed) if name in BINARY else ((x,) for x in stratified(count, seed))


def worst(
    name: str, run: Callable[..., Floats], count: int, seed: int
) -> tuple[float, list[float]]:
    """The largest error of `run` over `count` inputs, and the input where it occurs."""
    most, where = -1.0, [0.0]
    for arguments in inputs(name, count, seed):
        with np.errstate(all="ignore"):
            reference = REFERENCES[name](*[x.astype(np.float64) for x in arguments])
        error = errors(run(*arguments), reference)
        index = int(error.argmax())
        if error[index] > most:
            most, where = float(error[index]), [float(x[index]) for x in arguments]
    return most, where


def doubles(count: int, seed: int) -> Doubles:
    """Half from all bit patterns, a quarter of moderate size and a quarter around one; `count` is a
    power of two."""
    rng = np.random.default_rng(seed)
    half, quarter = count // 2, count // 4
    step = 2**64 // half
    patterns = np.arange(half, dtype=np.uint64) * np.uint64(step)
    patterns += rng.integers(0, step, half, dtype=np.uint64)
    everyday, small = rng.standard_normal(quarter) * 20, rng.uniform(-2, 2, quarter)
    x = np.concatenate([patterns.view(np.float64), everyday, small])
    x[: SPECIALS.size] = SPECIALS
    return x


def extended(name: str, x: Doubles) -> Floats:
    """The function in x87 extended precision."""
    with np.errstate(all="ignore"):
        wide = x.astype(np.longdouble)
        if name != "erf":
            return np.asarray(REFERENCES[name](wide))
    import mpmath

    with mpmath.workprec(100):
        digits = [mpmath.nstr(mpmath.erf(v), 25) for v in x.tolist()]
    return np.copysign(np.array([np.longdouble(text) for text in digits]), wide)
