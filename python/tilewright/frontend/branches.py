"""scf.if: two branches are visited, then their variables and the ways they end are joined.

Branches that end in different ways leave in the variable `.exit` how control goes on, and what
follows them is guarded by it:

    if a:                          %x:2 = scf.if %a -> (i32, i32) {   // .exit and y
        if b:                          %y = scf.if %b { yield 1 } else { yield 0 }
            return                     yield %y, ...
        y = 1                      } else { yield 0, ... }
    f(y)                           %falls = arith.cmpi eq, %x#0, 0
                                   scf.if %falls { f(%x#1) }
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import tilewright.language as tl
from tilewright.errors import TypeMismatchError

from .dispatch import END, RETURN, Exit, Maybe, Outcome, Rest
from .scope import Scope, Unavailable
from .values import (
    Value,
    describe,
    is_constant,
    leaves,
    map_leaves,
    materialise,
    same_constant,
    same_type,
    with_handles,
)

if TYPE_CHECKING:
    from .visitor import FunctionVisitor

EXIT = ".exit"
VALUE = ".value"


class Branches:
    """An scf.if whose branches have been visited, each in a copy of the scope.

    `outcomes` is what visiting each branch gave, `scopes` the variables at its end. `finish` joins
    values of the two and completes the operation.
    """

    def __init__(
        self,
        v: FunctionVisitor,
        condition: Value,
        visit_then: Callable[[], Any],
        visit_else: Callable[[], Any],
    ) -> None:
        self.v = v
        self.condition = condition
        self.before: Scope = v.scope
        self.op = v.builder.create("scf.if", [condition.handle], types=[], regions=2)
        self.blocks = [self.op.region(i).add_block([], v.builder.loc) for i in range(2)]
        self.outcomes: list[Any] = [None, None]
        self.scopes = [self.before.copy(), self.before.copy()]
        self.extend(0, visit_then)
        self.extend(1, visit_else)

    def extend(self, branch: int, visit: Callable[[], Any]) -> None:
        """Visits more at the end of a branch; the outcome becomes the branch's."""
        outer, self.v.scope = self.v.scope, self.scopes[branch]
        try:
            with self.v.inserting_at_end(self.blocks[branch]):
                self.outcomes[branch] = visit()
            self.scopes[branch] = self.v.scope
        finally:
            self.v.scope = outer

    def materialised(self, branch: int, value: Value) -> Value:
        """The value with numbers as tensors, built at the end of the branch."""
        with self.v.inserting_at_end(self.blocks[branch]):
            return materialise(value)

    def needs(self, branch: int, name: str) -> bool:
        """Whether a variable's value at the end of the branch may be read later.

        Not where the function returns, nor at the end of a loop's body if there is no value: the
        loop then carries none.
        """
        outcome = self.outcomes[branch]
        if not isinstance(outcome, (Exit, Maybe)) or _may_fall(outcome):
            return True
        codes = _codes(outcome)
        return not (codes <= {RETURN} or (codes <= {RETURN, END} and not self.has(branch, name)))

    def has(self, branch: int, name: str) -> bool:
        return name in self.scopes[branch].values

    def finish(self, pairs: list[tuple[Value, Value]]) -> list[Value]:
        """Ends both branches; from each pair of values of one type becomes one value."""
        builder = self.v.builder
        columns = [[leaf.handle for pair in pairs for leaf in leaves(pair[i])] for i in range(2)]
        op = self.op
        if columns[0]:
            types = [handle.type for handle in columns[0]]
            op = builder.create("scf.if", [self.condition.handle], types=types, regions=2)
            for index, block in enumerate(self.blocks):
                op.region(index).add_block([], builder.loc).splice(block)
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


