"""scf.if: visits the two branches, then joins their values (see joins.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .scope import Scope
from .values import Value, leaves, materialise, with_handles

if TYPE_CHECKING:
    from .visitor import FunctionVisitor


class Branches:
    """An scf.if whose branches have been visited, each in a copy of its scope.

    For each branch, `outcomes` is the result of visiting it, `initial` has the variables before it
    and `scopes` those at its end. `finish` joins values of the branches and completes the
    operation.
    """

    def __init__(
        self,
        v: FunctionVisitor,
        condition: Value,
        visit_then: Callable[[], Any],
        visit_else: Callable[[], Any],
        initial: tuple[Scope, Scope] | None = None,
    ) -> None:
        self.v = v
        self.condition = condition
        self.initial = initial or (v.scope, v.scope)
        self.op = v.builder.create("scf.if", [condition.handle], types=[], regions=2)
        self.blocks = [self.op.region(i).add_block([], v.builder.loc) for i in range(2)]
        self.outcomes: list[Any] = [None, None]
        self.scopes = [scope.copy() for scope in self.initial]
        self.extend(0, visit_then)
        self.extend(1, visit_else)

    def extend(self, branch: int, visit: Callable[[], Any]) -> None:
        """Visits more statements at the end of a branch; their outcome replaces the branch's."""
        outer, self.v.scope = self.v.scope, self.scopes[branch]
        try:
            with self.v.inserting_at_end(self.blocks[branch]):
                self.outcomes[branch] = visit()
            self.scopes[branch] = self.v.scope
        finally:
            self.v.scope = outer

    def materialised(self, branch: int, value: Value) -> Value:
        """The value with its numbers converted to tensors at the end of the branch."""
        with self.v.inserting_at_end(self.blocks[branch]):
            return materialise(value)

    def finish(self, pairs: list[tuple[Value, Value]]) -> list[Value]:
        """Terminates both branches; each pair of values of one type becomes one result."""
        builder = self.v.builder
        columns = [[leaf.handle for pair in pairs for leaf in leaves(pair[i])] for i in range(2)]
        op = self.op
        if columns[0]:
            types = [handle.type for handle in columns[0]]
            op = builder.create("scf.if", [self.condition.handle], types=types, regions=2)
            for index, block in enumerate(self.blocks):
                op.region(index).add_block([], builder.loc).splice(block)
        elif self.blocks[0].empty and self.blocks[1].empty:
            self.op.erase()
            return [value for value, _ in pairs]
        elif self.blocks[1].empty:
            self.blocks[1].erase()
        for index, handles in enumerate(columns):
            if not op.region(index).empty:
                with self.v.inserting_at_end(op.region(index).block):
                    builder.create("scf.yield", handles, types=[])
        if columns[0]:
            self.op.erase()
        results = iter(op.results)
        return [with_handles(value, results) for value, _ in pairs]
