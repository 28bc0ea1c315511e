"""Name resolution: locals, enclosing variables, globals, builtins."""

# ruff: noqa: SIM115

from __future__ import annotations

import math

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright import _core
from tilewright.dependencies import Record
from tilewright.errors import UndefinedNameError
from tilewright.frontend import build_module

SIZE = tl.constexpr(32)
ANNOTATED: tl.constexpr = 64
PLAIN = 16


@jit
def use_global(out):
    tl.store(out + tl.arange(0, SIZE), 0)


@jit
def use_annotated(out):
    tl.store(out + tl.arange(0, ANNOTATED), 0)


@jit
def use_plain(out):
    tl.store(out + tl.arange(0, PLAIN), 0)


@jit
def use_module_attribute(out):
    tl.store(out, math.pi)


def test_constexpr_globals():
    assert "tile.make_range 0 to 32" in build(use_global, "*i32")


def test_annotated_globals():
    assert "tile.make_range 0 to 64" in build(use_annotated, "*i32")


def test_globals_that_are_read_are_recorded():
    record = Record(use_global, ["*i32"])
    build_module(_core.Context(), use_global, ["*i32"], False, {}, record)
    assert ("global", 0, "SIZE") in record.shape


def test_module_attributes():
    assert "3.14159" in build(use_module_attribute, "*fp32")


def test_plain_globals_are_refused():
    with pytest.raises(UndefinedNameError, match="`PLAIN` is not a constant") as info:
        build(use_plain, "*i32")
    assert "tl.constexpr" in str(info.value.hint)


def test_plain_globals_are_allowed_on_request(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")
    assert "tile.make_range 0 to 16" in build(use_plain, "*i32")


def test_enclosing_variables():
    size = tl.constexpr(8)

    @jit
    def kernel(out):
        tl.store(out + tl.arange(0, size), 0)

    assert "tile.make_range 0 to 8" in build(kernel, "*i32")


@jit
def misspelt(out, value):
    tl.store(out, valeu)  # noqa: F821


def test_a_name_that_does_not_exist_is_refused_with_a_suggestion():
    with pytest.raises(UndefinedNameError, match="`valeu` is not defined") as info:
        build(misspelt, "*i32", "i32")
    assert "`value`" in str(info.value.hint)
    assert info.value.file == __file__


@jit
def misspelt_attribute(out):
    tl.store(out, tl.aragne(0, 4))


def test_an_attribute_that_does_not_exist_is_refused_with_a_suggestion():
    with pytest.raises(UndefinedNameError, match="has no attribute `aragne`") as info:
        build(misspelt_attribute, "*i32")
    assert "`arange`" in str(info.value.hint)


class Unfinished:
    @property
    def width(self):
        raise AttributeError


UNFINISHED = tl.constexpr(Unfinished())


@jit
def unfinished_attribute(out):
    tl.store(out, UNFINISHED.width)


def test_an_attribute_that_cannot_be_read_is_not_suggested():
    with pytest.raises(UndefinedNameError, match="has no attribute `width`") as info:
        build(unfinished_attribute, "*i32")
    assert info.value.hint is None


def helper(x):
    return x


@jit
def call_plain_function(out):
    tl.store(out, helper(out))


def test_a_plain_python_function_is_refused():
    with pytest.raises(UndefinedNameError, match="ordinary Python function") as info:
        build(call_plain_function, "*i32")
    assert "@tilewright.jit" in str(info.value.hint)


@jit
def call_open(out):
    open("file")


def test_a_python_builtin_that_kernels_lack_is_refused():
    with pytest.raises(UndefinedNameError, match="Python builtin `open` is not available"):
        build(call_open, "*i32")


@jit
def use_before_assignment(out):
    tl.store(out, later)  # noqa: F821
    later = 1  # noqa: F841


def test_use_before_assignment_is_refused():
    with pytest.raises(UndefinedNameError, match="`later` is used before it is assigned"):
        build(use_before_assignment, "*i32")


@jit
def shadow(out, tl_like):
    SIZE = 5
    tl.store(out, SIZE)


def test_a_local_hides_a_global():
    assert "arith.constant 5 : i32" in build(shadow, "*i32", "i32")