def choose(
    v: FunctionVisitor,
    node: ast.stmt,
    condition: Value,
    visit_then: Callable[[], Outcome],
    visit_else: Callable[[], Outcome],
    rest: Rest | None = None,
) -> Outcome:
    """Builds an scf.if of statements.

    Where one branch always leaves and the other never does, that one takes in the `rest`.
    """
    branches = Branches(v, condition, visit_then, visit_else)
    leaving = [isinstance(outcome, Exit) for outcome in branches.outcomes]
    if rest is not None and leaving[0] != leaving[1]:
        staying = leaving.index(False)
        if branches.outcomes[staying] is None:
            branches.extend(staying, rest)
    return _join(branches, node)


def guarded(
    v: FunctionVisitor, node: ast.stmt, outcome: Maybe, visit_rest: Callable[[], Outcome]
) -> Outcome:
    """Builds what follows statements that control may have left."""

    def fall() -> Outcome:
        _forget(v.scope)
        return visit_rest()

    falls = v.scope.values[EXIT] == 0
    return choose(v, node, falls, fall, lambda: _simplified(v, outcome.codes, falls=False))


def arrive(v: FunctionVisitor, outcome: Outcome, code: int) -> Outcome:
    """The outcome where control arrives that left with a code: it falls through from here."""
    if isinstance(outcome, Exit):
        return None if outcome.code == code else outcome
    if outcome is None or code not in outcome.codes:
        return outcome
    codes = outcome.codes - {code}
    if not codes:
        _forget(v.scope)
        return None
    exit = v.scope.values[EXIT]
    v.scope.set(EXIT, tl.where(exit == code, 0, exit), v.scope.lines[EXIT])
    return Maybe(codes, falls=True)


def _forget(scope: Scope) -> None:
    scope.values.pop(EXIT, None)
    scope.values.pop(VALUE, None)


def _simplified(v: FunctionVisitor, codes: frozenset[int], falls: bool) -> Outcome:
    """Maybe, or Exit where there is one way only."""
    if falls or len(codes) > 1:
        return Maybe(codes, falls)
    [code] = codes
    value = v.scope.values.get(VALUE)
    line = v.scope.lines.get(VALUE, 0)
    _forget(v.scope)
    return Exit(code, value, line)


def _join(branches: Branches, node: ast.stmt) -> Outcome:
    """Joins variables and outcomes."""
    v, (first, second) = branches.v, branches.outcomes
    if first is None and second is None:
        join_variables(branches, node)
        return None
    if isinstance(first, Exit) and isinstance(second, Exit) and first.code == second.code:
        if first.code != RETURN:
            join_variables(branches, node)
            return Exit(first.code)
        _check_returned(v, first, second)
        [value] = branches.finish([(first.value, second.value)])
        return Exit(RETURN, value, first.line or second.line)
    codes = frozenset().union(*map(_codes, (first, second)))
    _record_outcomes(branches, codes)
    join_variables(branches, node)
    return _simplified(v, codes, _may_fall(first) or _may_fall(second))


def _may_fall(outcome: Outcome) -> bool:
    return outcome is None or (isinstance(outcome, Maybe) and outcome.falls)


def _codes(outcome: Outcome) -> frozenset[int]:
    if outcome is None:
        return frozenset()
    return frozenset([outcome.code]) if isinstance(outcome, Exit) else outcome.codes


def _record_outcomes(branches: Branches, codes: frozenset[int]) -> None:
    """Gives `.exit`, and `.value` where something is returned, their values in both branches."""
    v = branches.v
    returns = [_returned(branches, i) for i in range(2)]
    specimen = returns[0] or returns[1]
    if returns[0] and returns[1]:
        _check_returned(v, returns[0], returns[1])
    for index, outcome in enumerate(branches.outcomes):

        def record(index: int = index, outcome: Outcome = outcome) -> Outcome:
            if not isinstance(outcome, Maybe):
                code = 0 if outcome is None else outcome.code
                v.scope.set(EXIT, tl.to_tensor(code), 0)
            if specimen is not None:
                mine = returns[index]
                value = _placeholder(specimen.value) if mine is None else mine.value
                v.scope.set(VALUE, value, specimen.line)
            return outcome

        branches.extend(index, record)


