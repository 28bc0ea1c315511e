"""The memory of a launch, with the programs that have accessed it.

`Memory` rejects accesses whose result is not unique: out-of-bounds accesses, one address twice in a
store, and two programs of which one writes what the other reads or writes.
"""

from __future__ import annotations

import numpy as np
from narrow import decode, encode
from tiles import DType, Inexact, Tile, wide_error


class Undefined(Exception):
    """The kernel does something whose result the language does not define."""


NONE_YET, SEVERAL = -1, -2
_NUMBER = 40  # the lowest bit of the array's number in a pointer


class Memory:
    """Bytes, and for each element the error with which it was written.

    A pointer consists of the number of its array and the offset in bytes from the array's origin,
    so that an out-of-bounds pointer never points into another array.

    Attributes:
        arrays: For each array its first byte, the byte of its origin, and its end.
        ordered: Whether programs may access the same bytes because the kernel's atomics order them.
        touched: The bytes that were accessed.
        written: The bytes that were written.
    """

    def __init__(self, size: int) -> None:
        self.bytes = np.zeros(size, np.uint8)
        self.error = np.full(size, np.nan)  # NaN: exact
        self.arrays: list[tuple[int, int, int]] = []
        self.reader = np.full(size, NONE_YET, np.int16)
        self.writer = np.full(size, NONE_YET, np.int16)
        self.program = 0
        self.ordered = False

    @property
    def touched(self) -> np.ndarray:
        return (self.reader != NONE_YET) | (self.writer != NONE_YET)

    def forget_programs(self) -> None:
        """Forgets which programs accessed memory, before another launch."""
        self.reader[:] = self.writer[:] = NONE_YET

    def add_array(self, start: int, origin: int, end: int, dtype: str) -> Tile:
        """A pointer to the element at `origin`."""
        self.arrays.append((start, origin, end))
        return Tile(f"*{dtype}", len(self.arrays) << _NUMBER)

    @property
    def outside(self) -> np.ndarray:
        """The bytes that are in no array."""
        result = np.full(self.bytes.size, True)
        for start, _, end in self.arrays:
            result[start:end] = False
        return result

    def where(self, pointer: Tile, mask: np.ndarray) -> np.ndarray:
        """The indices of each element's bytes; 0 where the mask is false."""
        element = DType(pointer.dtype[1:])
        size = max(element.bits // 8, 1)
        value = pointer.value + (1 << (_NUMBER - 1))
        number = np.where(mask, value >> _NUMBER, 1)
        if ((number < 1) | (number > len(self.arrays))).any():
            raise Undefined("an access far outside of the arrays")
        start, origin, end = np.moveaxis(np.array(self.arrays, np.int64)[number - 1], -1, 0)
        place = origin + pointer.value - (number << _NUMBER)
        if (mask & ((place < start) | (place + size > end))).any():
            raise Undefined("an access outside of the arrays")
        return np.where(mask, place, 0)[..., None] + np.arange(size)

    def read(self, pointer: Tile, mask: np.ndarray, atomic: bool = False) -> Tile:
        element = DType(pointer.dtype[1:])
        places = self.where(pointer, mask)
        self._note_read(places[mask], atomic)
        raw = np.ascontiguousarray(self.bytes[places])
        if element == "bfloat16":
            value = (raw.view(np.uint16)[..., 0].astype(np.uint32) << 16).view(np.float32)
        elif element.is_float8:
            value = decode(raw[..., 0], element)
        else:
            value = raw.view(np.uint8 if element == "int1" else element.stored)[..., 0]
        error = np.where(mask, self.error[places[..., 0]], np.nan)
        if np.all(np.isnan(error)):
            return Tile(element, value)
        if not element.is_float:
            raise Inexact
        return Tile(element, value, np.nan_to_num(error, posinf=np.inf))

    def write(self, pointer: Tile, value: Tile, mask: np.ndarray, atomic: bool = False) -> None:
        places = self.where(pointer, mask)[mask]
        if len(np.unique(places)) != places.size:
            raise Undefined("a store of several values to one address")
        self._note_write(places, atomic)
        if value.dtype == "bfloat16":
            raw = (value.value.view(np.uint32) >> 16).astype(np.uint16)
        elif value.dtype.is_float8:
            raw = encode(value.value, value.dtype)
        else:
            raw = value.value
        raw = np.ascontiguousarray(raw[mask])
        self.bytes[places] = raw.reshape(-1, 1).view(np.uint8).reshape(places.shape)
        error = wide_error(value) + np.zeros(pointer.shape)
        self.error[places] = np.where(error == 0, np.nan, error)[mask][:, None]

    def _note_read(self, places: np.ndarray, atomic: bool) -> None:
        if not atomic:
            self._refuse(self.writer[places])
        before = self.reader[places]
        mine = (before == NONE_YET) | (before == self.program)
        self.reader[places] = np.where(mine, self.program, SEVERAL)

    def _note_write(self, places: np.ndarray, atomic: bool) -> None:
        if not atomic:
            self._refuse(self.writer[places])
            self._refuse(self.reader[places])
        self.writer[places] = self.program

    def _refuse(self, others: np.ndarray) -> None:
        if not self.ordered and ((others != NONE_YET) & (others != self.program)).any():
            raise Undefined("two programs access the same memory")
