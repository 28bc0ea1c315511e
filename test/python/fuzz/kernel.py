"""The output of a family of random kernels: source, arguments and launch options."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

from tiles import DType


@dataclasses.dataclass
class Buffer:
    """A pointer argument.

    Attributes:
        fill: Its contents; see contents.py.
        count: The number of elements. If None, the oracle finds which elements the kernel accesses,
            at positive and negative indices, and the parameter `NAME_at` is the index of the
            element that the kernel treats as the first.
        memory: The memory of which it is a part, from element `start`; its own if empty.
        origin: The value of `NAME_at`.
    """

    name: str
    dtype: DType
    fill: str = "any"
    count: int | None = None
    start: int = 0
    memory: str = ""
    origin: int = 0

    @property
    def width(self) -> int:
        """The size of an element in bytes."""
        return max(self.dtype.bits // 8, 1)


@dataclasses.dataclass
class Kernel:
    """A module whose function `kernel` has parameters for all buffers, numbers and constants.

    Attributes:
        numbers: Run-time integers.
        constants: Parameters of type `tl.constexpr`.
        hints: Constants that the oracle chooses: the largest for which the hint holds.
        options: Options of the launch: `num_warps`, `num_stages`.
        overlaps: (one, other, shift): the first starts `shift` elements after the other.
        ordered: Whether its atomics order accesses of several programs to the same memory.
        launches: The number of launches; more of them make nondeterministic failures likelier.
        changes: Statements, executed in the module one before each launch except the first.
        references: Constants that are objects of the module, by their names in the module.
        outside: Whether it accesses memory out of bounds, which must be reported.
        zero_divisors: Whether integer quotients whose divisors are zero have values, those of
            `division_by_zero`.
    """

    source: str
    buffers: list[Buffer]
    numbers: dict[str, int] = dataclasses.field(default_factory=dict)
    constants: dict[str, Any] = dataclasses.field(default_factory=dict)
    hints: list[str] = dataclasses.field(default_factory=list)
    programs: tuple[int, int, int] = (1, 1, 1)
    options: dict[str, int] = dataclasses.field(default_factory=dict)
    overlaps: list[tuple[str, str, int]] = dataclasses.field(default_factory=list)
    ordered: bool = False
    launches: int = 1
    changes: list[str] = dataclasses.field(default_factory=list)
    references: dict[str, str] = dataclasses.field(default_factory=dict)
    outside: bool = False
    zero_divisors: bool = False

    def steps(self) -> list[str]:
        """The statement that is executed before each launch."""
        return ["", *self.changes] if self.changes else [""] * self.launches


Family = Callable[[random.Random], Kernel]


def launch_options(rng: random.Random) -> dict[str, int]:
    """The numbers of warps and stages; most often the defaults."""
    return {
        "num_warps": rng.choice([1, 2, 4, 4, 4, 8, 16]),
        "num_stages": rng.choice([1, 2, 3, 3, 4, 5]),
    }
