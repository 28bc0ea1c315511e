"""Which function handles which node of the syntax tree, and how statements end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from .values import Value

# Where control goes from statements that it leaves other than at their end. RETURN and END leave
# the region that is being built: a function, or the body of a loop that runs. A loop that is
# unrolled has a code for `break` and one for `continue` besides.
RETURN, END = 1, 2


def break_code(depth: int) -> int:
    """The code of `break` in the unrolled loop that so many loops are around."""
    return 2 * depth + 3


def continue_code(depth: int) -> int:
    return 2 * depth + 4


@dataclass(frozen=True)
class Exit:
    """Control always leaves, with one code; `value` is what is returned."""

    code: int
    value: Value = None
    line: int = 0


@dataclass(frozen=True)
class Maybe:
    """How control goes on is known at run time only: the variable `.exit` holds the code.

    It is 0 where control falls out at the end, which it may do if `falls`. The variable `.value`
    holds what is returned if RETURN is among the codes.
    """

    codes: frozenset[int]
    falls: bool


# None: control always falls out at the end.
Outcome: TypeAlias = Exit | Maybe | None


class Rest:
    """The statements after the one being visited, which a branch may take in.

    Attributes:
        is_used: Whether one did; they are then done.
        is_tail: Whether there are none, and the region ends here too.
    """

    def __init__(self, visit: Callable[[], Outcome], is_tail: bool) -> None:
        self.is_tail = is_tail
        self.is_used = False
        self._visit = visit

    def __call__(self) -> Outcome:
        self.is_used = True
        return self._visit()


EXPRESSIONS: dict[type[ast.AST], Callable[..., Value]] = {}
STATEMENTS: dict[type[ast.AST], Callable[..., Outcome]] = {}

_Handler = TypeVar("_Handler", bound=Callable[..., Any])


def expression(*kinds: type[ast.expr]) -> Callable[[_Handler], _Handler]:
    """Registers `handler(visitor, node) -> Value`."""

    def register(handler: _Handler) -> _Handler:
        EXPRESSIONS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def statement(*kinds: type[ast.stmt]) -> Callable[[_Handler], _Handler]:
    """Registers `handler(visitor, node, rest) -> Outcome`."""

    def register(handler: _Handler) -> _Handler:
        STATEMENTS.update(dict.fromkeys(kinds, handler))
        return handler

    return register
