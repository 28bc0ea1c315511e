"""Expressions other than operators, names and calls."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import NamedTuple

import tilewright.language as tl
from tilewright.dependencies import MISSING
from tilewright.errors import (
    CompileError,
    ConstantError,
    TilewrightError,
    TypeMismatchError,
    UndefinedNameError,
    UnsupportedError,
)
from tilewright.language import constexpr, tensor
from tilewright.language._context import current
from tilewright.language.formatted_text import FormattedText, printf_format
from tilewright.language.value import is_structure

from .aggregates import find_method, find_operator
from .assign import assign
from .dispatch import Outcome, Rest, expression, statement
from .values import (
    Value,
    describe,
    fold_known,
    is_constant,
    is_tensor,
    materialize,
    truth,
    unwrap,
    unwrap_outer,
)
from .visitor import FunctionVisitor


@statement(ast.Expr)
def visit_expr(v: FunctionVisitor, node: ast.Expr, rest: Rest) -> Outcome:
    if not isinstance(node.value, ast.Constant):  # docstrings and `...`
        v.dropped = node.value
        v.visit(node.value)
    return None


@statement(ast.Pass)
def visit_pass(v: FunctionVisitor, node: ast.Pass, rest: Rest) -> Outcome:
    return None


@expression(ast.Constant)
def visit_constant(v: FunctionVisitor, node: ast.Constant) -> Value:
    if isinstance(node.value, (bytes, complex)):
        raise UnsupportedError(f"a constant of type {type(node.value).__name__} is not supported")
    return node.value


@expression(ast.Tuple)
def visit_tuple(v: FunctionVisitor, node: ast.Tuple) -> Value:
    return tuple(visit_items(v, node.elts))


@expression(ast.List)
def visit_list(v: FunctionVisitor, node: ast.List) -> Value:
    return visit_items(v, node.elts)


def visit_items(v: FunctionVisitor, nodes: list[ast.expr]) -> list[Value]:
    """The values of a display or of positional arguments, with starred items unpacked."""
    items: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            items.extend(_spread(v, node))
        else:
            items.append(v.visit(node))
    return items


def _spread(v: FunctionVisitor, node: ast.Starred) -> tuple[Value, ...]:
    value = v.visit(node.value)
    items = value if is_tensor(value) else unwrap_outer(value)
    if not isinstance(items, (tuple, list)):
        raise TypeMismatchError(f"`*` needs a tuple, not {describe(value)}")
    return tuple(items)


@expression(ast.Slice)
def visit_slice(v: FunctionVisitor, node: ast.Slice) -> Value:
    bounds = (node.lower, node.upper, node.step)
    return slice(
        *(None if bound is None else unwrap(fold_known(v.visit(bound))) for bound in bounds)
    )


@expression(ast.Subscript)
def visit_subscript(v: FunctionVisitor, node: ast.Subscript) -> Value:
    value, index = v.visit(node.value), v.visit(node.slice)
    if (found := find_operator("__getitem__", None, value, index)) is not None:
        return v.context.call(found[0].function, [value, index], {})
    container = value if is_tensor(value) else unwrap_outer(value)
    if not is_tensor(value):
        _use_item(v, container, index)
    if isinstance(container, (tuple, list)):
        index = fold_known(index)
        if not is_constant(index):
            raise ConstantError(
                f"the index of a tuple must be constant, not {describe(index)}",
                hint="loop over tl.static_range to get a constant index",
            )
        index = unwrap(index)
    try:
        return container[index]
    except TilewrightError:
        raise
    except (TypeError, IndexError, ValueError, KeyError) as error:
        raise TypeMismatchError(f"cannot index {describe(value)}: {error}") from None


def _use_item(v: FunctionVisitor, container: Value, index: Value) -> None:
    """Records an indexing; a class other than tuple, list and dict runs code to find an item."""
    getters = [getattr(kind, "__getitem__", None) for kind in (tuple, list, dict)]
    if getattr(type(container), "__getitem__", None) not in getters:
        v.build.record.use(container)
    if not is_tensor(index):
        v.build.record.use(index)


@expression(ast.Attribute)
def visit_attribute(v: FunctionVisitor, node: ast.Attribute) -> Value:
    return read_attribute(v.visit(node.value), node.attr)


def read_attribute(value: Value, name: str) -> Value:
    """`value.name`; an attribute that a constexpr lacks is looked up in the object that it holds.

    A number has the attributes of a tensor: `stride.to(tl.int64)` also works if the argument is a
    constant.
    """
    if (method := find_method(unwrap_outer(value), name)) is not None:
        return method
    found = find_attribute(value, name)
    if found is not MISSING:
        return found
    if name == "value" and is_tensor(value) and value.known is not None:
        return value.known  # Triton makes such an argument a constexpr.
    plain = unwrap(value)
    if isinstance(plain, (bool, int, float)) and hasattr(tensor, name):
        return getattr(materialize(plain), name)
    what = f"a tensor of type {describe(value)}" if is_tensor(value) else _name_of(plain)
    # A property that raises an AttributeError is in dir() as well.
    others = [n for n in dir(plain) if not n.startswith("_") and n != name]
    close = difflib.get_close_matches(name, others, n=2)
    hint = "did you mean " + " or ".join(f"`{other}`" for other in close) + "?" if close else None
    # A module of tilewright.compat knows why it lacks one of Triton's names.
    explain = getattr(type(plain), "__tilewright_missing__", None)
    message = explain(plain, name) if explain else f"{what} has no attribute `{name}`"
    raise UndefinedNameError(message, hint=hint)


def find_attribute(value: Value, name: str) -> Value:
    """`value.name`, or MISSING."""
    if is_structure(value):
        _use_member(value, name)
    if not isinstance(value, constexpr) or hasattr(constexpr, name) or name == "value":
        found = current().record.attribute(value, name)
        if found is not MISSING:
            return found
    return current().record.attribute(unwrap(value), name)


def _use_member(structure: Value, name: str) -> None:
    """Records a method or a property of a structure's class: it is code that runs now."""
    kind, record = type(structure), current().record
    if isinstance(getattr(kind, name, None), (FunctionType, MethodType, property)):
        record.use(record.attribute(kind, name))


