"""Kernels that test products of rows and columns that wrap around by a remainder.

Copies of boxes (TMA) leave out what wraps if nothing sees it. Results are stored with masks that
end where rows wrap, a little before or after it, or anywhere, and as they are, scaled, transposed,
or added up first.
"""

from __future__ import annotations

import random

from epilogues import Epilogues
from kernel import Kernel


class Wraps(Epilogues):
    """Attributes:
    width: The name of a run-time integer, the number of columns of B.
    """

    def begin(self) -> None:
        super().begin()
        self.height = self.number(self.pick(self.rows, self.rows - 3, self.rows + 8, 40, 100, 1))
        self.width = self.number(self.pick(self.columns, self.columns - 8, 40, 100, 33))

    def row_of_a(self) -> str:
        end = self.pick(*[self.height] * 5, f"{self.height} + 1", 64)
        return self.assign(f"(first + m) % {end}" if self.chance(0.9) else "first + m")

    def load_a(self, start: str) -> str:
        """Sometimes with two ends, which are counted from different beginnings."""
        if self.chance(0.75):
            return super().load_a(start)
        rows = self.row_of_a()
        shifted = self.assign(f"{self.pick('pid', self.group)} * {self.height} + {rows}")
        ends = [f"({x} < {self.height})[:, None]" for x in (shifted, rows)]
        mask = " & ".join(ends if self.chance(0.5) else ends[::-1])
        address = f"{shifted}[:, None] * {self.pitch_a} + (k + {start})[None, :]"
        return f"tl.load({self.a} + {address}, mask={mask}, other=0)"

    def load_b(self, start: str) -> str:
        columns = self.assign(f"n % {self.width}" if self.chance(0.7) else "n")
        ends = self.pick("", "", f", mask=k[:, None] + {start} < {self.length}, other=0")
        base = f"{self.b}{self.head_offset(self.pitch_b)}"
        place = f"(k + {start})[:, None] * {self.pitch_b} + {columns}[None, :]"
        return f"tl.load({base} + {place}{ends})"

    def hidden_rows(self, rows: str) -> str:
        """A condition that is false in rows that wrap, or nearly so."""
        return self.pick(
            *[f"{rows}[:, None] < {self.height}"] * 4,
            f"{rows}[:, None] <= {self.height} - 1",
            f"{self.height} > {rows}[:, None]",
            f"{rows}[:, None] < {self.height} - 3",
            f"{rows}[:, None] < {self.height} + 1",
            f"{rows}[:, None] <= {self.height}",
            f"({rows} % {self.height})[:, None] < {self.height}",
            "m[:, None] >= 0",
        )

    def value(self) -> str:
        text = super().value()
        return self.pick(
            *[text] * 6,
            f"({text} * 2)",
            f"tl.where(m[:, None] + n[None, :] > 9, {text}, 0).to(tl.{self.kind})",
            f"({text} + tl.max({text}, 0)[None, :])",
            f"({text} + tl.max({text}, 1)[:, None])",
            f"tl.flip({text}, 0)",
        )

    def address(self, tile: str) -> tuple[str, str]:
        base = f"pid * 2048 + {tile} * 256" if tile else "pid * 2048"
        rows = self.assign("first + m")
        place = f"({base} + {rows})[:, None] * {self.pitch_d} + n[None, :]"
        columns = self.pick(
            *[f"n[None, :] < {self.width}"] * 4,
            f"n[None, :] < {self.width} + 1",
            f"n[None, :] < {self.columns - 3}",
            "n[None, :] >= 0",
        )
        return place, f", mask=({self.hidden_rows(rows)}) & ({columns})"


def write(rng: random.Random) -> Kernel:
    w = Wraps(rng)
    w.begin()
    if w.chance(0.4):
        w.loop_over_tiles()
    else:
        w.loop()
        w.store("")
    if w.chance(0.2):
        w.end()
    kernel = w.finish()
    kernel.options["num_warps"] = rng.choice([4, 4, 8, 8])
    return kernel
