"""The emulator finds each fault of kernels with wgmma, at the right step, and none in others."""

from __future__ import annotations

import numpy as np
import pytest
from faults_of_wgmma import CORRECT, FAULTS, N, WgmmaFault, kernel
from wgmma_kernels import THREADS, run

import tilewright
from tilewright.errors import EmulationError

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

SEEDS = (0, 1)


def launch(steps: str, seed: int) -> np.ndarray:
    """The accumulators, which begin as zero. All elements of the matrices are 1."""
    memory = np.full(48 << 10, 1, np.float16)
    with tilewright.emulate("cuda:90a", checks=True, seed=seed):
        start = np.zeros((THREADS, N // 2), np.float32)
        return run(kernel(steps), start, memory, "emulator:cuda:90a+checks")


@pytest.mark.parametrize("steps", CORRECT)
def test_correct_kernels(steps: str) -> None:
    # Each product adds 16, or zero if A is in registers, and `use` adds 1 to the first column.
    expected = np.full((THREADS, N // 2), 16.0 * steps.split().count("multiply"))
    if "overwrite" in steps:  # the first four columns of B, which half of the lanes have
        expected[np.arange(THREADS) % 4 < 2] = 16
    expected[:, 0] += steps.split().count("use")
    for seed in SEEDS:
        assert np.array_equal(launch(steps, seed), expected)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault_is_found(fault: WgmmaFault) -> None:
    for seed in SEEDS:
        with pytest.raises(EmulationError) as raised:
            launch(fault.steps, seed)
        findings = raised.value.findings
        at_line = [each for each in findings if fault.at in (each.line, each.other_line)]
        assert fault.finds in [each.kind for each in at_line], findings
        assert findings[0] in at_line, findings


def test_names_are_unique() -> None:
    assert len({str(fault) for fault in FAULTS}) == len(FAULTS)
