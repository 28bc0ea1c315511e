"""Findings name the file that was launched, and the line as it is now."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import tilewright
from tilewright.errors import EmulationError, Finding

KERNEL = """
import torch, tilewright, tilewright.language as tl

@tilewright.jit
def double(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i))

x = torch.ones(100)
double[(1,)](x, BLOCK=128)
"""


def finding_of(script: Path, text: str = KERNEL) -> Finding:
    pytest.importorskip("torch")
    script.parent.mkdir(exist_ok=True)
    script.write_text(text)
    with tilewright.emulate(checks=["bounds"]), pytest.raises(EmulationError) as raised:
        runpy.run_path(str(script))
    return raised.value.findings[0]


def test_the_same_kernel_in_another_folder(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        script = tmp_path / folder / "double.py"
        assert finding_of(script).file == str(script)


def test_lines_above_that_came_later(tmp_path: Path) -> None:
    assert finding_of(tmp_path / "double.py").line == 7
    assert finding_of(tmp_path / "longer.py", "\n" + KERNEL).line == 8
