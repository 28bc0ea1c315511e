"""Loops of dots with `break`, `continue` and `return`, and `while` loops: results and schedules."""

import itertools

import exit_loops
import numpy as np
import pytest
from exit_loops import CHUNKS, FORMS, WRAPPING, check

from tilewright.compiler import compile


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_results(form):
    for n, limit in itertools.product((0, 1, 2, 3, CHUNKS), (-1, 0, 1, 2, 4, 9)):
        low, step = ((1, 1), (0, 2))[(n + limit) % 2]
        check(form, n, limit, low, step, seed=n)


BOUNDED = ["exit_at_the_top", "return_at_the_top", "otherwise", "while_with_exits", "inner_exit"]


@pytest.mark.parametrize("name", BOUNDED)
def test_nothing_is_loaded_after_an_exit(name):
    """The arrays end there, which an emulated GPU with checks would report."""
    for limit in (1, 3, CHUNKS - 1):
        check(getattr(exit_loops, name), 1000, limit, 0, 1)


@pytest.mark.parametrize("stages", [1, 2, 5])
def test_stages(stages):
    for n, limit in ((0, 0), (1, 5), (2, 1), (CHUNKS, 4), (CHUNKS, 9)):
        check(exit_loops.exit_between_dots, n, limit, 0, 1, num_stages=stages)


LARGEST, SMALLEST = 2**31 - 1, -(2**31)
NUMBERS = {
    "near_the_largest": [
        (LARGEST, LARGEST, LARGEST - 20, 3), (LARGEST, LARGEST - 9, LARGEST - 20, 3),
        (LARGEST, LARGEST, LARGEST - 4, 1), (LARGEST, SMALLEST, LARGEST - 4, 2),
        (LARGEST, SMALLEST + 4, SMALLEST, 1), (SMALLEST + 8, LARGEST, SMALLEST, 3),
        (LARGEST, 2**30, -5, 2**30 + 1), (LARGEST, LARGEST, 0, 2**30),
    ],
    "scaled_index": [
        (100, 2**29, 1, 1), (LARGEST, 2**29, 1, 1), (LARGEST, 2**30, LARGEST, 1),
        (5, -(2**30), 3, 1), (-3, 2**30, SMALLEST, 1), (LARGEST, 1, LARGEST - 3, 1),
    ],
    "wrapping_while": [
        (0, 0, LARGEST - 10, 3), (0, 0, LARGEST - 10, -(2**30)), (SMALLEST + 2**29, 0, 4, -(2**29)),
        (-5, 0, 3, -2), (0, 0, LARGEST, 1), (LARGEST, 0, 3, 1), (-2, 0, LARGEST, 2**30 + 2),
    ],
    "wrapping_exit": [
        (SMALLEST, SMALLEST, LARGEST - 5, 1), (SMALLEST + 1, -9, LARGEST - 5, 3),
        (7, SMALLEST, 1, 2), (8, SMALLEST, 0, 2), (2, SMALLEST, 0, 2**30 + 2**29), (-6, -9, 0, -2),
    ],
}  # fmt: skip


@pytest.mark.parametrize("form", WRAPPING, ids=lambda form: form.__name__)
def test_values_near_the_largest(form):
    for numbers in NUMBERS[form.__name__]:
        check(form, *map(np.int32, numbers))


# Of these, whether the loop goes on depends on memory or on a sum.
UNKNOWN = ["loaded_condition", "condition_of_the_sum"]


def compiled(form, target, **options):
    """A variant for arrays of halves that do not overlap."""
    types = ["*fp16:D", "*fp16:D", "*fp32:D", "*i32:D", "*i32:D", "i32", "i32", "i32", "i32"]
    return compile(form, types, target, options, noalias=True)


@pytest.mark.parametrize("form", [*FORMS, *WRAPPING], ids=lambda form: form.__name__)
def test_loads_are_copied_ahead(form):
    if form is exit_loops.exit_and_continue:
        pytest.skip("its loads are executed under a condition")
    if form is exit_loops.while_that_ends_before_its_step:
        pytest.skip("its addresses are computed from an index that a branch passes on")
    loop = compiled(form, "cuda:80").ir("tilegpu").partition("scf.for")[2]
    assert ("tilegpu.async_copy" in loop) == (form.__name__ not in UNKNOWN)


@pytest.mark.parametrize("form", [exit_loops.exit_at_the_top, exit_loops.return_at_the_top])
def test_dots_of_groups_of_warps(form):
    ptx = compiled(form, "cuda:90a").asm["ptx"]
    assert "wgmma.mma_async" in ptx and "mma.sync" not in ptx
