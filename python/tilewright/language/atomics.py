"""Atomic operations on memory."""

from __future__ import annotations

from typing import Any

from tilewright.errors import TypeMismatchError
from tilewright.language._build import constant, emit, to_tensor
from tilewright.language._context import current
from tilewright.language.casts import convert, reinterpret
from tilewright.language.constexpr import constexpr_value
from tilewright.language.creation import where
from tilewright.language.dtypes import (
    bfloat16,
    dtype,
    float16,
    int16,
    int32,
    int64,
    pointer_type,
    uint16,
    uint32,
    uint64,
)
from tilewright.language.memory import fit_pointers, mask_value, option, pointers, scalars_only
from tilewright.language.registry import Family
from tilewright.language.tensor import member, tensor

_SEM = {
    "": "acq_rel",
    "acq_rel": "acq_rel",
    "acquire": "acquire",
    "release": "release",
    "relaxed": "relaxed",
}
_INTEGERS = {16: (int16, uint16), 32: (int32, uint32), 64: (int64, uint64)}
_OF_HALVES = ("atomic_add", "atomic_max", "atomic_min")
_SCOPE = {"": "gpu", "gpu": "gpu", "cta": "cta", "sys": "sys"}


@Family.ATOMICS
@member
def atomic_cas(pointer: Any, cmp: Any, val: Any, sem: Any = None, scope: Any = None) -> tensor:
    """Atomic compare-and-swap: stores `val` where memory equals `cmp`.

    Args:
        pointer: A pointer or tile of pointers to elements of 16, 32 or 64 bits.
        cmp, val: Values broadcast to the pointers' shape and cast to the pointee type.
        sem: Memory order: "acquire", "release", "acq_rel" (the default) or "relaxed".
        scope: The scope of the memory order: "gpu" (the default), "cta" or "sys".

    Returns:
        The old values.

    Raises:
        TypeMismatchError: `pointer` is not a pointer, or its elements have another width.
        ShapeMismatchError: `cmp` or `val` does not broadcast to the shape of `pointer`.
        ConstantError: `sem` or `scope` is not one of the values listed above.

    Example:
        >>> tl.atomic_cas(p + 5, 5, 50)
        >>> tl.load(p + 5)
        50
    """
    ptr = pointers(pointer, "atomic_cas", writes=True)
    element = ptr.dtype.element_ty
    if element.primitive_bitwidth not in (16, 32, 64):
        raise TypeMismatchError(f"atomic_cas takes elements of 16, 32 or 64 bits, found {element}")
    values = [ptr, to_tensor(cmp, element), to_tensor(val, element)]
    scalars_only(ptr, values[1:], "atomic_cas")
    values = fit_pointers(values, "atomic_cas")
    return emit("tile.atomic_cas", values, memory_order(sem, scope))


def memory_order(sem: Any, scope: Any) -> dict[str, Any]:
    """The attributes of an atomic operation.

    Raises:
        ConstantError: `sem` or `scope` is none of the known ones.
    """
    ctx = current().ctx
    return {
        "sem": ctx.attr(f"#tile.sem<{option(sem, _SEM, 'sem')}>"),
        "scope": ctx.attr(f"#tile.scope<{option(scope, _SCOPE, 'scope')}>"),
    }


def _operands(pointer: Any, val: Any, mask: Any, what: str) -> list[tensor]:
    """Pointers, values and, if given, the mask, broadcast to the shape of the pointers."""
    ptr = pointers(pointer, what, writes=True)
    element = ptr.dtype.element_ty
    values = [ptr, to_tensor(val, element)]
    mask = constexpr_value(mask)
    if mask is not None:
        values.append(mask_value(mask, what))
    scalars_only(ptr, values[1:], what)
    return fit_pointers(values, what)


def _check(element: dtype, what: str, allowed: bool) -> None:
    wide = element.primitive_bitwidth >= 32 and not element.is_ptr()
    half = what in _OF_HALVES and element in (float16, bfloat16)
    if not allowed or not (wide or half):
        raise TypeMismatchError(f"{what} does not take elements of type {element}")


def _rmw(kind: str, values: list[tensor], order: dict[str, Any]) -> tensor:
    attrs = {"kind": current().ctx.attr(f"#tile.rmw<{kind}>"), **order}
    return emit("tile.atomic_rmw", values, attrs)


