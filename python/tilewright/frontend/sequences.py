"""Statements, or the iterations of an unrolled loop, one after the other, until control leaves.

What follows a step that control may have left is guarded. A few guards are nested in each other, so
that control that has left meets only the first of them; then come the next few, beside them. So
neither the compiler's recursion nor the depth of the IR grows with the number of steps:

    a()   # may leave              %x = scf.if ... a              // .exit
    b()   # may leave              %y = scf.if %x == 0 { b } else { yield %x }
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

# How many guards are nested in each other, and how many branches of a chain of `elif`.
MAX_NESTED = 16


class StepSequence:
    """Steps that are visited once, in order; while one is, it is the rest of it.

    Args:
        v: The visitor.
        steps: Each with the statement that messages name.
        end: The code with which control leaves after the last one.
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
        while self._goes_on(outcome):
            outcome = self._guard(outcome)
        return outcome

    def run(self) -> Outcome:
        """Visits steps, nested in what stands around them, and not all if they nest too deeply."""
        self.v.build.nested_guards += 1
        try:
            outcome = self._advance()
            if self._goes_on(outcome) and self.may_nest:
                return self._guard(outcome)
            return outcome
        finally:
            self.v.build.nested_guards -= 1

    def _goes_on(self, outcome: Outcome) -> TypeGuard[MayExit]:
        return isinstance(outcome, MayExit) and outcome.falls_through and not self._is_done

    def _guard(self, outcome: MayExit) -> Outcome:
        return guard(self.v, self._steps[self._next - 1][0], outcome, self.run)

    @property
    def _is_done(self) -> bool:
        return self._next == len(self._steps) and self._has_ended

    def _advance(self) -> Outcome:
        """Visits steps until control may have left."""
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
