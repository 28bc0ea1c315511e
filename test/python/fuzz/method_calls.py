"""A generator that writes some calls of functions as those of methods of their first operand."""

from __future__ import annotations

import ast

from execute import METHODS
from with_helpers import WithHelpers


class Calls(WithHelpers):
    """Writes some calls as those of methods of their first operand."""

    def line(self, text: str) -> None:
        super().line(as_method(text) if self.chance(0.4) else text)


def as_method(text: str) -> str:
    """`v = tl.f(x, y)` as `v = x.f(y)`, if x is an expression of tiles."""
    try:
        statement = ast.parse(text).body[0]
    except SyntaxError:  # the head of a block
        return text
    call = getattr(statement, "value", None)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return text
    name = call.func.attr
    if name not in METHODS or ast.unparse(call.func.value) != "tl" or not call.args:
        return text
    first, *rest = call.args
    if not any(isinstance(node, ast.Name) and node.id != "tl" for node in ast.walk(first)):
        return text
    if not isinstance(first, ast.Name | ast.Call | ast.BinOp):
        return text
    call.func, call.args = ast.Attribute(first, name, ast.Load()), rest
    return ast.unparse(statement)
