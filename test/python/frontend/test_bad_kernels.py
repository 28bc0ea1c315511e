"""Invalid kernels: each message has the user's file and line, and shows the line."""

from __future__ import annotations

from typing import Any

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.errors import CompileError


@jit
def undefined(out):
    tl.store(out, missing)  # noqa: F821


@jit
def unsupported(out):
    try:
        pass
    finally:
        pass


@jit
def shapes(out):
    tl.arange(0, 4) + tl.arange(0, 8)


@jit
def wrong_dtype(out):
    tl.exp(tl.arange(0, 4))


@jit
def bounds_not_constant(out, n):
    tl.arange(0, n)


@jit
def bounds_too_far_apart(out):
    tl.arange(0, 2 << 20)


@jit
def store_shape(out):
    tl.store(out + tl.arange(0, 4), tl.arange(0, 8))


@jit
def mask_shape(out):
    tl.load(out + tl.arange(0, 4), mask=tl.arange(0, 8) > 2)


@jit
def load_number(out):
    tl.load(5)


@jit
def shift_float(out):
    tl.full((4,), 1.0, tl.float32) << 1


@jit
def number_in_string(out):
    tl.store(out, 8 in "8")


@jit
def module_as_number(out):
    tl.store(out, tl + 1)


CASES: list[tuple[Any, tuple[str, ...], int, str]] = [
    (undefined, ("*i32",), 2, "missing"),
    (unsupported, ("*i32",), 2, "`try`"),
    (shapes, ("*i32",), 2, "4"),
    (wrong_dtype, ("*i32",), 2, "int32"),
    (bounds_not_constant, ("*i32", "i32"), 2, "arange"),
    (bounds_too_far_apart, ("*i32",), 2, "too large"),
    (store_shape, ("*i32",), 2, "8"),
    (mask_shape, ("*i32",), 2, "8"),
    (load_number, ("*i32",), 2, "pointer"),
    (shift_float, ("*i32",), 2, "<<|fp32"),
    (number_in_string, ("*i32",), 2, "needs a string"),
    (module_as_number, ("*i32",), 2, "the module 'tilewright.language' and the constant 1"),
]


@pytest.mark.parametrize(
    ("kernel", "signature", "line", "words"), CASES, ids=lambda x: getattr(x, "name", "")
)
def test_the_message_names_file_and_line(
    kernel: Any, signature: tuple[str, ...], line: int, words: str
):
    with pytest.raises(CompileError, match=words) as info:
        build(kernel, *signature)
    error = info.value
    assert error.file == __file__
    assert error.line == kernel.first_line + line
    assert error.column is not None
    text = str(error)
    assert text.startswith(f"{__file__}:{error.line}:{error.column}: ")
    assert text.splitlines()[2].strip() == "^"


STATEMENTS = {
    "with open(x): pass": "`with`",
    "del x": "`del`",
    "import os": "`import`",
    "global y": "`global`",
    "raise x": "`raise`",
    "def g(): pass": "nested function",
    "class C: pass": "class",
    "yield x": "`yield`",
    "lambda: 1": "`lambda`",
    "{1: 2}": "dictionary",
    "{1, 2}": "set",
}


@pytest.mark.parametrize("source", STATEMENTS)
def test_unsupported_syntax_is_named_with_an_alternative(source: str, tmp_path: Any):
    path = tmp_path / "kernel.py"
    path.write_text(f"def kernel(x):\n    {source}\n")
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    with pytest.raises(CompileError, match=STATEMENTS[source]) as info:
        build(jit(namespace["kernel"]), "*i32")
    assert info.value.hint
    assert (info.value.file, info.value.line) == (str(path), 2)
