"""bin/device-amd, with the stand-in for the HIP runtime and with one for Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import fake_hip
import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "bin" / "device-amd"
# Answers in place of Python: one part passes, one fails.
STUB = """#!/bin/sh
case "$*" in
  -) echo "PyTorch 2.9, ROCm 7.0"; cat > /dev/null ;;
  *doctor*) echo "nothing is wrong" ;;
  *test/python/language) echo "$*" | grep -q -- "--targets hip/5" && echo "12 passed" ;;
  *fuzz.py*) echo "seed 7: wrong"; echo "99 right, 1 wrong"; exit 1 ;;
  *gpu.py*) echo "softmax 4096   3.1 TB/s" ;;
  *) exit 9 ;;
esac
"""


def run(*arguments: str, **environment: str) -> tuple[int, str]:
    command = [SCRIPT, "--in-place", *arguments]
    settings = {"DEVICE_PYTHON": sys.executable, "ROCM_PATH": "/nowhere", **environment}
    done = subprocess.run(
        command, env={**os.environ, **settings}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_without_a_gpu_the_report_says_what_is_missing() -> None:
    status, text = run("language", "fuzz")
    assert status == 3
    report = text[text.index("== report of bin/device-amd") :]
    assert "no AMD GPU can be used: the HIP runtime's library can't be opened" in report
    assert "language               not run: no AMD GPU can be used" in report
    assert "fuzz                   not run: no AMD GPU can be used" in report


def test_the_report_names_the_devices_and_asks_for_pytorch(tmp_path: Path) -> None:
    (tmp_path / "libamdhip64.so.7").symlink_to(fake_hip.LIBRARY)
    status, text = run("doctor", "language", LD_LIBRARY_PATH=str(tmp_path))
    assert status == 3
    report = text[text.index("== report of bin/device-amd") :]
    assert "libamdhip64.so.7" in report
    assert "gfx942" in report
    assert "target hip:gfx942" in report, "doctor's lines"
    assert "language               not run: " in report
    assert "is not built for ROCm" in report or "has no PyTorch" in report


@pytest.mark.parametrize(("parts", "status"), [(["language", "benchmark"], 0), ([], 1)])
def test_the_report_has_a_row_for_each_part(tmp_path: Path, parts: list[str], status: int) -> None:
    stub = tmp_path / "python"
    stub.write_text(STUB)
    stub.chmod(0o755)
    found, text = run(*parts, DEVICE_PYTHON=str(stub))
    assert found == status, text
    before, _, report = text.partition("== report of bin/device-amd")
    assert "PyTorch 2.9, ROCm 7.0" in report
    assert "tests of the language  passed" in report
    assert "12 passed" in report
    assert "softmax 4096   3.1 TB/s" in report
    if not parts:
        assert "random kernels         FAILED" in report
        assert "99 right, 1 wrong" in report
        assert "seed 7: wrong" in before
