"""What is said of a launch does not depend on which of the host's threads was quicker."""

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
