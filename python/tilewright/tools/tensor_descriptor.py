"""Tensor descriptors of the host: an array and the shape of the tiles that a kernel takes from it.

    d = TensorDescriptor.from_tensor(x, [64, 32])
    kernel[grid](d)                                   # in the kernel: d.load([row, column])

In the kernel it is a `tl.tensor_descriptor`. The parts of the argument are the base, the sizes and
the strides but the last, which is 1; the shape of the tiles and the padding are compiled in.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from tilewright.errors import ArgumentError
from tilewright.language.tensor_descriptors import tensor_descriptor
from tilewright.language.value import value_class

_ALIGNMENT = 16
_MAX_RANK = 5


@value_class
class TensorDescriptor:
    """An array in memory with the shape of the tiles that kernels load and store.

    Each launch reads the attributes: a pre_hook of an autotuned configuration may set
    `block_shape`, and another one compiles another variant of the kernel.

    Args:
        base: The array, a tensor or NumPy array.
        shape: Its sizes: 1 to 5 positive integers.
        strides: The distances of consecutive elements in each dimension, in elements. The last is
            1, the others multiples of 16 bytes.
        block_shape: The shape of the tiles, each size positive.
        padding: What kernels read outside of the array: "zero", or "nan" for floats.
        round_f32_to_tf32: Whether loads round float32 to TF32, to nearest even.

    Raises:
        ArgumentError: One of these conditions does not hold, or the address of the array is not a
            multiple of 16 bytes.
    """

    def __init__(
        self,
        base: Any,
        shape: Sequence[int],
        strides: Sequence[int],
        block_shape: Sequence[int],
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
    ) -> None:
        self.base = base
        self.shape, self.strides = list(shape), list(strides)
        self.block_shape, self.padding = list(block_shape), padding
        self.round_f32_to_tf32 = round_f32_to_tf32
        self._check()

    @staticmethod
    def from_tensor(
        tensor: Any,
        block_shape: Sequence[int],
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
    ) -> TensorDescriptor:
        """A descriptor of a whole tensor or NumPy array, with its shape and strides."""
        strides = _strides(tensor)
        return TensorDescriptor(
            tensor, tensor.shape, strides, block_shape, padding, round_f32_to_tf32
        )

    def flatten(self) -> tuple[Sequence[Any], Hashable]:
        _check_block_shape(self.block_shape, len(self.shape))
        parts = (self.base, tuple(self.shape), tuple(self.strides[:-1]))
        block_shape = tuple(map(int, self.block_shape))
        return parts, (block_shape, self.padding, True, bool(self.round_f32_to_tf32))

    @classmethod
    def unflatten(cls, parts: Sequence[Any], key: Any) -> tensor_descriptor:
        return tensor_descriptor.unflatten(parts, key)

    def __repr__(self) -> str:
        return (
            f"TensorDescriptor(shape={self.shape}, strides={self.strides}, "
            f"block_shape={self.block_shape}, padding={self.padding!r})"
        )

    def _check(self) -> None:
        rank = len(self.shape)
        _require(1 <= rank <= _MAX_RANK, f"has 1 to {_MAX_RANK} dimensions, found {rank}")
        _require(len(self.strides) == rank, f"of {rank} dimensions has {len(self.strides)} strides")
        _check_block_shape(self.block_shape, rank)
        _require(all(n > 0 for n in self.shape), f"needs positive sizes, found {self.shape}")
        _require(self.strides[-1] == 1, f"needs 1 as the last stride, found {self.strides[-1]}")
        size = self.base.dtype.itemsize
        for stride in self.strides[:-1]:
            _require(
                stride * size % _ALIGNMENT == 0,
                f"needs strides of a multiple of {_ALIGNMENT} bytes, "
                f"found {stride} elements of {size} bytes",
            )
        address = _address(self.base)
        _require(
            address is None or address % _ALIGNMENT == 0,
            f"needs an address that is a multiple of {_ALIGNMENT}, found {address}",
        )
        _require(
            self.padding in ("zero", "nan"),
            f"has the padding 'zero' or 'nan', found {self.padding!r}",
        )
        _require(
            self.padding == "zero" or _is_floating(self.base.dtype),
            f"cannot pad elements of type {self.base.dtype} with NaN",
        )
        _require(
            not self.round_f32_to_tf32 or str(self.base.dtype).endswith("float32"),
            f"rounds float32 to TF32 only, found elements of type {self.base.dtype}",
        )


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise ArgumentError(f"a TensorDescriptor {text}")


def _check_block_shape(block_shape: Sequence[int], rank: int) -> None:
    _require(
        len(block_shape) == rank,
        f"of {rank} dimensions has a block_shape of {len(block_shape)}",
    )
    for size in block_shape:
        _require(
            size > 0,
            f"needs positive sizes as its block_shape, found {list(block_shape)}",
        )


def _strides(array: Any) -> list[int]:
    """The strides of a tensor, or of a NumPy array, which counts in bytes, in elements."""
    if callable(getattr(array, "stride", None)):
        return list(array.stride())
    return [stride // array.dtype.itemsize for stride in array.strides]


def _address(array: Any) -> int | None:
    """The address of an array's first element; None for a tensor of PyTorch without memory."""
    if type(array).__name__ in ("FakeTensor", "FunctionalTensor"):
        return None
    if hasattr(array, "data_ptr"):
        return int(array.data_ptr())
    return int(array.__array_interface__["data"][0])


def _is_floating(dtype: Any) -> bool:
    """Whether a dtype of PyTorch or of NumPy is that of floats."""
    found = getattr(dtype, "is_floating_point", None)
    return bool(dtype.kind == "f" if found is None else found)
