"""The table of operations: dtypes on the CPU, one on an emulated GPU, and what is refused.

Every second dtype is run on the CPU, and all of them with --full. Each dtype has one of the
operation's shapes in turn; cover.py runs all shapes on any target. A failure names the expression
and the dtype.
"""

from pathlib import Path

import coverage_cases as cases
import numpy as np
import pytest
from number_formats import BOOL, FLOATS, FORMATS, INTS, Wide, rounded, spacing
from operands import Operand
from operation import Operation, nearest
from table import OPERATIONS

pytestmark = pytest.mark.cpu_only("chooses its targets itself", compiles=False)
EMULATED = ["emulator:cuda:80", "emulator:cuda:90a"]
REFUSING = [operation for operation in OPERATIONS if operation.refuses]


def label(operation: Operation) -> str:
    return operation.code


@pytest.mark.parametrize("index", range(len(OPERATIONS)), ids=lambda i: OPERATIONS[i].code)
def test_on_the_cpu(index: int, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    operation, wrong = OPERATIONS[index], {}
    is_full = request.config.getoption("--full") or len(operation.takes) == 1
    for number, dtype in enumerate(operation.takes, index):
        if number % 2 and not is_full:
            continue
        shape = operation.shapes[number % len(operation.shapes)]
        if problem := cases.run(operation, dtype, (shape,), False, tmp_path):
            wrong[dtype] = problem
    assert not wrong


@pytest.mark.parametrize("index", range(len(OPERATIONS)), ids=lambda i: OPERATIONS[i].code)
def test_on_an_emulated_gpu(index: int, tmp_path: Path) -> None:
    """Each operation for one dtype and shape, on one of the GPUs."""
    operation = OPERATIONS[index]
    dtype = operation.takes[index % len(operation.takes)]
    shape = operation.shapes[index // 2 % len(operation.shapes)]
    with cases.launching(EMULATED[index % len(EMULATED)]) as gpu:
        assert cases.run(operation, dtype, (shape,), gpu, tmp_path) is None


@pytest.mark.parametrize("operation", REFUSING, ids=label)
def test_refused_dtypes(operation: Operation, tmp_path: Path) -> None:
    """They are an error that names the line of the operation."""
    wrong = {}
    for dtype in operation.refuses:
        if problem := cases.refusal(operation, dtype, tmp_path):
            wrong[dtype] = problem
    assert not wrong


def off_by_one(dtype: str, a: Wide, b: Wide) -> Wide:
    """Sums of which one is wrong in its last bit."""
    found = np.where(np.isfinite((a + b).astype(float)), a + b, 0)
    found = rounded(a.astype(object) + b if dtype == "int1" else found, dtype)
    at = int(np.argmax(found != 0))
    if dtype == "int1":
        found[at] = not found[at]
    else:
        found[at] += spacing(found, dtype)[at] if dtype in FORMATS else 1
    return found


@pytest.mark.parametrize("dtype", [*BOOL, *INTS, *FLOATS])
def test_a_wrong_bit_is_found(dtype: str, tmp_path: Path) -> None:
    numbers = (Operand(low=1, high=9), Operand(low=1, high=9))
    sums = Operation("a + b", "a + b", (dtype,), off_by_one, operands=numbers, bound=nearest)
    problem = cases.run(sums, dtype, ((128,),), False, tmp_path)
    assert problem is not None and "1 of 128 wrong" in problem


def test_a_wrong_sign_of_a_zero_is_found(tmp_path: Path) -> None:
    negated = Operation("a", "a", ("fp32",), lambda t, a: np.where(a == 0, -a, a))
    problem = cases.run(negated, "fp32", ((128,),), False, tmp_path)
    assert problem is not None and "wrong" in problem
