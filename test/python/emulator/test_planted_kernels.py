"""The emulator reports the errors of wrong kernels, with their kinds and lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import wrong_kernels
from correct_kernels import PROBLEMS
from planting import Problem, marked_line
from wrong_kernels import WRONG

from tilewright.errors import DeviceAssertError, EmulationError
from tilewright.runtime.function import JITFunction

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

N = 100
# More loop iterations than any kernel that ends executes.
MAX_STEPS = 25_000


def problem(kernel: JITFunction, **options: object) -> Problem:
    at = np.arange(N, dtype=np.int32)
    at[-1] = 2000
    arguments = {
        "out": np.zeros(N, np.float32),
        "x": np.arange(N, dtype=np.float32),
        "at": at,
        "count": np.zeros(1, np.int32),
        "n": N,
        "BLOCK": 128,
    }
    return Problem(kernel, (1,), {**arguments, **options})


ROWS = [(kind, kernel) for kind, kernels in WRONG.items() for kernel in kernels]


@pytest.mark.parametrize(("kind", "kernel"), ROWS, ids=[kernel.name for _, kernel in ROWS])
@pytest.mark.parametrize("seed", [0, 1])
def test_fault_is_found(kind: str, kernel: JITFunction, seed: int) -> None:
    with pytest.raises(EmulationError) as raised:
        problem(kernel).launch(seed=seed, max_steps=MAX_STEPS)
    first = raised.value.findings[0]
    assert first.kind == kind
    assert first.kernel == kernel.name
    assert first.file == wrong_kernels.__file__
    assert marked_line(kernel, "here") in (first.line, first.other_line)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (wrong_kernels.unmasked_load, "x+400, right after the end of x, which has 400 bytes"),
        (wrong_kernels.index_one_too_small, "out-4, 4 bytes before the beginning of out"),
        (wrong_kernels.pointer_from_a_number, "0x640000000000"),
        (wrong_kernels.false_multiple_of, "x+4, an address that is not a multiple of 16"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_place_is_named(kernel: JITFunction, message: str) -> None:
    with pytest.raises(EmulationError) as raised:
        problem(kernel).launch()
    assert message in raised.value.findings[0].message


def test_false_assertion() -> None:
    kernel = wrong_kernels.false_assertion
    with pytest.raises(DeviceAssertError, match="x is too large") as raised:
        problem(kernel, debug=True).launch()
    assert raised.value.line == marked_line(kernel, "here")


@pytest.mark.parametrize(
    "mode",
    [{"checks": False}, {"checks": False, "profile": True}, {"checks": "races"}],
    ids=["plain", "profile", "races"],
)
@pytest.mark.parametrize(
    ("kind", "kernel"),
    [row for row in ROWS if row[0] in ("bounds", "alignment")],
    ids=lambda value: getattr(value, "name", value),
)
def test_no_mode_accesses_what_it_may_not(
    kind: str, kernel: JITFunction, mode: dict[str, Any]
) -> None:
    with pytest.raises(EmulationError) as raised:
        problem(kernel).launch(**mode)
    first = raised.value.findings[0]
    assert (first.kind, first.file) == (kind, wrong_kernels.__file__)
    assert first.line == marked_line(kernel, "here")


@pytest.mark.parametrize("checks", [False, True])
def test_endless_loop_without_checks(checks: bool) -> None:
    kernel = wrong_kernels.flag_never_set
    with pytest.raises(EmulationError) as raised:
        problem(kernel).launch(checks=checks, max_steps=MAX_STEPS)
    first = raised.value.findings[0]
    assert (first.kind, first.line) == ("endless", marked_line(kernel, "here"))


def test_loops_that_end_within_the_limit() -> None:
    problem = PROBLEMS["matmul fp16"]()
    turns = problem.arguments["depth"] // problem.arguments["K"]
    assert problem.solved_by(problem.launch(max_steps=turns))
    with pytest.raises(EmulationError, match="more than 1 loop iterations"):
        problem.launch(max_steps=1)
