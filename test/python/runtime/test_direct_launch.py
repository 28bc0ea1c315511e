"""`compiled[grid](*arguments)` and `compiled.run(...)` launch what was compiled."""

from __future__ import annotations

import pickle
from contextlib import nullcontext

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.errors import ArgumentError, LaunchError

N, BLOCK = 1000, 256
GRID = (4,)


@tilewright.jit
def scaled_sum(x, y, out, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, (tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask)) * factor, mask=mask)


@pytest.fixture
def arrays():
    x = np.arange(N, dtype=np.float32)
    return x, x[::-1].copy(), np.zeros(N, np.float32)


def expect(out, factor=1.0) -> None:
    np.testing.assert_array_equal(out, np.full(N, (N - 1) * factor, np.float32))
    out[:] = 0


def test_with_and_without_constants(arrays) -> None:
    made = scaled_sum[GRID](*arrays, N, 2.0, BLOCK)
    expect(arrays[2], 2.0)
    made[GRID](*arrays, N, 2.0, BLOCK)
    expect(arrays[2], 2.0)
    made[GRID](*arrays, N, 0.5)
    expect(arrays[2], 0.5)


def test_run_takes_the_arguments_of_a_launcher(arrays) -> None:
    made = scaled_sum[GRID](*arrays, N, 2.0, BLOCK)
    arrays[2][:] = 0
    calls = []
    made.run(
        *(4, 1, 1, 0, made.function, made.packed_metadata, "told"),
        lambda told: calls.append(("enter", told)),
        lambda told: calls.append(("exit", told)),
        *(*arrays, N, 1.0, BLOCK),
    )
    expect(arrays[2])
    assert calls == [("enter", "told"), ("exit", "told")]


@pytest.mark.parametrize("kind", ["constant", "alignment", "dtype", "scalar", "tensor"])
def test_arguments_for_which_it_was_not_compiled(arrays, kind) -> None:
    made = scaled_sum[GRID](*arrays, N, 2.0, BLOCK)
    arrays[2][:] = 0
    x, y, out = arrays
    wrong, match = {
        "constant": ((x, y, out, N, 2.0, 128), "'BLOCK' is 128, but .* compiled for 256"),
        "alignment": ((x[1:], y, out, N - 1, 2.0), r"'x' is \*fp32, but .* compiled for \*fp32:D"),
        "dtype": ((x, y.astype(np.float64), out, N, 2.0), r"'y' is \*fp64:D"),
        "scalar": ((x, y, out, 1.5, 2.0), "'n' is a float, but its type is i32"),
        "tensor": ((x, y, out, out, 2.0), r"'n' is \*fp32"),
    }[kind]
    for _ in range(2):
        with pytest.raises(ArgumentError, match=match):
            made[GRID](*wrong)
    assert not out.any()


@pytest.mark.parametrize("count", [0, 3, 4, 7])
def test_the_number_of_arguments(arrays, count) -> None:
    made = scaled_sum.warmup(tl.float32, tl.float32, tl.float32, N, 2.0, BLOCK)
    with pytest.raises(ArgumentError, match=f"takes 6 arguments, or 5 without .*, not {count}"):
        made[GRID](*(*arrays, N, 2.0, BLOCK, 1)[:count])


def test_less_specialized_code_takes_more(arrays) -> None:
    signature = ["*fp32", "*fp32", "*fp32", "i64", "fp32", BLOCK]
    made = compiler.compile(scaled_sum, signature, "cpu")
    x, y, out = arrays
    made[GRID](x, y, out, N, 1.0)
    expect(out)
    made[GRID](x[1:], y[:-1], out[1:], N - 1, 1)
    np.testing.assert_array_equal(out[1:], x[1:] + y[:-1])
    made[GRID](x, y, x, N, 1.0)  # in place
    np.testing.assert_array_equal(x, np.full(N, N - 1, np.float32))


def test_one_as_a_number_and_as_a_constant(arrays) -> None:
    x, y, out = arrays
    general = compiler.compile(
        scaled_sum, ["*fp32", "*fp32", "*fp32", "i32", "fp32", BLOCK], "cpu", noalias=True
    )
    general[GRID](x, y, out, 1, 1.0)
    assert (out[0], out[1]) == (x[0] + y[0], 0)
    special = scaled_sum.warmup(tl.float32, tl.float32, tl.float32, 1, 2.0, BLOCK)
    assert special.src.constants[3,] == 1
    with pytest.raises(ArgumentError, match="'n' is 2, but the kernel was compiled for 1"):
        special[GRID](x, y, out, 2, 1.0)


