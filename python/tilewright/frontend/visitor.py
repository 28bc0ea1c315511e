"""Visits the body of one function: dispatch, locations and the positions of errors."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tilewright import _core
from tilewright.dependencies import Untrackable
from tilewright.errors import CompileError, ConstantError, UnsupportedError

from .analysis import assigned_names
from .dispatch import EXPRESSIONS, RETURN, STATEMENTS, Exit, Outcome, Rest
from .scope import Scope, Unavailable
from .steps import StepSequence
from .values import Value

if TYPE_CHECKING:
    from .build import ModuleBuild

_NONE = object()


@dataclass(frozen=True)
class LoopContext:
    """The loop around a statement.

    Attributes:
        is_unrolled: Whether it is unrolled.
        is_within_runtime_loop: Whether it, or a loop around it, is not unrolled.
        depth: The number of loops around it.
    """

    is_unrolled: bool
    is_within_runtime_loop: bool
    depth: int


class FunctionVisitor:
    """The state while the body of one function is visited.

    Args:
        build: The module being built.
        fn: The @jit function.
        scope: The values of its parameters.
        is_kernel: Whether it is the kernel, which returns nothing.
        caller_loc: The location of the call, if the body is inlined.
        tree: A syntax tree in place of the function's own.
    """

    def __init__(
        self,
        build: ModuleBuild,
        fn: Any,
        scope: Scope,
        is_kernel: bool = False,
        caller_loc: Any = None,
        tree: ast.FunctionDef | None = None,
    ) -> None:
        self.build = build
        self.context = build.context
        self.ctx = build.context.ctx
        self.builder = build.context.builder
        self.fn = fn
        self.file: str = fn.source_file
        self._lines = linecache.getlines(self.file)
        self.scope = scope
        self.is_kernel = is_kernel
        self.caller_loc = caller_loc
        self.loop: LoopContext | None = None
        self.returns_in_loops = 0  # the statements that exit loops by returning
        self.dropped: ast.expr | None = None  # an expression statement, whose value is not used
        self.tree: ast.FunctionDef = tree or fn.tree()
        self.assigned = frozenset(assigned_names(self.tree.body))
        self.local_names = self.assigned | frozenset(scope.values)
        self.globals: dict[str, Value] = {}  # names of other variables, as they were found
        # Shared with the other visitors of the file, whose functions may be visited several times.
        self._locations: dict[tuple[int, int], Any] = (
            build.locations.setdefault(self.file, {}) if caller_loc is None else {}
        )

    # Visiting

    def run(self) -> Exit:
        """Visits the whole body."""
        outcome = self.visit_block(self.tree.body, RETURN)
        assert isinstance(outcome, Exit)
        return outcome

    def visit_block(self, statements: Sequence[ast.stmt], end: int | None = None) -> Outcome:
        """Visits statements in order; control exits with the code `end` after the last one."""
        steps = [(node, partial(self._visit_statement, node)) for node in statements]
        return StepSequence(self, steps, end).visit()

    def _visit_statement(self, node: ast.stmt, rest: Rest) -> Outcome:
        with self.at(node):
            handler = STATEMENTS.get(type(node))
            if handler is None:
                raise unsupported(node)
            return handler(self, node, rest)

    def visit(self, node: ast.expr) -> Value:
        """The value of an expression."""
        # Half of all nodes are names and constants, which build nothing. These here can't fail.
        if isinstance(node, ast.Name):
            value = self.scope.values.get(node.id, _NONE)
            if value is _NONE:
                value = self.globals.get(node.id, _NONE)
            if value is not _NONE and type(value) is not Unavailable:
                return value
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
            return node.value
        # As `with self.at(node)`, which would take longer.
        builder, build = self.builder, self.build
        loc, place = builder.loc, build.place
        builder.loc, build.place = self.location(node), (self, node)
        try:
            handler = EXPRESSIONS.get(type(node))
            if handler is None:
                raise unsupported(node)
            return handler(self, node)
        except Exception as error:
            if (located := self.located(error, node)) is error:
                raise
            raise located from None
        finally:
            builder.loc, build.place = loc, place

    # Positions

    def location(self, node: ast.AST) -> Any:
        """The IR location of a node, with the call site if the body is inlined."""
        place = (node.lineno, node.col_offset)  # type: ignore[attr-defined]
        loc = self._locations.get(place)
        if loc is None:
            loc = self.ctx.file_loc(self.file, place[0], self.column(node))
            if self.caller_loc is not None:
                loc = self.ctx.call_loc(loc, self.caller_loc)
            self._locations[place] = loc
        return loc

    def column(self, node: ast.AST) -> int:
        """The column in characters, from 1; the syntax tree counts bytes from 0."""
        offset: int = node.col_offset  # type: ignore[attr-defined]
        if offset == 0:
            return 1
        text = self.source_line(node)
        return (
            offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))
        ) + 1

    def source_line(self, node: ast.AST) -> str:
        line: int = node.lineno  # type: ignore[attr-defined]
        return self._lines[line - 1] if 0 < line <= len(self._lines) else ""

    def position(self, node: ast.AST) -> tuple[str, int, int, str]:
        """File, line, column and source line, in the order that errors and notes take them."""
        return self.file, node.lineno, self.column(node), self.source_line(node)  # type: ignore[attr-defined]

    def at(self, node: ast.AST) -> _At:
        """Sets the location of `node` on operations that are built and errors that are raised."""
        return _At(self, node)

    def located(self, error: BaseException, node: ast.AST) -> BaseException:
        """The error to raise in place of one that came up at a node: with its position, if any."""
        if isinstance(error, CompileError):
            error.at(*self.position(node))
            return error
        if isinstance(error, Untrackable):
            found: CompileError = untrackable(error)
        elif isinstance(error, _core.IRError):
            found = CompileError(str(error))
        elif isinstance(error, RecursionError):
            found = CompileError(TOO_DEEP)
        else:
            return error
        return found.at(*self.position(node))

    # Regions

    @contextmanager
    def inserting_at_end(self, block: Any) -> Iterator[None]:
        """Builds at the end of `block`, then restores the insertion point."""
        point = self.builder.insertion_point
        self.builder.set_to_end(block)
        try:
            yield
        finally:
            self.builder.insertion_point = point

    @contextmanager
    def within_loop(self, is_unrolled: bool) -> Iterator[int]:
        """Enters the body of a loop; yields the loop's depth."""
        outer = self.loop
        is_running = not is_unrolled or (outer is not None and outer.is_within_runtime_loop)
        self.loop = LoopContext(is_unrolled, is_running, outer.depth + 1 if outer else 0)
        try:
            yield self.loop.depth
        finally:
            self.loop = outer


