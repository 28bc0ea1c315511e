"""Maps node types of the syntax tree to their handlers; describes how statements end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from .scope import Scope
from .values import Value

# Exit codes: where control goes when statements exit early. RETURN and END exit the region that is
# being built: a function, or the body of a loop that is not unrolled. An unrolled loop also has one
# code for `break` and one for `continue`, and a long chain of `elif` has a negative code for its
# end.
RETURN, END = 1, 2


def break_code(depth: int) -> int:
    """The exit code of `break` in an unrolled loop at the given nesting depth."""
    return 2 * depth + 3


def continue_code(depth: int) -> int:
    return 2 * depth + 4


@dataclass(frozen=True)
class Exit:
    """Control always exits, with this code; `value` is the returned value."""

    code: int
    value: Value = None
    line: int = 0


@dataclass(frozen=True)
class MayExit:
    """Whether, or where to, control exits is known only at run time.

    Attributes:
        codes: The exit codes that are possible.
        falls_through: Whether control may also fall through.
        exited: The variables if control has exited. The variable `.exit` holds the exit code, or 0
            if control falls through; `.value` holds the returned value, if RETURN is possible.
    """

    codes: frozenset[int]
    falls_through: bool
    exited: Scope


# None: control always falls through.
Outcome: TypeAlias = Exit | MayExit | None


class Rest(Protocol):
    """The statements after the one being visited, which can be moved into one of its branches.

    Attributes:
        may_nest: Whether they can be moved; false if branches are already deeply nested.
        end: The exit code at the end of the block, if no statements are left.
    """

    @property
    def may_nest(self) -> bool: ...

    @property
    def end(self) -> int | None: ...

    def run(self) -> Outcome:
        """Visits the statements. If they nest too deeply it may stop before the last one."""
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
