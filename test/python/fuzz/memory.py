"""The memory of a launch, and which program touched what.

`Memory` refuses what has no single right answer: an access outside of the arrays, one address
twice in a store, and two programs of which one writes what the other reads or writes.
"""

from __future__ import annotations

import numpy as np
from tiles import DType, Inexact, Tile, wide_error


class Undefined(Exception):
    """The kernel does something that the language leaves open."""


NOBODY, SEVERAL = -1, -2
_NUMBER = 40  # the bit at which a pointer's array begins


class Memory:
    """Bytes, and of each element the error with which it was written.

    A pointer is the number of its array, and how many bytes it is from the array's first element:
    so what is beyond an array's ends is never taken for another one.

    Attributes:
        arrays: Where each array is: its first byte, that of the element that pointers start from,
            and the end.
        ordered: Programs may touch the same bytes: the kernel's atomics order them.
        touched: Which bytes were accessed.
        written: Which bytes were written.
    """

    def __init__(self, size: int) -> None:
        self.bytes = np.zeros(size, np.uint8)
        self.error = np.full(size, np.nan)  # NaN: exact
        self.arrays: list[tuple[int, int, int]] = []
        self.reader = np.full(size, NOBODY, np.int16)
        self.writer = np.full(size, NOBODY, np.int16)
        self.program = 0
        self.ordered = False

    @property
    def touched(self) -> np.ndarray:
        return (self.reader != NOBODY) | (self.writer != NOBODY)

    def forget_programs(self) -> None:
        """Another launch begins."""
        self.reader[:] = self.writer[:] = NOBODY

    def add_array(self, start: int, origin: int, end: int, dtype: str) -> Tile:
        """A pointer to the element at `origin`."""
        self.arrays.append((start, origin, end))
        return Tile(f"*{dtype}", len(self.arrays) << _NUMBER)

    @property
    def outside(self) -> np.ndarray:
        """Which bytes are in no array."""
        result = np.full(self.bytes.size, True)
        for start, _, end in self.arrays:
            result[start:end] = False
        return result

    def where(self, pointer: Tile, mask: np.ndarray) -> np.ndarray:
        """The places of each element's bytes; 0 where the mask is off."""
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
            raise Undefined("which of several values is stored?")
        self._note_write(places, atomic)
        if value.dtype == "bfloat16":
            raw = (value.value.view(np.uint32) >> 16).astype(np.uint16)
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
        mine = (before == NOBODY) | (before == self.program)
        self.reader[places] = np.where(mine, self.program, SEVERAL)

    def _note_write(self, places: np.ndarray, atomic: bool) -> None:
        if not atomic:
            self._refuse(self.writer[places])
            self._refuse(self.reader[places])
        self.writer[places] = self.program

    def _refuse(self, others: np.ndarray) -> None:
        if not self.ordered and ((others != NOBODY) & (others != self.program)).any():
            raise Undefined("two programs access the same memory")
