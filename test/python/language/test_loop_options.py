"""Options of tl.range and tl.condition: the results do not depend on them."""

import numpy as np
import pytest
from inputs import fresh, poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import ConstantError


@tilewright.jit
def digits(out, start, stop, step, FACTOR: tl.constexpr):
    """A loop whose result depends on the order and the number of its iterations."""
    value, last, count = 7, -1, 0
    for i in tl.range(start, stop, step, loop_unroll_factor=FACTOR):
        if i % 3 == 1:
            value += 1
            continue
        value = value * 31 + i.to(tl.int32)
        last = i.to(tl.int32)
        count += 1
    tl.store(out, value)
    tl.store(out + 1, last)
    tl.store(out + 2, count)


def expected(numbers):
    value, last, count = 7, -1, 0
    for i in numbers:
        if i - 3 * int(i / 3) == 1:
            value += 1
            continue
        value, last, count = value * 31 + i, i, count + 1
    wrap = (value + 2**31) % 2**32 - 2**31
    return [wrap, (last + 2**31) % 2**32 - 2**31, count]


RANGES = [
    (0, 0, 1), (0, 1, 1), (1, 1, 1), (5, 0, 1), (5, -8, 2), (0, 3, 1), (0, 4, 1), (0, 5, 1),
    (-7, 12, 3), (2, 31, 2), (1, 2, 1), (2**31 - 9, 2**31 - 1, 1), (2**31 - 12, 2**31 - 1, 5),
    (-(2**31), -(2**31) + 9, 4), (2**40, 2**40 + 7, 1), (0, 1, 2**30), (0, 2**31 - 1, 2**29),
]  # fmt: skip


@pytest.mark.parametrize("bounds", RANGES, ids=str)
@pytest.mark.parametrize("factor", [1, 2, 3, 4, 8])
def test_unrolling(bounds, factor):
    out = poisoned("int32", (16,))
    digits[(1,)](out, *bounds, FACTOR=factor)
    assert out[:3].tolist() == expected(range(*bounds))


@tilewright.jit
def constant_bounds(out, STEP: tl.constexpr, FACTOR: tl.constexpr):
    value = 7
    for i in tl.range(9, -4, STEP, loop_unroll_factor=FACTOR):
        value = value * 31 + i
    tl.store(out, value)


@pytest.mark.parametrize("step", [-1, -2, -13, 3])
@pytest.mark.parametrize("factor", [2, 5, 16])
def test_unrolling_with_constant_bounds(step, factor):
    out, value = poisoned("int32", (16,)), 7
    constant_bounds[(1,)](out, STEP=step, FACTOR=factor)
    for i in range(9, -4, step):
        value = (value * 31 + i + 2**31) % 2**32 - 2**31
    assert out[0] == value


def test_copies_are_in_the_code():
    @tilewright.jit
    def kernel(x, out, n, FACTOR: tl.constexpr):
        total = 0.0
        for i in tl.range(n, loop_unroll_factor=FACTOR):
            total += tl.load(x + i)
        tl.store(out, total)

    x, out = np.arange(16, dtype=np.float32), np.zeros(1, np.float32)
    counts = {}
    for factor in (1, 4):
        compiled = kernel.warmup(x, out, 16, FACTOR=factor, grid=(1,))
        counts[factor] = compiled.asm["source"].count("tile.load")
    assert counts == {1: 1, 4: 5}


@tilewright.jit
def nested(x, out, rows, columns, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros([N], tl.float32)
    for row in tl.range(rows, loop_unroll_factor=2, num_stages=2):
        part = tl.zeros([N], tl.float32)
        for column in tl.range(0, columns, N, loop_unroll_factor=3, disallow_acc_multi_buffer=True):
            part += tl.load(x + row * columns + column + i, mask=column + i < columns, other=0.0)
        total += part * (row + 1)
    tl.store(out + i, total)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 100), (4, 64), (0, 16)])
