"""tl.atomic_load and tl.atomic_store: values, masks, order, and what they refuse."""

import numpy as np
import pytest
import torch
from inputs import fresh, poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError

WIDE = ["int32", "int64", "uint32", "uint64", "fp32", "fp64"]


@tilewright.jit
def copy(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_store(out + i, tl.atomic_load(x + i, mask=i < n), mask=i < n)
    tl.atomic_store(out + N, tl.atomic_load(x, sem="relaxed", scope="sys"), sem="relaxed")


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("size", [1, 12, 128, 1024])
@pytest.mark.parametrize("warps", [1, 8])
def test_values_and_masks(dtype, size, warps):
    x, out = fresh(dtype, (size,)), poisoned(dtype, (size + 1,))
    before, source = np.asarray(out).copy(), np.asarray(x).copy()
    n = size - size // 3
    copy[(1,)](x, out, n, N=size, num_warps=warps)
    want = np.concatenate([source[:n], before[n:size], source[:1]])
    np.testing.assert_array_equal(np.asarray(out), want)
    np.testing.assert_array_equal(np.asarray(x), source)  # the load changes nothing


@tilewright.jit
def bits(x, out):
    tl.store(out, tl.atomic_load(x).to(tl.int32, bitcast=True))


@pytest.mark.parametrize("pattern", [0x7FC01234, 0xFF800001, 0x80000000, 1])
def test_the_bits_of_floats_are_kept(pattern):
    x = torch.tensor([pattern - (1 << 32) * (pattern >> 31)], dtype=torch.int32)
    out = torch.zeros(1, dtype=torch.int32)
    bits[(1,)](x.view(torch.float32), out)
    assert out[0] == x[0]


@tilewright.jit
def hand_over(data, flag, out, N: tl.constexpr):
    """Each program waits for the one before it, and adds 1 to its tile."""
    program, i = tl.program_id(0), tl.arange(0, N)
    while tl.atomic_load(flag) != program:
        pass
    value = tl.load(data + i)
    tl.store(data + i, value + 1)
    tl.store(out + program * N + i, value)
    tl.debug_barrier()
    tl.atomic_store(flag, program + 1)


def test_release_and_acquire():
    size, programs = 256, 8
    data, flag = np.zeros(size, np.int32), np.zeros(1, np.int32)
    out = np.zeros((programs, size), np.int32)
    hand_over[(programs,)](data, flag, out, N=size)
    np.testing.assert_array_equal(out, np.arange(programs)[:, None] + np.zeros((1, size), int))


def test_bad_atomic_accesses(values):
    narrow, wide, s, i = values("*int16[4]", "*int32[4]", "*fp32", "int32[8]")
    for function, arguments in ((tl.atomic_load, ()), (tl.atomic_store, (1,))):
        with pytest.raises(TypeMismatchError, match="elements of 32 or 64 bits, found int16"):
            function(narrow, *arguments)
        with pytest.raises(TypeMismatchError, match="takes a pointer"):
            function(i, *arguments)
        with pytest.raises(ConstantError, match="found 'acq_rel'"):
            function(wide, *arguments, sem="acq_rel")
        with pytest.raises(ConstantError, match="scope must be"):
            function(wide, *arguments, scope="grid")
        with pytest.raises(ShapeMismatchError):
            function(wide, *arguments, mask=i > 0)
    with pytest.raises(ConstantError, match="must be 'acquire' or 'relaxed'"):
        tl.atomic_load(s, sem="release")
    with pytest.raises(ShapeMismatchError):
        tl.atomic_store(s, i)
