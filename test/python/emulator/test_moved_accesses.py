"""Moves the accesses to shared memory in a thread's code by sixteen bytes, one at a time.

For each one the emulator must report something, or the result must be wrong.
"""

from __future__ import annotations

import re

import pytest
from correct_kernels import PROBLEMS
from faults_of_threads import shared
from planting import Planted, Problem, phase_text, with_value

from tilewright.errors import EmulationError

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

ACCESS = r"(llvm\.load|llvm\.store|thread\.load_matrix|thread\.async_copy).*<3>"
ADDRESS = r"""%\w+(?= \{)|(?<=b16" )%\w+|(?<=async_copy )%\w+"""
KERNELS = [
    "softmax",
    "column sums",
    "running sum",
    "gather",
    "argmax",
    "matmul fp16",
    "matmul tf32",
]


def is_found(problem: Problem, number: int) -> bool:
    """Whether a move of the n-th access is found."""
    change = with_value(ACCESS, ADDRESS, shared(16), number)
    try:
        results = problem.launch(Planted(problem.kernel, "thread", change))
    except EmulationError:
        return True
    return not problem.solved_by(results)


@pytest.mark.parametrize("name", KERNELS)
def test_every_move_is_found(name: str) -> None:
    problem = PROBLEMS[name]()
    accesses = re.findall(ACCESS, phase_text(problem, "thread"))
    assert accesses
    assert [n for n in range(len(accesses)) if not is_found(problem, n)] == []
