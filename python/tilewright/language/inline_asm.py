"""Inline assembly: instructions of a GPU, executed for each element of tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.errors import ConstantError, TypeMismatchError, UnsupportedError
from tilewright.language._build import i32_attr, same_shape, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import element_type
from tilewright.language.constexpr import (
    constant_bool,
    constant_int,
    constexpr_value,
    describe,
)
from tilewright.language.dtypes import dtype
from tilewright.language.registry import Family
from tilewright.language.shape import broadcast_all, expand_to
from tilewright.language.tensor import tensor


@Family.ASSEMBLY
def inline_asm_elementwise(
    asm: Any, constraints: Any, args: Any, dtype: Any, is_pure: Any, pack: Any, cpu: Any = None
) -> Any:
    """Executes PTX for each element of the arguments, or for each group of `pack` elements.

    The text and the constraints are those of LLVM's inline assembly: `$0`, `$1`, ... are the
    registers, first those of the results, then those of the arguments, and `$$` is a dollar sign.
    docs/inline-assembly.md has examples.

    Args:
        asm: The text, a constant.
        constraints: For each register of a result `=` and a letter, then for each register of an
            argument a letter, separated by commas: `h` (16 bits), `r` (32), `l` (64), `f` (float32)
            or `d` (float64), or `b` for int1.
        args: Tiles, scalars and numbers, which are broadcast to a common shape.
        dtype: The dtype of the result, or a tuple of dtypes, one for each result.
        is_pure: Whether the assembly only computes its results. Otherwise it is executed even if
            they are not used, in order with accesses to memory, and by each thread that holds the
            element.
        pack: How many elements one execution takes, a power of two. Elements of less than 32 bits
            are packed into registers of 32 bits, the first in the low bits. Which elements form a
            group is not specified.
        cpu: A @jit function that takes the arguments, with the common shape, and returns the
            results; it replaces the assembly on the CPU.

    Returns:
        A tensor of the common shape; a tuple of them if `dtype` is a tuple.

    Raises:
        ConstantError: `asm`, `constraints`, `is_pure` or `pack` is not a constant of its kind.
        TypeMismatchError: A value or a dtype that registers cannot hold.
        ShapeMismatchError: The arguments do not broadcast.
        UnsupportedError: The target is the CPU, and there is no `cpu`.

    Example:
        >>> y = tl.inline_asm_elementwise(
        ...     "add.s32 $0, $1, $2;", "=r,r,r", [tl.arange(0, 4), 10], tl.int32, True, 1, cpu=add
        ... )  # add is a @jit function: a + b
        >>> y
        [10 11 12 13]
    """
    types, is_tuple = _result_types(dtype)
    packed = _pack(pack)
    values = broadcast_all(*map(to_tensor, _sequence(args))) if _sequence(args) else []
    for each in [*types, *(value.dtype for value in values)]:
        if packed > 1 and each.is_bool():
            raise TypeMismatchError(
                "inline assembly does not pack elements of int1", hint="cast them to int8"
            )
    texts = _text(asm, "asm"), _text(constraints, "constraints")
    pure = constant_bool(is_pure, "is_pure")
    if is_for_cpu():
        results = _fall_back(cpu, values, types)
    else:
        results = _emit(*texts, pure, packed, values, types)
    return tuple(results) if is_tuple else results[0]


def _emit(
    asm: str, constraints: str, pure: bool, packed: int, values: list[tensor], types: list[dtype]
) -> list[tensor]:
    context = current()
    attrs = {
        "assembly": context.ctx.string_attr(asm),
        "constraints": context.ctx.string_attr(constraints),
        "packed": i32_attr(packed),
        "operandSegmentSizes": context.ctx.i32_array_attr([len(values), 0]),
    }
    if pure:
        attrs["pure"] = context.ctx.unit_attr()
    shaped = [same_shape(values[0], each) if values else each for each in types]
    handles = [value.handle for value in values]
    op = context.builder.create(
        "tile.inline_asm", handles, [context.ir(each) for each in shaped], attrs
    )
    return [tensor(result, each) for result, each in zip(op.results, types, strict=True)]


#
# The CPU
#


def is_for_cpu() -> bool:
    """Whether the kernel is compiled for the CPU."""
    return getattr(current().target, "backend", None) == "cpu"


def _fall_back(function: Any, values: list[tensor], types: list[dtype]) -> list[tensor]:
    """The results of the function that replaces the assembly."""
    function = constexpr_value(function)
    if function is None:
        raise UnsupportedError(
            "inline assembly is that of a GPU and cannot be executed on the CPU",
            hint="pass cpu=, a @jit function that computes the same, or use an emulated GPU "
            "(tilewright.emulate)",
        )
    if getattr(function, "__tilewright_builtin__", False):
        returned = function(*values)
    elif hasattr(function, "params"):
        returned = current().call(function, list(values), {})
    else:
        raise TypeMismatchError(f"cpu must be a @jit function, found {describe(function)}")
    listed = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if len(listed) != len(types):
        raise TypeMismatchError(
            f"the function for the CPU returns {len(listed)} values where dtype has {len(types)}"
        )
    shape = values[0].type.shape if values else ()
    return [_checked(result, each, shape) for result, each in zip(listed, types, strict=True)]


def _checked(result: Any, type: dtype, shape: tuple[int, ...]) -> tensor:
    number = constexpr_value(result)
    value = to_tensor(result) if isinstance(number, tensor) else to_tensor(number, type)
    if value.dtype != type or value.type.shape not in ((), shape):
        expected = f"{type} of shape {list(shape)}" if shape else str(type)
        raise TypeMismatchError(
            f"the function for the CPU returns {value.type} where {expected} is expected"
        )
    return expand_to(value, shape)


#
# The arguments
#


def _sequence(args: Any) -> Sequence[Any]:
    value = constexpr_value(args)
    if not isinstance(value, (tuple, list)):
        raise TypeMismatchError(
            f"args must be a list of values, found {describe(value)}", hint="write args=[x]"
        )
    return value


def _text(x: Any, what: str) -> str:
    value = constexpr_value(x)
    if not isinstance(value, str):
        raise ConstantError(f"{what} must be a constant string, found {describe(value)}")
    return value


def _pack(x: Any) -> int:
    value = constant_int(x, "pack")
    if value < 1 or value & (value - 1):
        raise ConstantError(f"pack must be a power of two, found {value}")
    return value


def _result_types(x: Any) -> tuple[list[dtype], bool]:
    value = constexpr_value(x)
    is_tuple = isinstance(value, (tuple, list))
    types = [element_type(each) for each in (value if is_tuple else [value])]
    if not types:
        raise TypeMismatchError("inline assembly must have a result, found an empty dtype")
    for each in types:
        if not (each.is_int() or each.is_floating()):
            raise TypeMismatchError(
                f"a result of inline assembly is a number, found dtype {each}",
                hint="return the address as tl.int64 and cast it with .to(pointer_type)",
            )
    return types, is_tuple
