"""Loads and stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright.errors import (
    ConstantError,
    ShapeMismatchError,
    TypeMismatchError,
)
from tilewright.language._build import emit, emit_void, to_tensor
from tilewright.language._context import current
from tilewright.language.block_pointers import block_pointer, load_operands, store_operands
from tilewright.language.constexpr import constant_bool, constexpr_value
from tilewright.language.registry import Family
from tilewright.language.shape import broadcast_all
from tilewright.language.tensor import member, tensor
from tilewright.language.windows import items

if TYPE_CHECKING:
    from tilewright import _core

_LOAD_CACHE = {"": "none", ".ca": "ca", ".cg": "cg", ".cs": "cs", ".cv": "cv"}
_STORE_CACHE = {"": "none", ".wb": "wb", ".cg": "cg", ".cs": "cs", ".wt": "wt"}
_EVICT = {"": "normal", "evict_normal": "normal", "evict_first": "first", "evict_last": "last"}


@Family.MEMORY
def load(
    pointer: Any,
    mask: Any = None,
    other: Any = None,
    boundary_check: Any = (),
    padding_option: Any = "",
    cache_modifier: Any = "",
    eviction_policy: Any = "",
    volatile: Any = False,
) -> tensor:
    """Reads memory through a pointer, a tile of pointers or a block pointer.

    Args:
        pointer: A pointer, a tile of pointers, or a block pointer.
        mask: int1, broadcast with the pointers. Memory is not accessed where it is false.
        other: The result where the mask is false, cast to the pointee type; unspecified by
            default. Requires a mask.
        boundary_check: The dimensions, constant ints, along which a block pointer may point outside
            of the array. Others are not checked.
        padding_option: What is read there: "" or "zero", or "nan" for floats.
        cache_modifier: "", ".ca", ".cg", ".cs" or ".cv", also without the dot.
        eviction_policy: "", "evict_normal", "evict_first" or "evict_last".
        volatile: The access must not be removed, duplicated or reordered.

    Returns:
        A value of the pointee type, with the common shape of `pointer`, `mask` and `other`.

    Raises:
        TypeMismatchError: `pointer` is not a pointer, `mask` is not int1, `other` is given without
            a mask, a block pointer has a mask, or another pointer has one of its options.
        ShapeMismatchError: The shapes do not broadcast, the pointer is a scalar and `mask` or
            `other` is a tile, or the block has no such dimension as in `boundary_check`.
        ConstantError: An option is unknown or not known at compile time.

    Example:
        >>> i = tl.arange(0, 4)
        >>> tl.load(p + 2 * i, mask=i < 3, other=-1)
        [ 0  2  4 -1]
    """
    if isinstance(pointer, block_pointer):
        pointer, mask, other = load_operands(pointer, mask, other, boundary_check, padding_option)
    else:
        _no_block_options(boundary_check, padding_option)
    ptr = pointers(pointer, "load")
    mask, other = constexpr_value(mask), constexpr_value(other)
    if mask is None and other is not None:
        raise TypeMismatchError("load takes `other` only together with a mask")
    values = [ptr]
    if mask is not None:
        values.append(mask_value(mask, "load"))
    if other is not None:
        values.append(to_tensor(other, ptr.dtype.element_ty))
    scalars_only(ptr, values[1:], "load")
    values = broadcast_all(*values)
    attrs = _hints(cache_modifier, _LOAD_CACHE, eviction_policy)
    attrs["operandSegmentSizes"] = segments(1, mask is not None, other is not None)
    if constant_bool(volatile, "volatile"):
        attrs["isVolatile"] = current().ctx.unit_attr()
    return emit("tile.load", values, attrs, element=ptr.dtype.element_ty)


@Family.MEMORY
@member
def store(
    pointer: Any,
    value: Any,
    mask: Any = None,
    boundary_check: Any = (),
    cache_modifier: Any = "",
    eviction_policy: Any = "",
) -> None:
    """Writes memory through a pointer, a tile of pointers or a block pointer.

    Args:
        pointer: A pointer, a tile of pointers, or a block pointer.
        value: Broadcast to the pointers' shape and cast to the pointee type. With a block pointer,
            a scalar or a tile of the block's shape.
        mask: int1, broadcast to the pointers' shape. Memory is not accessed where it is false.
        boundary_check: The dimensions, constant ints, along which a block pointer may point outside
            of the array, where nothing is written. Others are not checked.
        cache_modifier: "", ".wb", ".cg", ".cs" or ".wt", also without the dot.
        eviction_policy: "", "evict_normal", "evict_first" or "evict_last".

    Raises:
        TypeMismatchError: `pointer` is not a pointer or is a const pointer, `mask` is not int1,
            `value` cannot be cast to the pointee type, a block pointer has a mask, or another
            pointer has `boundary_check`.
        ShapeMismatchError: `value` or `mask` does not broadcast to the shape of `pointer`, or the
            block has no such dimension as in `boundary_check`.
        ConstantError: An option is unknown or not known at compile time.

    Example:
        >>> i = tl.arange(0, 4)
        >>> tl.store(p + i, 10 * i, mask=i > 1)
        >>> tl.load(p + i)
        [ 0  1 20 30]
    """
    if isinstance(pointer, block_pointer):
        pointer, value, mask = store_operands(pointer, value, mask, boundary_check)
    else:
        _no_block_options(boundary_check, "")
    ptr = pointers(pointer, "store", writes=True)
    mask = constexpr_value(mask)
    values = [ptr, to_tensor(value, ptr.dtype.element_ty)]
    if mask is not None:
        values.append(mask_value(mask, "store"))
    scalars_only(ptr, values[1:], "store")
    values = fit_pointers(values, "store")
    attrs = _hints(cache_modifier, _STORE_CACHE, eviction_policy)
    emit_void("tile.store", values, attrs)


def pointers(x: Any, what: str, writes: bool = False) -> tensor:
    """The pointer operand of a memory access.

    Raises:
        TypeMismatchError: It is not a pointer, or it is a const pointer and `writes` is set.
    """
    value = to_tensor(x)
    if not value.dtype.is_ptr():
        raise TypeMismatchError(
            f"{what} takes a pointer or a tile of pointers, found {value.type}",
            hint="pass the tensor itself as the kernel's argument and add offsets to it",
        )
    if writes and value.dtype.is_const():
        raise TypeMismatchError(
            f"Cannot store to a constant pointer: {what} writes through {value.dtype}"
        )
    return value


def mask_value(mask: Any, what: str) -> tensor:
    """The mask operand of a memory access.

    Raises:
        TypeMismatchError: It is not int1.
    """
    value = to_tensor(mask)
    if not value.dtype.is_bool():
        raise TypeMismatchError(
            f"the mask of {what} must be int1, found {value.type}", hint="compare it: mask != 0"
        )
    return value


def scalars_only(ptr: tensor, values: list[tensor], what: str) -> None:
    """Checks that if the pointer is a scalar, all other operands are scalars.

    Raises:
        ShapeMismatchError: One of them is a tile.
    """
    for value in values:
        if value.type.is_block() and not ptr.type.is_block():
            raise ShapeMismatchError(
                f"{what} has a scalar {ptr.type} beside a tile {value.type}",
                hint="add a tile of offsets to the pointer",
            )


def fit_pointers(values: list[tensor], what: str) -> list[tensor]:
    """Broadcasts all values to the shape of the first, the pointers.

    Raises:
        ShapeMismatchError: A value does not broadcast to that shape.
    """
    shape = values[0].type.shape
    try:
        result = broadcast_all(*values)
    except ShapeMismatchError as error:
        raise ShapeMismatchError(f"{what}: {error.message}", hint=error.hint) from None
    if result[0].type.shape != shape:
        wide = list(result[0].type.shape)
        raise ShapeMismatchError(
            f"{what} has pointers of shape {list(shape)} but a value or mask of shape {wide}",
            hint="broadcast the pointers, or reduce the value",
        )
    return result


def segments(*present: int) -> _core.Attribute:
    """The attribute that says which optional operands are present."""
    return current().ctx.i32_array_attr([int(count) for count in present])


def _hints(cache: Any, caches: dict[str, str], evict: Any) -> dict[str, _core.Attribute]:
    ctx = current().ctx
    attrs = {}
    name = constexpr_value(cache)
    kind = option(f".{name}" if f".{name}" in caches else name, caches, "cache_modifier")
    if kind != "none":
        attrs["cache"] = ctx.attr(f"#tile.cache<{kind}>")
    kind = option(evict, _EVICT, "eviction_policy")
    if kind != "normal":
        attrs["evict"] = ctx.attr(f"#tile.evict<{kind}>")
    return attrs


def option(value: Any, names: dict[str, str], what: str) -> str:
    """The IR's keyword for the name of an option; None selects the default.

    Raises:
        ConstantError: The name is unknown.
    """
    name = constexpr_value(value) or ""
    if not isinstance(name, str) or name not in names:
        known = ", ".join(repr(known) for known in names)
        raise ConstantError(f"{what} must be one of {known}, found {name!r}")
    return names[name]


def _no_block_options(boundary_check: Any, padding_option: Any) -> None:
    if items(boundary_check) not in ([], [None]) or constexpr_value(padding_option):
        raise TypeMismatchError(
            "boundary_check and padding_option apply to block pointers only",
            hint="use a mask, or make a block pointer with tl.make_block_ptr",
        )
