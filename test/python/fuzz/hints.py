"""Hints of kernels: that they are true, and how much of them could be."""

from __future__ import annotations

from typing import Any

import numpy as np
from memory import Undefined
from tiles import Tile, lift


class Unknown:
    """A hint's number that is found by running the kernel: the largest that is true.

    Attributes:
        largest: The largest power of two so far.
    """

    largest = 16

    def observe(self, holds: Any) -> None:
        while self.largest > 1 and not holds(self.largest):
            self.largest //= 2


def _hint(holds: Any) -> Any:
    """A function that checks that what a hint says of a scalar or a row holds."""

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
    """The first of each run: of a scalar itself, of a row every `count`-th."""
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
