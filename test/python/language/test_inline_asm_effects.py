"""Assembly that is not pure: it stays, in order, and as often as threads hold the elements."""

import numpy as np
import pytest
from inputs import fresh, poisoned

import tilewright
import tilewright.language as tl


def emulated(function):
    return pytest.mark.parametrize("target", ["cuda:80", "cuda:90a"])(function)


def launch(kernel, target, *args, **options):
    with tilewright.emulate(target, checks=True):
        kernel[(1,)](*args, **options)


@emulated
def test_it_is_executed_though_nothing_uses_the_result(target):
    @tilewright.jit
    def kernel(x, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.inline_asm_elementwise(
            "st.global.b32 [$1], $2; mov.b32 $0, 0;", "=r,l,r", [x + i, i * 3], tl.int32, False, 1
        )

    x = poisoned("int32", (256,))
    launch(kernel, target, x, 256)
    assert np.array_equal(x, np.arange(256) * 3)


@emulated
def test_pure_assembly_without_uses_is_removed(target):
    @tilewright.jit
    def kernel(x, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.inline_asm_elementwise("no.such.instruction $0, $1;", "=r,r", [i], tl.int32, True, 1)
        tl.store(x + i, i)

    x = poisoned("int32", (64,))
    launch(kernel, target, x, 64)
    assert np.array_equal(x, np.arange(64))


@emulated
@pytest.mark.parametrize("num_warps", [1, 4])
def test_loads_and_stores_around_it_keep_their_order(target, num_warps):
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
    launch(kernel, target, x, out, 128, num_warps=num_warps)
    assert np.array_equal(out[0], np.arange(128))
    assert np.array_equal(out[1], np.arange(128) + 1)


@emulated
def test_a_loop_does_not_lose_executions(target):
    @tilewright.jit
    def kernel(x, n, N: tl.constexpr):
        i = tl.arange(0, N)
        for _ in range(n):
            tl.inline_asm_elementwise(
                "{ .reg .b32 old; atom.global.add.u32 old, [$1], 2; mov.b32 $0, old; }",
                "=r,l", [x + i], tl.int32, False, 1,
            )  # fmt: skip

    x = np.zeros(128, np.int32)
    launch(kernel, target, x, 5, 128, num_warps=1)
    assert (x == 10).all()


@emulated
@pytest.mark.parametrize(("size", "num_warps", "times"), [(128, 4, 1), (32, 4, 4), (16, 1, 2)])
def test_threads_that_hold_copies_of_an_element_all_execute_it(target, size, num_warps, times):
    @tilewright.jit
    def kernel(x, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.inline_asm_elementwise(
            "{ .reg .b32 old; atom.global.add.u32 old, [$1], 1; mov.b32 $0, old; }",
            "=r,l", [x + i], tl.int32, False, 1,
        )  # fmt: skip

    x = np.zeros(size, np.int32)
    launch(kernel, target, x, size, num_warps=num_warps)
    assert (x == times).all()


@emulated
def test_a_spinlock_of_inline_atomics(target):
    """As programs synchronize GPUs: compare-and-swap, acquire and release."""

    @tilewright.jit
    def kernel(lock, counter):
        taken = 1
        while taken != 0:
            taken = tl.inline_asm_elementwise(
                "{ .reg .pred p; .reg .u32 lane; mov.u32 $0, 0; mov.u32 lane, %tid.x; "
                "setp.eq.u32 p, lane, 0; @p atom.global.acquire.sys.cas.b32 $0, [$1], 0, 1; }",
                "=r,l", [lock], tl.int32, False, 1,
            )  # fmt: skip
            taken = tl.max(taken + tl.zeros([32], tl.int32), axis=0)
        tl.store(counter, tl.load(counter) + 1)
        tl.debug_barrier()
        tl.inline_asm_elementwise(
            "fence.sc.sys; st.relaxed.sys.global.b32 [$1], 0; mov.u32 $0, 0;",
            "=r,l", [lock], tl.int32, False, 1,
        )  # fmt: skip

    lock, counter = np.zeros(1, np.int32), np.zeros(1, np.int32)
    with tilewright.emulate(target):
        kernel[(7,)](lock, counter, num_warps=1)
    assert (counter[0], lock[0]) == (7, 0)


@emulated
def test_the_clock_is_read_each_time(target):
    @tilewright.jit
    def kernel(out, n):
        start = tl.extra.cuda.globaltimer()
        total = start * 0
        for i in range(n):
            total += tl.load(out + 2 + i % 2)
        end = tl.extra.cuda.globaltimer()
        tl.store(out, end - start)
        tl.store(out + 1, total)

    out = np.zeros(4, np.int64)
    launch(kernel, target, out, 1000)
    assert out[0] > 0


@emulated
def test_registers_of_the_processor(target):
    @tilewright.jit
    def kernel(out):
        tl.store(out, tl.extra.cuda.smid())
        tl.store(out + 1, tl.extra.cuda.num_threads() + tl.extra.cuda.num_warps())

    out = poisoned("int32", (2,))
    launch(kernel, target, out, num_warps=8)
    assert out.tolist() == [0, 8 * 32 + 8]


def test_fresh_inputs_are_left_alone_without_effects():
    """A pure assembly on pointers only computes with the addresses."""

    @tilewright.jit
    def kernel(x, out, N: tl.constexpr):
        i = tl.arange(0, N)
        low = tl.inline_asm_elementwise(
            "{ .reg .b32 high; mov.b64 {$0, high}, $1; }", "=r,l", [x + i], tl.uint32, True, 1
        )
        tl.store(out + i, low)

    x, out = fresh("int32", (64,)), poisoned("uint32", (64,))
    launch(kernel, "cuda:80", x, out, 64)
    first = x.ctypes.data & 0xFFFFFFFF
    assert np.array_equal(out, ((first + 4 * np.arange(64)) & 0xFFFFFFFF).astype(np.uint32))
