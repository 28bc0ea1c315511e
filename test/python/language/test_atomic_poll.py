"""tl.atomic_poll: waiting for other programs, timeouts, and what it refuses."""

import numpy as np
import pytest
from inputs import poisoned

import tilewright
import tilewright.language as tl
from tilewright.errors import ConstantError, ShapeMismatchError, TypeMismatchError

INTEGERS = ["int16", "uint16", "int32", "uint32", "int64", "uint64"]


@tilewright.jit
def polls(x, out, value, SEM: tl.constexpr, SCOPE: tl.constexpr):
    tl.store(out, tl.atomic_poll(x, value, SEM, SCOPE))
    tl.store(out + 1, tl.atomic_poll(x, value + 1, SEM, SCOPE, timeout_ns=0))
    tl.store(out + 2, x.atomic_poll(value, timeout_ns=0))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("value", [0, 5, 2**15 - 2])
def test_a_value_that_is_there(dtype, value):
    x, out = np.array([value], dtype), np.full(3, 85, np.int8)
    polls[(1,)](x, out, value, SEM=None, SCOPE=None)
    assert out.tolist() == [1, 0, 1]
    assert x[0] == value


@pytest.mark.parametrize("sem", ["acquire", "relaxed"])
@pytest.mark.parametrize("scope", ["gpu", "cta", "sys"])
@pytest.mark.parametrize("warps", [1, 8])
def test_orders_and_scopes(sem, scope, warps):
    x, out = np.array([-3], np.int32), np.full(3, 85, np.int8)
    polls[(1,)](x, out, -3, SEM=sem, SCOPE=scope, num_warps=warps)
    assert out.tolist() == [1, 0, 1]


@tilewright.jit
def extremes(x, out, VALUE: tl.constexpr):
    tl.store(out, tl.atomic_poll(x, VALUE, timeout_ns=0))
    tl.store(out + 1, tl.atomic_poll(x + 1, VALUE, timeout_ns=0))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_all_bits_are_compared(dtype):
    info = np.iinfo(dtype)
    for value in (info.min, info.max):
        x, out = np.array([value, value], dtype), np.full(2, 85, np.int8)
        x.view(np.uint8)[-1] ^= 0x40  # the second differs in one of the high bits
        extremes[(1,)](x, out, VALUE=value)
        assert out.tolist() == [1, 0]


@tilewright.jit
def takes_turns(data, flag, out, N: tl.constexpr):
    """Each program waits for the one before it, and adds 1 to its tile."""
    program, i = tl.program_id(0), tl.arange(0, N)
    tl.atomic_poll(flag, program)
    value = tl.load(data + i)
    tl.store(data + i, value + 1)
    tl.store(out + program * N + i, value)
    tl.atomic_store(flag, (program + 1).to(flag.dtype.element_ty))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("warps", [1, 4])
def test_accesses_after_it_see_what_was_released(dtype, warps):
    size, programs = 256, 8
    data, flag = np.zeros(size, np.int32), np.zeros(1, dtype)
    out = np.zeros((programs, size), np.int32)
    takes_turns[(programs,)](data, flag, out, N=size, num_warps=warps)
    np.testing.assert_array_equal(out, np.arange(programs)[:, None] + np.zeros((1, size), int))


@tilewright.jit
def polls_between_atomics(flag, data, out, polls, N: tl.constexpr):
    """Atomics on tiles, which all threads execute, after polls of one thread."""
    i = tl.arange(0, N)
    for k in range(polls):
        tl.atomic_poll(flag, k)
        tl.store(out + i, tl.load(data + i) + tl.atomic_add(data + i, 1))
        tl.atomic_add(flag, 1)
    tl.atomic_max(data + i, tl.load(out + N - 1 - i))


@pytest.mark.parametrize("polls", [0, 1, 3])
@pytest.mark.parametrize("warps", [1, 4])
def test_atomics_on_tiles_after_polls(warps, polls):
    flag, data, out = (np.zeros(n, np.int32) for n in (1, 200, 200))
    polls_between_atomics[(1,)](flag, data, out, polls, N=200, num_warps=warps)
    assert flag[0] == polls
    assert (out == max(0, 2 * (polls - 1))).all()
    assert (data == max(polls, 2 * (polls - 1))).all()


