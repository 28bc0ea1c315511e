"""Kernels whose tiles come from vectors alone: states of recurrences, exchanges, tables of indices.

No load or store has the shape of such a tile, except at the end of a few kernels. Its operations,
their order and what reads it decide how threads share it. All numbers are small integers, so that
sums of floats are exact.
"""

from __future__ import annotations

import random

from kernel import Kernel
from writer import Writer

SHAPES = [
    (64, 64), (32, 32), (16, 128), (128, 8), (8, 64), (4, 4), (1, 64), (64, 1), (2, 256), (256, 2),
    (64, 16),
]  # fmt: skip
DTYPES = ["float32", "float32", "int32", "int32", "float64", "int64", "int16"]


class States(Writer):
    """Attributes:
    dtype: The type of states.
    arrays: Pointers to vectors, each with more rows than the loop has iterations.
    step: The name of the iteration, or empty outside of loops.
    """

    def begin(self) -> None:
        self.programs = (self.pick(1, 1, 2, 3), 1, 1)
        self.dtype = self.rng.choice(DTYPES)
        self.step = ""
        rows, columns = self.shape
        self.line(f"down = tl.arange(0, {rows})")
        self.line(f"across = tl.arange(0, {columns})")
        kinds = [self.dtype, self.dtype, "int8", "float32" if "f" in self.dtype else "int32"]
        self.arrays = [
            self.array(f"x{k}", self.rng.choice(kinds), "small") for k in range(self.pick(1, 2, 3))
        ]

    def vector(self, axis: int) -> str:
        """An expression along one dimension, of small integers."""
        index, size = (("down", "across")[axis], self.shape[axis])
        start = f"pid * 1024 + {self.step} * {size}" if self.step else "pid * 1024"
        place = f"{self.rng.choice(self.arrays)} + {start} + {index}"
        mask = self.pick("", "", f", mask={index} < {self.pick(1, size - 1, size // 2)}, other=1")
        loaded = f"tl.load({place}{mask}).to(tl.{self.dtype})"
        number = self.pick(1, 2, 3)
        return self.pick(
            loaded, loaded, loaded, f"({loaded} + {number})", f"tl.maximum({loaded}, -{number})",
            f"({index} % {self.pick(2, 3, 5)}).to(tl.{self.dtype})",
        )  # fmt: skip

    def broadcast(self, axis: int | None = None) -> str:
        axis = self.rng.randrange(2) if axis is None else axis
        colons = ("[:, None]", "[None, :]")[axis]
        if self.chance(0.5):
            return f"{self.assign(self.vector(axis))}{colons}"
        return f"({self.vector(axis)}){colons}"

    def table(self) -> str:
        """A tile of indices."""
        form = self.pick(
            "down[:, None] - across[None, :]", "down[:, None] ^ across[None, :]",
            "(down[:, None] * 3 + across[None, :]) % 7", "(down[:, None] >= across[None, :])",
        )  # fmt: skip
        return f"(({form}) & 3).to(tl.{self.dtype})"

    def initial(self) -> str:
        rows, columns = self.shape
        zeros = f"tl.zeros(({rows}, {columns}), tl.{self.dtype})"
        full = f"tl.full(({rows}, {columns}), {self.pick(1, -2, 3)}, tl.{self.dtype})"
        return self.pick(
            zeros, zeros, full, self.table(), f"{self.broadcast(0)} * {self.broadcast(1)}"
        )

    def kept(self, text: str) -> str:
        """The same in a type that does not change, and with numbers that stay small."""
        small = f"tl.minimum(tl.maximum({text}, -50), 50)"
        return f"({small}).to(tl.{self.dtype})"

    def update(self, state: str) -> None:
        product = f"{self.broadcast(0)} * {self.broadcast(1)}"
        change = self.pick(
            f"{state} + {product}", f"{state} + {product}", f"{state} * {self.broadcast()}",
            f"{state} - {self.table()}", f"{state} + {self.broadcast()}",
            f"tl.where({self.broadcast(0)} > {self.broadcast(1)}, {state}, {product})",
            f"tl.where({self.table()} > 0, {product}, {state})",
            f"tl.maximum({state}, {product})",
        )  # fmt: skip
        self.line(f"{state} = {self.kept(change)}")

    def exchange(self, state: str) -> None:
        """The sums of pairs at a distance, brought back to the places of both."""
        rows, columns = self.shape
        distance = self.pick(*(2**k for k in range((rows * columns).bit_length() - 1)))
        shape = f"{rows * columns // (2 * distance)}, 2, {distance}"
        pairs = self.assign(f"tl.reshape({state}, {shape})")
        kind = self.pick("sum", "max", "min")
        one = self.assign(f"tl.{kind}({pairs}, 1)[:, None, :].to(tl.{self.dtype})")
        both = self.assign(f"tl.reshape(tl.broadcast_to({one}, {shape}), {rows}, {columns})")
        form = self.pick(
            f"{both} - {state}", f"tl.where({both} > {state}, {both}, {state})", f"{both} * 1"
        )
        self.line(f"{state} = {self.kept(form)}")

    def read(self, state: str) -> None:
        axis = self.rng.randrange(2)
        rest = (self.shape[1 - axis],)
        weighted = f"{state} * {self.broadcast(axis)}" if self.chance(0.5) else state
        wide = {"int16": "int32"}.get(self.dtype, self.dtype)
        value = self.assign(f"({weighted}).to(tl.{wide})")
        kind = self.pick("sum", "sum", "sum", "max", "min", "argmax", "trans")
        if kind == "argmax":
            self.result(self.assign(f"tl.argmax({value}, {axis})"), "int32", rest, self.step)
        elif kind == "trans":
            total = self.assign(f"tl.sum(tl.trans({value}), {1 - axis})")
            self.result(total, wide, rest, self.step)
        else:
            self.result(self.assign(f"tl.{kind}({value}, {axis})"), wide, rest, self.step)

    def statements(self, states: list[str]) -> None:
        for _ in range(self.pick(1, 2, 2, 3)):
            state = self.rng.choice(states)
            self.pick(self.update, self.update, self.update, self.exchange, self.read)(state)


def write(rng: random.Random) -> Kernel:
    w = States(rng, rng.choice(SHAPES))
    w.begin()
    states = [w.assign(w.initial()) for _ in range(w.pick(1, 1, 2))]
    w.statements(states)
    if w.chance(0.75):
        end = w.number(w.pick(0, 1, 3, 5)) if w.chance(0.6) else w.pick(2, 3)
        with w.block(f"for t in range({end}):"):
            w.step = "t"
            w.statements(states)
            w.read(w.rng.choice(states))
            w.step = ""
    for state in states:
        w.read(state)
        if w.chance(0.15):
            w.result(state, w.dtype)
    return w.finish()
