"""Predicates, moves and conversions of integers in inline assembly on emulated GPUs."""

from __future__ import annotations

import numpy as np
import pytest
from inline_texts import SIZE, ints, run, wrap
from seeds import generator


@pytest.mark.parametrize("type", ["s32", "u32"])
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(name, type):
    dtype = "int32" if type == "s32" else "uint32"
    a, b = ints(dtype), ints(dtype)
    b[::3] = a[::3]
    holds = getattr(np, {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal",
                         "gt": "greater", "ge": "greater_equal"}[name])(a, b)  # fmt: skip
    text = f"{{ .reg .pred p; setp.{name}.{type} p, $1, $2; selp.b32 $0, 7, -3, p; }}"
    assert np.array_equal(run(text, [a, b], "int32"), np.where(holds, 7, -3))


def test_predicates_and_their_negations():
    a, b, c = ints("int32", -5, 5), ints("int32", -5, 5), ints("int32", -5, 5)
    text = """{
        .reg .pred p, q, r, s;
        setp.lt.s32 p, $1, 0;
        setp.gt.and.s32 q|r, $2, $3, p;
        mov.u32 $0, 0;
        @q\tadd.u32 $0, $0, 1;
        @r add.u32 $0, $0, 2;
        @!p add.u32 $0, $0, 4;
        xor.pred s, q, r;
        not.pred s, s;
        @s add.u32 $0, $0, 8;
    }"""
    p = a < 0
    q, r = (b > c) & p, ~(b > c) & p
    expected = q * 1 + r * 2 + ~p * 4 + ~(q ^ r) * 8
    assert np.array_equal(run(text, [a, b, c], "int32"), expected)


def test_comparisons_of_floats_with_nan():
    a, b = (generator().integers(-3, 3, SIZE).astype(np.float32) for _ in "ab")
    a[::5], b[::7] = np.nan, np.nan
    text = """{
        .reg .pred p;
        .reg .b32 t;
        mov.u32 $0, 0;
        setp.lt.f32 p, $1, $2;  selp.u32 t, 1, 0, p;  or.b32 $0, $0, t;
        setp.geu.f32 p, $1, $2; selp.u32 t, 2, 0, p;  or.b32 $0, $0, t;
        setp.nan.f32 p, $1, $2; selp.u32 t, 4, 0, p;  or.b32 $0, $0, t;
        setp.ne.f32 p, $1, $2;  selp.u32 t, 8, 0, p;  or.b32 $0, $0, t;
    }"""
    nan = np.isnan(a) | np.isnan(b)
    expected = (a < b) * 1 + ((a >= b) | nan) * 2 + nan * 4 + ((a != b) & ~nan) * 8
    found = run(text, [a.view(np.uint32), b.view(np.uint32)], "uint32")
    assert np.array_equal(found, expected)


def test_moves_pack_and_unpack():
    a, b = ints("uint32"), ints("uint32")
    swapped = "{ .reg .b16 x, y; mov.b32 {x, y}, $1; mov.b32 $0, {y, x}; }"
    assert np.array_equal(run(swapped, [a], "uint32"), a << 16 | a >> 16)
    wide = run("mov.b64 $0, {$1, $2};", [a, b], "uint64")
    assert np.array_equal(wide, a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32))
    low = run("{ .reg .b32 x; mov.b64 {$0, x}, $1; }", [wide], "uint32")
    assert np.array_equal(low, a)


@pytest.mark.parametrize(
    ("to", "source"),
    [("s32", "s8"), ("u32", "u8"), ("s32", "s16"), ("u64", "u32"), ("s64", "s32"), ("u16", "u32")],
)
def test_conversions_of_integers(to, source):
    bits = {"8": "int16", "16": "int16", "32": "int32"}[source[1:]]
    a = ints(bits)
    result = f"{'u' if to[0] == 'u' else ''}int{to[1:]}"
    narrow = f"{'u' if source[0] == 'u' else ''}int{source[1:]}"
    expected = wrap(wrap(a.astype(object), narrow).astype(object), result)
    assert np.array_equal(run(f"cvt.{to}.{source} $0, $1;", [a], result), expected)


def test_saturating_conversions_of_integers():
    a = ints("int32", -400, 400)
    found = run("{ .reg .s16 t; cvt.sat.s8.s32 t, $1; cvt.s32.s16 $0, t; }", [a], "int32", arch="")
    assert np.array_equal(found.astype(np.int8), np.clip(a, -128, 127))
    found = run("cvt.sat.u16.s32 $0, $1;", [a], "uint16")
    assert np.array_equal(found, np.clip(a, 0, 65535))
