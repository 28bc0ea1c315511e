"""Compares each instruction of the emulator with the hardware, if there is a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from instruction_cases import Case, cases, rows_without_case
from instruction_kernels import emulate, execute
from seeds import generator

from tilewright import _core

CASES = list(cases())


@pytest.fixture(scope="module")
def capability() -> int:
    if problem := _core.devices("cuda")["problem"]:
        pytest.skip(f"no CUDA device: {problem}")
    return int(_core.devices("cuda")["devices"][0]["architecture"])


def test_every_row_has_a_case_or_a_reason() -> None:
    assert rows_without_case() == []
    assert len(CASES) > 100


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_real_one(case: Case, capability: int) -> None:
    if capability < case.since:
        pytest.skip(f"needs sm_{case.since}")
    rng = generator()
    inputs = case.values(rng)
    memory = rng.integers(0, 2**63, max(1, case.form.shared // 8), np.uint64)
    arch = "90a" if capability == 90 else str(capability)
    emulated, emulated_memory = emulate(case.form, inputs, memory, arch)
    real, real_memory = execute(case.form, inputs, memory, arch)
    assert np.array_equal(emulated_memory, real_memory)
    wrong = case.compare(emulated, real, inputs)
    lines = [
        f"lane {lane}: {[hex(x) for x in inputs[lane]]} gives {hex(emulated[lane, which])}, "
        f"the hardware {hex(real[lane, which])}"
        for lane, which in np.argwhere(wrong)[:5]
    ]
    assert not wrong.any(), f"{wrong.sum()} of {wrong.size} differ:\n" + "\n".join(lines)
