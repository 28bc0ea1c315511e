"""Placeholders for tensors, to compile a kernel without data."""

from __future__ import annotations

from typing import Any


class MockTensor:
    """A tensor without memory; its dtype is PyTorch's, NumPy's or the language's.

    It counts as aligned to 16 bytes and as sharing no memory with other arguments.
    """

    __tilewright_mock__ = True

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"MockTensor({self.dtype})"

    @staticmethod
    def wrap(value: Any) -> Any:
        """A placeholder for a dtype or a NumPy scalar type; any other value unchanged."""
        if type(value).__name__.lower().endswith("dtype"):
            return MockTensor(value)
        if isinstance(value, type) and value.__module__ == "numpy":
            return MockTensor(value.__name__)
        return value
