"""Layouts of tiles over the threads of a program, for tests: random layouts, applied to arrays."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

LANE_BITS = 5
Ints = NDArray[np.int64]


def rank(columns: list[int]) -> int:
    basis: list[int] = []
    for column in columns:
        for other in basis:
            column = min(column, column ^ other)
        if column:
            basis.append(column)
    return len(basis)


@dataclass(frozen=True)
class Layout:
    """A layout; a basis is its coordinates packed into one number, first dimension in low bits."""

    shape: tuple[int, ...]
    registers: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...] = ()

    def unpack(self, packed: Ints) -> list[Ints]:
        coordinates = []
        for size in self.shape:
            coordinates.append(packed % size)
            packed = packed // size
        return coordinates

    def elements(self) -> Ints:
        """The packed coordinates of the element in each thread and register."""
        bases = [*self.registers, *self.lanes, *self.warps]
        index = np.arange(1 << len(bases))
        packed = np.zeros_like(index)
        for bit, base in enumerate(bases):
            packed ^= (index >> bit & 1) * base
        return packed.reshape(-1, 1 << len(self.registers))

    def spread(self, tile: NDArray[np.generic]) -> NDArray[np.generic]:
        """The elements of the tile in each thread and register."""
        return np.ascontiguousarray(tile[tuple(self.unpack(self.elements()))])

    def text(self) -> str:
        def bases(packed: tuple[int, ...]) -> str:
            points = zip(*self.unpack(np.array(packed, dtype=np.int64)), strict=True)
            return "[" + ", ".join(str([int(x) for x in point]) for point in points) + "]"

        shape = "x".join(map(str, self.shape))
        return (
            f"#tilegpu.layout<register = {bases(self.registers)}, lane = {bases(self.lanes)}, "
            f"warp = {bases(self.warps)}, block = [] : {shape}>"
        )

    def tensor(self, element: str) -> str:
        return f"tensor<{'x'.join(map(str, self.shape))}x{element}, {self.text()}>"

    def without(self, dim: int) -> Layout:
        """The layout after a reduction; registers that now hold the same value become one."""
        low = int(np.prod(self.shape[:dim], dtype=np.int64))
        size = self.shape[dim]

        def drop(packed: int) -> int:
            return packed % low + packed // (low * size) * low

        registers: list[int] = []
        for base in map(drop, self.registers):
            if rank([*registers, base]) > len(registers):
                registers.append(base)
        shape = self.shape[:dim] + self.shape[dim + 1 :]
        return Layout(
            shape, tuple(registers), tuple(map(drop, self.lanes)), tuple(map(drop, self.warps))
        )


def random_layout(random: Random, shape: tuple[int, ...], swizzled: bool = True) -> Layout:
    """A layout of one warp: each coordinate bit is a register or lane bit; lanes may replicate."""
    bits = int(np.prod(shape)).bit_length() - 1
    bases = [1 << bit for bit in range(bits)]
    random.shuffle(bases)
    registers = max(bits - LANE_BITS, random.randint(0, bits))
    lanes = bases[registers:] + [0] * (LANE_BITS - bits + registers)
    random.shuffle(lanes)
    for _ in range(random.randint(0, 4) if swizzled else 0):
        lane, other = random.sample(range(LANE_BITS + registers), 2)
        if lane < LANE_BITS:
            lanes[lane] ^= [*lanes, *bases[:registers]][other]
    return Layout(shape, tuple(bases[:registers]), tuple(lanes))
