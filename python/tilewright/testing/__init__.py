"""Helpers to test and time kernels."""

from tilewright.testing.closeness import assert_close as assert_close
from tilewright.testing.timing import compare as compare
from tilewright.testing.timing import do_bench as do_bench

__all__ = ["assert_close", "compare", "do_bench"]
