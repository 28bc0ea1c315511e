"""The values of operands: special values of a dtype among random ones, or those of a range."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from number_formats import FORMATS, Wide, limits, rounded, storage

Shape = tuple[int, ...]


def same_shape(shape: Shape) -> Shape:
    return shape


@dataclass(frozen=True)
class Operand:
    """What a kernel loads.

    Attributes:
        low, high: The range of the values; without it they are all of the dtype's, among them
            infinity, NaN, the extremes, denormal numbers and zeros of both signs.
        dtype: That of the operand; by default the dtype for which the operation is tested.
        shape: Its shape, from that of the case.
        zero: Whether it may be zero.
        whole: Whether floats are integers.
        like: The number of an earlier operand whose value some elements repeat.
    """

    low: float | None = None
    high: float | None = None
    dtype: str | None = None
    shape: Callable[[Shape], Shape] = same_shape
    zero: bool = True
    whole: bool = False
    like: int | None = None

    def values(self, dtype: str, shape: Shape, rng: np.random.Generator) -> Wide:
        """Random values of an array of the operand's dtype and shape."""
        element, sizes = self.dtype or dtype, self.shape(shape)
        if element in FORMATS:
            found = self._floats(element, sizes, rng)
        else:
            found = self._integers(element, sizes, rng)
        if not self.zero:
            found[found == 0] = 1
        return found

    def _integers(self, dtype: str, shape: Shape, rng: np.random.Generator) -> Wide:
        if dtype == "int1":
            return rng.integers(0, 2, shape).astype(bool)
        low, high = limits(storage(dtype).name)
        whole_range = self.low is None
        if not whole_range:
            low, high = max(low, int(self.low or 0)), min(high, int(self.high or 0))
        found = rng.integers(low, high, shape, dtype=storage(dtype), endpoint=True)
        if whole_range:
            edges = np.array([0, 1, low, high, high // 2, low + 1, high - 1], dtype=object)
            return _mixed(found.astype(object), edges, rng)
        return found.astype(object)

    def _floats(self, dtype: str, shape: Shape, rng: np.random.Generator) -> Wide:
        if self.low is not None:
            found = rng.uniform(self.low, self.high, shape)
            return rounded(np.rint(found) if self.whole else found, dtype)
        size = rng.choice([0.01, 1.0, 1.0, 30.0], shape)
        found = rounded(rng.standard_normal(shape) * size, dtype)
        return _mixed(found, specials(dtype), rng)


def _mixed(values: Wide, edges: Wide, rng: np.random.Generator) -> Wide:
    """A third of the values replaced by special ones."""
    return np.where(rng.random(values.shape) < 0.33, rng.choice(edges, values.shape), values)


def specials(dtype: str) -> Wide:
    """The values of a float format at which code goes wrong."""
    form = FORMATS[dtype]
    normal = np.ldexp(np.longdouble(1), form.smallest)
    tiny = np.ldexp(normal, 1 - form.digits)
    numbers = [0, 1, 0.5, 1.5, 2, 3, form.greatest, normal, tiny, normal - tiny, normal + tiny]
    signed = np.array([*numbers, *(-number for number in numbers)], np.longdouble)
    signed[len(numbers)] = -0.0 if form.has_negative_zero else 0.0
    others = [np.nan, np.inf, -np.inf] if form.has_infinity else [np.nan]
    return np.concatenate([signed, np.array(others, np.longdouble)])


def generate(operands: tuple[Operand, ...], name: str, dtype: str, shape: Shape) -> list[Wide]:
    """The operands' values, the same in every run."""
    seed = zlib.crc32(f"{name} {dtype} {shape}".encode())
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    for operand in operands:
        values = operand.values(dtype, shape, rng)
        if operand.like is not None:
            values = np.where(rng.random(values.shape) < 0.3, found[operand.like], values)
        found.append(values)
    return found
