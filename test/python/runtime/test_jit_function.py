"""The function object that the decorator returns."""

from __future__ import annotations

import ast
import copy
import gc
import inspect
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, CompileError, LaunchError, UnsupportedError

FACTOR = tl.constexpr(3)


@tilewright.jit
def helper(x):
    return x * FACTOR


@tilewright.jit(do_not_specialize=["n"], debug=True, noinline=True, repr=str)
def example(x, n: i64, *, BLOCK: tl.constexpr = 16):  # noqa: F821
    """Its documentation."""
    tl.store(x, helper(n))


def test_attributes() -> None:
    assert isinstance(example, tilewright.JITFunction)
    assert example.name == example.__name__ == "example"
    assert example.__doc__ == "Its documentation."
    assert example.__module__ == __name__
    assert example.source_file == __file__
    assert example.globals is globals()
    assert example.arg_names == ["x", "n", "BLOCK"]
    assert example.debug is True and example.noinline is True
    assert str(inspect.signature(example)) == str(inspect.signature(example.fn))
    assert "example" in repr(example)


def test_parameters() -> None:
    x, n, block = example.params
    assert (x.name, x.index, x.has_default, x.is_constexpr) == ("x", 0, False, False)
    assert (n.scalar_type, n.do_not_specialize) == ("i64", True)
    assert (block.default, block.is_constexpr) == (16, True)
    assert block.kind is inspect.Parameter.KEYWORD_ONLY


def test_the_tree_has_the_positions_of_the_file() -> None:
    @tilewright.jit
    def indented(x):
        return x + 1

    with open(__file__) as stream:
        lines = stream.readlines()
    for fn in (example, indented):
        tree = fn.tree()
        assert isinstance(tree, ast.FunctionDef) and tree.name == fn.name
        assert lines[tree.lineno - 1][tree.col_offset :].startswith(f"def {fn.name}(")
    value = indented.tree().body[0].value
    assert lines[value.lineno - 1][value.col_offset : value.end_col_offset] == "x + 1"
    assert indented.source.strip().startswith("@tilewright.jit")


def test_it_cannot_be_called() -> None:
    with pytest.raises(LaunchError, match=r"launch it with example\[grid\]"):
        example(1, 2)


def test_pickling_and_copying() -> None:
    assert pickle.loads(pickle.dumps(example)) is example
    assert copy.copy(example) is example
    assert copy.deepcopy({"kernel": example})["kernel"] is example


def test_decorating_again_is_the_same_function() -> None:
    assert tilewright.jit(example).fn is example.fn


def test_what_is_no_function() -> None:
    for value in (3, int, len, object()):
        with pytest.raises(ArgumentError, match="@jit takes a Python function"):
            tilewright.jit(value)
    with pytest.raises(UnsupportedError, match="lambda"):
        tilewright.jit(lambda x: x)


def test_collected_arguments_are_refused() -> None:
    def star(**kwargs):
        pass

    with pytest.raises(UnsupportedError, match=r"collects arguments with `\*\*kwargs`") as caught:
        tilewright.jit(star)
    assert caught.value.line == star.__code__.co_firstlineno


def test_source_that_cannot_be_found() -> None:
    program = "import tilewright\n@tilewright.jit\ndef typed(x): pass\n"
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True)
    assert done.returncode == 1
    assert "the source of `typed` can't be found: it was typed at a prompt" in done.stderr
    assert "define the kernel in a file" in done.stderr
    namespace: dict = {}
    exec("def made(x): pass", namespace)
    with pytest.raises(CompileError, match="the source of `made` can't be found"):
        tilewright.jit(namespace["made"])


# The globals that a kernel reads


def test_the_cache_key_follows_globals_of_what_it_calls(monkeypatch) -> None:
    key = example.cache_key
    assert example.cache_key == key
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(4))
    assert example.cache_key != key


# Compiling without running


def test_warmup_with_dtypes_is_what_a_launch_finds(substitute) -> None:
    @tilewright.jit
    def kernel(x, y, n, D: tl.constexpr):
        pass

    sub = substitute(kernel)
    made = kernel.warmup(torch.float32, np.float16, 5, D=torch.float32, grid=(1,))
    assert sub.last == (("*fp32:D", "*fp16:D", "i32", torch.float32), {}, True)
    x, y = torch.zeros(4), torch.zeros(4, dtype=torch.float16)
    assert kernel[1](x, y, 7, torch.float32) is made
    assert kernel.warmup(x, y=tl.float16, n=9, D=torch.float32) is made
    assert kernel.run(x, y, 5, torch.float32, grid=(1,), warmup=True) is made


def test_warmup_runs_nothing(substitute) -> None:
    @tilewright.jit
    def kernel(code):
        pass

    substitute(kernel, "fail")
    kernel.warmup(3, grid=(1,))


def test_run_launches(substitute) -> None:
    @tilewright.jit
    def kernel(counters):
        pass

    substitute(kernel, "count")
    counters = np.zeros(4, np.int32)
    kernel.run(counters, grid=(3,))
    assert counters.tolist() == [1, 1, 1, 0]


def test_hooks_see_the_arguments(substitute) -> None:
    @tilewright.jit
    def kernel(x, y):
        pass

    substitute(kernel)
    seen: list = []
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append((args, kwargs)))
    kernel[1](5, y=6, num_warps=2)
    kernel.warmup(5, 6)
    assert seen == [((5,), {"y": 6, "num_warps": 2})]


def test_an_unreferenced_kernel_is_freed(substitute) -> None:
    @tilewright.jit
    def kernel(x, C: tl.constexpr):
        pass

    substitute(kernel)
    kernel[1](5, kernel)
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None
