"""`assert` is tl.device_assert."""

from __future__ import annotations

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import ConstantError


@jit
def checked(out, n):
    assert n > 0, "n must be positive"
    tl.store(out, n)


def test_a_condition_is_checked_at_run_time():
    text = build(checked, "*i32", "i32", debug=True)
    assert "tile.assert" in text
    assert "n must be positive" in text


@jit
def constants(out, N: tl.constexpr, n):
    assert N == 4
    if n > 0:
        assert N != 4, "not reached"
    tl.store(out, n)


def test_a_constant_that_holds_is_left_out():
    """A false one is checked at run time, because it may be unreachable."""
    assert build(constants, "*i32", 4, "i32", debug=True).count("tile.assert") == 1


@jit
def variable_message(out, n):
    assert n > 0, n
    tl.store(out, n)


def test_the_message_must_be_constant():
    with pytest.raises(ConstantError, match="message of an assert"):
        build(variable_message, "*i32", "i32", debug=True)
