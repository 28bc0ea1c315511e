"""The kernel's func.func: arguments, their slots and attributes; constant parameters."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import TypeMismatchError


@jit
def store(out, value):
    tl.store(out, value)


@jit
def store_first(out, pair):
    tl.store(out, pair[0] + pair[1])


@jit
def store_constant(out, N: tl.constexpr, value):
    tl.store(out, N + value)


@jit
def store_if_given(out, value):
    if value is not None:
        tl.store(out, value)


@jit
def decrement(out, n):
    while n > 0:
        n -= 1
    tl.store(out, n)


def test_arguments_have_types_slots_and_divisibility():
    text = build(store, "*fp32:D", "i32")
    assert "tile.kernel" in text
    assert "%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.slot = 0 : i32}" in text
    assert "%arg1: i32 {tile.slot = 1 : i32}" in text


def test_noalias_is_on_pointers_only():
    text = build(store, "*fp32", "fp32", noalias=True)
    assert "%arg0: !tile.ptr<f32> {tile.noalias, tile.slot = 0 : i32}" in text
    assert "%arg1: f32 {tile.slot = 1 : i32}" in text


def test_constants_have_a_slot_but_no_argument():
    text = build(store_constant, "*i32", 7, "i32")
    assert "%arg1: i32 {tile.slot = 2 : i32}" in text
    assert "%arg2" not in text


def test_integer_one_is_folded():
    assert "arith.constant 1 : i32" in build(store, "*i32", 1)


@jit
def widen(out, stride):
    tl.store(out, stride.to(tl.int64) * 2)


def test_integer_one_has_the_methods_of_a_tensor():
    assert "arith.constant 2 : i64" in build(widen, "*i64", 1)


def test_none_is_folded():
    assert "tile.store" not in build(store_if_given, "*i32", None)
    assert "tile.store" in build(store_if_given, "*i32", "i32")


def test_tuples_are_flattened():
    text = build(store_first, "*i32", ("i32", "i32:D"))
    assert "%arg1: i32 {tile.slot = 1 : i32}" in text
    assert "%arg2: i32 {tile.divisibility = 16 : i32, tile.slot = 2 : i32}" in text


class Pair(NamedTuple):
    x: object
    y: object


@jit
def store_field(out, pair):
    tl.store(out, pair.y)


def test_named_tuples_keep_their_fields():
    text = build(store_field, "*i32", Pair("i32", "i32"))
    assert "tile.store %arg0, %arg2" in text


def test_a_parameter_that_is_one_by_chance_can_still_be_assigned():
    assert "scf.while" in build(decrement, "*i32", 1)


@pytest.mark.parametrize(
    ("name", "ir"),
    [
        ("*fp16", "!tile.ptr<f16>"),
        ("*bf16", "!tile.ptr<bf16>"),
        ("*i1", "!tile.ptr<i1>"),
        ("*u8", "!tile.ptr<i8>"),
        ("*kfp32", "!tile.ptr<f32>"),
        ("*fp8e4nv", "!tile.ptr<f8E4M3FN>"),
    ],
)
def test_pointer_types(name: str, ir: str):
    assert f"%arg0: {ir}" in build(load_only, name)


@jit
def load_only(x):
    tl.load(x)


@pytest.mark.parametrize(
    ("name", "ir"), [("u1", "i1"), ("i64", "i64"), ("u64", "i64"), ("fp64", "f64")]
)
def test_scalar_types(name: str, ir: str):
    assert f"%arg0: {ir} " in build(nothing, name)


@jit
def nothing(x):
    pass


def test_a_signature_of_another_length_is_refused():
    with pytest.raises(TypeMismatchError, match="1 entries for 2 parameters"):
        build(store, "*fp32")
