"""Loads, stores, block pointers, descriptors and atomics in NumPy."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
from oracle import cast, state, where
from tiles import DType, Tile, lift


def load(
    pointer: Any,
    mask: Any = None,
    other: Any = None,
    boundary_check: Any = (),
    padding_option: str = "zero",
    **hints: Any,
) -> Tile:
    if isinstance(pointer, Window):
        return pointer.read(boundary_check, padding_option or "zero")
    element = DType(pointer.dtype[1:])
    operands = [pointer.value, True if mask is None else lift(mask).value]
    filler = cast(0 if other is None else other, element)
    shape = np.broadcast_shapes(*(np.shape(x) for x in operands), filler.shape)
    pointer = pointer.moved(lambda x: np.broadcast_to(x, shape))
    chosen = np.broadcast_to(operands[1], shape)
    return where(Tile("int1", chosen), state.memory.read(pointer, chosen), filler)


def store(
    pointer: Any, value: Any, mask: Any = None, boundary_check: Any = (), **hints: Any
) -> None:
    if isinstance(pointer, Window):
        return pointer.write(value, boundary_check)
    element = DType(pointer.dtype[1:])
    shape = pointer.shape
    stored = cast(value, element).moved(lambda x: np.broadcast_to(x, shape))
    chosen = np.broadcast_to(True if mask is None else lift(mask).value, shape)
    state.memory.write(pointer, stored, chosen)


class Window:
    """A block pointer, or the place of a tile that a descriptor accesses."""

    def __init__(
        self, base: Tile, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any = ()
    ) -> None:
        self.base, self.block_shape = base, block_shape
        self.shape, self.strides, self.offsets = (
            [int(lift(x).full) for x in values] for values in (shape, strides, offsets)
        )

    def advanced(self, offsets: Any) -> Window:
        moved = [a + int(lift(b).full) for a, b in zip(self.offsets, offsets, strict=True)]
        return Window(self.base, self.shape, self.strides, moved, self.block_shape)

    advance = advanced

    def _places(self, checked: Any) -> tuple[Tile, Tile]:
        indices = np.indices(self.block_shape)
        at = [i + offset for i, offset in zip(indices, self.offsets, strict=True)]
        inside = np.full(self.block_shape, True)
        for dim in checked:
            inside &= (at[dim] >= 0) & (at[dim] < self.shape[dim])
        number = builtins.sum(i * stride for i, stride in zip(at, self.strides, strict=True))
        return self.base + Tile("int64", number), Tile("int1", inside)

    def read(self, checked: Any, padding_option: str = "zero") -> Tile:
        pointers, inside = self._places(checked)
        return load(pointers, inside, np.nan if padding_option == "nan" else 0)

    def write(self, value: Any, checked: Any) -> None:
        pointers, inside = self._places(checked)
        store(pointers, value, inside)


make_block_ptr = Window


def advance(window: Window, offsets: Any) -> Window:
    return window.advanced(offsets)


class make_tensor_descriptor:
    def __init__(
        self, base: Tile, shape: Any, strides: Any, block_shape: Any, padding_option: str = "zero"
    ) -> None:
        self.array, self.block_shape = (base, shape, strides), block_shape
        self.padding = padding_option

    def _at(self, offsets: Any) -> Window:
        return Window(*self.array, offsets, self.block_shape)

    def load(self, offsets: Any) -> Tile:
        return self._at(offsets).read(range(len(self.block_shape)), self.padding)

    def store(self, offsets: Any, value: Any) -> None:
        self._at(offsets).write(value, range(len(self.block_shape)))


def _atomic(function: Any, pointer: Tile, value: Any, mask: Any) -> Tile:
    """Processes elements in order. The real order, which decides the old values, is unspecified."""
    chosen = np.broadcast_to(True if mask is None else lift(mask).value, pointer.shape)
    operand = cast(value, pointer.dtype[1:]).moved(lambda x: np.broadcast_to(x, pointer.shape))
    old = np.zeros(pointer.shape, operand.dtype.stored)
    for index in np.ndindex(pointer.shape):
        if chosen[index]:
            place = pointer.moved(lambda x, index=index: x[index])
            always = np.array(True)
            before = state.memory.read(place, always, atomic=True)
            old[index] = before.value
            with np.errstate(all="ignore"):
                after = before.like(function(before.exact(), operand.exact()[index]))
            state.memory.write(place, after, always, atomic=True)
    return Tile(operand.dtype, old)


def _atomic_function(function: Any) -> Any:
    def apply(pointer: Tile, value: Any, mask: Any = None, **order: Any) -> Tile:
        return _atomic(function, pointer, value, mask)

    return apply


def atomic_cas(pointer: Tile, compare: Any, value: Any, **order: Any) -> Tile:
    always = np.full(pointer.shape, True)
    old = state.memory.read(pointer, always, atomic=True)
    new = where(old == cast(compare, old.dtype), cast(value, old.dtype), old)
    state.memory.write(pointer, new, always, atomic=True)
    return old


def names() -> dict[str, Any]:
    functions = (load, store, advance, make_tensor_descriptor, atomic_cas)
    return {
        **{function.__name__: function for function in functions},
        "make_block_ptr": make_block_ptr,
        "atomic_add": _atomic_function(np.add),
        "atomic_max": _atomic_function(np.maximum),
        "atomic_min": _atomic_function(np.minimum),
        "atomic_and": _atomic_function(np.bitwise_and),
        "atomic_or": _atomic_function(np.bitwise_or),
        "atomic_xor": _atomic_function(np.bitwise_xor),
        "atomic_xchg": _atomic_function(lambda old, new: new),
    }