def _returned(branches: Branches, index: int) -> Exit | None:
    """What a branch returns, if it may."""
    outcome, scope = branches.outcomes[index], branches.scopes[index]
    if RETURN not in _codes(outcome):
        return None
    if isinstance(outcome, Exit):
        return outcome
    return Exit(RETURN, scope.values[VALUE], scope.lines[VALUE])


def _placeholder(value: Value) -> Value:
    """Any value of the same type, where nothing is returned."""

    def zero(leaf: Any) -> Any:
        number = tl.int64 if leaf.dtype.is_ptr() else leaf.dtype
        zeros = tl.zeros(leaf.shape, number) if leaf.type.is_block() else tl.to_tensor(0).to(number)
        return zeros.to(leaf.dtype)

    return map_leaves(value, zero)


def _check_returned(v: FunctionVisitor, first: Exit, second: Exit) -> None:
    if same_type(first.value, second.value):
        return

    def place(exit: Exit) -> str:
        return f" at line {exit.line}" if exit.line else " at its end"

    raise TypeMismatchError(
        f"`{v.fn.name}` returns {describe(first.value)}{place(first)} "
        f"and {describe(second.value)}{place(second)}",
        hint="every `return` must give the same type; convert with .to(...)",
    )


def join_variables(branches: Branches, node: ast.stmt) -> None:
    """Joins the variables that either branch has changed, and completes the scf.if."""
    scope = branches.v.scope
    first, second = branches.scopes
    changed = dict.fromkeys(
        first.changed_since(branches.before) + second.changed_since(branches.before)
    )
    names, pairs = [], []
    for name in changed:
        pair = _joinable(branches, name, node)
        line = max(first.lines.get(name, 0), second.lines.get(name, 0))
        if isinstance(pair, Unavailable):
            scope.set(name, pair, line)
        elif pair[0] is pair[1] or (is_constant(pair) and same_constant(*pair)):
            scope.set(name, pair[0], line)
        else:
            names.append((name, line))
            pairs.append(pair)
    for (name, line), value in zip(names, branches.finish(pairs), strict=True):
        scope.set(name, value, line)


def _joinable(branches: Branches, name: str, node: ast.stmt) -> tuple[Value, Value] | Unavailable:
    """A variable's values at the ends of the branches, of one type; or why it is lost."""
    values = [_available(branches, i, name, node) for i in range(2)]
    for i in range(2):
        if not branches.needs(i, name) and not isinstance(values[1 - i], Unavailable):
            values[i] = _fitting(branches, i, values)
    first, second = values
    for value in values:
        if isinstance(value, Unavailable):
            return value
    if first is second or (is_constant(values) and same_constant(first, second)):
        return first, second
    first, second = branches.materialised(0, first), branches.materialised(1, second)
    if same_type(first, second):
        return first, second
    lines = [scope.lines[name] for scope in branches.scopes]
    return Unavailable(
        f"has the type {describe(first)} (line {lines[0]}) if the condition at line "
        f"{node.lineno} holds, and {describe(second)} (line {lines[1]}) if not",
        "give it the same type in both branches, with .to(...)",
        is_type_conflict=True,
    )


def _fitting(branches: Branches, index: int, values: list[Value]) -> Value:
    """A branch's value, or any of the other's type if it has none of that type."""
    mine, other = values[index], values[1 - index]
    if not isinstance(mine, Unavailable) and same_type(mine, other):
        return mine
    with branches.v.inserting_at_end(branches.blocks[index]):
        return _placeholder(materialise(other))


def _available(branches: Branches, index: int, name: str, node: ast.stmt) -> Value | Unavailable:
    scope = branches.scopes[index]
    if name in scope.values:
        return scope.values[name]
    return Unavailable(
        f"is assigned in only one branch of the statement at line {node.lineno}",
        "assign it before that statement, or in both branches",
    )
