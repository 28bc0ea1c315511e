"""Which function handles which node of the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar

from .values import Value


class ExitKind(Enum):
    """How control leaves a list of statements.

    RETURN and END leave the region that is being built, a function or the body of a loop that runs.
    BREAK and CONTINUE go on elsewhere in it, as their loop is unrolled.
    """

    RETURN = auto()
    BREAK = auto()
    CONTINUE = auto()
    END = auto()


@dataclass(frozen=True)
class Exit:
    """How control left a list of statements, where it did not fall out at the end."""

    kind: ExitKind
    value: Value = None
    line: int = 0


# What runs after a statement up to the end of the region: needed where a branch may jump, so that
# the other branch takes in the rest. Never falls through.
Rest = Callable[[], Exit]

EXPRESSIONS: dict[type[ast.AST], Callable[..., Value]] = {}
STATEMENTS: dict[type[ast.AST], Callable[..., Exit | None]] = {}

_Handler = TypeVar("_Handler", bound=Callable[..., Any])


def expression(*kinds: type[ast.expr]) -> Callable[[_Handler], _Handler]:
    """Registers `handler(visitor, node) -> Value`."""

    def register(handler: _Handler) -> _Handler:
        EXPRESSIONS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def statement(*kinds: type[ast.stmt]) -> Callable[[_Handler], _Handler]:
    """Registers `handler(visitor, node, rest) -> Exit | None`."""

    def register(handler: _Handler) -> _Handler:
        STATEMENTS.update(dict.fromkeys(kinds, handler))
        return handler

    return register
