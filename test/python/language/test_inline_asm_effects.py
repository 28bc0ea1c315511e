"""Assembly that is not pure: it stays, in order, and as often as threads hold the elements."""

import numpy as np
import pytest
import torch
from inputs import fresh, poisoned

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.needs_gpu("the kernels consist of PTX")


def test_it_is_executed_though_nothing_uses_the_result():
    @tilewright.jit
    def kernel(x, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.inline_asm_elementwise(
            "st.global.b32 [$1], $2; mov.b32 $0, 0;", "=r,l,r", [x + i, i * 3], tl.int32, False, 1
        )

    x = poisoned("int32", (256,))
    kernel[(1,)](x, 256)
    assert np.array_equal(x, np.arange(256) * 3)


def test_pure_assembly_without_uses_is_removed():
    @tilewright.jit
    def kernel(x, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.inline_asm_elementwise("no.such.instruction $0, $1;", "=r,r", [i], tl.int32, True, 1)
        tl.store(x + i, i)

    x = poisoned("int32", (64,))
    kernel[(1,)](x, 64)
    assert np.array_equal(x, np.arange(64))


@pytest.mark.parametrize("num_warps", [1, 4])
def test_loads_and_stores_around_it_keep_their_order(num_warps):
    """The assembly adds one to memory that is stored before it and loaded after it."""

    @tilewright.jit
    def kernel(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(x + i, i)
        before = tl.load(x + i)
        tl.inline_asm_elementwise(
            "{ .reg .b32 v; ld.global.b32 v, [$1]; add.s32 v, v, 1; st.global.b32 [$1], v; "
            "mov.b32 $0, v; }",
            "=r,l", [x + i], tl.int32, False, 1,
        )  # fmt: skip
        after = tl.load(x + i)
        tl.store(out + i, before)
        tl.store(out + N + i, after)

    x, out = poisoned("int32", (128,)), poisoned("int32", (2, 128))
    kernel[(1,)](x, out, 128, num_warps=num_warps)
    assert np.array_equal(out[0], np.arange(128))
    assert np.array_equal(out[1], np.arange(128) + 1)


def test_a_loop_does_not_lose_executions():
    @tilewright.jit
    def kernel(x, n, N: tl.constexpr):
        i = tl.arange(0, N)
        for _ in range(n):
            tl.inline_asm_elementwise(
                "{ .reg .b32 old; atom.global.add.u32 old, [$1], 2; mov.b32 $0, old; }",
                "=r,l", [x + i], tl.int32, False, 1,
            )  # fmt: skip

    x = np.zeros(128, np.int32)
    kernel[(1,)](x, 5, 128, num_warps=1)
    assert (x == 10).all()


@pytest.mark.parametrize(("size", "num_warps", "times"), [(128, 4, 1), (32, 4, 4), (16, 1, 2)])
def test_threads_that_hold_copies_of_an_element_all_execute_it(size, num_warps, times):
    @tilewright.jit
    def kernel(x, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.inline_asm_elementwise(
            "{ .reg .b32 old; atom.global.add.u32 old, [$1], 1; mov.b32 $0, old; }",
            "=r,l", [x + i], tl.int32, False, 1,
        )  # fmt: skip

    x = np.zeros(size, np.int32)
    kernel[(1,)](x, size, num_warps=num_warps)
    assert (x == times).all()


def test_a_spinlock_of_inline_atomics():
    """As programs synchronize GPUs: one thread acquires by compare-and-swap, and releases."""

    @tilewright.jit
    def kernel(lock, counter):
        taken = 1
        while taken != 0:
            taken = tl.inline_asm_elementwise(
                "{ .reg .pred p; .reg .u32 thread; mov.u32 $0, 0; mov.u32 thread, %tid.x; "
                "setp.eq.u32 p, thread, 0; @p atom.global.acquire.sys.cas.b32 $0, [$1], 0, 1; }",
                "=r,l", [lock], tl.int32, False, 1,
            )  # fmt: skip
            taken = tl.max(taken + tl.zeros([32], tl.int32), axis=0)
        tl.debug_barrier()
        tl.store(counter, tl.load(counter) + 1)
        tl.debug_barrier()
        tl.inline_asm_elementwise(
            "{ .reg .pred p; .reg .u32 thread; mov.u32 $0, 0; mov.u32 thread, %tid.x; "
            "setp.eq.u32 p, thread, 0; fence.sc.sys; @p st.relaxed.sys.global.b32 [$1], 0; }",
            "=r,l", [lock], tl.int32, False, 1,
        )  # fmt: skip

    lock, counter = np.zeros(1, np.int32), np.zeros(1, np.int32)
    kernel[(7,)](lock, counter, num_warps=1)
    assert (counter[0], lock[0]) == (7, 0)


def test_the_clock_is_read_each_time():
    @tilewright.jit
    def kernel(out, n):
        start = tl.extra.cuda.globaltimer()
        end = start
        for _ in range(n):
            end = tl.extra.cuda.globaltimer()
        tl.store(out, end > start)

    # The clock of a GPU advances in steps of up to a microsecond, the time of about 100 reads.
    later = np.zeros(1, bool)
    kernel[(1,)](later, 20000)
    assert later[0]


def test_registers_of_the_processor(launch_target):
    @tilewright.jit
    def kernel(out, processors):
        smid = tl.extra.cuda.smid()
        tl.store(out, (smid >= 0) & (smid < processors))
        tl.store(out + 1, tl.extra.cuda.num_threads())
        tl.store(out + 2, tl.extra.cuda.num_warps())

    processors = 1  # of an emulated GPU
    if launch_target.startswith("cuda"):
        processors = torch.cuda.get_device_properties(0).multi_processor_count
    out = poisoned("int32", (3,))
    kernel[(1,)](out, processors, num_warps=8)
    assert out.tolist() == [1, 8 * 32, 8]


def test_pure_assembly_computes_with_addresses():
    @tilewright.jit
    def kernel(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        low = tl.inline_asm_elementwise(
            "{ .reg .b32 high; mov.b64 {$0, high}, $1; }", "=r,l", [x + i], tl.uint32, True, 1
        )
        first = x.to(tl.uint64).to(tl.uint32)
        tl.store(out + i, low - first)

    x, out = fresh("int32", (64,)), poisoned("uint32", (64,))
    before = x.copy()
    kernel[(1,)](x, out, 64)
    assert np.array_equal(out, np.arange(64) * 4)
    assert np.array_equal(x, before)