@tilewright.jit
def waits_in_a_branch(x, out, n, TIMEOUT: tl.constexpr):
    """Two programs; the one with the lower number runs first where there is one thread."""
    program = tl.program_id(0)
    if program == 0:
        for _ in range(n):
            tl.atomic_add(x, 1)
    else:
        found = tl.atomic_poll(x, n, timeout_ns=TIMEOUT)
        if found:
            tl.store(out, tl.atomic_load(x))


@pytest.mark.parametrize("timeout", [None, 10**11])
def test_waiting_lets_others_run(timeout):
    x, out = np.zeros(1, np.int32), poisoned("int32", (1,))
    waits_in_a_branch[(2,)](x, out, 50, TIMEOUT=timeout)
    assert out[0] == 50


@tilewright.jit
def gives_up(x, out, timeout):
    tl.store(out, tl.atomic_poll(x, 1, timeout_ns=timeout))


@pytest.mark.parametrize("timeout", [0, 1, 10**6, -1, -(2**40)])
def test_it_ends_without_the_value(timeout):
    x, out = np.zeros(1, np.int32), np.full(1, 85, np.int8)
    gives_up[(1,)](x, out, timeout)
    assert out[0] == 0


@tilewright.jit
def known_limits(x, out, LIMIT: tl.constexpr):
    ready = tl.atomic_poll(x, 0, timeout_ns=LIMIT)
    late = tl.atomic_poll(x, True, timeout_ns=LIMIT)
    while late | (not ready):  # both are conditions, the same in all threads
        late = late & False
        ready = True
    tl.store(out, ready.to(tl.int32) * 2 + late.to(tl.int32))


@pytest.mark.parametrize("limit", [0, 1000])
def test_the_result_is_a_condition(limit):
    x, out = np.zeros(1, np.int64), poisoned("int32", (1,))
    known_limits[(1,)](x, out, LIMIT=limit)
    assert out[0] == 2


def test_a_read_only_array_is_refused(launch_target):
    if launch_target.startswith("cuda"):
        pytest.skip("the array's copy on the device is writable")
    x, out = np.zeros(1, np.int32), np.zeros(1, np.int8)
    x.flags.writeable = False
    with pytest.raises(tilewright.errors.ArgumentError, match="read-only"):
        gives_up[(1,)](x, out, 0)


def test_what_it_refuses(values):
    wide, small, real, byte, s, one, tile = values(
        "*int32[4]", "*int16", "*fp32", "*int8", "int32", "*int32", "int32[4]"
    )
    for pointer in (real, byte):
        with pytest.raises(TypeMismatchError, match="an integer of 16, 32 or 64 bits"):
            tl.atomic_poll(pointer, 1)
    with pytest.raises(TypeMismatchError, match="takes a pointer"):
        tl.atomic_poll(s, 1)
    with pytest.raises(ShapeMismatchError, match=r"one integer, found shape \[4\]"):
        tl.atomic_poll(wide, 1)
    with pytest.raises(ShapeMismatchError, match="expected_value of atomic_poll must be a scalar"):
        tl.atomic_poll(one, tile)
    with pytest.raises(TypeMismatchError, match="expected_value of atomic_poll must be an integer"):
        tl.atomic_poll(one, 1.5)
    with pytest.raises(TypeMismatchError, match="timeout_ns of atomic_poll must be an integer"):
        tl.atomic_poll(one, 1, timeout_ns=1e9)
    with pytest.raises(ShapeMismatchError, match="timeout_ns of atomic_poll must be a scalar"):
        tl.atomic_poll(one, 1, timeout_ns=tile)
    with pytest.raises(ConstantError, match="timeout_ns of atomic_poll must not be negative"):
        tl.atomic_poll(one, 1, timeout_ns=-1)
    with pytest.raises(ConstantError, match="expected_value of atomic_poll is 32768"):
        tl.atomic_poll(small, 2**15)
    with pytest.raises(ConstantError, match="must be 'acquire' or 'relaxed', found 'release'"):
        tl.atomic_poll(one, 1, sem="release")
    with pytest.raises(ConstantError, match="scope must be"):
        tl.atomic_poll(one, 1, scope="grid")
