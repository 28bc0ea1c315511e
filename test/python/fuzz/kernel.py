"""What a family of random kernels makes: source, arguments and launch options."""

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
        fill: What is in it; see contents.py.
        count: How many elements; None: as many as the oracle finds that the kernel touches, at
            positive and negative indices. The parameter `NAME_at` then gets the index of what the
            kernel takes for the first.
        memory: Which memory it is in, from element `start`; of its own if empty.
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
        """Of an element, in bytes."""
        return max(self.dtype.bits // 8, 1)


@dataclasses.dataclass
class Kernel:
    """A module whose function `kernel` has parameters for all buffers, numbers and constants.

    Attributes:
        numbers: Run-time integers.
        constants: Of type `tl.constexpr`.
        hints: Constants that the oracle chooses: the largest with which the hint is true.
        options: Of the launch: `num_warps`, `num_stages`.
        overlaps: (one, other, shift): the one begins `shift` elements after the other.
        ordered: Its atomics order what several programs do to the same memory.
        launches: How often it is launched: what depends on luck shows sooner.
        changes: Statements, one before each launch but the first, in the module's namespace.
        references: Constants that are objects of the module, by the module's names for them.
        outside: It accesses memory outside of its arrays, which shall be reported.
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

    def steps(self) -> list[str]:
        """What is executed before each launch."""
        return ["", *self.changes] if self.changes else [""] * self.launches


Family = Callable[[random.Random], Kernel]


def launch_options(rng: random.Random) -> dict[str, int]:
    """How many warps and stages; the defaults most often."""
    return {
        "num_warps": rng.choice([1, 2, 4, 4, 4, 8, 16]),
        "num_stages": rng.choice([1, 2, 3, 3, 4, 5]),
    }
