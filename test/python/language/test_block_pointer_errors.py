"""Misuse of block pointers: each error names the user's line and what was found."""

import inspect

import pytest

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.errors import CompileError
from tilewright.frontend import build_module


@tilewright.jit
def few_strides(x, n):
    tl.make_block_ptr(x, (n, n), (n,), (0, 0), (8, 8), (1, 0))  # wrong


@tilewright.jit
def few_offsets(x, n):
    tl.make_block_ptr(x, (n, n), (n, 1), 0, (8, 8), (1, 0))  # wrong


@tilewright.jit
def few_sizes(x, n):
    tl.make_block_ptr(x, n, (n, 1), (0, 0), (8, 8), (1, 0))  # wrong


@tilewright.jit
def short_order(x, n):
    tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (8, 8), (0,))  # wrong


@tilewright.jit
def order_twice(x, n):
    tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (8, 8), (1, 1))  # wrong


@tilewright.jit
def block_at_run_time(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0,), (n,), (0,))  # wrong


@tilewright.jit
def block_of_0(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0,), (0,), (0,))  # wrong


@tilewright.jit
def no_dimension(x, n):
    tl.make_block_ptr(x, (), (), (), (), ())  # wrong


@tilewright.jit
def float_offset(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0.5,), (8,), (0,))  # wrong


@tilewright.jit
def tile_of_offsets(x, n):
    tl.make_block_ptr(x, (n,), (1,), (tl.arange(0, 8),), (8,), (0,))  # wrong


@tilewright.jit
def base_of_pointers(x, n):
    tl.make_block_ptr(x + tl.arange(0, 8), (n,), (1,), (0,), (8,), (0,))  # wrong


@tilewright.jit
def base_is_a_number(x, n):
    tl.make_block_ptr(n, (n,), (1,), (0,), (8,), (0,))  # wrong


@tilewright.jit
def base_is_a_block_pointer(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.make_block_ptr(p, (n,), (1,), (0,), (8,), (0,))  # wrong


@tilewright.jit
def check_beyond_the_rank(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, boundary_check=(0, 1))  # wrong


@tilewright.jit
def check_twice(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.store(p, 1, boundary_check=(0, 0))  # wrong


@tilewright.jit
def check_at_run_time(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, boundary_check=(n,))  # wrong


@tilewright.jit
def nan_of_integers(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="nan")  # wrong


@tilewright.jit
def unknown_padding(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="one")  # wrong


@tilewright.jit
def load_with_mask(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, mask=tl.arange(0, 8) < n)  # wrong


@tilewright.jit
def load_with_other(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, other=0, boundary_check=(0,))  # wrong


@tilewright.jit
def store_with_mask(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.store(p, 1, mask=True)  # wrong


@tilewright.jit
def store_of_another_shape(x, n):
    p = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (8, 8), (1, 0))
    tl.store(p, tl.zeros((8, 1), tl.int32))  # wrong


@tilewright.jit
def advance_by_one_of_two(x, n):
    p = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (8, 8), (1, 0))
    p.advance((8,))  # wrong


@tilewright.jit
def advance_of_a_pointer(x, n):
    tl.advance(x, (8,))  # wrong


@tilewright.jit
def sum_with_a_number(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    p + 8  # wrong


@tilewright.jit
def atomic(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.atomic_add(p, 1)  # wrong


@tilewright.jit
def options_of_a_plain_pointer(x, n):
    tl.load(x, boundary_check=(0,))  # wrong


@tilewright.jit
def padding_of_a_plain_pointer(x, n):
    tl.load(x, padding_option="zero")  # wrong


@tilewright.jit
def store_options_of_a_plain_pointer(x, n):
    tl.store(x, n, boundary_check=0)  # wrong


CASES = [
    (few_strides, "a block_shape of 2 dimensions, but 1 strides"),
    (few_offsets, "a block_shape of 2 dimensions, but 1 offsets"),
    (few_sizes, "a block_shape of 2 dimensions, but 1 shape"),
    (short_order, "a block_shape of 2 dimensions, but 1 order"),
    (order_twice, r"order of make_block_ptr must be a permutation of 0 to 1, found \[1, 1\]"),
    (block_at_run_time, "block_shape of make_block_ptr must be an integer known at compile time"),
    (block_of_0, "which is not positive"),
    (no_dimension, "needs a block_shape of at least one dimension"),
    (float_offset, "offsets of make_block_ptr must be integers, found 0.5"),
    (tile_of_offsets, r"offsets of make_block_ptr must be integers, found .*<\[8\], int32>"),
    (base_of_pointers, r"a pointer to the array's first element, found .*<\[8\], pointer<int32>>"),
    (base_is_a_number, "a pointer to the array's first element, found a value of type int32"),
    (base_is_a_block_pointer, "first element, found a Python block_pointer"),
    (check_beyond_the_rank, "of load has the dimension 1, but the block has 1 dimension\n"),
    (check_twice, r"boundary_check of store has a dimension twice: \[0, 0\]"),
    (check_at_run_time, "boundary_check of load must be an integer known at compile time"),
    (nan_of_integers, "the padding of load is 'nan', but its elements are int32"),
    (unknown_padding, "the padding of load must be 'zero' or 'nan', found 'one'"),
    (load_with_mask, "load takes no mask and no `other` with a block pointer"),
    (load_with_other, "load takes no mask and no `other` with a block pointer"),
    (store_with_mask, "store takes no mask and no `other` with a block pointer"),
    (store_of_another_shape, r"a value of shape \[8, 1\] for a block of shape \[8, 8\]"),
    (advance_by_one_of_two, "advance has a block_shape of 2 dimensions, but 1 offsets"),
    (advance_of_a_pointer, "advance takes a block pointer, found a value of type pointer<int32>"),
    (sum_with_a_number, r"`\+` does not take block_pointer\(pointer<int32>"),
    (atomic, "expected a tensor or a number, found a Python block_pointer"),
    (options_of_a_plain_pointer, "apply to block pointers only"),
    (padding_of_a_plain_pointer, "apply to block pointers only"),
    (store_options_of_a_plain_pointer, "apply to block pointers only"),
]


@pytest.mark.parametrize(("kernel", "message"), CASES, ids=lambda x: getattr(x, "name", ""))
def test_error(kernel, message):
    with pytest.raises(CompileError, match=message) as raised:
        build_module(_core.Context(), kernel, ["*i32", "i32"], False, {})
    lines, first = inspect.getsourcelines(kernel.fn)
    wrong = next(n for n, line in enumerate(lines) if "# wrong" in line)
    assert raised.value.line == first + wrong
    assert raised.value.file == __file__
