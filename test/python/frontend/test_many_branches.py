"""Long sequences of statements that may exit, and long chains of `elif`."""

from __future__ import annotations

from pathlib import Path

import pytest
from frontend_support import build
from generated import kernel_of
from test_unrolled_loops import depth

from tilewright.errors import LoopTypeError, TypeMismatchError, UndefinedNameError


def returning(count: int) -> str:
    lines = ["def kernel(out, n):", "    x = n"]
    for i in range(count):
        lines += [f"    if n == {i}:", "        tl.store(out, x)", "        return"]
        lines += [f"    x = x * 3 + {i}"]
    return "\n".join([*lines, "    tl.store(out, -x)", ""])


def chain(count: int, last: str = "x = 7") -> str:
    lines = ["def kernel(out, n):", "    if n < 0:", "        x = n"]
    for i in range(count):
        lines += [f"    elif n == {i}:", f"        x = n + {i}"]
    return "\n".join([*lines, "    else:", f"        {last}", "    tl.store(out, x)", ""])


@pytest.mark.parametrize("source", [returning, chain])
def test_code_grows_with_the_number_of_branches_only(tmp_path: Path, source) -> None:
    short, long = (build(kernel_of(tmp_path, source(n)), "*i32", "i32") for n in (150, 300))
    assert len(long.splitlines()) < 2.05 * len(short.splitlines())
    assert depth(short) == depth(long) < 60


def test_a_constant_chooses_from_a_long_chain(tmp_path: Path) -> None:
    text = build(
        kernel_of(tmp_path, chain(100).replace("(out, n)", "(out, n: tl.constexpr)")), "*i32", 41
    )
    assert "scf.if" not in text
    assert "constant 82 : i32" in text


def test_a_variable_that_one_branch_of_a_long_chain_lacks(tmp_path: Path) -> None:
    with pytest.raises(UndefinedNameError, match="`x` is assigned in only one branch"):
        build(kernel_of(tmp_path, chain(40, "pass")), "*i32", "i32")


def test_a_variable_of_two_types_in_a_long_chain(tmp_path: Path) -> None:
    with pytest.raises(LoopTypeError, match=r"`x` has the type .* and fp32"):
        build(kernel_of(tmp_path, chain(40, "x = 0.5")), "*i32", "i32")


HELPER = """
def kernel(out, n):
    tl.store(out, helper(n))


@tilewright.jit
def helper(n):
    if n == 0:
        return 5
"""


def test_returns_of_two_types_far_apart(tmp_path: Path) -> None:
    returns = "".join(f"    elif n == {i}:\n        return {i}\n" for i in range(1, 40))
    source = HELPER + returns + "    return 0.5\n"
    with pytest.raises(TypeMismatchError, match="`helper` returns"):
        build(kernel_of(tmp_path, source), "*i32", "i32")
