"""Restrictions on the combiners of reductions and scans."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler import compile
from tilewright.errors import CompileError


@tilewright.jit
def makes_a_tile(a, b):
    return a + b + tl.sum(tl.arange(0, 4), 0)


@tilewright.jit
def reads(a, b):
    return a + tl.load(b.to(tl.int64).to(tl.pointer_type(tl.int32)))


@tilewright.jit
def calls_what_reads(a, b):
    return reads(a, b) + 1


@tilewright.jit
def counts(a, b):
    if a > b:
        tl.atomic_add(b.to(tl.int64).to(tl.pointer_type(tl.int32)), 1)
    return a


@tilewright.jit
def reduces_with(out, COMBINE: tl.constexpr):
    tl.store(out, tl.reduce(tl.arange(0, 16), 0, COMBINE))


@tilewright.jit
def scans_with(out, COMBINE: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.associative_scan(i, 0, COMBINE))


@pytest.mark.parametrize("kernel", [reduces_with, scans_with])
@pytest.mark.parametrize(
    ("combine", "message"),
    [
        (makes_a_tile, "operates on scalars and must not create tiles"),
        (reads, "must not access memory"),
        (calls_what_reads, "must not access memory"),
        (counts, "must not access memory"),
    ],
)
def test_combiners_that_are_refused(kernel, combine, message):
    with pytest.raises(CompileError, match=message) as caught:
        compile(kernel, ("*i32", combine), "cpu")
    assert caught.value.line in range(makes_a_tile.first_line, reduces_with.first_line)


@tilewright.jit
def promoted(x):
    return x + tl.zeros((1,), tl.int1)


@tilewright.jit
def larger(a, b):
    if promoted(a).dtype.is_floating():  # only the dtype is used, no tile is
        return tl.where(a > b, a, b)
    return tl.maximum(a, b)


@tilewright.jit
def sums_promoted(a, b):
    return a + tl.sum(promoted(b), 0)


@pytest.mark.parametrize("target", ["cpu", "emulator:cuda:80", "emulator:cuda:90a+checks"])
@pytest.mark.parametrize("kernel", [reduces_with, scans_with])
def test_a_combiner_may_make_tiles_that_nothing_uses(kernel, target):
    out = np.zeros(16, np.int32)
    kernel[1,](out, larger, target=target)
    expected = [15] + [0] * 15 if kernel is reduces_with else list(range(16))
    assert out.tolist() == expected


def test_a_tile_that_a_helper_makes_and_the_combiner_uses_is_refused():
    with pytest.raises(CompileError, match="operates on scalars and must not create tiles"):
        compile(reduces_with, ("*i32", sums_promoted), "cpu")


@tilewright.jit
def prints(a, b):
    tl.device_print("a", a)
    return a + b


@tilewright.jit
def asserts(a, b):
    tl.device_assert(a > b)
    return a + b


@tilewright.jit
def calls_what_prints(a, b):
    return prints(a, b)


@tilewright.jit
def of_one(a):
    return a


@tilewright.jit
def of_many(a, b, *rest):
    return a + b


@tilewright.jit
def maps_with(out, COMBINE: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.map_elementwise(COMBINE, i, i))


KERNELS = {
    "reduce": reduces_with, "associative_scan": scans_with, "map_elementwise": maps_with,
}  # fmt: skip


@pytest.mark.parametrize("what", KERNELS)
@pytest.mark.parametrize(
    ("combine", "message"),
    [
        (prints, "`prints`, the function of {}, must not print"),
        (calls_what_prints, "`calls_what_prints`, the function of {}, must not print"),
        (asserts, "`asserts`, the function of {}, must not assert"),
        (of_one, "`of_one` takes 1 arguments, but {} calls it with 2"),
        (5, "{} takes a @jit function, not"),
    ],
)
def test_functions_that_are_refused(what, combine, message):
    with pytest.raises(CompileError, match=message.format(what)) as caught:
        compile(KERNELS[what], ("*i32", combine), "cpu", {"debug": True})
    source = caught.value.file
    assert source == __file__ and "see current operation" not in str(caught.value)


def test_a_variadic_function_is_accepted():
    compile(reduces_with, ("*i32", of_many), "cpu")


def test_the_error_shows_no_operation():
    with pytest.raises(CompileError, match="must not create tiles") as caught:
        compile(reduces_with, ("*i32", makes_a_tile), "cpu")
    assert "current operation" not in str(caught.value)


@tilewright.jit
def printed(a):
    tl.device_print("a", a)
    return a


@tilewright.jit
def calls_printed(a, b):
    return printed(a) + b


@tilewright.jit
def prints_elsewhere_too(out):
    tl.store(out, printed(tl.program_id(0)))
    tl.store(out, tl.reduce(tl.arange(0, 16), 0, calls_printed))


def test_a_function_that_is_also_called_elsewhere_must_not_print():
    with pytest.raises(CompileError, match="of a reduction or scan must not print") as caught:
        compile(prints_elsewhere_too, ("*i32",), "cpu")
    assert caught.value.line == printed.first_line + 2