class _At:
    """The context of a node. A class, not a generator, because every statement enters one."""

    __slots__ = ("_loc", "_node", "_place", "_visitor")

    def __init__(self, visitor: FunctionVisitor, node: ast.AST) -> None:
        self._visitor, self._node = visitor, node

    def __enter__(self) -> None:
        visitor = self._visitor
        self._loc, self._place = visitor.builder.loc, visitor.build.place
        visitor.builder.loc = visitor.location(self._node)
        visitor.build.place = (visitor, self._node)

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        visitor = self._visitor
        visitor.builder.loc, visitor.build.place = self._loc, self._place
        if error is not None and (located := visitor.located(error, self._node)) is not error:
            raise located from None


TOO_DEEP = "the expression is nested too deeply"


def untrackable(what: Exception) -> ConstantError:
    """The error for a constant whose changes cannot be detected."""
    return ConstantError(
        f"the kernel would depend on {what}, whose value can't be compared with a later one",
        hint="use numbers, strings, dtypes, or tuples and objects of these",
    )


# Python that kernels do not support, with alternatives


_TRY = "check conditions with `if`, or with tl.device_assert and tl.static_assert"
_MATCH = "write a chain of `if` and `elif`"
_DEF = "define it at module level with @tilewright.jit"
_COMPREHENSION = (
    "only lists and tuples can be built; tiles come from tl.arange, tl.zeros and others"
)

_ALTERNATIVES: dict[str, tuple[str, str]] = {
    "FunctionDef": ("a nested function", _DEF),
    "AsyncFunctionDef": ("an async function", _DEF),
    "ClassDef": ("a class definition", "define it at module level"),
    "Lambda": ("`lambda`", _DEF),
    "Try": ("`try`", _TRY),
    "TryStar": ("`try`", _TRY),
    "Raise": ("`raise`", _TRY),
    "Match": ("`match`", _MATCH),
    "With": ("`with`", "move its body out of the statement"),
    "AsyncWith": ("`async with`", "move its body out of the statement"),
    "AsyncFor": ("`async for`", "write an ordinary `for`"),
    "Import": ("`import`", "import at the top of the module"),
    "ImportFrom": ("`import`", "import at the top of the module"),
    "Global": ("`global`", "kernels cannot change globals; pass values as arguments"),
    "Nonlocal": ("`nonlocal`", "return the value and assign it in the caller"),
    "Delete": ("`del`", "remove it; variables need not be deleted"),
    "Dict": ("a dictionary", "write a tuple, or pass the values as separate variables"),
    "Set": ("a set", "write a tuple"),
    "DictComp": ("a dictionary comprehension", _COMPREHENSION),
    "SetComp": ("a set comprehension", _COMPREHENSION),
    "Await": ("`await`", "call the function without it"),
    "Yield": ("`yield`", "return a tuple of values"),
    "YieldFrom": ("`yield from`", "return a tuple of values"),
}


def unsupported(node: ast.AST) -> UnsupportedError:
    """The error for a node that has no handler."""
    kind = type(node).__name__
    what, hint = _ALTERNATIVES.get(kind, (f"the syntax `{kind}`", None))
    return UnsupportedError(f"{what} is not supported in a kernel", hint=hint)
