"""The attributes of a @jit function; new source; copies from pickles; a replaced `run`."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import ArgumentError, CompileError, LaunchError
from tilewright.runtime.function import JITFunction

SCALE = tl.constexpr(2)
WIDTH: tl.constexpr = 8


@tilewright.jit
def scaled(value):
    return value * SCALE


@tilewright.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=[0])
def apply(out, n: tl.int64, BLOCK: tl.constexpr = 8):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, scaled(i), mask=i < n)


@pytest.fixture
def out():
    return np.zeros(8, np.int32)


def copies():
    """New functions with the text of `apply` and `scaled`, which tests change."""

    @tilewright.jit
    def helper(value):
        return value + 1

    @tilewright.jit
    def kernel(out, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, helper(i))

    return helper, kernel


def test_names_and_source() -> None:
    assert (apply.module, apply._fn_name, apply.__name__) == (__name__, "apply", "apply")
    assert apply.src.startswith("def apply(out, n:")
    assert apply.raw_src[0].startswith("@tilewright.jit(do_not")
    assert apply.raw_src[1].startswith("def apply(")
    with open(__file__) as file:
        assert file.read().splitlines(True)[apply.starting_line_number - 1] == apply.raw_src[0]
    helper, _ = copies()
    assert helper.src == "def helper(value):\n    return value + 1\n"
    assert helper.hash == helper.cache_key != apply.cache_key


def test_parameters() -> None:
    assert apply.constexprs == [2]
    assert apply.do_not_specialize == ["n"]
    assert apply.do_not_specialize_on_alignment == ["out"]
    assert list(apply.signature.parameters) == apply.arg_names == ["out", "n", "BLOCK"]
    assert apply.signature.parameters["BLOCK"].default == 8
    assert [parameter.num for parameter in apply.params] == [0, 1, 2]
    assert [parameter.annotation_type for parameter in apply.params] == ["", "i64", ""]


@pytest.mark.parametrize(
    ("annotation", "is_const", "type"),
    [
        ("tl.const", True, ""),
        ("const", True, ""),
        ("tl.constexpr", False, ""),
        (tl.float32, False, "fp32"),
        ("tl.uint8", False, "u8"),
        ("int", False, ""),
    ],
)
def test_annotations(annotation, is_const, type) -> None:
    def function(x): ...

    function.__annotations__["x"] = annotation
    (parameter,) = tilewright.jit(function).params
    assert (parameter.is_const, parameter.annotation_type) == (is_const, type)


def test_globals() -> None:
    assert apply.__globals__ is globals()
    scope = apply.get_capture_scope()
    assert scope["scaled"] is scaled
    _, kernel = copies()
    assert kernel.get_capture_scope()["helper"].name == "helper"
    assert scaled.used_global_vals == {("SCALE", id(globals())): (SCALE, globals())}
    assert isinstance(apply._hash_lock, type(threading.RLock()))


def test_kernels_by_device(out) -> None:
    _, kernel = copies()
    assert kernel.device_caches[0][0] == {}
    made = kernel[1](out, 8)
    assert list(kernel.device_caches[0][0].values()) == [made]
    assert kernel.device_caches[0][2] == made.metadata.target
    kernel.device_caches.clear()
    assert kernel[1](out, 8) is made


# New source


def test_a_kernel_with_new_source(out) -> None:
    _, kernel = copies()
    kernel[1](out, 8)
    assert out.tolist() == list(range(1, 9))
    kernel.src = kernel.src.replace("helper(i)", "helper(i) * 10")
    kernel[1](out, 8)
    assert out.tolist() == list(range(10, 90, 10))
    assert "* 10" in kernel.src


def test_a_helper_with_new_source(out) -> None:
    helper, kernel = copies()
    kernel[1](out, 8)
    before = kernel.cache_key
    helper._unsafe_update_src("def helper(value):\n    return value - 1\n")
    assert kernel.cache_key != before
    kernel[1](out, 8)
    assert out.tolist() == list(range(-1, 7))
    helper._unsafe_update_src("def helper(value):\n    return value + 1\n")
    kernel[1](out, 8)
    assert out.tolist() == list(range(1, 9))


def test_the_same_source_again_compiles_nothing(out) -> None:
    _, kernel = copies()
    made = kernel[1](out, 8)
    kernel.src = kernel.src
    once = kernel[1](out, 8)
    kernel.src = kernel.src
    assert kernel[1](out, 8) is once
    assert made.asm["source"] == once.asm["source"]


def test_a_function_made_of_text(out) -> None:
    text = "def made(out, BLOCK: tl.constexpr):\n    tl.store(out + tl.arange(0, BLOCK), FILL)\n"

    def empty(): ...

    scope = {"tl": tl, "FILL": tl.constexpr(3)}
    exec(text, scope)
    function = type(empty)(empty.__code__, scope)
    function.__name__ = "made"
    function.__signature__ = __import__("inspect").signature(scope["made"])  # type: ignore[attr-defined]
    kernel = JITFunction(function)
    kernel._unsafe_update_src(text)
    kernel[1](out, 8)
    assert out.tolist() == [3] * 8


def test_errors_show_the_new_text() -> None:
    _, kernel = copies()
    kernel.src = "def kernel(out, BLOCK: tl.constexpr):\n    tl.store(out, missing_name)\n"
    with pytest.raises(CompileError) as caught:
        kernel.warmup(tl.int32, 8)
    assert "tl.store(out, missing_name)" in str(caught.value)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("def kernel(out:", CompileError, "can't be parsed"),
        ("x = 1", CompileError, "must be one function"),
        ("", CompileError, "must be one function"),
        ("def kernel(BLOCK, out): pass", ArgumentError, "has the parameters BLOCK, out, but"),
        ("def kernel(): pass", ArgumentError, "has the parameters none, but"),
    ],
)
def test_text_that_is_no_source(out, text, error, match) -> None:
    _, kernel = copies()
    before = kernel.src
    with pytest.raises(error, match=match):
        kernel.src = text
    assert kernel.src == before
    kernel[1](out, 8)


# Pickling


def test_a_global_function_is_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(apply)) is apply


def test_a_copy_without_its_python_function(out) -> None:
    _, kernel = copies()
    made = kernel[1](out, 8)
    copy = pickle.loads(pickle.dumps(kernel))
    assert (copy.src, copy.arg_names, copy.fn) == (kernel.src, kernel.arg_names, None)
    assert copy.signature == kernel.signature
    with pytest.raises(LaunchError, match="kernel can't be compiled: it is a copy"):
        copy[1](out, 8)
    with pytest.raises(LaunchError, match="can't be compiled"):
        copy.cache_key  # noqa: B018
    again = pickle.loads(pickle.dumps(made))
    out[:] = 0
    again[1](out)
    assert out.tolist() == list(range(1, 9))


def test_a_function_without_its_members_for_a_while(out) -> None:
    _, kernel = copies()
    names = ("fn", "__globals__", "used_global_vals", "repr", "_hash_lock")
    saved = {name: getattr(kernel, name) for name in names}
    for name in names:
        setattr(kernel, name, None)
    assert pickle.loads(pickle.dumps(kernel)).name == "kernel"
    with pytest.raises(LaunchError, match="can't be compiled"):
        kernel.warmup(tl.int32, 8)
    for name, value in saved.items():
        setattr(kernel, name, value)
    kernel[1](out, 8)
    assert out.tolist() == list(range(1, 9))


# run


def test_a_replaced_run_gets_every_launch(out, monkeypatch) -> None:
    _, kernel = copies()
    original, seen = JITFunction.run, []

    def record(self, *args, grid, warmup=False, **kwargs):
        made = original(self, *args, grid=grid, warmup=warmup, **kwargs)
        seen.append((self, grid, made))
        return made

    monkeypatch.setattr(JITFunction, "run", record)
    assert kernel[1](out, BLOCK=8) is seen[0][2]
    kernel.run(out, 8, grid=(1,))
    assert [(fn, grid) for fn, grid, _ in seen] == [(kernel, 1), (kernel, (1,))]
    monkeypatch.undo()
    kernel[1](out, 8)
    assert len(seen) == 2
    assert out.tolist() == list(range(1, 9))
    assert type(kernel[1]).__name__ == "BoundGrid"


# Binding


def test_how_arguments_specialize() -> None:
    _, _, target, backend, binder = apply.create_binder()
    assert backend.target == target
    out = np.zeros(64, np.int32)
    bound, specialization, options = binder(out, 1, num_warps=2)
    assert (bound["out"] is out, bound["n"], bound["BLOCK"]) == (True, 1, 8)
    assert specialization == [("*i32", ""), ("i64", ""), ("constexpr", 8)]
    assert options == {"num_warps": 2}
    _, kernel = copies()
    *_, binder = kernel.create_binder()
    assert binder(out, BLOCK=16)[1] == [("*i32", "D"), ("constexpr", 16)]
    assert binder(out[1:], BLOCK=16)[1] == [("*i32", ""), ("constexpr", 16)]
    assert not kernel.device_caches
    with pytest.raises(ArgumentError, match="missing argument 'BLOCK'"):
        binder(out)


def test_how_tuples_specialize() -> None:
    @tilewright.jit
    def kernel(pair, name: tl.constexpr): ...

    *_, binder = kernel.create_binder()
    out = np.zeros(64, np.int32)
    assert binder((out, 1, None, 32), "i32")[1] == [
        (("*i32", "constexpr", "constexpr", "i32"), ("D", 1, None, "D")),
        ("constexpr", "i32"),
    ]


def test_new_source_for_gpus() -> None:
    _, kernel = copies()
    kernel.src = "def kernel(out, BLOCK: tl.constexpr):\n    tl.store(out, BLOCK)\n"
    made = kernel.warmup(tl.int32, 8, target="cuda:90a")
    assert ".entry kernel(" in made.asm["ptx"]
    out = np.zeros(1, np.int32)
    with tilewright.emulate("cuda:90a", checks=True):
        kernel[1](out, 8)
    assert out[0] == 8
