"""Maps, and atomic loads and stores, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
from memory import Undefined
from tiles import Tile, lift


def map_elementwise(function: Any, *args: Any, pack: int = 1) -> Any:
    """Calls the function for groups of consecutive elements.

    The language does not specify which elements form a group, so the function must treat all alike.
    """
    given = [lift(x) for x in args]
    shape = np.broadcast_shapes(*(x.shape for x in given))
    flat = [np.broadcast_to(x.exact(), shape).reshape(-1) for x in given]
    count = flat[0].size
    columns: list[list[Tile]] = []
    is_tuple = False
    for start in range(0, count, pack):
        group = [min(start + i, count - 1) for i in range(pack)]
        scalars = [Tile(x.dtype, v[i]) for x, v in zip(given, flat, strict=True) for i in group]
        returned = function(*scalars)
        is_tuple = isinstance(returned, tuple)
        listed = [lift(x) for x in (returned if is_tuple else (returned,))]
        columns = columns or [[] for _ in range(len(listed) // pack)]
        for column, first in zip(columns, range(0, len(listed), pack), strict=True):
            column += listed[first : first + pack]
    tiles = tuple(_tile(column[:count], shape) for column in columns)
    return tiles if is_tuple else tiles[0]


def _tile(column: list[Tile], shape: tuple[int, ...]) -> Tile:
    values = np.array([x.exact() for x in column])
    return Tile(column[0].dtype, values.reshape(shape))


def _chosen(pointer: Tile, mask: Any) -> np.ndarray:
    return np.broadcast_to(True if mask is None else lift(mask).value, pointer.shape)


def atomic_load(pointer: Tile, mask: Any = None, sem: Any = None, scope: Any = None) -> Tile:
    return oracle.state.memory.read(pointer, _chosen(pointer, mask), atomic=True)


def atomic_store(
    pointer: Tile, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> None:
    shape = pointer.shape
    value = oracle.cast(val, pointer.dtype[1:]).moved(lambda x: np.broadcast_to(x, shape))
    oracle.state.memory.write(pointer, value, _chosen(pointer, mask), atomic=True)


def atomic_poll(
    pointer: Tile,
    expected_value: Any,
    sem: Any = None,
    scope: Any = None,
    timeout_ns: Any = None,
) -> Tile:
    """What memory has now; no other program changes it meanwhile."""
    found = oracle.state.memory.read(pointer, np.array(True), atomic=True)
    equal = bool(found.value == oracle.cast(expected_value, found.dtype).value)
    if not equal and timeout_ns is None:
        raise Undefined("a wait for a value that no program stores")
    return Tile("int1", equal)


def names() -> dict[str, Any]:
    functions = (map_elementwise, atomic_load, atomic_store, atomic_poll)
    return {function.__name__: function for function in functions}
