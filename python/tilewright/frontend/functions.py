"""Calls of other @jit functions: binding, specialization, private functions.

A function is built once per combination of argument types and constants:

    func.call @add.1(%x, %y) : (f32, tensor<64xf32>) -> tensor<64xf32>
    ...
    func.func private @add.1(%a: f32, %b: tensor<64xf32>) -> tensor<64xf32>
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright.errors import CompileError, TypeMismatchError, UnsupportedError
from tilewright.language import constexpr, dtype
from tilewright.language.value import is_structure

from .dispatch import Exit
from .scope import Scope
from .values import (
    Value,
    across_call,
    fold_known,
    is_constant,
    is_leaf,
    key_of,
    leaves,
    materialize,
    unwrap,
)
from .visitor import TOO_DEEP, FunctionVisitor

if TYPE_CHECKING:
    from .build import ModuleBuild


@dataclass
class Specialization:
    """A private function; `result` is not set until its body has been built."""

    fn: Any
    symbol: str
    result: Value = None
    is_complete: bool = False


def call(build: ModuleBuild, fn: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Builds a call of a @jit function; returns its result."""
    values = bind(build, fn, args, kwargs)
    found = _specialization(build, fn, values)
    operands = [leaf.handle for value in values.values() for leaf in leaves(value)]
    op = build.context.builder.create(
        "func.call",
        operands,
        types=[leaf.handle.type for leaf in leaves(found.result)],
        attrs={"callee": build.context.ctx.symbol_attr(found.symbol)},
    )
    return across_call(found.result, iter(op.results))


def inline(build: ModuleBuild, fn: Any, args: list[Value]) -> Value:
    """Builds the body of a @jit function at the insertion point; returns its result."""
    values = bind(build, fn, args, {})
    caller_loc = build.context.builder.loc
    return _visit_body(build, fn, values, caller_loc=caller_loc).value


