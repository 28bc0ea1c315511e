"""Calls of the language's builtins, of @jit functions, and of Python functions on constants.

`assert` is a call of tl.device_assert.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from functools import partial

import tilewright.language as tl
from tilewright import _core
from tilewright.dependencies import is_jit_function
from tilewright.dependencies.kinds import is_own_thing
from tilewright.errors import (
    CompileError,
    ConstantError,
    TilewrightError,
    TypeMismatchError,
    UnsupportedError,
)
from tilewright.language.formatted_text import FormattedText
from tilewright.language.semantic import Semantic
from tilewright.language.value import is_structure, is_structure_class

from .aggregates import Method, call_method
from .dispatch import Outcome, Rest, expression, statement
from .expressions import visit_items
from .names import is_builtin, is_foreign_builtin
from .python_builtins import BUILTINS, SHALLOW
from .values import (
    Value,
    describe,
    fold_known,
    is_constant,
    is_tensor,
    truth,
    unwrap,
    unwrap_outer,
    use_class,
)
from .visitor import FunctionVisitor


@expression(ast.Call)
def visit_call(v: FunctionVisitor, node: ast.Call) -> Value:
    callee = unwrap_outer(v.visit(node.func))
    args = visit_items(v, node.args)
    kwargs = _keyword_arguments(v, node)
    result = _call(v, node, callee, args, kwargs)
    if node is v.dropped:
        _check_dropped(node, callee.function if isinstance(callee, Method) else callee)
    return result


def _call(
    v: FunctionVisitor,
    node: ast.Call,
    callee: Value,
    args: list[Value],
    kwargs: dict[str, Value],
) -> Value:
    if isinstance(callee, Method):
        return call_method(v, callee, args, kwargs, partial(_guarded, node))
    if is_jit_function(callee):
        return v.context.call(callee, args, kwargs)
    _use(v, callee, [*args, *kwargs.values()])
    return _guarded(node, _implementation(node, callee, args, kwargs), args, kwargs)


def _check_dropped(node: ast.Call, callee: Value) -> None:
    """Raises an error for a function that is called for its result, which is dropped."""
    demand = getattr(callee, "_must_use_result", False)
    if demand is True or isinstance(demand, str):
        raise CompileError(
            f"The result of {ast.unparse(node.func)} is not being used.",
            hint=demand if isinstance(demand, str) else None,
        )


def _use(v: FunctionVisitor, callee: Value, values: list[Value]) -> None:
    """Records what a function that runs at compile time may read."""
    if any(callee is shallow for shallow in SHALLOW):
        return
    if isinstance(callee, type) and is_structure_class(callee):
        use_class(callee)
    is_known = is_own_thing(callee) or is_tensor(getattr(callee, "__self__", None))
    # The language's functions build @jit functions with this front end, which records their reads.
    v.build.record.use((callee, *values), with_functions=not is_known)


def _keyword_arguments(v: FunctionVisitor, node: ast.Call) -> dict[str, Value]:
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise UnsupportedError(
                "`**` in a call is not supported", hint="pass the arguments one by one"
            )
        kwargs[keyword.arg] = v.visit(keyword.value)
    return kwargs


def _implementation(
    node: ast.Call, callee: Value, args: list[Value], kwargs: dict[str, Value]
) -> Callable[..., Value]:
    """The function to run for a callee that is not a @jit function."""
    if not callable(callee):
        raise TypeMismatchError(f"`{ast.unparse(node.func)}` is {describe(callee)}, not a function")
    try:
        builtin = BUILTINS.get(callee)
    except TypeError:
        builtin = None
    if builtin is not None:
        return builtin
    if is_foreign_builtin(callee) or (is_builtin(callee) and _takes_semantic(callee)):
        return _as_foreign_builtin(callee)
    if is_builtin(callee) or _belongs_to_language(callee):
        return callee  # type: ignore[no-any-return]
    if isinstance(callee, type) and is_structure_class(callee):
        return callee
    values = fold_known([*args, *kwargs.values()])
    if not all(is_constant(value) for value in values):
        raise UnsupportedError(
            f"`{ast.unparse(node.func)}` is an ordinary Python function: it takes constants only",
            hint="decorate it with @tilewright.jit, or use the function of tilewright.language",
        )
    return lambda *a, **k: callee(*_plain(a), **{n: _plain(value) for n, value in k.items()})


def _plain(value: Value) -> Value:
    return unwrap(fold_known(value))


def _takes_semantic(function: Callable[..., Value]) -> bool:
    """Whether a builtin of a program, not of Tilewright, has a parameter `_semantic`."""
    is_own = str(getattr(function, "__module__", "")).startswith("tilewright.")
    return not is_own and "_semantic" in inspect.signature(function).parameters


def _as_foreign_builtin(function: Callable[..., Value]) -> Callable[..., Value]:
    """Calls a function as Triton calls its builtins: numbers are constants of type tl.constexpr.

    Functions with a parameter `_semantic` get Triton's operations on values (semantic.py).
    """
    takes_semantic = "_semantic" in inspect.signature(function).parameters

    def call(*args: Value, **kwargs: Value) -> Value:
        named = {name: _as_constexpr(value) for name, value in kwargs.items()}
        if takes_semantic:
            named["_semantic"] = Semantic()
        return function(*map(_as_constexpr, args), **named)

    return call


def _as_constexpr(value: Value) -> Value:
    value = fold_known(value)
    return tl.constexpr(value) if value is None or isinstance(value, (int, float, str)) else value


def _belongs_to_language(callee: Value) -> bool:
    """Whether the callee is a method of a tensor, a structure or a dtype, or a class of these."""
    owner = getattr(callee, "__self__", None)
    if is_tensor(owner) or is_structure(owner):
        return True
    module = getattr(callee, "__module__", None) or type(owner).__module__
    return str(module).startswith("tilewright.")


def _guarded(
    node: ast.Call, function: Callable[..., Value], args: list[Value], kwargs: dict[str, Value]
) -> Value:
    """Calls the function; an exception in a builtin is reported as an error in the call."""
    try:
        return function(*args, **kwargs)
    except (TilewrightError, _core.IRError, RecursionError):
        raise
    except Exception as error:
        name = ast.unparse(node.func)
        kind = TypeMismatchError if isinstance(error, (TypeError, AttributeError)) else CompileError
        # The message names the function differently from the user's source.
        text = str(error).removeprefix(f"{getattr(function, '__qualname__', '')}() ")
        text = text or type(error).__name__
        raise kind(f"`{name}`: {text}") from error


@statement(ast.Assert)
def visit_assert(v: FunctionVisitor, node: ast.Assert, rest: Rest) -> Outcome:
    condition = fold_known(v.visit(node.test))
    if is_constant(condition) and truth(condition):
        return None
    message = fold_known(v.visit(node.msg)) if node.msg else ""
    if not (is_constant(message) or isinstance(message, FormattedText)):
        raise ConstantError(f"the message of an assert must be constant, found {describe(message)}")
    text = message if isinstance(message, FormattedText) else str(unwrap(message))
    tl.device_assert(unwrap(condition), text)
    return None
