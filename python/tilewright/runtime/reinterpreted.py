"""Tensors that kernels see with another dtype: `reinterpret(x, tl.float8e5)`."""

from __future__ import annotations

from typing import Any

from tilewright.errors import ArgumentError
from tilewright.runtime.mock import MockTensor


class TensorWrapper:
    """A tensor or array whose elements have another dtype of the same size, for launches.

    Args:
        base: A tensor of PyTorch, or of another framework with `data_ptr()`; or a NumPy array.
        dtype: The dtype: of the language, or one of a framework that the kernel supports.

    Attributes:
        base, dtype: The arguments.
        data: The data of the tensor.
        device, shape: Those of the tensor; the device of an array is "cpu".

    Raises:
        ArgumentError: `base` is not a tensor, or the sizes of its elements and of `dtype` differ.
    """

    def __init__(self, base: Any, dtype: Any) -> None:
        self.base = base
        self.dtype = dtype
        self.data = base.data
        self.device = getattr(base, "device", "cpu")
        self.shape = base.shape
        if any(getattr(base, name, bool)() for name in ("is_neg", "is_conj")):
            raise ArgumentError(
                "a tensor whose negation or conjugation is pending can't be reinterpreted; pass "
                "x.resolve_neg().resolve_conj()"
            )
        if (found := base.itemsize) != (wanted := _bytes_of(dtype)):
            raise ArgumentError(
                f"elements of {base.dtype}, of {found} bytes, can't be reinterpreted as {dtype}, "
                f"of {wanted}"
            )

    def data_ptr(self) -> int:
        """The address of the first element."""
        pointer = getattr(self.base, "data_ptr", None)
        return int(pointer() if pointer is not None else self.base.ctypes.data)

    def stride(self, *args: Any) -> Any:
        """The strides in elements; that of a dimension, if one is given."""
        if hasattr(self.base, "stride"):
            return self.base.stride(*args)
        strides = tuple(step // self.base.itemsize for step in self.base.strides)
        return strides[args[0]] if args else strides

    def element_size(self) -> int:
        """Bytes per element."""
        return int(self.base.itemsize)

    def numel(self) -> int:
        """The number of elements."""
        return int(self.base.numel() if hasattr(self.base, "numel") else self.base.size)

    def is_contiguous(self) -> bool:
        """Whether the elements are contiguous in memory, in row-major order."""
        if hasattr(self.base, "is_contiguous"):
            return bool(self.base.is_contiguous())
        return bool(self.base.flags.c_contiguous)

    def cpu(self) -> TensorWrapper:
        """A copy in host memory, or a wrapper of the same tensor if it is there."""
        return TensorWrapper(self.base.cpu(), self.dtype)

    def to(self, device: Any) -> TensorWrapper:
        """The tensor on another device; a copy, unless it is there already."""
        return TensorWrapper(self.base.to(device), self.dtype)

    def clone(self) -> TensorWrapper:
        """A copy with memory of its own."""
        return TensorWrapper(self.base.clone(), self.dtype)

    def copy_(self, other: TensorWrapper) -> TensorWrapper:
        """Copies the elements of another wrapper of a tensor of the same dtype."""
        self.base.copy_(other.base)
        return self

    def new_empty(self, sizes: Any) -> TensorWrapper:
        """A tensor of another shape with uninitialized elements, on the same device."""
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __repr__(self) -> str:
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """The tensor with elements of another dtype, in the same memory.

    Args:
        tensor: A tensor, an array, or the result of `reinterpret`.
        dtype: A dtype whose elements have the same size; bool and int1 take a byte.

    Raises:
        ArgumentError: `tensor` is not a tensor, or the sizes differ.
    """
    if isinstance(tensor, MockTensor):
        return MockTensor(dtype)
    base = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    if not (hasattr(base, "data_ptr") or hasattr(base, "ctypes")) or not hasattr(base, "dtype"):
        raise ArgumentError(f"only a tensor or an array can be reinterpreted, not {tensor!r}")
    return base if dtype == base.dtype else TensorWrapper(base, dtype)


def _bytes_of(dtype: Any) -> int:
    bits = getattr(dtype, "primitive_bitwidth", None)
    if bits is not None:
        return max(int(bits) // 8, 1)
    size = getattr(dtype, "itemsize", None)
    if not isinstance(size, int):
        raise ArgumentError(f"a dtype must be one of the language or of a framework, not {dtype!r}")
    return size