def initialize(
    build: ModuleBuild, fn: Any, instance: Value, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """Runs a constructor that is a @jit function; returns the initialized copy of the instance."""
    values = bind(build, fn, [instance, *args], kwargs)
    loc = build.context.builder.loc
    return _visit_body(build, fn, values, caller_loc=loc, tree=_returning_first(fn)).value


def _returning_first(fn: Any) -> ast.FunctionDef:
    """The syntax tree of a constructor that returns its first parameter, wherever it returns."""
    tree: ast.FunctionDef = copy.deepcopy(fn.tree())
    name = ast.copy_location(ast.Name(fn.params[0].name, ast.Load()), tree.body[-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Return):
            if node.value is not None:
                what = "a constructor returns nothing"
                raise TypeMismatchError(what, file=fn.source_file, line=node.lineno)
            node.value = name
    tree.body.append(ast.copy_location(ast.Return(name), tree.body[-1]))
    return tree


def bind(
    build: ModuleBuild, fn: Any, args: list[Value], kwargs: dict[str, Value]
) -> dict[str, Value]:
    """The value of each parameter; numbers are constants."""
    if unknown := [name for name in kwargs if name not in fn.signature.parameters]:
        raise TypeMismatchError(
            f"`{fn.name}` got an unexpected keyword argument {unknown[0]!r}",
            hint=f"its parameters are {fn.signature}",
        )
    try:
        bound = fn.signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeMismatchError(
            f"`{fn.name}`: {error}", hint=f"its parameters are {fn.signature}"
        ) from None
    given = bound.arguments

    def value_of(param: Any) -> Value:
        if param.collects:
            return tuple(_argument(item, param.is_constexpr) for item in given.get(param.name, ()))
        is_given = param.name in given
        value = given[param.name] if is_given else build.record.default(fn, param.name)
        return _argument(value, param.is_constexpr)

    return {param.name: value_of(param) for param in fn.params}


def _argument(value: Value, is_constexpr: bool) -> Value:
    """An argument in the form that the body sees.

    A tensor stays a tensor where the parameter is a tl.constexpr, as in Triton. It is an error only
    where the body needs a constant.
    """
    if is_constexpr:
        value = fold_known(value)
    if is_leaf(value):
        return value
    if isinstance(value, list):
        value = tuple(value)
    if is_structure(value) and not (is_constexpr and is_constant(value)):
        return value
    plain = unwrap(value)
    wrap = is_constexpr or isinstance(plain, (bool, int, float, str, dtype))
    return constexpr(plain) if wrap else plain


def _specialization(build: ModuleBuild, fn: Any, values: dict[str, Value]) -> Specialization:
    # A function that a combiner calls has no assertions.
    checks = build.context.checks_overflow
    key = (id(fn), checks, tuple(key_of(value) for value in values.values()))
    found = build.specializations.get(key)
    if found is None:
        found = Specialization(fn, f"{fn.name}.{len(build.specializations) + 1}")
        build.specializations[key] = found
        try:
            found.result = _build_private(build, found, values)
        except CompileError as error:
            del build.specializations[key]
            if error.message == TOO_DEEP and _is_pending(build, fn):
                raise _calls_itself(fn) from None
            if not (error.message.endswith(_RECURSION) and _is_pending(build, fn)):
                _note_call(build, error, fn)
            raise
        found.is_complete = True
    if not found.is_complete:
        raise _calls_itself(fn)
    return found


_RECURSION = " calls itself, which is not supported"


def _is_pending(build: ModuleBuild, fn: Any) -> bool:
    """Whether the function is being built with other arguments, so that a call is recursive."""
    return any(s.fn is fn and not s.is_complete for s in build.specializations.values())


def _calls_itself(fn: Any) -> UnsupportedError:
    return UnsupportedError(f"`{fn.name}`{_RECURSION}", hint="write a loop")


def _build_private(build: ModuleBuild, found: Specialization, values: dict[str, Value]) -> Value:
    """Builds the function at the end of the module and returns a prototype of its result."""
    ctx, builder = build.context.ctx, build.context.builder
    loc, point = builder.loc, builder.insertion_point
    types = [leaf.handle.type for value in values.values() for leaf in leaves(value)]
    builder.set_to_end(build.module.body)
    builder.loc = definition_loc(ctx, found.fn)
    try:
        attrs = {
            "sym_name": ctx.string_attr(found.symbol),
            "sym_visibility": ctx.string_attr("private"),
            "function_type": ctx.type_attr(ctx.function_type(types, [])),
        }
        if found.fn.noinline:
            attrs["no_inline"] = ctx.unit_attr()
        op = builder.create("func.func", attrs=attrs, types=[], regions=1)
        block = op.region(0).add_block(types, builder.loc)
        builder.set_to_end(block)
        handles = iter(block.args)
        values = {name: across_call(value, handles) for name, value in values.items()}
        result = _visit_body(build, found.fn, values).value
        returned = [leaf.handle for leaf in leaves(result)]
        builder.create("func.return", returned, types=[])
        function_type = ctx.function_type(types, [handle.type for handle in returned])
        op.set_attr("function_type", ctx.type_attr(function_type))
        return result
    finally:
        builder.loc, builder.insertion_point = loc, point


def _visit_body(
    build: ModuleBuild,
    fn: Any,
    values: dict[str, Value],
    caller_loc: Any = None,
    tree: ast.FunctionDef | None = None,
) -> Exit:
    scope = Scope()
    for name, value in values.items():
        scope.set(name, value, fn.tree().lineno)
    visitor = FunctionVisitor(build, fn, scope, caller_loc=caller_loc, tree=tree)
    materialize_assigned(visitor)
    return visitor.run()


def materialize_assigned(v: FunctionVisitor) -> None:
    """Converts numbers in parameters that the function assigns to tensors.

    Parameters declared tl.constexpr stay constants. Other parameters can be constants too: an
    argument `n` that is 1 is specialized to a constant, and in the next call it may not be.
    """
    with v.at(v.tree):
        for param in v.fn.params:
            if param.name in v.assigned and not param.is_constexpr:
                value = materialize(v.scope.values[param.name])
                v.scope.set(param.name, value, v.tree.lineno)


def definition_loc(ctx: Any, fn: Any) -> Any:
    tree: ast.FunctionDef = fn.tree()
    return ctx.file_loc(fn.source_file, tree.lineno, tree.col_offset + 1)


def _note_call(build: ModuleBuild, error: CompileError, fn: Any) -> None:
    """Adds a note about the call to an error in the callee.

    An error in a library function of the language is reported at the call instead.
    """
    if error.line is None or build.place is None:
        return
    visitor, node = build.place
    place = visitor.position(node)
    if error.file == fn.source_file and str(fn.fn.__module__).startswith("tilewright."):
        inside = (error.file, error.line, error.column, error.source_line)
        error.notes = ()
        error.file, error.line, error.column, error.source_line = place
        error.add_note_at(f"raised in `{fn.name}`", *inside)
    else:
        error.add_note_at(f"in a call of `{fn.name}`", *place)
