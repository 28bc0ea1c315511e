"""Atomic loads and stores, as updates, and waiting for a value.

A load adds nothing to memory, and a store exchanges it.
"""

from __future__ import annotations

from typing import Any

from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError
from tilewright.language._build import constant, emit, to_tensor
from tilewright.language.atomics import atomic_or, atomic_xchg, memory_order
from tilewright.language.casts import convert, reinterpret
from tilewright.language.constexpr import constexpr_value, known_value
from tilewright.language.dtypes import dtype, int1, int32, int64, pointer_type
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


@Family.ATOMICS
@member
def atomic_poll(
    pointer: Any, expected_value: Any, sem: Any = None, scope: Any = None, timeout_ns: Any = None
) -> tensor:
    """Waits until an integer in memory has a value.

    The other programs must be able to run meanwhile: a wait for a program that has not started may
    never end. The memory must be writable, as for `tl.atomic_load`.

    Args:
        pointer: A pointer to one integer of 16, 32 or 64 bits.
        expected_value: The value to wait for, an integer, which is cast to the pointee type.
        sem: Memory order: "acquire" (the default) or "relaxed".
        scope: The scope of the memory order: "gpu" (the default), "cta" or "sys".
        timeout_ns: After how many nanoseconds the wait ends without the value. The value is loaded
            at least once. By default the wait does not end without it.

    Returns:
        An int1: whether the value was found.

    Raises:
        TypeMismatchError: `pointer` does not point to an integer of one of these widths, or
            `expected_value` or `timeout_ns` is no integer.
        ShapeMismatchError: One of them is a tile.
        ConstantError: `sem` or `scope` is not one of the values listed above, `timeout_ns` is a
            negative constant, or `expected_value` is a constant that the integer cannot have.

    Example:
        >>> tl.atomic_poll(p + 3, 3)
        True
    """
    ptr = pointers(pointer, "atomic_poll", writes=True)
    element = ptr.dtype.element_ty
    if not element.is_int() or element.int_bitwidth not in (16, 32, 64):
        raise TypeMismatchError(
            f"atomic_poll takes an integer of 16, 32 or 64 bits in memory, found {element}"
        )
    order = _order(sem, ("acquire", "relaxed"), "atomic_poll")
    operands = [ptr, _one_integer(expected_value, element, "expected_value")]
    if constexpr_value(timeout_ns) is not None:
        operands.append(_one_integer(timeout_ns, int64, "timeout_ns"))
        if isinstance(limit := known_value(timeout_ns), int) and limit < 0:
            raise ConstantError(f"timeout_ns of atomic_poll must not be negative, found {limit}")
    if ptr.type.is_block():
        raise ShapeMismatchError(
            f"atomic_poll takes a pointer to one integer, found shape {list(ptr.type.shape)}"
        )
    return emit("tile.atomic_poll", operands, memory_order(order, scope), type=int1)


def _one_integer(value: Any, element: dtype, what: str) -> tensor:
    """A scalar integer, cast to `element`; `what` names it in the error.

    Raises:
        TypeMismatchError, ShapeMismatchError, ConstantError: See `atomic_poll`.
    """
    number = to_tensor(value)
    if not number.dtype.is_int() and not number.dtype.is_bool():
        raise TypeMismatchError(f"{what} of atomic_poll must be an integer, found {number.type}")
    if number.type.is_block():
        raise ShapeMismatchError(f"{what} of atomic_poll must be a scalar, found {number.type}")
    plain = known_value(value)
    least, most = element.get_int_min_value(), element.get_int_max_value()
    if isinstance(plain, int) and not least <= plain <= most:
        raise ConstantError(f"{what} of atomic_poll is {plain}, which is no {element}")
    return to_tensor(number, element)


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
