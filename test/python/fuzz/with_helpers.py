"""A generator of kernels that also have the statements of a family, and call helper functions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from generate import Generator, Var
from kernel import Kernel
from mixed import written
from operations import OPERATIONS, pick
from tiles import DType

Operations = dict[str, tuple[int, Callable[[Any], None]]]


class WithHelpers(Generator):
    """Attributes:
    prelude: Lines after the imports, each once.
    helpers: The source of the functions, in order.
    """

    def __init__(self, rng: random.Random, operations: Operations, **rest: Any) -> None:
        super().__init__(rng, {**OPERATIONS, **operations}, **rest)
        self.prelude: list[str] = []
        self.helpers: list[str] = []

    def add(self, helper: str) -> None:
        if helper.strip() not in self.helpers:
            self.helpers.append(helper.strip())

    def need(self, line: str) -> None:
        if line not in self.prelude:
            self.prelude.append(line)

    def module(self) -> str:
        imports, body = super().module().split("\n\n\n", 1)
        head = "\n".join([imports, *self.prelude])
        return "\n\n\n".join([head, *self.helpers, body])

    def exact(self, dtypes: list[str], most: int = 1 << 20) -> Var | None:
        """A tile whose elements are exact, of one of the dtypes and of at most `most` elements."""
        return pick(
            self,
            lambda v: (
                v.dtype in dtypes
                and not (self.floating and v.dtype.is_float)
                and math.prod(v.shape) <= most
            ),
        )

    def several(self, targets: list[tuple[str, tuple[int, ...]]], text: str) -> list[Var]:
        """Assigns the items of a tuple to new variables of these types."""
        made = [self.fresh() for _ in targets]
        left = ", ".join(made) + ("," if len(made) == 1 else "")
        self.line(f"{left} = {text}")
        found = [Var(n, DType(t), s) for n, (t, s) in zip(made, targets, strict=True)]
        self.scopes[-1] += found
        return found


def family(
    operations: Operations,
    size: int = 9,
    any_size: float = 0.0,
    generator: type[WithHelpers] = WithHelpers,
) -> Any:
    """A family whose kernels also have these statements; tiles of any size with a probability."""

    def write(rng: random.Random) -> Kernel:
        sizes = rng.random() < any_size
        return written(rng, generator(rng, operations, size=size, any_size=sizes))

    return write
