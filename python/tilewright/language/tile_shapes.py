"""The shapes that tiles may have."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from tilewright.errors import ShapeMismatchError
from tilewright.language.constexpr import known_value

# The largest tile, padded; the same number as Triton's TRITON_MAX_TENSOR_NUMEL.
MAX_ELEMENTS = 1 << 20

# Each operation asks again for one of a few shapes.
_VALID_SHAPES: set[tuple[int, ...]] = set()


def check_shape(shape: Iterable[Any]) -> tuple[int, ...]:
    """A shape as a tuple of ints.

    Raises:
        ShapeMismatchError: A size is not an integer or not positive, or the tile has more than
            MAX_ELEMENTS elements.
    """
    if type(shape) is tuple and set(map(type, shape)) == {int} and shape in _VALID_SHAPES:
        return shape
    sizes = tuple(map(known_value, shape))
    for index, size in enumerate(sizes):
        if not isinstance(size, int) or isinstance(size, bool):
            kind = type(size).__name__
            raise ShapeMismatchError(
                f"size {index} of a shape must be a constant int, found {kind}"
            )
        if size <= 0:
            raise ShapeMismatchError(
                f"size {index} of the shape {list(sizes)} is {size}, which is not positive"
            )
    if padded_numel(sizes) > MAX_ELEMENTS:
        raise ShapeMismatchError(
            f"a tile of shape {list(sizes)} is too large: with each size rounded up to a power of "
            f"two it has {padded_numel(sizes)} elements, and at most {MAX_ELEMENTS} are possible",
            hint="process the data in a loop over smaller tiles",
        )
    _VALID_SHAPES.add(sizes)
    return sizes


def are_powers_of_two(shape: Iterable[int]) -> bool:
    return all(size & (size - 1) == 0 for size in shape)


def padded_numel(shape: Iterable[int]) -> int:
    """The number of elements of a tile with each size rounded up to a power of two."""
    return math.prod(1 << (size - 1).bit_length() for size in shape)
