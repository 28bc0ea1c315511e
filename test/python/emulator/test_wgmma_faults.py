"""The emulator finds each fault of kernels with wgmma, at the right step, and none in others."""

from __future__ import annotations

import numpy as np
import pytest
from faults_of_wgmma import CORRECT, FAULTS, N, WgmmaFault, kernel, loop
from wgmma_kernels import THREADS, run

import tilewright
from tilewright.errors import EmulationError

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

SEEDS = (0, 1)


def launch(module: str, seed: int, start: float = 0) -> np.ndarray:
    """The accumulators, which begin as `start`. All elements of the matrices are 1."""
    memory = np.full(48 << 10, 1, np.float16)
    with tilewright.emulate("cuda:90a", checks=True, seed=seed):
        given = np.full((THREADS, N // 2), start, np.float32)
        return run(module, given, memory, "emulator:cuda:90a+checks")


@pytest.mark.parametrize("steps", CORRECT)
def test_correct_kernels(steps: str) -> None:
    # Each product adds 16, or zero if A is in registers, and `use` adds 1 to the first column.
    expected = np.full((THREADS, N // 2), 16.0 * steps.split().count("multiply"))
    if "overwrite" in steps:  # the first four columns of B, which half of the lanes have
        expected[np.arange(THREADS) % 4 < 2] = 16
    expected[:, 0] += steps.split().count("use")
    for seed in SEEDS:
        assert np.array_equal(launch(kernel(steps), seed), expected)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault_is_found(fault: WgmmaFault) -> None:
    for seed in SEEDS:
        with pytest.raises(EmulationError) as raised:
            launch(kernel(fault.steps), seed)
        findings = raised.value.findings
        at_line = [each for each in findings if fault.at in (each.line, each.other_line)]
        assert fault.finds in [each.kind for each in at_line], findings
        assert findings[0] in at_line, findings


@pytest.mark.parametrize("iterations", [1, 2, 30])
def test_loop(iterations: int) -> None:
    for seed in SEEDS:
        found = launch(loop(iterations, last_wait=True), seed, start=np.nan)
        assert np.array_equal(found - [1, 0, 0, 0], np.full_like(found, 16 * iterations))


def test_loop_without_the_last_wait() -> None:
    for seed in SEEDS:
        with pytest.raises(EmulationError) as raised:
            launch(loop(5, last_wait=False), seed)
        first = raised.value.findings[0]
        assert (first.kind, first.line, first.other_line) == ("register", 8, 5)


def test_names_are_unique() -> None:
    assert len({str(fault) for fault in FAULTS}) == len(FAULTS)
