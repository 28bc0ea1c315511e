"""Helpers for those who test and time kernels."""

from tilewright.testing.timing import compare as compare

__all__ = ["compare"]
