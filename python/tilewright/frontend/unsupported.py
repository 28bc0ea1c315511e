"""The parts of Python that kernels do not support, each with an alternative."""

from __future__ import annotations

import ast

from tilewright.errors import UnsupportedError

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
