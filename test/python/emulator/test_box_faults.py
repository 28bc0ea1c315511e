"""The emulator finds each fault of copies of boxes, at the right step, and none in others."""

from __future__ import annotations

import numpy as np
import pytest
from box_kernels import BOX_ROWS, COLUMNS, ROWS, compile_steps, encoded, run
from faults_of_boxes import CORRECT, FAULTS, STEPS, BoxFault, kernel

import tilewright
from tilewright.compiler.assembler import find_assemblers
from tilewright.errors import EmulationError, Finding
from tilewright.language.value import ByValue

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

# The order of the threads, and whether copies complete when they are issued.
RUNS = [(0, False), (1, False), (0, True), (2, True)]
X = np.arange(1, 1 + ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS)


def third_map(steps: str, x: np.ndarray) -> ByValue:
    if "copy-rows-beyond" in steps:
        return encoded(x, rows=2 * ROWS)
    if "copy-between" in steps:
        return encoded(x, swizzle=128)
    return ByValue(bytes(128))


def launch(steps: str, seed: int, early: bool, checks: bool = True) -> np.ndarray:
    """The value of `out`."""
    x = X.copy()
    with tilewright.emulate("cuda:90a", checks=checks, seed=seed, early_copies=early):
        return run(kernel(steps), x, third_map(steps, x), checks)


def findings(steps: str, seed: int = 0, early: bool = False) -> tuple[Finding, ...]:
    with pytest.raises(EmulationError) as raised:
        launch(steps, seed, early)
    return tuple(raised.value.findings)


@pytest.mark.parametrize(("steps", "value"), CORRECT)
@pytest.mark.parametrize("checks", [False, True])
def test_correct_kernels(steps: str, value: str, checks: bool) -> None:
    expected = np.zeros_like(X)
    rows = ROWS if value.startswith("all") else BOX_ROWS
    expected[:rows] = X[:BOX_ROWS] if value == "x" else int(value.removeprefix("all "))
    for seed, early in RUNS:
        assert np.array_equal(launch(steps, seed, early, checks), expected), (seed, early)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault_is_found(fault: BoxFault) -> None:
    for seed, early in RUNS:
        found = findings(fault.steps, seed, early)
        at_line = [each for each in found if fault.at in (each.line, each.other_line)]
        assert {each.kind for each in at_line} & set(fault.finds.split()), (seed, early, found)
        assert found[0] in at_line, (seed, early, found)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (
            "init-2 fence barrier expect-two copy wait",
            "64 threads (the first is 0) wait at kernel.py:6 for phase 0 of the barrier at "
            "shared+0, which lacks 1 of 2 arrivals and 1024 bytes",
        ),
        ("init fence barrier copy wait", "lacks 1 of 1 arrival that expects 1024 bytes"),
        ("init fence barrier expect wait", "phase 0 of the barrier at shared+0, which lacks 1024"),
    ],
)
def test_a_deadlock_names_the_barrier(steps: str, message: str) -> None:
    found = findings(steps)[0]
    assert found.kind == "deadlock"
    assert message in found.message
    assert found.other_line == 1


@pytest.mark.parametrize(
    ("steps", "early", "message"),
    [
        (
            "init fence barrier expect-two copy copy wait", False,
            "copies 1024 bytes to shared+2048, the destination of an asynchronous copy that this "
            "thread issued at kernel.py:5 and for whose barrier no thread has waited",
        ),
        (
            "init fence barrier expect copy wait-first use", True,
            "that the copy issued at kernel.py:5 wrote, and this thread is not ordered after a "
            "wait for it",
        ),
        (
            "init barrier expect copy wait use", False,
            "completes a barrier that thread 0 initialized at kernel.py:1, with no "
            "fence.mbarrier_init or fence.proxy.async of that thread between them",
        ),
        (
            "init fence barrier expect-less copy wait use", True,
            "phase 0 of the barrier at shared+0 got 512 more bytes than its arrivals expect, so "
            "that it never completes",
        ),
        (
            "write proxy barrier store commit barrier write wait-read", False,
            "which the copy of thread 0 at kernel.py:4 reads and which that thread has not waited "
            "for",
        ),
    ],
)  # fmt: skip
def test_messages(steps: str, early: bool, message: str) -> None:
    found = [each.message for each in findings(steps, early=early)]
    assert any(message in each for each in found), found


def test_a_map_of_an_unaligned_array() -> None:
    x = X.copy()
    misaligned = encoded(x, address=x.ctypes.data + 4)
    with (
        pytest.raises(EmulationError, match="tensor map is invalid: the address must be a multip"),
        tilewright.emulate("cuda:90a", checks=True),
    ):
        run(kernel("init fence barrier expect copy-garbage wait"), x, misaligned)


def test_names_are_unique_and_every_step_is_used() -> None:
    assert len({str(fault) for fault in FAULTS}) == len(FAULTS)
    kernels = [fault.steps for fault in FAULTS] + [steps for steps, _ in CORRECT]
    assert {step for steps in kernels for step in steps.split()} == set(STEPS)


@pytest.mark.skipif(not any(find_assemblers()), reason="there is no assembler")
@pytest.mark.parametrize("arch", ["90a", "100a", "120a"])
def test_the_steps_assemble(arch: str) -> None:
    steps = " ".join(step for step in STEPS if step not in ("expect-too-many", "copy-3d"))
    assert compile_steps(kernel(steps), f"cuda:{arch}").object.startswith(b"\x7fELF")
