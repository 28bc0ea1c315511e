"""The findings of a launch do not depend on the timing of the host's threads."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.errors import EmulationError

BLOCK, FIRST_WRONG, PROGRAMS = 64, 40, 200


@tilewright.jit
def read_too_far(x, out, FIRST: tl.constexpr, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = (p < FIRST) | (i > 0)
    tl.store(out + p * BLOCK + i, tl.load(x + p * BLOCK + i, mask=inside))


def test_the_first_program_is_named() -> None:
    x = np.zeros(BLOCK * FIRST_WRONG, np.float32)
    out = np.zeros(BLOCK * PROGRAMS, np.float32)
    said = set()
    for _ in range(20):
        with tilewright.emulate(checks=True), pytest.raises(EmulationError) as raised:
            read_too_far[(PROGRAMS,)](x, out, FIRST=FIRST_WRONG, BLOCK=BLOCK)
        said.add(str(raised.value))
        assert [finding.program for finding in raised.value.findings] == [(FIRST_WRONG, 0, 0)]
    assert len(said) == 1


@tilewright.jit
def write_everywhere(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i // 2, i)


def test_what_is_found_again_is_counted_and_not_told() -> None:
    out = np.zeros(BLOCK, np.int32)
    with tilewright.emulate(checks="races"), pytest.raises(EmulationError) as raised:
        write_everywhere[(PROGRAMS,)](out, BLOCK=BLOCK)
    error = raised.value
    assert [finding.kind for finding in error.findings] == ["race"]
    assert error.findings[0].program == (0, 0, 0)
    assert error.suppressed == PROGRAMS * BLOCK // 2 - 1


@tilewright.jit
def wait_for_the_next(flag, x):
    if tl.program_id(0) == 0:
        while tl.atomic_add(flag, 0) == 0:
            pass
    else:
        tl.store(x + 1000, 1)
        tl.atomic_xchg(flag, 1)


def test_a_program_that_waits_for_one_that_failed_ends() -> None:
    flag, x = np.zeros(1, np.int32), np.zeros(4, np.float32)
    with tilewright.emulate(checks=True, max_steps=10**8), pytest.raises(EmulationError) as raised:
        wait_for_the_next[(2,)](flag, x)
    assert [finding.kind for finding in raised.value.findings][-1] in ("bounds", "endless")
    assert not flag.any() and not x.any()
