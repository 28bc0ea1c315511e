"""Addresses in arrays of more than 2^31 elements, from kernels that compute with int32.

The arrays are zeros that the system allocates when they are touched; the kernels touch few pages.
"""

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

BLOCK = 64
LIMIT = 2**31


def numbered(size: int, places: Any) -> np.ndarray:
    """An array of int8 with 1, 2, ... at these places."""
    x = np.zeros(size, np.int8)
    x[places] = np.arange(1, len(places) + 1)
    return x


@tilewright.jit
def add_one(x, first, n, BLOCK: tl.constexpr):
    i = (tl.program_id(0) + first) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(x + i, tl.load(x + i, mask=inside, other=7) + 1, mask=inside)


@pytest.mark.parametrize("n", [LIMIT + 100, LIMIT - 100, LIMIT])
def test_programs_on_both_sides_of_the_limit(n: int) -> None:
    """The last programs are outside of the array; a size below the limit is an int32."""
    x = np.zeros(LIMIT + 8 * BLOCK, np.int8)
    add_one[(6,)](x, LIMIT // BLOCK - 3, n, BLOCK=BLOCK)
    start = LIMIT - 3 * BLOCK
    assert x[start:n].all() and not x[n:].any() and not x[start - 500 : start].any()
    assert not x[: 8 * BLOCK].any()


def test_the_variant_follows_the_size() -> None:
    """Small launches use the same code before and after a large one, which has no conditions."""
    x = np.zeros(LIMIT + 8 * BLOCK, np.int8)
    small = add_one[(2,)](x, 3, 1000, BLOCK=BLOCK)
    large = add_one[(2,)](x, LIMIT // BLOCK - 1, LIMIT + 8, BLOCK=BLOCK)
    assert small.launch_conditions and not large.launch_conditions
    assert add_one[(2,)](x, 5, 1000, BLOCK=BLOCK) is small
    assert x[LIMIT - BLOCK : LIMIT + 8].all() and not x[LIMIT + 8 :].any()


@tilewright.jit
def rows_kernel(x, out, stride, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.store(out + rows * N + columns, tl.load(x + (rows * stride + columns)))


@pytest.mark.parametrize("stride", [2**30, 3 * 2**28 + 5, LIMIT // 3])
def test_rows_with_a_large_stride(stride: int) -> None:
    places = np.add.outer(np.arange(4) * stride, np.arange(16)).ravel()
    x, out = numbered(3 * stride + 16, places), np.zeros((4, 16), np.int8)
    rows_kernel[(1,)](x, out, stride, M=4, N=16)
    np.testing.assert_array_equal(out.ravel(), np.arange(1, 65))


@tilewright.jit
def backwards_kernel(x, out, last, stride, HOW: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    p = x + last
    if HOW == "negative":
        p += i * -stride
    elif HOW == "difference":
        p += 0 - i * stride
    else:
        p -= i * stride
    tl.store(out + i, tl.load(p))


@pytest.mark.parametrize("how", ["negative", "difference", "pointer"])
def test_offsets_below_the_pointer(how: str) -> None:
    stride = 2**30 + 3
    last = 3 * stride + 1
    x, out = numbered(last + 1, last - stride * np.arange(4)), np.zeros(4, np.int8)
    backwards_kernel[(1,)](x, out, last, stride, HOW=how, N=4)
    np.testing.assert_array_equal(out, [1, 2, 3, 4])


@tilewright.jit
def pointer_loop(x, out, stride, times, N: tl.constexpr):
    """Each iteration moves by the product of two int32, which may be more than 2^31."""
    p = x + tl.arange(0, N) * stride
    for k in range(times):
        tl.store(out + k * N + tl.arange(0, N), tl.load(p))
        p += N * stride


@tilewright.jit
def index_loop(x, out, stride, times, N: tl.constexpr):
    i = tl.arange(0, N) * stride
    for k in range(times):
        tl.store(out + k * N + tl.arange(0, N), tl.load(x + i))
        i += N * stride


@tilewright.jit
def two_steps_loop(x, out, stride, times, N: tl.constexpr):
    i = tl.arange(0, N) * stride
    for k in range(times):
        at = i
        i += stride
        tl.store(out + k * N + tl.arange(0, N), tl.load(x + at))
        i += (N - 1) * stride


@tilewright.jit
def while_loop(x, out, stride, times, N: tl.constexpr):
    i, k = tl.arange(0, N) * stride, 0
    start = 0
    while k < times:
        tl.store(out + k * N + tl.arange(0, N), tl.load(x + start + i))
        start += N * stride
        k += 1


@tilewright.jit
def branching_loop(x, out, stride, times, N: tl.constexpr):
    i = tl.arange(0, N) * stride
    for k in range(times):
        tl.store(out + k * N + tl.arange(0, N), tl.load(x + i))
        if k % 2 == 0:
            i += N * stride
        else:
            i = i + (N * stride + 0)


LOOPS = [pointer_loop, index_loop, two_steps_loop, while_loop, branching_loop]


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
@pytest.mark.parametrize("stride", [2**29 + 1, 3])
def test_loops_that_advance(loop: Any, stride: int) -> None:
    places = stride * np.arange(8)
    x, out = numbered(7 * stride + 1, places), np.zeros(8, np.int8)
    loop[(1,)](x, out, stride, 2, N=4)
    np.testing.assert_array_equal(out, np.arange(1, 9))


@tilewright.jit
def block_kernel(x, out, first, n, HOW: tl.constexpr, N: tl.constexpr):
    start = (tl.program_id(0) + first) * N
    if HOW == "block":
        block = tl.make_block_ptr(x, (n,), (1,), (start,), (N,), (0,))
        loaded = tl.load(block, boundary_check=(0,), padding_option="zero")
    elif HOW == "advanced":
        block = tl.make_block_ptr(x, (n,), (1,), (first * N,), (N,), (0,))
        moved = tl.advance(block, (tl.program_id(0) * N,))
        loaded = tl.load(moved, boundary_check=(0,), padding_option="zero")
    else:
        loaded = tl.make_tensor_descriptor(x, (n,), (1,), (N,)).load((start,))
    tl.store(out + tl.program_id(0) * N + tl.arange(0, N), loaded)


@pytest.mark.parametrize("how", ["block", "advanced", "descriptor"])
@pytest.mark.parametrize("n", [LIMIT + 20, LIMIT - 20])
def test_windows(how: str, n: int) -> None:
    start = LIMIT - BLOCK
    x, out = np.zeros(LIMIT + 3 * BLOCK, np.int8), np.full(3 * BLOCK, 9, np.int8)
    x[start:] = np.arange(1, 4 * BLOCK + 1) % 100 + 1
    block_kernel[(3,)](x, out, LIMIT // BLOCK - 1, n, HOW=how, N=BLOCK)
    expected = np.where(np.arange(start, start + 3 * BLOCK) < n, x[start:][: 3 * BLOCK], 0)
    np.testing.assert_array_equal(out, expected)


@tilewright.jit
def masks_kernel(x, out, first, n, WHERE: tl.constexpr, N: tl.constexpr):
    """Forms of masks: of the index, of parts that are added to the pointer, of a part's sum."""
    block, lane = (tl.program_id(0) + first) * N, tl.arange(0, N)
    i = block + lane
    if WHERE == "index":
        loaded = tl.load(x + i, mask=i < n, other=-1)
    elif WHERE == "parts":
        loaded = tl.load(x + block + lane, mask=block + lane < n, other=-1)
    elif WHERE == "neighbor":
        loaded = tl.load(x + 1 + i, mask=i + 1 < n, other=-1)
    elif WHERE == "rest":
        loaded = tl.load(x + block + lane, mask=lane < n - block, other=-1)
    elif WHERE == "ends":
        loaded = tl.load(x + i, mask=(i >= 0) & (n > i), other=-1)
    elif WHERE == "unsigned":
        loaded = tl.load(x + i, mask=i.to(tl.uint32) < n, other=-1)
    else:
        loaded = tl.where(i < n, tl.load(x + i), -1)
    tl.store(out + lane, loaded)


@pytest.mark.parametrize(
    "where", ["index", "parts", "neighbor", "rest", "ends", "unsigned", "select"]
)
@pytest.mark.parametrize("above", [0, 1, 7, LIMIT // BLOCK])
@pytest.mark.parametrize("size", [LIMIT - 20, LIMIT + 20, LIMIT + 2 * BLOCK + 20])
def test_masks(where: str, above: int, size: int) -> None:
    start = (size // BLOCK + above) * BLOCK
    x, out = np.zeros(start + 2 * BLOCK, np.int8), np.zeros(BLOCK, np.int8)
    x[start : start + BLOCK + 1] = np.arange(1, BLOCK + 2)
    masks_kernel[(1,)](x, out, start // BLOCK, size, WHERE=where, N=BLOCK)
    i = start + np.arange(BLOCK) + (where == "neighbor")
    np.testing.assert_array_equal(out, np.where(i < size, x[i], -1))


@tilewright.jit
def gather_kernel(x, rows, out, stride, M: tl.constexpr, N: tl.constexpr):
    row = tl.load(rows + tl.arange(0, M))
    columns = tl.arange(0, N)[None, :]
    loaded = tl.load(x + row[:, None] * stride + columns)
    tl.store(out + tl.arange(0, M)[:, None] * N + columns, loaded)


def test_loaded_rows() -> None:
    """Loaded numbers are unknown to the launch, but not the sizes of arrays."""
    stride = 2**20
    rows = np.array([5, 4095, 2047, 2048], np.int32)
    x, out = np.zeros(2**32, np.int8), np.zeros((4, 16), np.int8)
    x[np.add.outer(rows.astype(np.int64) * stride, np.arange(16))] = np.arange(64).reshape(4, 16)
    large = gather_kernel[(1,)](x, rows, out, stride, M=4, N=16)
    np.testing.assert_array_equal(out.ravel(), np.arange(64))
    small = gather_kernel[(1,)](x[: 2**30], rows[:1].repeat(4), out, stride, M=4, N=16)
    np.testing.assert_array_equal(out, np.arange(16) + np.zeros((4, 1)))
    assert small is not large and small.launch_conditions and not large.launch_conditions


@tilewright.jit
def accumulating_kernel(x, out, step, most, N: tl.constexpr):
    start, k = 0, 0
    while k < most:
        tl.store(out + k * N + tl.arange(0, N), tl.load(x + (start + tl.arange(0, N))))
        start += step
        k += 1


@pytest.mark.parametrize("step", [2**30, 2**30 + 77, 64])
def test_sums_of_while_loops(step: int) -> None:
    places = np.add.outer(np.arange(4) * step, np.arange(16)).ravel()
    x, out = numbered(3 * step + 16, places), np.zeros(64, np.int8)
    accumulating_kernel[(1,)](x, out, step, 4, N=16)
    np.testing.assert_array_equal(out, np.arange(1, 65))


@tilewright.jit
def segments_kernel(x, starts, out, stride, n, N: tl.constexpr):
    """The bounds of the loop are loaded; so is the sign of the direction."""
    direction = tl.load(starts + 2)
    for row in range(tl.load(starts), tl.load(starts + 1)):
        at = row * stride
        mask = tl.arange(0, N) + at < n
        loaded = tl.load(x + (at + tl.arange(0, N) * direction), mask=mask, other=-1)
        tl.store(out + (row - tl.load(starts)) * N + tl.arange(0, N), loaded)


@pytest.mark.parametrize("direction", [1, -1])
def test_loaded_bounds_and_masks(direction: int) -> None:
    stride, rows = 2**30 + 3, np.arange(2, 5)
    starts = np.array([2, 5, direction], np.int32)
    places = np.add.outer(rows * stride, np.arange(16) * direction)
    x, out = numbered(4 * stride + 16, places.ravel()), np.zeros((3, 16), np.int8)
    segments_kernel[(1,)](x, starts, out, stride, len(x), N=16)
    np.testing.assert_array_equal(out.ravel(), np.arange(1, 49))


def test_loaded_masks_are_exact_in_large_arrays() -> None:
    """As int32, the offsets of the second row are negative, and so below the size."""
    stride = 2**29 + 3
    starts = np.array([3, 5, 1], np.int32)
    x, out = np.zeros(4 * stride, np.int8), np.zeros((2, 16), np.int8)
    x[3 * stride :][:16] = 7
    segments_kernel[(1,)](x, starts, out, stride, len(x), N=16)
    np.testing.assert_array_equal(out, [[7] * 16, [-1] * 16])


@tilewright.jit
def hashed_rows_kernel(x, rows, out, hashed, SIZE: tl.constexpr, N: tl.constexpr):
    row = tl.load(rows + tl.arange(0, N))
    h = row * 1103515245 + 12345
    tl.store(hashed + tl.arange(0, N), h)
    tl.store(out + tl.arange(0, N), tl.load(x + (h & (SIZE - 1))))


@pytest.mark.parametrize("size", [2**20, 2**32])
def test_hashes_of_loaded_values_wrap(size: int) -> None:
    rows = np.array([3, 2**31 - 1, -77, 123456789], np.int32)
    h = (rows.astype(np.int64) * 1103515245 + 12345).astype(np.int32)
    x, out, hashed = np.zeros(size, np.int8), np.zeros(4, np.int8), np.zeros(4, np.int32)
    x[h & (2**20 - 1)] = [1, 2, 3, 4]
    hashed_rows_kernel[(1,)](x, rows, out, hashed, SIZE=2**20, N=4)
    np.testing.assert_array_equal(hashed, h)
    np.testing.assert_array_equal(out, [1, 2, 3, 4])


class Bare:
    """An array of which a launch sees the address and the dtype only."""

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.dtype = array, tl.int8

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)


@pytest.mark.cpu_only("an emulated GPU copies host arrays, whose sizes it must know")
def test_arrays_of_unknown_size_may_be_large() -> None:
    stride = 2**30
    x, out = np.zeros(2**32, np.int8), np.zeros((4, 16), np.int8)
    rows = np.array([3, 0, 2, 1], np.int32)
    x[np.add.outer(rows.astype(np.int64) * stride, np.arange(16))] = np.arange(64).reshape(4, 16)
    kernel = gather_kernel[(1,)](Bare(x), rows, out, stride, M=4, N=16)
    np.testing.assert_array_equal(out.ravel(), np.arange(64))
    assert not kernel.launch_conditions


@tilewright.jit
def bytes_kernel(x, rows, out, M: tl.constexpr, N: tl.constexpr):
    row = tl.load(rows + tl.arange(0, M)).to(tl.int32)
    columns = tl.arange(0, N)[None, :]
    tl.store(out + tl.arange(0, M)[:, None] * N + columns, tl.load(x + row[:, None] * N + columns))


def test_narrow_loaded_values_need_no_condition() -> None:
    """Of an int8 is known that it has 8 bits: its product with 16 does not wrap."""
    x, out = np.arange(2**10, dtype=np.int32), np.zeros((4, 16), np.int32)
    kernel = bytes_kernel[(1,)](x, np.array([5, 0, 63, 9], np.int8), out, M=4, N=16)
    np.testing.assert_array_equal(out, x.reshape(64, 16)[[5, 0, 63, 9]])
    assert not kernel.launch_conditions


@tilewright.jit
def scaled(i, HEADS: tl.constexpr, SIZE: tl.constexpr):
    return i * HEADS * SIZE


@tilewright.jit
def constants_kernel(x, out, n, HOW: tl.constexpr, N: tl.constexpr):
    """The constants of each offset have a product or a sum of more than 2^31."""
    lane, program = tl.arange(0, N), tl.program_id(0)
    if HOW == "product":
        i = program * 65536 * 32768 + lane
    elif HOW == "helper":
        i = scaled(program, 65536, 32768) + lane
    elif HOW == "tile":
        i = (lane + program * N) // N * 65536 * 32768 + lane
    elif HOW == "sum":
        i = lane
        for _ in tl.static_range(4):
            i += tl.where(program > 0, 2**29, 0)
        if program > 0:
            i = lane + 2**30 + 2**30
    elif HOW == "known":
        factor = tl.cast(65536, tl.int32)
        i = factor * tl.cast(32768, tl.int32) * program + lane
    else:
        i = lane - program * -65536 * 32768
    loaded = tl.load(x + i, mask=i < n, other=-1)
    tl.store(out + program * N + lane, loaded)


@pytest.mark.parametrize("how", ["product", "helper", "tile", "sum", "known", "negative"])
def test_constants_of_more_than_31_bits(how: str) -> None:
    x = numbered(LIMIT + 16, np.add.outer([0, LIMIT], np.arange(16)).ravel())
    out = np.zeros(32, np.int8)
    constants_kernel[(2,)](x, out, len(x), HOW=how, N=16)
    np.testing.assert_array_equal(out, np.arange(1, 33))
    masked = np.zeros(48, np.int8)
    if how != "sum":
        constants_kernel[(3,)](x, masked, len(x), HOW=how, N=16)
        np.testing.assert_array_equal(masked, [*range(1, 33), *[-1] * 16])
