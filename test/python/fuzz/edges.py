"""Masks of tiles of two dimensions, whose conditions vary along one dimension each."""

from __future__ import annotations

import dataclasses
from typing import Any

from writer import Writer


@dataclasses.dataclass(frozen=True)
class Index:
    """The index along a dimension, of shape (size, 1) or (1, size).

    Attributes:
        limits: Numbers that it is compared with.
    """

    text: str
    size: int
    limits: tuple[Any, ...] = ()


def mask(w: Writer, row: Index, column: Index) -> str:
    """A mask; often of a condition of the rows and a constant or constant range of the columns."""
    kind = w.rng.randint(0, 9)
    if kind == 0:
        return _condition(w, row)
    if kind == 1:
        return _condition(w, column)
    if kind == 2:
        row, column = column, row
    if kind == 3:
        return f"({_condition(w, row)}) {w.pick('&', '|')} ({_condition(w, column)})"
    if kind == 4:
        return f"({_condition(w, row)}) & ({_condition(w, row)}) & ({_constant(w, column)})"
    parts = [f"({_condition(w, row)})", f"({_constant(w, column)})"]
    w.rng.shuffle(parts)
    return f" {w.pick('&', '&', '&', '|', '^')} ".join(parts)


def _condition(w: Writer, index: Index) -> str:
    """A condition that varies along the dimension, unless it is one of a scalar."""
    numbers = [*index.limits, *index.limits, index.size, index.size - 1, index.size // 2, 0]
    limit = w.rng.choice(numbers)
    operator = w.pick("<", "<", "<", "<", ">=", "!=", "==")
    scalars = [value.text for value in w.scalars]
    kind = w.rng.randint(0, 7)
    if kind == 0:
        return f"{w.rng.choice(scalars)} {operator} {w.pick(0, 1, 3)}"
    if kind == 1:
        return f"({index.text} {operator} {limit}) & ({w.rng.choice(scalars)} > {w.pick(0, 1)})"
    if kind == 2:
        return f"{limit} {operator} {index.text}"
    if kind == 3:
        return f"{index.text} + {w.rng.choice(scalars)} {operator} {limit}"
    return f"{index.text} {operator} {limit}"


def _constant(w: Writer, index: Index) -> str:
    """A condition that holds on a range of the dimension that is known at compile time."""
    low, high = sorted(w.rng.randint(0, index.size) for _ in range(2))
    everywhere = f"{index.text} {w.pick('>= 0', f'< {index.size}')}"
    shape = f"({index.size}, 1)" if "[:, None]" in index.text else f"(1, {index.size})"
    return str(w.pick(
        f"tl.full({shape}, {w.pick(0, 1, 1)}, tl.int1)",
        everywhere, everywhere,
        f"{index.text} < {high}", f"{index.text} >= {low}", f"{low} <= {index.text}",
        f"({index.text} >= {low}) & ({index.text} < {high})",
        f"({index.text} < {low}) | ({index.text} >= {high})",
        f"{index.text} != {low}",
    ))  # fmt: skip
