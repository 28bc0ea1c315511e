"""Misuse of tensor descriptors: each error names the user's line and what was found."""

import inspect

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import _core
from tilewright.errors import CompileError, DeviceAssertError
from tilewright.frontend import build_module


@tilewright.jit
def last_stride(x, n):
    tl.make_tensor_descriptor(x, [n, n], [n, 2], [8, 8])  # wrong


@tilewright.jit
def last_stride_of_a_variable(x, n):
    two = 2
    tl.make_tensor_descriptor(x, [n], [two], [8])  # wrong


@tilewright.jit
def last_stride_is_unsigned(x, n):
    tl.make_tensor_descriptor(x, [n], [tl.full((), 4294967295, tl.uint32)], [8])  # wrong


@tilewright.jit
def few_strides(x, n):
    tl.make_tensor_descriptor(x, [n, n], [1], [8, 8])  # wrong


@tilewright.jit
def few_sizes(x, n):
    tl.make_tensor_descriptor(x, [n], [n, 1], [8, 8])  # wrong


@tilewright.jit
def six_dimensions(x, n):
    tl.make_tensor_descriptor(x, [n] * 6, [1] * 6, [2, 2, 2, 2, 2, 2])  # wrong


@tilewright.jit
def block_at_run_time(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [n])  # wrong


@tilewright.jit
def block_of_0(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [0])  # wrong


@tilewright.jit
def float_size(x, n):
    tl.make_tensor_descriptor(x, [1.5], [1], [8])  # wrong


@tilewright.jit
def bool_size(x, n):
    tl.make_tensor_descriptor(x, [n > 5], [1], [8])  # wrong


@tilewright.jit
def size_of_more_than_64_bits(x, n):
    tl.make_tensor_descriptor(x, [18446744073709551615], [1], [8])  # wrong


@tilewright.jit
def base_is_a_number(x, n):
    tl.make_tensor_descriptor(n, [n], [1], [8])  # wrong


@tilewright.jit
def nan_of_integers(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [8], padding_option="nan")  # wrong


@tilewright.jit
def unknown_padding(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [8], padding_option="one")  # wrong


@tilewright.jit
def padding_at_run_time(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [8], n)  # wrong


@tilewright.jit
def load_of_few_offsets(x, n):
    tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 8]).load([0])  # wrong


@tilewright.jit
def load_at_a_float(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [8]).load([0.0])  # wrong


@tilewright.jit
def store_of_another_shape(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 8])
    d.store([0, 0], tl.zeros((8,), tl.int32))  # wrong


@tilewright.jit
def store_of_few_offsets(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 8])
    d.store([0], tl.zeros((8, 8), tl.int32))  # wrong


@tilewright.jit
def gather_of_several_rows(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 8])
    d.gather(tl.arange(0, 8), 0)  # wrong


@tilewright.jit
def gather_of_one_dimension(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [1]).gather(tl.arange(0, 8), 0)  # wrong


@tilewright.jit
def gather_of_a_scalar(x, n):
    tl.make_tensor_descriptor(x, [n, n], [n, 1], [1, 8]).gather(n, 0)  # wrong


@tilewright.jit
def gather_of_floats(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [1, 8])
    d.gather(tl.zeros((8,), tl.float32), 0)  # wrong


@tilewright.jit
def scatter_of_another_shape(x, n):
    d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [1, 8])
    d.scatter(tl.zeros((4, 8), tl.int32), tl.arange(0, 8), 0)  # wrong


@tilewright.jit
def atomic_of_another_shape(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [8])
    d.atomic_add([0], tl.zeros((4,), tl.int32))  # wrong


@tilewright.jit
def load_of_a_pointer(x, n):
    tl.load_tensor_descriptor(x, [0])  # wrong


@tilewright.jit
def store_with_a_pointer(x, n):
    tl.store_tensor_descriptor(x, [0], 1)  # wrong


@tilewright.jit
def load_of_a_descriptor(x, n):
    tl.load(tl.make_tensor_descriptor(x, [n], [1], [8]))  # wrong


