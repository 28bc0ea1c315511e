"""The kernels of helpers.py with variables in a structure, which goes through all control flow.

The tile `v` and the number `i` become parts of `s`, an instance of a registered class with a key;
helpers take and return it. The tile may be inside of a tuple that is itself a part.
"""

from __future__ import annotations

import ast
import random

import helpers
from kernel import Kernel

FLAT = """
@value_class
class Pair:
    def __init__(self, v, i, key=3):
        self.v, self.i, self.key = v, i, key

    def flatten(self):
        return (self.v, self.i), self.key

    @classmethod
    def unflatten(cls, parts, key):
        return cls(*parts, key)
"""

NESTED = """
@value_class
class Pair:
    def __init__(self, v, i):
        self.parts = (i, (v, None))

    @property
    def v(self):
        return self.parts[1][0]

    @property
    def i(self):
        return self.parts[0]

    def flatten(self):
        return (self.parts,), "nested"

    @classmethod
    def unflatten(cls, parts, key):
        made = cls(None, None)
        made.parts = parts[0]
        return made
"""


class _InStructure(ast.NodeTransformer):
    """Rewrites a function."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        for parameter in node.args.args:
            if parameter.arg == "v":
                parameter.arg = "s"
        self.is_defined = any(parameter.arg == "s" for parameter in node.args.args)
        node.body = [
            made for statement in node.body for made in self._statements(self.visit(statement))
        ]
        return node

    def _statements(self, made: ast.AST | list[ast.stmt]) -> list[ast.stmt]:
        return made if isinstance(made, list) else [made]  # type: ignore[list-item]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in ("v", "i"):
            return node
        return ast.Attribute(ast.Name("s", ast.Load()), node.id, ast.Load())

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        node.value = self.visit(node.value)
        target = node.targets[0]
        if isinstance(target, ast.Tuple):  # v, i = helper(value, count)
            call = node.value
            assert isinstance(call, ast.Call)
            call.args[0] = _pair(call.args[0], _part("i"))
            return _assign(call)
        assert isinstance(target, ast.Name)
        if target.id == "i":
            # An assigned number becomes a scalar, as it does without the structure.
            number = ast.Assign([ast.Name("number", ast.Store())], node.value)
            return [number, _assign(_pair(_part("v"), ast.Name("number", ast.Load())))]
        if target.id != "v":
            return node
        if self.is_defined:
            return _assign(_pair(node.value, _part("i")))
        self.is_defined = True
        return _assign(_pair(node.value, ast.Name("pid", ast.Load())))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        target = node.target
        if isinstance(target, ast.Name) and target.id == "i":
            return _assign(
                _pair(_part("v"), ast.BinOp(_part("i"), node.op, self.visit(node.value)))
            )
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if isinstance(node.value, ast.Tuple):
            value, count = (self.visit(item) for item in node.value.elts)
            node.value = _pair(value, count)
        return node


def _part(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("s", ast.Load()), name, ast.Load())


def _pair(value: ast.expr, count: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("Pair", ast.Load()), [value, count], [])


def _assign(value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name("s", ast.Store())], value)


def write(rng: random.Random) -> Kernel:
    kernel = helpers.write(rng)
    tree = ast.parse(kernel.source)
    body: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node = _InStructure().visit(node)
        body.append(ast.unparse(ast.fix_missing_locations(node)))
    imports, functions = body[:2], body[2:]
    parts = [*imports, "from tilewright.language.value import value_class"]
    parts += [rng.choice([FLAT, NESTED]), *functions]
    kernel.source = "\n\n".join(parts) + "\n"
    return kernel
