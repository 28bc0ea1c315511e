"""Operations keep a source line; an operation without one is compiled nevertheless."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.compiler import compile

TARGETS = ["cpu", "cuda:80", "cuda:90a", "emulator:cuda:90a"]

# A constant and another operation, with and without a known caller.
WITHOUT_LOCATIONS = """
func.func @k(%p: !tile.ptr<i32> {tile.slot = 0 : i32} loc("a.py":1:1)) attributes {tile.kernel} {
  %0 = tile.program_id 0 : i32 loc(UNKNOWN)
  %1 = arith.constant 5 : i32 loc(unknown)
  %2 = arith.cmpi slt, %0, %1 : i32 loc(callsite(UNKNOWN at "a.py":2:2))
  %3 = scf.if %2 -> i32 {
    %4 = arith.constant 7 : i32 loc(callsite(unknown at "a.py":2:2))
    scf.yield %4 : i32 loc("a.py":2:2)
  } else {
    scf.yield %0 : i32 loc("a.py":2:2)
  } loc("a.py":2:2)
  tile.store %p, %3 : !tile.ptr<i32>, i32 loc(callsite("b.py":8:8 at UNKNOWN))
  func.return loc("a.py":3:1)
} loc("a.py":1:1)
"""


def compile_text(text: str, target: str) -> Any:
    module = _core.Module.parse(_core.Context(), text)
    return _core.compile(module, target, keep_phases=True)


@pytest.mark.parametrize("target", TARGETS)
def test_missing_locations_do_not_matter(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILEWRIGHT_VERIFY_LOCATIONS")
    assert compile_text(WITHOUT_LOCATIONS.replace("UNKNOWN", "unknown"), target).object
    nowhere = WITHOUT_LOCATIONS.replace("UNKNOWN", "unknown").replace('"a.py":1:1', "unknown")
    assert compile_text(nowhere, target).object


@pytest.mark.parametrize("target", TARGETS)
def test_constants_get_the_location_of_their_function(target: str) -> None:
    """When `scf.if` is folded, both constants are hoisted."""
    assert compile_text(WITHOUT_LOCATIONS.replace("UNKNOWN", '"a.py":9:9'), target).object


@pytest.mark.parametrize("target", TARGETS)
def test_what_loses_its_location_is_found_when_verifying(target: str) -> None:
    text = WITHOUT_LOCATIONS.replace("UNKNOWN", '"a.py":9:9').replace('"a.py":9:9', "unknown", 1)
    with pytest.raises(_core.IRError, match=r"'tile.program_id' has the location loc\(unknown\)"):
        compile_text(text, target)


@pytest.mark.parametrize("target", TARGETS)
def test_a_position_in_another_file_is_not_enough(target: str) -> None:
    with pytest.raises(_core.IRError, match=r"'tile.program_id' has the location .*b\.py"):
        compile_text(WITHOUT_LOCATIONS.replace("UNKNOWN", '"b.py":9:9'), target)


@tilewright.jit
def innermost(p, n):
    if n > 7:
        tl.atomic_add(p, n + 3)
    return n


@tilewright.jit
def middle(p, n):
    for i in range(n):
        innermost(p, i)
    return n


@tilewright.jit
def outermost(p, n):
    if n > 2:
        return middle(p, n)
    return n


@tilewright.jit
def calls_three_deep(p, n):
    tl.store(p + 1, outermost(p, n))


def test_debug_information_names_the_innermost_call() -> None:
    compiled = compile(calls_three_deep, ("*i32:D", "i32"), "cuda:90a")
    line = innermost.first_line + 3
    assert f"DILocation(line: {line}, column: 9, " in compiled.ir("llvm")
    assert compiled.assembly().count(f"\t.loc\t1 {line} 9") > 0
