"""Which function handles which node of the syntax tree, and how statements end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from .scope import Scope
from .values import Value

# Where control goes from statements that it leaves other than at their end. RETURN and END leave
# the region that is being built: a function, or the body of a loop that runs. A loop that is
# unrolled has a code for `break` and one for `continue` besides, and a long chain of `elif` a
# negative one for its end.
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
class MayExit:
    """Where control goes on is known at run time only.

    Attributes:
        codes: Those with which it may have left.
        falls_through: Whether it may also fall through at the end.
        exited: The variables where it has left. Among them `.exit` holds the code, and 0 where
            control falls through; `.value` what is returned, if RETURN is among the codes.
    """

    codes: frozenset[int]
    falls_through: bool
    exited: Scope


# None: control always falls through at the end.
Outcome: TypeAlias = Exit | MayExit | None


class Rest(Protocol):
    """The statements after the one being visited, which a branch may take in.

    Attributes:
        may_nest: Whether it may; not where branches are nested deeply already.
        end: If there are none: the code with which control leaves at the end of the block.
    """

    @property
    def may_nest(self) -> bool: ...

    @property
    def end(self) -> int | None: ...

    def run(self) -> Outcome:
        """Visits them, which are then done; control may fall through before all are."""
        ...


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
