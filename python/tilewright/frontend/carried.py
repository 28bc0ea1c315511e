"""The variables that a loop carries from one iteration to the next, and those that it loses."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from tilewright.errors import LoopTypeError

from .analysis import assigned_names, names_of_inner_loops
from .scope import Unavailable
from .values import Value, describe, is_tensor, leaves, materialize, same_type, with_handles
from .visitor import FunctionVisitor


class Carried:
    """The loop-carried variables: names that the body assigns and that hold tensors before it.

    Args:
        v: The visitor, at the position before the loop.
        node: The loop.
        keyword: "for" or "while".
        body: The nodes whose assignments count.
        hidden: Variables that the compiler adds.
        targets: Names that the loop itself binds, with their types. If the type before the loop
            differs, the variable is unavailable after it. So is a constant, such as the last index
            of an unrolled loop, that the body replaces only by indices of its own loops.
    """

    def __init__(
        self,
        v: FunctionVisitor,
        node: ast.For | ast.While,
        keyword: str,
        body: Sequence[ast.AST],
        hidden: Sequence[str],
        targets: Mapping[str, Any] | None = None,
    ) -> None:
        self.v, self.node, self.keyword = v, node, keyword
        self.before = v.scope
        self.assigned = [*assigned_names(body), *hidden]
        self.body = body
        self.lost = {
            name
            for name, type in (targets or {}).items()
            if v.scope.is_defined(name) and getattr(v.scope.values[name], "type", None) != type
        }
        self.names = [
            name
            for name in self.assigned
            if v.scope.is_defined(name) and name not in self.lost and leaves(v.scope.values[name])
        ]
        self.handles = [leaf.handle for name in self.names for leaf in leaves(v.scope.values[name])]
        self.types = [handle.type for handle in self.handles]

    def enter(self, handles: Sequence[Any]) -> None:
        """Starts the body in a copy of the scope, with the carried variables' new handles."""
        self.v.scope = self.before.copy()
        self.rebind(handles)

    def rebind(self, handles: Sequence[Any]) -> None:
        """Gives the carried variables new handles of the same types."""
        remaining = iter(handles)
        for name in self.names:
            value = with_handles(self.before.values[name], remaining)
            self.v.scope.set(name, value, self.before.lines[name])

    def collect(self) -> list[Any]:
        """The carried variables' handles at the end of the body.

        Raises:
            LoopTypeError: The type of one differs from that before the loop.
        """
        handles: list[Any] = []
        for name in self.assigned:
            if name not in self.before.values or name in self.lost:
                continue
            before, after = self.before.values[name], self.v.scope.values[name]
            if isinstance(before, Unavailable) or (after is before and name not in self.names):
                continue
            after = after if isinstance(after, Unavailable) else materialize(after)
            if isinstance(after, Unavailable) or not same_type(before, after):
                if not leaves(before) and name in names_of_inner_loops(self.body):
                    self.lost.add(name)
                    continue
                raise self._changed(name, before, after)
            handles += [leaf.handle for leaf in leaves(after)]
        return handles

    def leave(self, results: Sequence[Any]) -> None:
        """Continues after the loop, whose results are the carried variables.

        Other variables that the body assigns are unavailable after it.
        """
        lines = self.v.scope.lines
        self.v.scope = self.before.copy()
        self.rebind(results)
        for name in self.assigned:
            if name in self.names:
                self.v.scope.lines[name] = lines[name]
            elif name in self.lost or not self.before.is_defined(name):
                self.v.scope.set(name, self._unavailable(), self.node.lineno)

    def _unavailable(self) -> Unavailable:
        return Unavailable(
            f"is assigned only in the `{self.keyword}` loop at line {self.node.lineno}, "
            "which may not run",
            "assign it before the loop",
        )

    def _changed(self, name: str, before: Value, after: Value | Unavailable) -> LoopTypeError:
        lines = self.before.lines[name], self.v.scope.lines[name]
        kinds = (
            f"the variable `{name}` is {describe(before)} before the loop (line {lines[0]}) "
            f"and {describe(after)} at its end (line {lines[1]})"
        )
        if isinstance(after, Unavailable):
            error = LoopTypeError(f"the loop-carried variable `{name}` {after.reason}")
        elif leaves(before):
            conversion = f", or write .to({before.dtype!r})" if is_tensor(before) else ""
            error = LoopTypeError(
                f"{kinds}; a loop cannot change its type",
                hint=f"give it its final type before the loop{conversion}",
            )
        else:
            error = LoopTypeError(
                f"{kinds}; a loop cannot change a constant",
                hint=f"assign `{name}` to another variable before the loop",
            )
        return error.at(self.v.file, lines[1], self._column(name, lines[1]))

    def _column(self, name: str, line: int) -> int | None:
        """The column of the assignment to the name in that line."""
        for node in ast.walk(self.node):
            is_target = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            if is_target and node.id == name and node.lineno == line:  # type: ignore[attr-defined]
                return self.v.column(node)
        return None
