"""Paths of positions in nested tuples, as `triton._utils` has them: (1, 0) is `value[1][0]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Path = tuple[int, ...]


def get_iterable_path(iterable: Any, path: Path) -> Any:
    """The item of nested tuples or lists at a path."""
    for position in path:
        iterable = iterable[position]
    return iterable


def find_paths_if(iterable: Iterable[Any] | Any, pred: Callable[[Path, Any], bool]) -> list[Path]:
    """The paths of the leaves for which `pred(path, leaf)` is true, in order.

    Args:
        iterable: Nested tuples and lists; everything else is a leaf.
        pred: The predicate.
    """
    found: list[Path] = []

    def visit(path: Path, value: Any) -> None:
        if isinstance(value, (tuple, list)):
            for position, item in enumerate(value):
                visit((*path, position), item)
        elif pred(path, value):
            found.append(path)

    visit((), iterable)
    return found
