"""Arithmetic, comparisons and the logical operators."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from tilewright.errors import CompileError, TilewrightError, TypeMismatchError
from tilewright.language import constexpr, operators
from tilewright.language._context import current
from tilewright.language.value import map_parts

from .aggregates import find_operator
from .dispatch import expression
from .values import (
    Value,
    describe,
    fold_known,
    is_constant,
    is_tensor,
    truth,
    unwrap,
    unwrap_outer,
)
from .visitor import FunctionVisitor

_BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.MatMult: ("@", operator.matmul),
}

_UNARY: dict[type[ast.unaryop], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("-", operator.neg),
    ast.UAdd: ("+", operator.pos),
    ast.Invert: ("~", operator.invert),
}

# Those that are checked for overflow; see language/overflow.py.
_SANITIZED: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operators.add,
    ast.Sub: operators.sub,
    ast.Mult: operators.mul,
    ast.USub: operators.minus,
}

_COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
}


@expression(ast.BinOp)
def visit_bin_op(v: FunctionVisitor, node: ast.BinOp) -> Value:
    left = v.visit(node.left)
    return apply_binary(v, node.op, left, v.visit(node.right))


def apply_binary(v: FunctionVisitor, op: ast.operator, left: Value, right: Value) -> Value:
    """`left op right`; operations on constants are folded by Python."""
    symbol, apply = _BINARY[type(op)]
    name = f"__{apply.__name__.strip('_')}__"
    if (found := find_operator(name, f"__r{name[2:]}", left, right)) is not None:
        method, other = found
        return v.context.call(method.function, [method.owner, other], {})
    if _are_sequences(left, right):
        left, right = _as_tuples(unwrap_outer(left)), _as_tuples(unwrap_outer(right))
    return _checked(symbol, _sanitized(op, apply, left, right), left, right)


def _sanitized(
    op: ast.operator | ast.unaryop, apply: Callable[..., Value], *operands: Value
) -> Callable[..., Value]:
    """The operator, or the one of the language that asserts that integers do not overflow."""
    if not current().checks_overflow or not any(map(is_tensor, operands)):
        return apply
    sanitized = _SANITIZED.get(type(op))
    return partial(sanitized, sanitize=True) if sanitized else apply


@expression(ast.UnaryOp)
def visit_unary_op(v: FunctionVisitor, node: ast.UnaryOp) -> Value:
    value = v.visit(node.operand)
    if isinstance(node.op, ast.Not):
        return logical_not(value)
    symbol, apply = _UNARY[type(node.op)]
    return _checked(symbol, _sanitized(node.op, apply, value), value)


@expression(ast.Compare)
def visit_compare(v: FunctionVisitor, node: ast.Compare) -> Value:
    """`a < b < c` means `a < b and b < c`, with `b` evaluated once."""
    left, result = v.visit(node.left), None
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = v.visit(comparator)
        answer = _compare(op, left, right)
        result = answer if result is None else logical_and(result, answer)
        holds = fold_known(result)
        if is_constant(holds) and not truth(holds):
            return holds
        left = right
    return result


def _compare(op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = unwrap(left) is unwrap(right)
        return constexpr(same if isinstance(op, ast.Is) else not same)
    if isinstance(op, (ast.In, ast.NotIn)):
        return constexpr(_contains(left, right) == isinstance(op, ast.In))
    symbol, apply = _COMPARISONS[type(op)]
    if (found := find_operator(f"__{apply.__name__}__", None, left, right)) is not None:
        return current().call(found[0].function, [left, right], {})
    for side in (left, right):
        if not is_tensor(side) and not is_constant(side):
            raise TypeMismatchError(
                f"`{symbol}` does not take a tuple with tensors, found {describe(side)}",
                hint="compare the items one by one",
            )
    if not is_tensor(left) and not is_tensor(right):
        left, right = _as_tuples(unwrap(left)), _as_tuples(unwrap(right))
    return _checked(symbol, apply, left, right)


def _are_sequences(left: Value, right: Value) -> bool:
    """Whether both are tuples or lists, also within a constexpr."""
    return all(isinstance(unwrap_outer(side), (tuple, list)) for side in (left, right))


def _as_tuples(value: Value) -> Value:
    """The value with lists as tuples, also nested: a kernel does not distinguish them."""
    if isinstance(value, list):
        return tuple(_as_tuples(item) for item in value)
    return map_parts(value, _as_tuples) if type(value) is tuple else value


def _contains(item: Value, container: Value) -> bool:
    item, container = fold_known(item), fold_known(container)
    if not (is_constant(item) and is_constant(container)):
        raise TypeMismatchError(
            "`in` needs constants on both sides", hint="compare with == and combine with |"
        )
    current().record.use((item, container))
    item, container = _as_tuples(unwrap(item)), _as_tuples(unwrap(container))
    if not isinstance(container, (tuple, str)):
        raise TypeMismatchError(f"`in` needs a tuple on its right, not {describe(container)}")
    if isinstance(container, str) and not isinstance(item, str):
        raise TypeMismatchError(f"`in` needs a string on the left of one, not {describe(item)}")
    return item in container


@expression(ast.BoolOp)
def visit_bool_op(v: FunctionVisitor, node: ast.BoolOp) -> Value:
    """A constant operand may decide the result without the rest being visited.

    So may a tensor whose value is known. Other tensors are combined element by element. Beside a
    scalar, a constant that decides is the result, so that code which depends on it is left out.
    """
    is_and = isinstance(node.op, ast.And)
    combine = logical_and if is_and else logical_or
    result = v.visit(node.values[0])
    for value in node.values[1:]:
        known = fold_known(result)
        if _decides(known, is_and):
            return combine(result, not is_and) if is_tensor(result) else result
        right = v.visit(value)
        decisive = fold_known(right)
        if is_tensor(result) and not result.type.is_block() and _decides(decisive, is_and):
            result = decisive
        else:
            result = combine(result, right) if is_tensor(result) else right
    return result


def _decides(value: Value, is_and: bool) -> bool:
    """Whether the value is a constant that makes `... and value` false, or `... or value` true."""
    return is_constant(value) and truth(value) != is_and


def logical_not(value: Value) -> Value:
    if is_tensor(value):
        return _checked("not", lambda x: x.__not__(), value)
    return constexpr(not truth(value))


def logical_and(left: Value, right: Value) -> Value:
    """`left and right`; `left` is a tensor or a constant that is true."""
    if not is_tensor(left):
        return right
    return _checked("and", lambda x, y: x.logical_and(y), left, right)


def logical_or(left: Value, right: Value) -> Value:
    """`left or right`; `left` is a tensor or a constant that is false."""
    if not is_tensor(left):
        return right
    return _checked("or", lambda x, y: x.logical_or(y), left, right)


def _checked(symbol: str, apply: Callable[..., Value], *operands: Value) -> Value:
    """The operator's result; an error names the operator and the types of its operands."""
    current().record.use(operands)
    try:
        result = apply(*operands)
    except TilewrightError:
        raise
    except (TypeError, AttributeError):
        result = NotImplemented
    except (ValueError, ArithmeticError) as error:
        raise CompileError(f"`{symbol}`: {error}") from None
    if result is not NotImplemented:
        return result
    types = " and ".join(describe(operand) for operand in operands)
    raise TypeMismatchError(f"`{symbol}` does not take {types}")
