"""All forms of assignments."""

# ruff: noqa: F841, F842, RUF059

from __future__ import annotations

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import ConstantError, TypeMismatchError, UnsupportedError


@jit
def chain(out):
    a = b = tl.program_id(0)
    tl.store(out, a + b)


def test_several_targets():
    text = build(chain, "*i32")
    assert text.count("tile.program_id") == 1
    assert "arith.addi %0, %0" in text


@jit
def swap(out, a, b):
    a, b = b, a
    tl.store(out, a - b)


def test_tuples_are_assigned_at_once():
    assert "arith.subi %arg2, %arg1" in build(swap, "*i32", "i32", "i32")


@jit
def nested_and_starred(out, a, b):
    (x, *rest), y = (a, b, a), b
    tl.store(out, x - rest[0])
    tl.store(out, rest[1] - y)


def test_nested_and_starred_targets():
    text = build(nested_and_starred, "*i32", "i32", "i32")
    assert text.count("arith.subi %arg1, %arg2") == 2


@jit
def augmented(out, a):
    a += 2
    a *= a
    tl.store(out, a)


def test_augmented_assignment():
    text = build(augmented, "*i32", "i32")
    assert "arith.addi %arg1" in text
    assert "arith.muli" in text


@jit
def annotated(out):
    n: tl.constexpr = 4 * 4
    tl.store(out + tl.arange(0, n), 0)


def test_an_annotated_constant_stays_constant():
    assert "tile.make_range 0 to 16" in build(annotated, "*i32")


@jit
def annotated_otherwise(out, a):
    b: tl.tensor = a
    c: int
    tl.store(out, b)


def test_other_annotations_mean_nothing():
    assert "tile.store %arg0, %arg1" in build(annotated_otherwise, "*i32", "i32")


@jit
def walrus(out, a):
    if (b := a + 1) > 0:
        tl.store(out, b)


def test_assignment_expression():
    assert "scf.if" in build(walrus, "*i32", "i32")


@jit
def demoted(out):
    n = 7
    tl.store(out, n // 2)


def test_an_assigned_number_is_a_tensor():
    """As in Triton, it then follows the rules of tensors: integer division truncates."""
    assert "arith.divsi" in build(demoted, "*i32")


@jit
def demoted_size(out):
    n = 16
    tl.arange(0, n)


def test_an_assigned_number_is_no_constant():
    with pytest.raises(ConstantError):
        build(demoted_size, "*i32")


@jit
def annotated_tensor(out):
    n: tl.constexpr = tl.program_id(0) * 2
    tl.store(out, n + 1)


def test_a_tensor_annotated_as_constant_stays_a_tensor():
    text = build(annotated_tensor, "*i32")
    assert "tile.store" in text


@jit
def annotated_tensor_as_size(out):
    n: tl.constexpr = tl.program_id(0) * 2
    tl.store(out + tl.arange(0, n), 1)


def test_a_tensor_annotated_as_constant_is_no_size():
    with pytest.raises(ConstantError, match="end of arange must be an integer known at compile"):
        build(annotated_tensor_as_size, "*i32")


@jit
def too_few(out):
    a, b = (1, 2, 3)


def test_unpacking_another_number_of_values_is_refused():
    with pytest.raises(TypeMismatchError, match="3 values into 2 variables"):
        build(too_few, "*i32")


@jit
def unpack_tensor(out):
    a, b = tl.arange(0, 2)


def test_a_tensor_cannot_be_unpacked():
    with pytest.raises(TypeMismatchError, match="cannot unpack"):
        build(unpack_tensor, "*i32")


@jit
def assign_element(out):
    x = tl.arange(0, 2)
    x[0] = 1


def test_an_element_cannot_be_assigned():
    with pytest.raises(UnsupportedError, match="element of a tile") as info:
        build(assign_element, "*i32")
    assert "tl.where" in str(info.value.hint)
