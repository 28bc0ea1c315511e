"""Executes a kernel's Python code with the oracle in place of the language."""

from __future__ import annotations

import ast
import itertools
import operator
import types
from collections.abc import Iterator
from typing import Any

import libdevice_calls
import oracle
import oracle_aggregates
import oracle_calls
import oracle_descriptors
import oracle_functions
import oracle_memory
import oracle_random
import oracle_reductions
import registers
from memory import Memory, Undefined
from tiles import DType, Tile, common_type, lift

from tilewright.language import tensor
from tilewright.language.registry import ENTRIES

MOST_STEPS = 20_000
# The functions of a later module replace those of an earlier one.
_ORACLE = (
    oracle, oracle_memory, oracle_reductions, oracle_functions, oracle_random, oracle_calls,
    oracle_descriptors, oracle_aggregates, registers,
)  # fmt: skip
METHODS = ["item", *(entry.name for entry in ENTRIES if hasattr(tensor, entry.name))]


_OF_METHODS = ("staticmethod", "property")


class _AsTheLanguageDoes(ast.NodeTransformer):
    """Rewrites what has another meaning in a kernel than in Python.

    An assigned number becomes a scalar, decorators and imports are removed, and a `while` counts
    its iterations.

    Attributes:
        copies: Whether calls copy instances of aggregates.
    """

    copies = False

    def visit_Import(self, node: ast.Import) -> None:
        return None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        is_kernel = any("jit" in ast.unparse(decorator) for decorator in node.decorator_list)
        if is_kernel:
            for argument in node.args.args:
                argument.annotation = None
            self.generic_visit(node)
        for function in ast.walk(node):
            if isinstance(function, ast.FunctionDef):
                kept = [d for d in function.decorator_list if ast.unparse(d) in _OF_METHODS]
                function.decorator_list = kept
        if is_kernel and self.copies and node.name != "__init__":
            node.decorator_list.append(ast.Name("_called", ast.Load()))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        if any(
            ast.unparse(decorator) == "tilewright.aggregate" for decorator in node.decorator_list
        ):
            self.generic_visit(node)
            node.decorator_list = [ast.Name("_aggregate", ast.Load())]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self.generic_visit(node)
        value = node.value.operand if isinstance(node.value, ast.UnaryOp) else node.value
        if isinstance(value, ast.Constant):
            node.value = _call("_scalar", node.value)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """The operands that may not be evaluated become functions."""
        self.generic_visit(node)
        name = "_both" if isinstance(node.op, ast.And) else "_either"
        result = node.values[-1]
        for operand in reversed(node.values[:-1]):
            later = ast.Lambda(ast.arguments([], [], None, [], [], None, []), result)
            result = _call(name, operand, later)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return _call("_negated", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.test = ast.BoolOp(ast.And(), [_call("_step"), node.test])
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


class _Steps:
    """Limits the number of iterations."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> bool:
        self.count += 1
        if self.count > MOST_STEPS:
            raise Undefined("a loop does not end")
        return True


def _counted(steps: _Steps) -> Any:
    def counted(*bounds: Any, **hints: Any) -> Iterator[Tile]:
        dtype = DType("int32")
        for bound in bounds:
            dtype = common_type(dtype, lift(bound).dtype)
        ends = (operator.index(lift(bound).to(dtype)) for bound in bounds[:2])
        for i in range(*ends, *(operator.index(lift(step)) for step in bounds[2:])):
            steps()
            yield Tile(dtype, i)

    return counted


def _unrolled(*bounds: Any) -> Iterator[int]:
    yield from range(*(operator.index(lift(bound)) for bound in bounds))


def functions(source: str) -> dict[str, Any]:
    """The functions that a module of kernels defines, operating on the oracle's tiles."""
    tree = ast.parse(source)
    translator = _AsTheLanguageDoes()
    translator.copies = "@tilewright.aggregate" in source
    kinds = (ast.Import, ast.FunctionDef, ast.ClassDef)
    body = [translator.visit(node) if isinstance(node, kinds) else node for node in tree.body]
    tree = ast.fix_missing_locations(ast.Module([node for node in body if node], []))
    steps = _Steps()
    language = oracle.Language()
    for module in _ORACLE:
        vars(language).update(module.names())
    language.range, language.static_range = _counted(steps), _unrolled
    language.math = language.core = language
    Tile.methods = {name: f for name, f in vars(language).items() if name in METHODS}
    known = {
        **oracle_functions.python_names(),
        **libdevice_calls.modules(),
        "tl": language,
        "types": types,
        "range": language.range,
        "_scalar": lift,
        "_step": steps,
        "_called": oracle_aggregates.called,
        "_aggregate": oracle_aggregates.aggregate,
    }
    exec(compile(tree, "<kernel on the oracle>", "exec"), known)
    return known


def run(kernel: Any, memory: Memory, grid: tuple[int, int, int], arguments: dict[str, Any]) -> None:
    """Executes all programs of a launch sequentially.

    Args:
        kernel: One of `functions`.
        memory: The memory of the launch.
        grid: The grid.
        arguments: By name: tiles (pointers into `memory`, scalars) and constants.

    Raises:
        Inexact, Undefined: The result is not unique.
    """
    oracle.state.memory, oracle.state.grid = memory, grid
    memory.forget_programs()
    for z, y, x in itertools.product(*(range(size) for size in reversed(grid))):
        oracle.state.program = (x, y, z)
        memory.program = x + grid[0] * (y + grid[1] * z)
        kernel(**arguments)
