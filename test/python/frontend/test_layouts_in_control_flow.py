"""Layouts of tiles and address spaces of pointers survive control flow and calls."""

import pytest
from frontend_support import build, jit

import tilewright.language as tl
from tilewright.compiler import compile
from tilewright.errors import CompileError, LoopTypeError
from tilewright.language._build import constant
from tilewright.language._context import current


@tl.builtin
def rows():
    """A tile whose type has an encoding."""
    return constant(1, tl.block_type(tl.int32, (8,), current().ctx.attr('"rows"')))


@tl.builtin
def shared(pointer):
    """A pointer into another address space."""
    return pointer.to(tl.int64).to(tl.pointer_type(tl.int32, 3))


@jit
def twice(x):
    return x + x


def test_layouts_survive_loops_branches_and_calls():
    @jit
    def kernel(n, out):
        x = rows()
        for i in range(n):
            x = x + i
            if i > 3:
                x = twice(x)
        while n > 0:
            x = tl.where(x > 0, x, 1) if n > 2 else x
            n -= 1
        tl.store(out + x, x)

    text = build(kernel, "i32", "*i32")
    assert 'iter_args(%arg3 = %cst) -> (tensor<8xi32, "rows">)' in text
    assert "func.call @twice.1" in text or "call @twice.1" in text
    assert '-> tensor<8xi32, "rows">' in text
    assert "tensor<8xi32>" not in text and "tensor<8x!tile.ptr<i32>>" not in text
    assert 'tensor<8x!tile.ptr<i32>, "rows">' in text


def test_a_loop_does_not_change_a_layout():
    @jit
    def kernel(n, out):
        x = rows()
        for _ in range(n):
            x = tl.zeros((8,), tl.int32)
        tl.store(out + x, 1)

    with pytest.raises(LoopTypeError, match=r'<\[8\], int32, "rows"> before the loop'):
        build(kernel, "i32", "*i32")


def test_a_layout_that_cannot_be_kept_is_an_error_at_its_line():
    @jit
    def kernel(out):
        x = rows()
        y = x + 1
        y = y[:, None]  # the line
        tl.store(out + y, y)

    line = kernel.tree().body[2].lineno
    with pytest.raises(CompileError, match='"rows">\' determines none for the result') as info:
        build(kernel, "*i32")
    assert info.value.line == line


def test_address_spaces_survive_loops_branches_and_calls():
    @jit
    def kernel(n, out):
        p = shared(out)
        for i in range(n):
            if i == 5:
                break
            p += tl.load(p)
        q = p if n > 3 else p + 1
        tl.store(q + tl.arange(0, 8), twice(tl.load(q)))

    text = build(kernel, "i32", "*i32")
    assert "!tile.ptr<i32, 3>, i1, i32)" in text or "!tile.ptr<i32, 3>" in text
    assert "tile.store %" in text and "tensor<8x!tile.ptr<i32, 3>>" in text
    # Only the argument itself points to arrays.
    assert text.count("!tile.ptr<i32>") == 2


@pytest.mark.parametrize("target", ["cpu", "cuda:90a"])
def test_a_target_rejects_an_address_space_that_it_does_not_have(target):
    @jit
    def kernel(out):
        tl.store(shared(out), 1)  # the line

    line = kernel.tree().body[0].lineno
    with pytest.raises(CompileError, match="the target has no address space 3") as info:
        compile(kernel, ("*i32",), target)
    assert info.value.line == line


def test_an_invalid_operation_is_reported_at_its_line():
    @tl.builtin
    def add(x, y):
        return tl.tensor(
            current().builder.create("arith.addi", [x.handle, y.handle]).result, x.dtype
        )

    @jit
    def kernel(x, y):
        a = x + 1
        a = add(a, y)  # i32 + i64

    line = kernel.tree().body[1].lineno
    with pytest.raises(CompileError, match="same type") as info:
        compile(kernel, ("i32", "i64"), "cpu")
    assert info.value.line == line
