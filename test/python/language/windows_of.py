"""Windows of arrays with NumPy, as the references of block pointers and tensor descriptors."""

import numpy as np
import torch
from inputs import FLOATS, fresh
from seeds import generator

FLOAT8 = {"fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn}


def at(offsets, block):
    """The indices of a window's elements, an array for each dimension, and where they are."""
    return [offset + i for offset, i in zip(offsets, np.indices(block), strict=True)]


def inside(shape, offsets, block, dims=None):
    """Where a window is inside of an array along some dimensions, by default all."""
    checked = range(len(block)) if dims is None else dims
    result = np.full(block, True)
    for dim in checked:
        index = at(offsets, block)[dim]
        result &= (index >= 0) & (index < shape[dim])
    return result


def window(array, offsets, block, padding):
    """The elements of a window; `padding` outside of the array."""
    places = at(offsets, block)
    for place, size in zip(places, array.shape, strict=True):
        np.clip(place, 0, size - 1, out=place)
    return np.where(inside(array.shape, offsets, block), array[tuple(places)], padding)


def put(array, offsets, values):
    """Stores a window of values where it is inside of the array."""
    mask = inside(array.shape, offsets, values.shape)
    array[tuple(place[mask] for place in at(offsets, values.shape))] = values[mask]


def random_shape(rank, largest):
    return tuple(int(n) for n in generator().integers(1, largest, rank, endpoint=True))


def random_offsets(shape, block):
    """Offsets of a window that may be outside of the array, on all sides."""
    pairs = zip(shape, block, strict=True)
    return tuple(int(generator().integers(-b - 1, n + 1, endpoint=True)) for n, b in pairs)


def some(dtype, shape):
    """New random numbers of a type, float8 included, as a PyTorch tensor."""
    if dtype in FLOAT8:
        return fresh("fp32", shape).to(FLOAT8[dtype])
    made = fresh(dtype, shape)
    return made if dtype in FLOATS else torch.from_numpy(made)


def plain(x):
    """A tensor of any type as a NumPy array: of its numbers, or of the bits of a float8."""
    if x.dtype in FLOAT8.values():
        return x.view(torch.uint8).numpy()
    return x.to(torch.float64).numpy() if x.dtype.is_floating_point else x.numpy()


def strided(rank, shape, dtype="fp32"):
    """A random array whose dimensions are in random order in memory, with gaps, and the order."""
    order = tuple(int(dim) for dim in generator().permutation(rank))  # the fastest first
    slow_first = order[::-1]
    memory = some(dtype, tuple(shape[dim] + 1 for dim in slow_first))
    inner = memory[tuple(slice(0, shape[dim]) for dim in slow_first)]
    return inner.permute([slow_first.index(dim) for dim in range(rank)]), order