def _name_of(value: Value) -> str:
    name = getattr(value, "__name__", None)
    return f"`{name}`" if isinstance(name, str) else describe(value)


_CONVERSIONS: dict[str, Callable[[Value], str]] = {"s": str, "r": repr, "a": ascii}


@expression(ast.JoinedStr)
def visit_joined_str(v: FunctionVisitor, node: ast.JoinedStr) -> Value:
    """An f-string: a string if everything in it is known, and otherwise a `FormattedText`."""
    texts, fields = [""], list[_Field]()
    for part in node.values:
        shown = v.visit(part)
        if isinstance(shown, _Field):
            fields.append(shown)
            texts.append("")
        else:
            texts[-1] += str(shown)
    if not fields:
        return texts[0]
    return FormattedText(
        tuple(field.value for field in fields),
        tuple(texts),
        tuple(field.specification for field in fields),
        tuple(field.source for field in fields),
    )


class _Field(NamedTuple):
    """A replacement field whose value is known only at run time."""

    value: tensor
    specification: str
    source: str


@expression(ast.FormattedValue)
def visit_formatted_value(v: FunctionVisitor, node: ast.FormattedValue) -> Value:
    value = fold_known(v.visit(node.value))
    specification = v.visit(node.format_spec) if node.format_spec else ""
    if isinstance(specification, FormattedText):
        raise ConstantError("a format specification in a kernel must be known at compile time")
    if is_tensor(value):
        printf_format(value.dtype, specification)  # Reports what kernels cannot print here.
        source = ast.unparse(node.value) + (f":{specification}" if specification else "")
        return _Field(value, specification, source)
    if not is_constant(value):
        raise TypeMismatchError(
            f"an f-string shows constants, scalars and tiles, found {describe(value)}"
        )
    v.build.record.use(value)
    value = unwrap(value)
    if node.conversion != -1:
        value = _CONVERSIONS[chr(node.conversion)](value)
    try:
        return format(value, specification)
    except (TypeError, ValueError) as error:
        raise CompileError(str(error)) from None


def constant_items(v: FunctionVisitor, node: ast.expr) -> Sequence[Value]:
    """The items that an expression iterates over; their number is known at compile time."""
    return items_of(v.visit(node))


def items_of(value: Value) -> Sequence[Value]:
    if isinstance(value, tl.static_range):
        return [tl.constexpr(i) for i in range(value.start, value.stop, value.step)]
    items = value if is_tensor(value) or isinstance(value, (tuple, list)) else unwrap(value)
    if isinstance(items, (tuple, list, range)):
        return items
    raise TypeMismatchError(
        f"cannot loop over {describe(value)}",
        hint="loop over range, tl.range, tl.static_range or a tuple",
    )


@expression(ast.ListComp, ast.GeneratorExp)
def visit_comprehension(v: FunctionVisitor, node: ast.ListComp | ast.GeneratorExp) -> Value:
    """Builds a tuple; the number of items and the conditions must be known at compile time."""
    if len(node.generators) != 1:
        raise UnsupportedError("a comprehension with more than one `for` is not supported")
    generator = node.generators[0]
    outer, items = v.scope, []
    v.scope = outer.copy()
    try:
        for item in constant_items(v, generator.iter):
            assign(v, generator.target, item)
            conditions = [fold_known(v.visit(condition)) for condition in generator.ifs]
            if not is_constant(conditions):
                raise ConstantError("the condition of a comprehension must be constant")
            if all(map(truth, conditions)):
                items.append(v.visit(node.elt))
    finally:
        v.scope = outer
    return tuple(items)
