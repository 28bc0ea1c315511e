"""Every operation has a source location."""

from __future__ import annotations

import re

from frontend_support import build_with_locations, jit

import tilewright.language as tl


@jit
def simple(out, n):
    tl.store(out, n + 1)


def _place(text: str, op: str) -> str:
    """The location of the first operation of that name, spelled out."""
    line = next(line for line in text.splitlines() if op in line)
    [loc] = re.findall(r"loc\((.*)\)$", line)
    for _ in range(10):
        loc = re.sub(r"#loc\d*", lambda m: _definition(text, m.group()), loc)
    return loc


def _definition(text: str, alias: str) -> str:
    [found] = re.findall(rf"^{alias} = loc\((.*)\)$", text, re.MULTILINE)
    return str(found)


def test_file_line_and_column():
    text = build_with_locations(simple, "*i32", "i32")
    line = simple.first_line + 2
    assert _place(text, "tile.store") == f'"{__file__}":{line}:5'
    assert _place(text, "arith.addi") == f'"{__file__}":{line}:19'


@jit
def umlaut(out, n):
    "ÄÖÜ" and tl.store(out, n + 1)


def test_columns_count_characters():
    text = build_with_locations(umlaut, "*i32", "i32")
    assert _place(text, "tile.store") == f'"{__file__}":{umlaut.first_line + 2}:15'


@jit
def combine(a, b):
    return a + b


@jit
def reduces(out):
    tl.store(out, tl.reduce(tl.arange(0, 8), 0, combine))


def test_what_is_built_in_place_knows_its_caller():
    text = build_with_locations(reduces, "*i32")
    callee, caller = combine.first_line + 2, reduces.first_line + 2
    assert _place(text, "arith.addi") == (
        f'callsite("{__file__}":{callee}:12 at "{__file__}":{caller}:19)'
    )


@jit
def calls(out, n):
    tl.store(out, combine(n, n))


def test_a_call_is_where_the_function_is_called():
    text = build_with_locations(calls, "*i32", "i32")
    assert _place(text, "call @combine") == f'"{__file__}":{calls.first_line + 2}:19'


def test_no_operation_is_without_location():
    assert "loc(unknown)" not in build_with_locations(reduces, "*i32")
