"""Stand-ins for tensors, to compile a kernel without data."""

from __future__ import annotations

from typing import Any


class MockTensor:
    """A tensor of a dtype (PyTorch's, NumPy's or the language's) that has no memory.

    A launch sees it as aligned to 16 bytes and as sharing memory with nothing.
    """

    __tilewright_mock__ = True

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"MockTensor({self.dtype})"

    @staticmethod
    def wrap(value: Any) -> Any:
        """A stand-in for a dtype, also of a NumPy scalar type; anything else as it is."""
        if type(value).__name__.lower().endswith("dtype"):
            return MockTensor(value)
        if isinstance(value, type) and value.__module__ == "numpy":
            return MockTensor(value.__name__)
        return value
