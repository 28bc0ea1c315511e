"""Wrong kernels, by the kind of finding.

All have the same arguments: `out` and `x` have n = 100 elements of float32; `at` has n elements of
int32, which are 0 to 98 and finally 2000; `count` is 0. The comment `# <- here` marks the line of
the error, or one of the two lines.
"""

from __future__ import annotations

import tilewright
import tilewright.language as tl


@tilewright.jit
def unmasked_load(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)  # <- here
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def unmasked_store(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i, value)  # <- here


@tilewright.jit
def mask_one_too_wide(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i <= n)  # <- here
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def mask_of_another_axis(out, x, at, count, n, BLOCK: tl.constexpr):
    row = tl.arange(0, 2)[:, None]
    column = tl.arange(0, 64)[None, :]
    value = tl.load(x + row * 50 + column, mask=row < 50)  # <- here
    tl.store(out + row * 50 + column, value, mask=column < 50)


@tilewright.jit
def index_one_too_far(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i + 1, mask=i < n)  # <- here
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def index_one_too_small(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    tl.store(out + i - 1, value, mask=i < n)  # <- here


@tilewright.jit
def negative_stride(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + n - i, mask=i <= n)  # <- here
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def stride_of_padded_rows(out, x, at, count, n, BLOCK: tl.constexpr):
    row = tl.arange(0, 4)[:, None]
    column = tl.arange(0, 16)[None, :]
    value = tl.load(x + row * 32 + column)  # <- here
    tl.store(out + row * 16 + column, value)


@tilewright.jit
def offset_of_32_bits(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    far = (n * 30_000_000) | 1  # an offset of sums and products alone would have 64 bits
    value = tl.load(x + (far + i), mask=far + i < n)  # <- here
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def index_from_memory(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + tl.load(at + i, mask=i < n), mask=i < n)  # <- here
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def bin_from_memory(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(at + i, mask=i < n), 1.0, mask=i < n)  # <- here


@tilewright.jit
def loop_one_too_far(out, x, at, count, n, BLOCK: tl.constexpr):
    total = 0.0
    for i in range(n + 1):
        total += tl.load(x + i)  # <- here
    tl.store(out, total)


@tilewright.jit
def one_program_too_many(out, x, at, count, n, BLOCK: tl.constexpr):
    tl.store(out + 64 * (tl.program_id(0) + 1) + tl.arange(0, 64), 1.0)  # <- here


@tilewright.jit
def another_element_type(out, x, at, count, n, BLOCK: tl.constexpr):
    wide = x.to(tl.pointer_type(tl.float64))
    i = tl.arange(0, BLOCK)
    value = tl.load(wide + i, mask=i < n)  # <- here
    tl.store(out + i, value.to(tl.float32), mask=i < n)


@tilewright.jit
def pointer_from_a_number(out, x, at, count, n, BLOCK: tl.constexpr):
    wild = (n.to(tl.int64) << 40).to(tl.pointer_type(tl.float32))
    tl.store(out, tl.load(wild))  # <- here


@tilewright.jit
def null_pointer(out, x, at, count, n, BLOCK: tl.constexpr):
    nothing = (n - n).to(tl.int64).to(tl.pointer_type(tl.float32))
    tl.store(nothing + tl.arange(0, 32), 1.0)  # <- here


@tilewright.jit
def false_multiple_of(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 4 * BLOCK)
    first = tl.multiple_of(tl.load(at + 1), 16)
    value = tl.load(x + first + i, mask=i < 64)  # <- here
    tl.store(out + i, value, mask=i < 64)


@tilewright.jit
def false_multiple_of_stored(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 4 * BLOCK)
    first = tl.multiple_of(tl.load(at + 1), 16)
    value = tl.load(x + i, mask=i < 64)
    tl.store(out + first + i, value, mask=i < 64)  # <- here


@tilewright.jit
def false_multiple_of_tile(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, 4 * BLOCK)
    inside = i < 64
    shifted = tl.multiple_of(tl.load(at + 1) + i, 4)
    tl.store(out + i, tl.load(x + shifted, mask=inside), mask=inside)  # <- here


@tilewright.jit
def misaligned_pointer(out, x, at, count, n, BLOCK: tl.constexpr):
    between = (x.to(tl.pointer_type(tl.int8)) + 2).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, 64)
    tl.store(out + i, tl.load(between + i))  # <- here


@tilewright.jit
def two_threads_store(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i // 2, i.to(tl.float32))  # <- here


@tilewright.jit
def store_instead_of_atomic(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i % 4, tl.load(x + i % 4) + 1.0)  # <- here


@tilewright.jit
def false_assertion(out, x, at, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=1.0)
    tl.device_assert(value < 50.0, "x is too large")  # <- here
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def flag_never_set(out, x, at, count, n, BLOCK: tl.constexpr):
    while tl.atomic_add(count, 0) == 0:  # <- here
        pass
    tl.store(out, 1.0)


@tilewright.jit
def lock_taken_twice(out, x, at, count, n, BLOCK: tl.constexpr):
    for _ in range(2):
        while tl.atomic_cas(count, 0, 1) == 1:  # <- here
            pass
    tl.atomic_xchg(count, 0)


@tilewright.jit
def loop_with_step_zero(out, x, at, count, n, BLOCK: tl.constexpr):
    i = 0
    while i < n:  # <- here
        tl.store(out + i, 1.0)
        i += tl.load(count)


WRONG = {
    "bounds": [
        unmasked_load,
        unmasked_store,
        mask_one_too_wide,
        mask_of_another_axis,
        index_one_too_far,
        index_one_too_small,
        negative_stride,
        stride_of_padded_rows,
        offset_of_32_bits,
        index_from_memory,
        bin_from_memory,
        loop_one_too_far,
        one_program_too_many,
        another_element_type,
        pointer_from_a_number,
        null_pointer,
    ],
    "alignment": [
        false_multiple_of,
        false_multiple_of_stored,
        false_multiple_of_tile,
        misaligned_pointer,
    ],
    "race": [two_threads_store, store_instead_of_atomic],
    "endless": [flag_never_set, lock_taken_twice, loop_with_step_zero],
}
