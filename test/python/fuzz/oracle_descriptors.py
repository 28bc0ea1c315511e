"""Tensor descriptors in NumPy, with rows that are gathered and atomic methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle_memory
from tiles import Tile, lift


class make_tensor_descriptor(oracle_memory.make_tensor_descriptor):
    def _rows(self, rows: Tile, column: Any) -> tuple[Tile, Tile]:
        base, shape, strides = self.array
        height, width = (int(lift(x)) for x in shape)
        row = rows.exact().astype(np.int64)[:, None]
        place = int(lift(column)) + np.arange(self.block_shape[1])[None, :]
        inside = (row >= 0) & (row < height) & (place >= 0) & (place < width)
        number = row * int(lift(strides[0])) + place * int(lift(strides[1]))
        return base + Tile("int64", number), Tile("int1", inside)

    def gather(self, rows: Tile, column: Any) -> Tile:
        return oracle_memory.load(*self._rows(rows, column), 0)

    def scatter(self, value: Tile, rows: Tile, column: Any) -> None:
        pointers, inside = self._rows(rows, column)
        oracle_memory.store(pointers, value, inside)


def _atomic(name: str) -> Any:
    def apply(self: make_tensor_descriptor, offsets: Any, value: Tile) -> None:
        pointers, inside = self._at(offsets)._places(range(len(self.block_shape)))
        oracle_memory.names()[name](pointers, value, inside)

    return apply


for _name in ("add", "min", "max", "and", "or", "xor"):
    setattr(make_tensor_descriptor, f"atomic_{_name}", _atomic(f"atomic_{_name}"))


def names() -> dict[str, Any]:
    return {"make_tensor_descriptor": make_tensor_descriptor}
