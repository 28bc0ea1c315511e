"""The emulator finds each fault in the lowerings of correct kernels, at the right line."""

from __future__ import annotations

from collections.abc import Sequence

import faults_of_buffers
import faults_of_threads
import pytest
from correct_kernels import PROBLEMS
from planting import Fault, Planted, marked_line, phase_text

from tilewright.errors import EmulationError, Finding

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

FAULTS = [*faults_of_buffers.FAULTS, *faults_of_threads.FAULTS]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault_is_found(fault: Fault) -> None:
    problem = PROBLEMS[fault.problem]()
    planted = Planted(problem.kernel, fault.phase, fault.change)
    # A fault is found in any order of the threads, and no matter when copies complete.
    for run in ({"seed": 0}, {"seed": 1, "early_copies": True}):
        if fault.finds == "numbers":
            assert not problem.solved_by(problem.launch(planted, **run))
        else:
            with pytest.raises(EmulationError) as raised:
                problem.launch(planted, **run)
            check_findings(fault, raised.value.findings)


def check_findings(fault: Fault, findings: Sequence[Finding]) -> None:
    line = marked_line(PROBLEMS[fault.problem]().kernel, fault.mark)
    at_line = [finding for finding in findings if line in (finding.line, finding.other_line)]
    assert fault.finds in [finding.kind for finding in at_line]
    assert findings[0] in at_line


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_barrier_is_removed_once(name: str) -> None:
    there = phase_text(PROBLEMS[name](), "tilegpu").count(faults_of_buffers.BARRIER)
    assert there == [fault.problem for fault in faults_of_buffers.BARRIERS].count(name)


def test_names_are_unique() -> None:
    assert len({str(fault) for fault in FAULTS}) == len(FAULTS)
