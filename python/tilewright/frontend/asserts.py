"""`assert`: checked at run time, like tl.device_assert."""

from __future__ import annotations

import ast

import tilewright.language as tl
from tilewright.errors import ConstantError

from .dispatch import Outcome, Rest, statement
from .values import describe, is_constant, truth, unwrap
from .visitor import FunctionVisitor


@statement(ast.Assert)
def visit_assert(v: FunctionVisitor, node: ast.Assert, rest: Rest) -> Outcome:
    condition = v.visit(node.test)
    if is_constant(condition) and truth(condition):
        return None
    message = v.visit(node.msg) if node.msg else ""
    if not is_constant(message):
        raise ConstantError(f"the message of an assert must be constant, found {describe(message)}")
    tl.device_assert(unwrap(condition), str(unwrap(message)))
    return None
