"""Sequences of statements, or of the iterations of an unrolled loop, of which some may exit.

The steps after one that may have exited are guarded (joins.py). Up to MAX_NESTED guards are nested,
so that after an exit only the outermost one is evaluated; the next guards follow after these rather
than inside. The compiler's recursion and the depth of the IR are therefore independent of the
number of steps:

    a()   # may exit               %x = scf.if ... a              // .exit
    b()   # may exit               %y = scf.if %x == 0 { b } else { yield %x }
    c()                            scf.if %y == 0 { c }
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeGuard

from .dispatch import Exit, MayExit, Outcome, Rest
from .joins import guard

if TYPE_CHECKING:
    from .visitor import FunctionVisitor

Step = Callable[[Rest], Outcome]

# The maximum nesting depth of guards, and of the branches of a chain of `elif`.
MAX_NESTED = 16


class StepSequence:
    """Steps, each visited once, in order. A step receives the sequence as its `Rest`.

    Args:
        v: The visitor.
        steps: The steps, each with the statement that error messages refer to.
        end: The exit code after the last step, or None to fall through.
    """

    def __init__(
        self,
        v: FunctionVisitor,
        steps: Sequence[tuple[ast.stmt, Step]],
        end: int | None = None,
    ) -> None:
        self.v = v
        self._steps = steps
        self._end = end
        self._next = 0
        self._has_ended = end is None

    @property
    def may_nest(self) -> bool:
        return self.v.build.nested_guards < MAX_NESTED

    @property
    def end(self) -> int | None:
        return self._end if self._next == len(self._steps) else None

    def visit(self) -> Outcome:
        """Visits all steps."""
        outcome = self.run()
        while self._has_unvisited_steps(outcome):
            outcome = self._guard(outcome)
        return outcome

    def run(self) -> Outcome:
        """Visits steps with nested guards; stops before the last step if they nest too deeply."""
        self.v.build.nested_guards += 1
        try:
            outcome = self._advance()
            if self._has_unvisited_steps(outcome) and self.may_nest:
                return self._guard(outcome)
            return outcome
        finally:
            self.v.build.nested_guards -= 1

    def _has_unvisited_steps(self, outcome: Outcome) -> TypeGuard[MayExit]:
        return isinstance(outcome, MayExit) and outcome.falls_through and not self._is_done

    def _guard(self, outcome: MayExit) -> Outcome:
        return guard(self.v, self._steps[self._next - 1][0], outcome, self.run)

    @property
    def _is_done(self) -> bool:
        return self._next == len(self._steps) and self._has_ended

    def _advance(self) -> Outcome:
        """Visits steps up to and including the first one that may exit."""
        while self._next < len(self._steps):
            _, step = self._steps[self._next]
            self._next += 1
            outcome = step(self)
            if outcome is not None:
                return outcome
        if self._has_ended:
            return None
        assert self._end is not None
        self._has_ended = True
        return Exit(self._end)