MAKE = "make_tensor_descriptor"
CASES = [
    (last_stride, f"the last stride of {MAKE} must be 1, found 2"),
    (last_stride_of_a_variable, f"the last stride of {MAKE} must be 1, found 2"),
    (last_stride_is_unsigned, f"the last stride of {MAKE} must be 1, found 4294967295"),
    (few_strides, f"{MAKE} has a block_shape of 2 dimensions, but 1 strides"),
    (few_sizes, f"{MAKE} has a block_shape of 2 dimensions, but 1 shape"),
    (six_dimensions, f"{MAKE} takes at most 5 dimensions, found a block_shape of 6"),
    (block_at_run_time, f"block_shape of {MAKE} must be an integer known at compile time"),
    (block_of_0, "which is not positive"),
    (float_size, f"shape of {MAKE} must be integers, found 1.5"),
    (bool_size, f"shape of {MAKE} must be integers, found a value of type int1"),
    (size_of_more_than_64_bits, "18446744073709551615 does not fit in int64"),
    (base_is_a_number, "a pointer to the array's first element, found a value of type int32"),
    (nan_of_integers, f"the padding of {MAKE} is 'nan', but its elements are int32"),
    (unknown_padding, f"the padding of {MAKE} must be 'zero' or 'nan', found 'one'"),
    (padding_at_run_time, f"the padding of {MAKE} must be 'zero' or 'nan', found a value of type"),
    (load_of_few_offsets, "load has a block_shape of 2 dimensions, but 1 offsets"),
    (load_at_a_float, "offsets of load must be integers, found 0.0"),
    (store_of_another_shape, r"a value of shape \[8\] for a block of shape \[8, 8\]"),
    (store_of_few_offsets, "store has a block_shape of 2 dimensions, but 1 offsets"),
    (gather_of_several_rows, r"a block_shape of one row, \[1, columns\], found \[8, 8\]"),
    (gather_of_one_dimension, r"a block_shape of one row, \[1, columns\], found \[1\]"),
    (gather_of_a_scalar, "x_offsets of gather must be a tile of rank 1, found a value of type"),
    (gather_of_floats, r"x_offsets of gather must be integers, found <\[8\], fp32>"),
    (scatter_of_another_shape, r"a value of shape \[4, 8\] for a block of shape \[8, 8\]"),
    (atomic_of_another_shape, r"atomic_add has a value of shape \[4\] for a block of shape \[8\]"),
    (load_of_a_pointer, "load_tensor_descriptor takes a tensor descriptor, found a value of type"),
    (store_with_a_pointer, "store_tensor_descriptor takes a tensor descriptor, found a value"),
    (load_of_a_descriptor, "expected a tensor or a number, found a Python tensor_descriptor"),
]


@pytest.mark.parametrize(("kernel", "message"), CASES, ids=lambda x: getattr(x, "name", ""))
def test_error(kernel, message):
    with pytest.raises(CompileError, match=message) as raised:
        build_module(_core.Context(), kernel, ["*i32", "i32"], False, {})
    lines, first = inspect.getsourcelines(kernel.fn)
    wrong = next(n for n, line in enumerate(lines) if "# wrong" in line)
    assert raised.value.line == first + wrong
    assert raised.value.file == __file__


@tilewright.jit
def atomic_max_of_bytes(x, n):
    d = tl.make_tensor_descriptor(x, [n], [1], [8])
    d.atomic_max([0], tl.zeros((8,), tl.float8e5))


def test_an_atomic_operation_that_the_dtype_does_not_have():
    with pytest.raises(CompileError, match="atomic_max does not take elements of type fp8e5"):
        build_module(_core.Context(), atomic_max_of_bytes, ["*fp8e5", "i32"], False, {})


@tilewright.jit
def strided(x, out, stride):
    d = tl.make_tensor_descriptor(x, [4, 4], [8, stride], [4, 4])
    tl.make_tensor_descriptor(out, [4, 4], [4, 1], [4, 4]).store([0, 0], d.load([0, 0]))


@pytest.mark.loses_gpu
def test_the_last_stride_at_run_time_is_asserted_in_debug_kernels():
    x, out = np.arange(32, dtype=np.int32), np.zeros((4, 4), np.int32)
    strided[(1,)](x, out, 2)
    assert np.array_equal(out, x.reshape(4, 8)[:, ::2])
    strided[(1,)](x, out, 1, debug=True)
    assert np.array_equal(out, x.reshape(4, 8)[:, :4])
    with pytest.raises(DeviceAssertError, match="last stride of make_tensor_descriptor must be 1"):
        strided[(1,)](x, out, 2, debug=True)
