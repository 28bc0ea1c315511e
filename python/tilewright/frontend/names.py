"""Name resolution: locals, variables of enclosing functions, globals, builtins."""

from __future__ import annotations

import ast
import difflib
import os
from types import FunctionType, ModuleType
from typing import Any

from tilewright.dependencies import MISSING, is_jit_function
from tilewright.errors import LoopTypeError, UndefinedNameError
from tilewright.language import constexpr, dtype
from tilewright.language.value import is_structure_class

from .dispatch import expression
from .python_builtins import BUILTINS
from .scope import Unavailable
from .values import Value
from .visitor import FunctionVisitor


@expression(ast.Name)
def visit_name(v: FunctionVisitor, node: ast.Name) -> Value:
    return resolve(v, node.id)


def resolve(v: FunctionVisitor, name: str) -> Value:
    """The value of a name at the visitor's position."""
    value = v.scope.values.get(name, MISSING)
    if isinstance(value, Unavailable):
        kind = LoopTypeError if value.is_type_conflict else UndefinedNameError
        raise kind(f"`{name}` {value.reason}", hint=value.hint)
    if value is not MISSING:
        return value
    if name in v.local_names:
        raise UndefinedNameError(
            f"the local variable `{name}` is used before it is assigned",
            hint=f"assign `{name}` on every path to this line; an assignment anywhere in the "
            "function makes a name local",
        )
    value = v.build.record.variable(v.fn, name)
    if value is not MISSING:
        return v.globals.setdefault(name, _checked_global(v, name, value))
    found = v.build.record.builtin(name)
    if isinstance(found, type) or (callable(found) and found in BUILTINS):
        return found
    raise _undefined(v, name, found)


def is_builtin(value: Value) -> bool:
    """Whether a value is a function of the language that builds IR."""
    return bool(getattr(value, "__tilewright_builtin__", False)) or is_foreign_builtin(value)


def is_foreign_builtin(value: Value) -> bool:
    """Whether a value is a function that a program marked as one of Triton's builtins."""
    return isinstance(value, FunctionType) and getattr(value, "__triton_builtin__", False) is True


def _checked_global(v: FunctionVisitor, name: str, value: Value) -> Value:
    """Rejects a global that may change after the kernel has been compiled."""
    if isinstance(value, ModuleType) or is_jit_function(value) or is_builtin(value):
        return value
    if not _is_language_object(value):
        if _is_annotated_constexpr(v, name):
            value = constexpr(value)
        elif not os.environ.get("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS"):
            raise _forbidden(name, value)
    return value


def _is_language_object(value: Value) -> bool:
    if isinstance(value, (constexpr, dtype)):
        return True
    if isinstance(value, type) and is_structure_class(value):
        return True
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] == "tilewright"


def _is_annotated_constexpr(v: FunctionVisitor, name: str) -> bool:
    annotation = v.build.record.annotation(v.fn, name)
    if isinstance(annotation, str):
        return annotation.rpartition(".")[2] == "constexpr"
    return annotation is constexpr


def _forbidden(name: str, value: Value) -> UndefinedNameError:
    if callable(value) and not isinstance(value, type):
        return UndefinedNameError(
            f"`{name}` is an ordinary Python function, which a kernel cannot call",
            hint=f"decorate `{name}` with @tilewright.jit",
        )
    return UndefinedNameError(
        f"the global variable `{name}` is not a constant, and could change after the kernel is "
        "compiled",
        hint=f"make it a constant, `{name} = tl.constexpr(...)`, or pass it as an argument",
    )


def _undefined(v: FunctionVisitor, name: str, found: Any) -> UndefinedNameError:
    if found is not MISSING:
        return UndefinedNameError(
            f"the Python builtin `{name}` is not available in a kernel",
            hint="available are " + ", ".join(sorted(f.__name__ for f in BUILTINS)),
        )
    known = {*v.scope.values, *v.local_names, *v.fn.globals, *(f.__name__ for f in BUILTINS)}
    close = difflib.get_close_matches(name, sorted(known), n=2)
    hint = "did you mean " + " or ".join(f"`{other}`" for other in close) + "?" if close else None
    return UndefinedNameError(f"the name `{name}` is not defined", hint=hint)