def test_an_integer_that_does_not_fit(arrays) -> None:
    made = scaled_sum[GRID](*arrays, N, 2.0, BLOCK)
    with pytest.raises(ArgumentError, match="does not fit its type i32"):
        made[GRID](*arrays, 1 << 40, 2.0)


@tilewright.jit
def choose(out, mode: tl.constexpr, flag: tl.constexpr):
    if mode == "i32":
        tl.store(out, 1.0)
    else:
        tl.store(out, 2.0)
    if flag:
        tl.store(out + 1, 3.0)


def test_constants_that_look_alike(arrays) -> None:
    out = arrays[2]
    made = choose[1](out, "i32", True)
    out[:] = 0
    made[1](out)
    assert list(out[:2]) == [1.0, 3.0]
    for wrong in [("i64", True), ("i32", 1), ("i32", False), (None, True)]:
        with pytest.raises(ArgumentError, match="but the kernel was compiled for"):
            made[1](out, *wrong)


def test_beyond_the_ranges_of_the_code(arrays) -> None:
    @tilewright.jit
    def far(out, offset, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + offset + tl.arange(0, BLOCK)
        tl.store(out + i, 1.0, mask=i == 0)

    made = far.warmup(tl.float32, 5, 16)
    if not made.launch_conditions:
        pytest.skip("the code has no conditions")
    out = arrays[2]
    made[(2,)](out, (1 << 31) - 16)  # the indices of the second program wrap around
    assert not out.any()
    made[(2,)](out, -16)
    assert (out[0], out[1:].any()) == (1.0, False)


def test_arrays_that_share_memory(arrays) -> None:
    made = scaled_sum[GRID](*arrays, N, 2.0, BLOCK)
    x, y, out = arrays
    made[GRID](x, y, x, N, 0.5)
    expect(x, 0.5)
    made[GRID](*arrays, N, 1.0)
    np.testing.assert_array_equal(out, y)


@tilewright.jit
def shift_by_one(x, out, n, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@pytest.mark.parametrize("target", ["cpu", "emulator:cuda:80"])
def test_each_store_precedes_later_loads_of_shared_memory(target) -> None:
    memory = np.zeros(64, np.float32)
    other = np.zeros(64, np.float32)
    with tilewright.emulate(target.removeprefix("emulator:")) if target != "cpu" else nullcontext():
        made = shift_by_one[1](memory, other, 16, 4)
        assert made.source.noalias
        made[1](memory[:60], memory[4:], 16)
    np.testing.assert_array_equal(memory[:20], np.repeat(np.arange(5), 4))


def test_the_variant_is_that_of_the_same_source(arrays) -> None:
    factor = 3

    @tilewright.jit
    def scale(x, out, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i) * tl.constexpr(FACTOR))

    FACTOR = tl.constexpr(factor)
    x, _, out = arrays
    made = scale[1](x, out, 8)
    FACTOR = tl.constexpr(5)
    made[1](x, x, 8)
    np.testing.assert_array_equal(x[:8], out[:8])


def test_tuples(arrays) -> None:
    @tilewright.jit
    def first(pair, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(pair[1] + i, tl.load(pair[0] + i))

    x, y, _ = arrays
    made = first[1]((x, y), 8)
    y[:8] = 0
    made[1]((x, y))
    np.testing.assert_array_equal(y[:8], x[:8])
    with pytest.raises(ArgumentError, match="compiled for"):
        made[1]((x[1:], y))


def test_on_an_emulated_gpu(arrays) -> None:
    with tilewright.emulate("cuda:90a"):
        made = scaled_sum[GRID](*arrays, N, 2.0, BLOCK)
    arrays[2][:] = 0
    made[GRID](*arrays, N, 1.0)
    expect(arrays[2])
    assert made.target == "emulator:cuda:90a"


def test_a_copy_from_a_pickle(arrays) -> None:
    made = scaled_sum[GRID](*arrays, N, 2.0, BLOCK)
    arrays[2][:] = 0
    copy = pickle.loads(pickle.dumps(made))
    copy[GRID](*arrays, N, 1.0)
    expect(arrays[2])
    assert (copy.hash, copy.asm["llir"]) == (made.hash, made.asm["llir"])


def test_without_a_function(arrays) -> None:
    made = scaled_sum.warmup(tl.float32, tl.float32, tl.float32, N, 2.0, BLOCK)
    copy = pickle.loads(pickle.dumps(made))
    copy.src = None
    with pytest.raises(LaunchError, match="it has no function"):
        copy[GRID](*arrays, N, 1.0)


def test_a_failed_assertion(arrays) -> None:
    @tilewright.jit
    def check(n):
        tl.device_assert(n > 0, "positive")

    made = check.warmup(5, debug=True)
    made[1](7)
    with pytest.raises(AssertionError, match="positive"):
        made[1](-7)