def test_nested_loops(rows, columns):
    x, out = fresh("fp32", (rows, columns)), poisoned("fp32", (16,))
    nested[(1,)](x, out, rows, columns, N=16)
    padded = np.zeros((rows, -(-columns // 16) * 16))
    padded[:, :columns] = x.numpy()
    sums = padded.reshape(rows, padded.shape[1] // 16, 16).sum(axis=1)
    wanted = (sums * np.arange(1, rows + 1)[:, None]).sum(axis=0)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-5, atol=1e-4)


@tilewright.jit
def searched(x, out, n):
    found = -1
    for i in tl.range(0, n, loop_unroll_factor=4, flatten=True, disable_licm=True):
        if tl.load(x + i) == 5:
            found = i
            break
    tl.store(out, found)


@pytest.mark.parametrize("at", [0, 3, 6])
def test_a_loop_with_break(at):
    x, out = np.zeros(7, np.int32), poisoned("int32", (16,))
    x[at] = 5
    searched[(1,)](x, out, 7)
    assert out[0] == at


@tilewright.jit
def interrupted(x, out, start, stop, step, FACTOR: tl.constexpr):
    """Three ways to end an iteration, and two to end the loop."""
    total, last = 0, -1
    for i in tl.range(start, stop, step, loop_unroll_factor=FACTOR):
        value = tl.load(x + i)
        if value < 0:
            continue
        last = i
        if value == 50:
            break
        total = total * 3 + value
        if value == 60:
            tl.store(out, -total)
            tl.store(out + 1, last)
            return
    else:
        total += 1000
    tl.store(out, total)
    tl.store(out + 1, last)


def interrupted_in_python(x, bounds):
    total, last = 0, -1
    for i in bounds:
        value = int(x[i])
        if value < 0:
            continue
        last = i
        if value == 50:
            break
        total = total * 3 + value
        if value == 60:
            return -total, last
    else:
        total += 1000
    return total, last


@pytest.mark.parametrize("factor", [1, 2, 3, 8])
@pytest.mark.parametrize("bounds", [(0, 11, 1), (0, 4, 1), (10, 0, 1), (1, 11, 3)], ids=str)
@pytest.mark.parametrize("ends", [(), (0, 50), (4, 50), (7, 60), (10, 60), (3, 50, 2, 60)], ids=str)
def test_unrolling_of_loops_that_exit_early(factor, bounds, ends):
    x, out = fresh("int32", (11,), -3, 9), poisoned("int32", (2,))
    for at, value in zip(ends[::2], ends[1::2], strict=True):
        x[at] = value
    interrupted[(1,)](x, out, *bounds, FACTOR=factor)
    assert tuple(out.tolist()) == interrupted_in_python(x, range(*bounds))


def test_copies_of_a_loop_with_break_are_in_the_code():
    @tilewright.jit
    def kernel(x, out, n, FACTOR: tl.constexpr):
        total = 0.0
        for i in tl.range(n, loop_unroll_factor=FACTOR):
            value = tl.load(x + i)
            if value < 0:
                break
            total += value
        tl.store(out, total)

    x, out = np.arange(16, dtype=np.float32), np.zeros(1, np.float32)
    counts = {}
    for factor in (1, 4):
        compiled = kernel.warmup(x, out, 16, FACTOR=factor, grid=(1,))
        counts[factor] = compiled.asm["source"].count("tile.load")
    assert counts == {1: 1, 4: 4}


@tilewright.jit
def multiplies(out, n, a, KEEP: tl.constexpr):
    total = 0
    for i in tl.range(0, n, disable_licm=KEEP):
        total += (a * a) ^ i
    tl.store(out, total)


def is_in_the_loop(text, operation):
    """Whether the first operation of this name is after the start of the loop."""
    return text.index("scf.for") < text.index(operation)


@pytest.mark.parametrize("keep", [False, True])
def test_invariant_code_stays_in_the_loop(keep, launch_target):
    compiled = multiplies.warmup(np.zeros(1, np.int32), 9, 6, KEEP=keep, grid=(1,))
    assert is_in_the_loop(compiled.asm["source"], "arith.muli")
    assert is_in_the_loop(compiled.asm["tile"], "arith.muli") == keep
    if launch_target.startswith("emulator:"):  # on a device, only launches move arrays there
        assert is_in_the_loop(compiled.asm["thread"], "arith.muli") == keep


@pytest.mark.parametrize("keep", [False, True])
def test_values_without_code_motion(keep):
    out = poisoned("int32", (1,))
    multiplies[(1,)](out, 9, 6, KEEP=keep)
    assert out[0] == sum(36 ^ i for i in range(9))


@tilewright.jit
def conditions(out, n):
    value = n
    while tl.condition(value > 3, disable_licm=True):
        value -= 2
    count = 0
    while tl.condition((value < 50) & (count < 4)):
        value, count = value * 3, count + 1
    tl.store(out, value)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_conditions(n):
    out = poisoned("int32", (16,))
    conditions[(1,)](out, n)
    value = n
    while value > 3:
        value -= 2
    count = 0
    while value < 50 and count < 4:
        value, count = value * 3, count + 1
    assert out[0] == value


@pytest.mark.parametrize("factor", [0, -2, 1.5])
def test_a_wrong_factor(factor):
    with pytest.raises(ConstantError, match="loop_unroll_factor must be"):
        digits[(1,)](poisoned("int32", (16,)), 0, 4, 1, FACTOR=factor)
