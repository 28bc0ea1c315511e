"""Warnings of loops that wait for memory by plain loads, which are executed once."""

import warnings

import pytest

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.errors import CompileWarning


@tilewright.jit
def in_the_condition(flag, out):
    while tl.load(flag) == 0:
        pass
    tl.store(out, 1)


@tilewright.jit
def in_the_body(flag, out):
    value = 0
    while value != 3:
        value = tl.load(flag)
    tl.store(out, value)


@tilewright.jit
def of_a_pointer_in_memory(flag, out):
    target = flag
    while tl.load(target, mask=tl.load(flag + 1) != 0, other=1) == 0:
        target = flag
    tl.store(out, 1)


@tilewright.jit
def after_a_branch(flag, out):
    waits = True
    while waits:
        if tl.load(flag) > 2:
            tl.device_print("waits")
            waits = tl.load(flag + 1) == 0
        else:
            waits = True
    tl.store(out, 1)


def warned(kernel):
    """Compiles the kernel, and returns the warnings by their line, counted from the decorator's."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compiler.compile(kernel, ["*i32", "*i32"], "emulator:cuda:90a", {"num_warps": 4})
    start = kernel.fn.__code__.co_firstlineno
    return {w.lineno - start: str(w.message) for w in found if w.category is CompileWarning}


@pytest.fixture(autouse=True)
def without_cache(monkeypatch):
    """A kernel in the cache was compiled, with its warnings, before."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")


@pytest.mark.parametrize(
    ("kernel", "line"),
    [
        (in_the_condition, 2),
        (in_the_body, 4),
        (of_a_pointer_in_memory, 3),
        (after_a_branch, 4),  # the first of two loads
    ],
)
def test_a_wait_by_plain_loads(kernel, line):
    [(found, message)] = warned(kernel).items()
    assert found == line
    assert "need not read memory again" in message and "tl.atomic_poll" in message


@tilewright.jit
def volatile(flag, out):
    while tl.load(flag, volatile=True) == 0:
        pass
    while tl.load(flag, cache_modifier=".cv") == 0:
        pass
    while tl.atomic_load(flag) == 0:
        pass
    tl.atomic_poll(flag, 1)


@tilewright.jit
def counters(flag, out):
    i, n = 0, 0
    while i < tl.load(flag):
        i += 1
    while (tl.load(flag) == 0) & (n < 5):
        n += 1
    tl.store(out, i + n)


@tilewright.jit
def addresses(flag, out):
    i = 0
    while tl.load(flag + i) == 0:
        i += 1
    node = tl.load(flag)
    while node != 0:
        node = tl.load(flag + node)
    tl.store(out, i)


@tilewright.jit
def stores(flag, out):
    while tl.load(flag) < 10:
        tl.store(flag, tl.load(flag) + 1)


@tilewright.jit
def synchronizes(flag, out):
    while tl.load(flag) == 0:
        tl.debug_barrier()
    while tl.load(flag) == 0:
        tl.atomic_add(out, 1)


@tilewright.jit
def at_most_once(flag, out):
    again = tl.load(flag) == 0
    while again:
        tl.store(out, 1)
        again = False


@pytest.mark.parametrize(
    "kernel", [volatile, counters, addresses, stores, synchronizes, at_most_once]
)
def test_loops_that_may_end(kernel):
    assert not warned(kernel)
