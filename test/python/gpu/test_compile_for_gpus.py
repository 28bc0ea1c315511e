"""`--compile-for-gpus` finds a kernel that does not compile for some architecture."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]

TESTS = """
import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def turned(x, out, SIZE: tl.constexpr):
    i, j = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    values = tl.dot(tl.load(x + i * SIZE + j), tl.load(x + j * SIZE + i))
    tl.store(out + i * SIZE + j, values)


def launch(size):
    x = np.zeros((size, size), np.float64)
    turned[(1,)](x, np.zeros_like(x), SIZE=size)


def test_small():
    launch(16)


def test_small_again():
    launch(16)


def test_large():
    launch(128)


@pytest.mark.gpu_refuses("bytes of shared memory", architectures=["86"])
def test_medium_that_no_gpu_refuses():
    launch(64)


@pytest.mark.cpu_only("the kernel is large", compiles=False)
def test_large_on_the_cpu():
    launch(128)
"""


def run(gpus: str, folder: Path) -> str:
    (folder / "test_launches.py").write_text(TESTS)
    paths = [str(HERE), str(HERE / "conversion"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    environment = {k: v for k, v in environment.items() if not k.startswith("PYTEST_XDIST")}
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-q"]
    done = subprocess.run(
        [*command, "--compile-for-gpus", gpus, "--rootdir", str(folder), str(folder)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def test_all_gpus(tmp_path: Path) -> None:
    printed = run("all", tmp_path)
    assert "5 passed, 2 errors" in printed, printed
    assert "ERROR test_launches.py::test_large" in printed
    assert re.search(r"turned, cuda:86: the kernel needs \d+ bytes of shared mem", printed)
    assert "turned, cuda:86 is not refused as expected" in printed
    assert "3 kernels were compiled and assembled for 7 architectures" in printed
    assert "(21 times in all)" in printed


def test_one_amd_gpu(tmp_path: Path) -> None:
    """What these GPUs have too little shared memory for is no error."""
    printed = run("amd-one", tmp_path)
    assert "5 passed" in printed and "error" not in printed, printed
    assert re.search(r"3 kernels were compiled and assembled for .* \(3 times in all\)", printed)


def test_one_gpu(tmp_path: Path) -> None:
    """Kernels are compiled once, and for the GPUs that a test says to refuse them."""
    printed = run("one", tmp_path)
    assert "turned, cuda:86 is not refused as expected" in printed
    assert re.search(r"3 kernels were compiled and assembled for .* \([34] times in all\)", printed)
