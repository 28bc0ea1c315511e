"""Hints in kernels: checks that they hold, and finds the strongest that would hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from memory import Undefined
from tiles import Tile, lift


class Unknown:
    """The argument of a hint, found by running the kernel: the largest for which it holds.

    Attributes:
        largest: The largest power of two that has held so far.
    """

    largest = 16

    def observe(self, holds: Any) -> None:
        while self.largest > 1 and not holds(self.largest):
            self.largest //= 2


def _hint(holds: Any) -> Any:
    """A function that checks that a hint holds for a scalar or a row."""

    def apply(x: Tile, size: Any) -> Tile:
        values = x.value.astype(np.int64)

        def is_true(count: int) -> bool:
            return count <= max(values.size, 16) and bool(holds(values, count))

        if isinstance(size, Unknown):
            size.observe(is_true)
        elif not is_true(int(size)):
            raise Undefined("a hint that is false")
        return x

    return apply


def _starts(values: np.ndarray, count: int) -> np.ndarray:
    """The first element of each run: a scalar itself, every `count`-th element of a row."""
    return values if values.ndim == 0 else values[::count]


def _runs(values: np.ndarray, count: int) -> np.ndarray | None:
    return None if values.size % count else values.reshape(-1, count)


def _counts_up(values: np.ndarray, count: int) -> bool:
    runs = _runs(values, count)
    return runs is not None and bool((np.diff(runs, axis=1) == 1).all())


def _is_same(values: np.ndarray, count: int) -> bool:
    runs = _runs(values, count)
    return runs is not None and bool((runs == runs[:, :1]).all())


def assume(condition: Any) -> None:
    if not np.all(lift(condition).value):
        raise Undefined("an assumption that is false")


multiple_of = _hint(lambda x, n: (_starts(x, n) % n == 0).all())
max_contiguous = _hint(_counts_up)
max_constancy = _hint(_is_same)
