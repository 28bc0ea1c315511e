"""Atomic additions of floats in memory; NVIDIA's GPUs flush subnormal numbers to zero."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

SMALL = np.finfo(np.float32).smallest_subnormal


@tilewright.jit
def add_to(x, value):
    tl.atomic_add(x, tl.load(value))


@pytest.mark.parametrize(("start", "value"), [(SMALL, SMALL), (1.0, SMALL), (2.0**-126, -SMALL)])
def test_subnormals(start, value, launch_target):
    x, y = np.full(1, start, np.float32), np.full(1, value, np.float32)
    add_to[(1,)](x, y)
    expected = np.float32(start) + np.float32(value)
    if "cuda" in launch_target:
        tiny = np.finfo(np.float32).tiny
        parts = [0 if abs(part) < tiny else part for part in (np.float32(start), np.float32(value))]
        expected = sum(parts)
    assert x[0] == expected
