"""Programs written for Triton run unedited: on the CPU, on emulated GPUs, on a GPU if there is one.

Each program checks its results against PyTorch's.
"""

import runpy
import sys
from pathlib import Path

import pytest
from processes import program

from tilewright import compat

torch = pytest.importorskip("torch")

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
EACH = pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs a program in this process, and returns what it prints."""

    def run_program(path: Path, *arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", [str(path), *arguments])
        runpy.run_path(str(path), run_name="__main__")
        return capsys.readouterr().out

    compat.install()
    yield run_program
    compat.uninstall()


def test_the_programs_are_found() -> None:
    assert len(PROGRAMS) >= 2
    assert not [path for path in PROGRAMS if "import tilewright" in path.read_text()]


@EACH
def test_on_the_cpu(path) -> None:
    done = program(path, "--device", "cpu", TILEWRIGHT_TARGET="cpu")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith(": ok") and ": cpu," in done.stdout.replace(": ok", ",")


@EACH
@pytest.mark.parametrize("target", ["emulator:cuda:80", "emulator:cuda:90a+checks"])
def test_on_an_emulated_gpu(path, target, run, monkeypatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    printed = run(path)
    assert printed.strip().endswith(": ok") and ": cuda" in printed


@EACH
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu(path, run) -> None:
    printed = run(path, "--device", "cuda")
    assert printed.strip().endswith(": ok") and ": cuda" in printed


def test_other_sizes(run) -> None:
    for path in PROGRAMS:
        if "matmul" not in path.stem:
            for rows, columns in ((1, 1), (3, 1030)):
                assert ": ok" in run(path, "--rows", str(rows), "--columns", str(columns))
