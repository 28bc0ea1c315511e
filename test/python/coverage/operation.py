"""A row's worth of the table: how an operation is written, what it takes, and its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from number_formats import DTYPES, Wide
from operands import Operand, Shape

SHAPES: tuple[Shape, ...] = ((128,), (16, 32), (5, 12))
MATRICES: tuple[Shape, ...] = ((8, 16), (16, 32), (5, 12))

# The error that a float result may have, in ulp, from its dtype and whether it is of a GPU.
Bound = Callable[[str, bool], float]


def exact(dtype: str, gpu: bool) -> float:
    """The result is the reference, which is a value of the dtype, bit by bit but for NaN."""
    return 0.0


def nearest(dtype: str, gpu: bool) -> float:
    """The reference, rounded once to the nearest value."""
    return 0.5


def same(dtype: str) -> str:
    """The dtype of results that have that of the operands."""
    return dtype


@dataclass(frozen=True)
class Operation:
    """An operation with one way of writing it; several may have the same name.

    Attributes:
        name: The row of the table.
        code: An expression of the operands `a`, `b`, `c`, of the pointers `a_ptr`, ... to them, of
            the indices `at`, and of {last}, {shape} and {T}, the dtype's name. Several results are
            separated by commas.
        takes: The dtypes for which it is tested.
        reference: The results, or a tuple of them, from the dtype and the operands' values.
        result: The dtype of the results, or a tuple, from the dtype.
        operands: The values of `a`, `b`, `c`.
        bound: The error that is allowed.
        magnitude: The size of intermediate results, from the arguments of `reference`; an ulp is
            at least that of this size.
        shapes: Those of the cases.
        signed_zeros: Whether the sign of a zero is compared.
        flushes: Whether a GPU may take denormal operands and results for zeros.
        skips: The dtypes that are neither tested nor refused.
        unordered: Whether the elements of a result may have any order.
        missing: Why dtypes that Triton takes are refused.
        before: Statements that precede the expression.
        helpers: Functions that the kernel calls.
    """

    name: str
    code: str
    takes: tuple[str, ...]
    reference: Callable[..., Any]
    result: Callable[[str], Any] = same
    operands: tuple[Operand, ...] = (Operand(),)
    bound: Bound = exact
    magnitude: Callable[..., Wide] | None = None
    shapes: tuple[Shape, ...] = SHAPES
    signed_zeros: bool = True
    flushes: bool = False
    unordered: bool = False
    skips: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    before: str = ""
    helpers: str = ""

    @property
    def refuses(self) -> tuple[str, ...]:
        return tuple(dtype for dtype in DTYPES if dtype not in (*self.takes, *self.skips))
