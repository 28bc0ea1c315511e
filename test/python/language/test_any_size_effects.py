"""Operations with an effect for each element, on tiles whose sizes are not powers of two.

The elements of the padding have none: memory around an array does not change, and functions are not
called with values that no element has.
"""

import numpy as np
import pytest
import torch
from inputs import fresh

import tilewright
import tilewright.language as tl

MARGIN = 80


class Surrounded:
    """An array within a larger one, which must not change around it."""

    def __init__(self, values):
        values = torch.as_tensor(values)
        self.memory = torch.full((values.numel() + 2 * MARGIN,), 85, dtype=values.dtype)
        self.view = self.memory[MARGIN : MARGIN + values.numel()]
        self.view.copy_(values.reshape(-1))

    def check(self, want):
        np.testing.assert_array_equal(self.view.numpy(), np.asarray(want).reshape(-1))
        assert (self.memory[:MARGIN] == 85).all()
        assert (self.memory[MARGIN + self.view.numel() :] == 85).all()


@tilewright.jit
def exchanges(x, old, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    before = tl.atomic_cas(x + i, 85, 1)
    other = tl.atomic_cas(x + i, i, before + 100)
    tl.store(old + i, other)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (1, 48), (6, 4), (65, 1)])
@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.int64])
@pytest.mark.parametrize("warps", [1, 4])
def test_compare_and_swap(shape, dtype, warps):
    # The memory around the array has the value that is compared with first.
    count = shape[0] * shape[1]
    start = np.arange(count) * (np.arange(count) % 3 != 1)
    x, old = Surrounded(torch.tensor(start).to(dtype)), Surrounded(torch.zeros(count, dtype=dtype))
    exchanges[(1,)](x.view, old.view, M=shape[0], N=shape[1], num_warps=warps)
    after_first = np.where(start == 85, 1, start)
    old.check(after_first)
    x.check(np.where(after_first == np.arange(count), start + 100, after_first))


@tilewright.jit
def halvings(n):
    """Ends for positive numbers only, unlike the zeros of a padding."""
    count = 0
    while n != 1:
        n = n // 2
        count += 1
    return count


@tilewright.jit
def maps(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(halvings, tl.load(x + i)))


@pytest.mark.parametrize("size", [1, 3, 12, 65, 96])
@pytest.mark.parametrize("warps", [1, 4])
def test_functions_see_elements_only(size, warps):
    x, out = fresh("int32", (size,), 1, 10**6), Surrounded(np.zeros(size, np.int32))
    maps[(1,)](x, out.view, N=size, num_warps=warps)
    out.check([int(value).bit_length() - 1 for value in x])


@tilewright.jit
def larger_of_two(a, b, c, d):
    total = a.to(tl.float32) + b.to(tl.float32)
    while total < 1:  # two elements of the tile are at least 1 together
        total = total * 2
    return tl.where(c, a, -a), tl.where(d, b, -b)


@tilewright.jit
def maps_pairs(x, flags, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    (value,) = tl.map_elementwise(larger_of_two, tl.load(x + i), tl.load(flags + i), pack=2)
    tl.store(out + i, value)


@pytest.mark.parametrize("shape", [(1, 3), (3, 5), (6, 4), (33, 2)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int8])
def test_functions_of_two_elements(shape, dtype):
    x = torch.as_tensor(fresh("int32", shape, 1, 100)).to(dtype)
    flags = torch.as_tensor(fresh("int1", shape))
    out = Surrounded(torch.zeros(shape, dtype=dtype))
    maps_pairs[(1,)](x, flags, out.view, M=shape[0], N=shape[1])
    out.check(torch.where(flags, x, -x))


@tilewright.jit
def repeat(count, base):
    """Fails to end if the base is not that of all elements."""
    while base != 7:
        base = base + 0
    return count + base


@tilewright.jit
def maps_scalars(x, base, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(repeat, tl.load(x + i), base))


def test_a_scalar_beside_a_tile():
    x, out = fresh("int64", (12,), -100, 100), Surrounded(np.zeros(12, np.int64))
    maps_scalars[(1,)](x, 7, out.view, N=12)
    out.check(x + 7)


@tilewright.jit
def stores(
    x, values, PACK: tl.constexpr, ASSEMBLY: tl.constexpr, TEXT: tl.constexpr, N: tl.constexpr
):
    i = tl.arange(0, N)
    tl.inline_asm_elementwise(
        ASSEMBLY, TEXT, [x + i, tl.load(values + i)], tl.int32, is_pure=False, pack=PACK
    )


@pytest.mark.needs_gpu("the kernels consist of PTX")
# No element is in two threads, which would both store it.
@pytest.mark.parametrize(("size", "warps"), [(48, 1), (48, 2), (65, 1), (65, 4), (200, 4)])
def test_assembly_with_effects(size, warps):
    values = fresh("int32", (size,))
    x = Surrounded(np.zeros(size, np.int32))
    text = "st.global.b32 [$1], $2; mov.b32 $0, 0;"
    stores[(1,)](x.view, values, 1, text, "=r,l,r", size, num_warps=warps)
    x.check(values)


@pytest.mark.needs_gpu("the kernels consist of PTX")
@pytest.mark.parametrize("size", [48, 65, 127])
def test_assembly_of_two_elements(size):
    values = fresh("int32", (size,))
    x = Surrounded(np.zeros(size, np.int32))
    text = "st.global.b32 [$2], $4; st.global.b32 [$3], $5; mov.b32 $0, 0; mov.b32 $1, 0;"
    stores[(1,)](x.view, values, 2, text, "=r,=r,l,l,r,r", size, num_warps=1)
    x.check(values)


@tilewright.jit
def counts(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.inline_asm_elementwise(
        "{ .reg .b32 old; atom.global.add.u32 old, [$1], 1; mov.b32 $0, old; }",
        "=r,l", [x + i], tl.int32, False, 1,
    )  # fmt: skip


@pytest.mark.needs_gpu("the kernels consist of PTX")
@pytest.mark.parametrize(("size", "warps"), [(96, 4), (24, 1), (200, 2)])
def test_assembly_runs_once_for_each_element(size, warps):
    x = Surrounded(np.zeros(size, np.int32))
    counts[(1,)](x.view, size, num_warps=warps)
    x.check(np.ones(size, np.int32))