@Family.ATOMICS
@member
def atomic_add(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Atomically adds `val` to memory, element by element.

    Args:
        pointer: A pointer or tile of pointers to float16, bfloat16 or 32- or 64-bit elements.
        val: Broadcast to the pointers' shape and cast to the pointee type.
        mask: int1, broadcast to the pointers' shape. Where it is false, memory is not accessed
            and the result is unspecified.
        sem: Memory order: "acquire", "release", "acq_rel" (the default) or "relaxed".
        scope: The scope of the memory order: "gpu" (the default), "cta" or "sys".

    Returns:
        The old values.

    Raises:
        TypeMismatchError: `pointer` is not a pointer, or its elements have another type.
        ShapeMismatchError: `val` or `mask` does not broadcast to the shape of `pointer`.
        ConstantError: `sem` or `scope` is not one of the values listed above.

    Example:
        >>> tl.atomic_add(p + tl.arange(0, 4) // 2, 10)
        >>> tl.load(p + tl.arange(0, 2))
        [20 21]
    """
    values = _operands(pointer, val, mask, "atomic_add")
    element = values[1].dtype
    _check(element, "atomic_add", element.is_int() or element.is_floating())
    return _rmw("fadd" if element.is_floating() else "add", values, memory_order(sem, scope))


@Family.ATOMICS
@member
def atomic_xchg(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Atomically replaces elements of 32 or 64 bits by `val`; arguments as for `atomic_add`.

    Example:
        >>> tl.atomic_xchg(p + 3, 8)
        >>> tl.load(p + 3)
        8
    """
    values = _operands(pointer, val, mask, "atomic_xchg")
    _check(values[1].dtype, "atomic_xchg", True)
    return _rmw("xchg", values, memory_order(sem, scope))


@Family.ATOMICS
@member
def atomic_and(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Atomic bitwise and, for integers of 32 or 64 bits; arguments as for `atomic_add`.

    Example:
        >>> tl.atomic_and(p + 7, 5)
        >>> tl.load(p + 7)
        5
    """
    return _bitwise("and", pointer, val, mask, sem, scope)


@Family.ATOMICS
@member
def atomic_or(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Atomic bitwise or, for integers of 32 or 64 bits; arguments as for `atomic_add`.

    Example:
        >>> tl.atomic_or(p + 8, 3)
        >>> tl.load(p + 8)
        11
    """
    return _bitwise("or", pointer, val, mask, sem, scope)


@Family.ATOMICS
@member
def atomic_xor(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Atomic bitwise xor, for integers of 32 or 64 bits; arguments as for `atomic_add`.

    Example:
        >>> tl.atomic_xor(p + 7, 2)
        >>> tl.load(p + 7)
        5
    """
    return _bitwise("xor", pointer, val, mask, sem, scope)


def _bitwise(kind: str, pointer: Any, val: Any, mask: Any, sem: Any, scope: Any) -> tensor:
    values = _operands(pointer, val, mask, f"atomic_{kind}")
    _check(values[1].dtype, f"atomic_{kind}", values[1].dtype.is_int())
    return _rmw(kind, values, memory_order(sem, scope))


@Family.ATOMICS
@member
def atomic_max(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Atomically stores the maximum of memory and `val`; arguments as for `atomic_add`.

    Takes integers of 32 or 64 bits and floats of 16 to 64. Floats are compared by their bit
    patterns, so -0.0 is less than 0.0, and a NaN is ordered by its bit pattern too.

    Example:
        >>> tl.atomic_max(p + tl.arange(0, 4), 2)
        >>> tl.load(p + tl.arange(0, 4))
        [2 2 2 3]
    """
    return _extremum("max", pointer, val, mask, sem, scope)


@Family.ATOMICS
@member
def atomic_min(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> tensor:
    """Atomically stores the minimum of memory and `val`; see `atomic_max`.

    Example:
        >>> tl.atomic_min(p + tl.arange(0, 4), 2)
        >>> tl.load(p + tl.arange(0, 4))
        [0 1 2 2]
    """
    return _extremum("min", pointer, val, mask, sem, scope)


def _extremum(which: str, pointer: Any, val: Any, mask: Any, sem: Any, scope: Any) -> tensor:
    values = _operands(pointer, val, mask, f"atomic_{which}")
    element = values[1].dtype
    order = memory_order(sem, scope)
    _check(element, f"atomic_{which}", element.is_int() or element.is_floating())
    if element.is_floating():
        return _float_extremum(which, values, order)
    return _rmw(which if element.is_int_signed() else f"u{which}", values, order)


def _float_extremum(which: str, values: list[tensor], order: dict[str, Any]) -> tensor:
    """Compares bit patterns, which for floats of the same sign are ordered like integers.

    A non-negative value is compared with memory as a signed integer; a negative value as an
    unsigned integer, with the order reversed.
    """
    ptr, value = values[0], values[1]
    signed, unsigned = _INTEGERS[value.dtype.primitive_bitwidth]
    bits = reinterpret(value, signed)
    positive = bits >= constant(0, bits.type)
    chosen = (
        [positive & values[2], ~positive & values[2]]
        if len(values) > 2
        else [
            positive,
            ~positive,
        ]
    )
    reverse = "min" if which == "max" else "max"
    old = []
    for kind, type, mask in (
        (which, signed, chosen[0]),
        (f"u{reverse}", unsigned, chosen[1]),
    ):
        typed = convert(ptr, pointer_type(type, ptr.dtype.address_space))
        old.append(_rmw(kind, [typed, reinterpret(value, type), mask], order))
    result = where(positive, old[0], reinterpret(old[1], signed))
    return reinterpret(result, value.dtype)
