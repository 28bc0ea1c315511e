"""The allocator of scratch memory in global memory: `tilewright.set_allocator`.

Tilewright's kernels need no such memory: a launch never calls the allocator. It is kept for
programs that read it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeAlias

from tilewright.errors import LaunchError

# Takes the size and the alignment in bytes and the handle of the stream; returns a tensor.
Allocator: TypeAlias = "Callable[[int, int, int | None], Any]"


class NullAllocator:
    """The allocator before `set_allocator`: it refuses to allocate.

    Raises, when called:
        LaunchError: Always.
    """

    def __call__(self, size: int, alignment: int, stream: int | None) -> Any:
        raise LaunchError(
            f"{size} bytes of scratch memory are needed, but there is no allocator; "
            "tilewright.set_allocator sets one"
        )


class AllocatorWrapper:
    """Calls the allocator that was set last in this context."""

    def get(self) -> Allocator:
        """The allocator of this context."""
        return _allocator.get()

    def set(self, allocator: Allocator) -> None:
        """Sets the allocator; see `set_allocator`."""
        set_allocator(allocator)

    def __call__(self, size: int, alignment: int, stream: int | None) -> Any:
        return self.get()(size, alignment, stream)


_null_allocator = NullAllocator()
_allocator: ContextVar[Allocator] = ContextVar("allocator", default=_null_allocator)
_profile_allocator: ContextVar[Allocator] = ContextVar("profile_allocator", default=_null_allocator)


def set_allocator(allocator: Allocator) -> None:
    """Sets the function that allocates scratch memory, for the current context.

    Args:
        allocator: A function of the size and the alignment in bytes and of the driver's handle of
            the stream, or None; returns a tensor.
    """
    _allocator.set(allocator)


def set_profile_allocator(allocator: Allocator | None) -> None:
    """Sets the function that allocates memory for profilers; None removes it."""
    _profile_allocator.set(_null_allocator if allocator is None else allocator)


def has_profile_allocator() -> bool:
    """Whether `set_profile_allocator` has set a function."""
    return _profile_allocator.get() is not _null_allocator
