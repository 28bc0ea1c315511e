"""Atomic loads and stores, as updates: a load adds nothing to memory, a store exchanges it."""

from __future__ import annotations

from typing import Any

from tilewright.errors import ConstantError, TypeMismatchError
from tilewright.language._build import constant
from tilewright.language.atomics import atomic_or, atomic_xchg
from tilewright.language.casts import convert, reinterpret
from tilewright.language.constexpr import constexpr_value
from tilewright.language.dtypes import dtype, int32, int64, pointer_type
from tilewright.language.memory import pointers
from tilewright.language.registry import Family
from tilewright.language.tensor import member, tensor


@Family.ATOMICS
@member
def atomic_load(pointer: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> tensor:
    """Atomically loads elements of 32 or 64 bits.

    The memory must be writable, because the load is an update that changes nothing.

    Args:
        pointer: A pointer or tile of pointers.
        mask: int1, broadcast to the pointers' shape. Where it is false, memory is not accessed
            and the result is unspecified.
        sem: Memory order: "acquire" (the default) or "relaxed".
        scope: The scope of the memory order: "gpu" (the default), "cta" or "sys".

    Raises:
        TypeMismatchError: `pointer` is not a pointer, or its elements have another width.
        ShapeMismatchError: `mask` does not broadcast to the shape of `pointer`.
        ConstantError: `sem` or `scope` is not one of the values listed above.

    Example:
        >>> tl.atomic_load(p + tl.arange(0, 3))
        [0 1 2]
    """
    ptr = pointers(pointer, "atomic_load", writes=True)
    bits = _bits(ptr.dtype.element_ty, "atomic_load")
    address = convert(ptr, pointer_type(bits, ptr.dtype.address_space))
    order = _order(sem, ("acquire", "relaxed"), "atomic_load")
    return reinterpret(
        atomic_or(address, constant(0, bits), mask, order, scope), ptr.dtype.element_ty
    )


@Family.ATOMICS
@member
def atomic_store(
    pointer: Any, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
) -> None:
    """Atomically stores elements of 32 or 64 bits.

    Args:
        pointer: A pointer or tile of pointers.
        val: Broadcast to the pointers' shape and cast to the pointee type.
        mask: int1, broadcast to the pointers' shape. Where it is false, memory is not accessed.
        sem: Memory order: "release" (the default) or "relaxed".
        scope: The scope of the memory order: "gpu" (the default), "cta" or "sys".

    Raises:
        TypeMismatchError: `pointer` is not a pointer, or its elements have another width.
        ShapeMismatchError: `val` or `mask` does not broadcast to the shape of `pointer`.
        ConstantError: `sem` or `scope` is not one of the values listed above.

    Example:
        >>> tl.atomic_store(p + 3, 30)
        >>> tl.load(p + 3)
        30
    """
    ptr = pointers(pointer, "atomic_store", writes=True)
    _bits(ptr.dtype.element_ty, "atomic_store")
    order = _order(sem, ("release", "relaxed"), "atomic_store")
    atomic_xchg(ptr, val, mask, order, scope)


def _bits(element: dtype, what: str) -> dtype:
    """The integer type of the elements' width."""
    width = element.primitive_bitwidth
    if width not in (32, 64) or element.is_ptr():
        raise TypeMismatchError(f"{what} takes elements of 32 or 64 bits, found {element}")
    return int32 if width == 32 else int64


def _order(sem: Any, known: tuple[str, str], what: str) -> str:
    given = constexpr_value(sem) or known[0]
    if given not in known:
        raise ConstantError(f"sem of {what} must be {known[0]!r} or {known[1]!r}, found {given!r}")
    return str(given)
