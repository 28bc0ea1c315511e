"""Tests that are decorated with cuda_memcheck, with a fake compute-sanitizer on the PATH."""

import os
import subprocess
import sys

import pytest

# Runs the command that follows "--tool memcheck", and says how many errors it has found.
SANITIZER = """#!{python}
import os, subprocess, sys
assert sys.argv[1:3] == ["--tool", "memcheck"]
assert os.environ["PYTORCH_NO_CUDA_MEMORY_CACHING"] == "1"
done = subprocess.run(sys.argv[3:])
print("========= ERROR SUMMARY: {errors} errors")
sys.exit(done.returncode)
"""

CHECKED = """
import os, pytest
from tilewright.testing import cuda_memcheck

def note(*words):
    with open("log", "a") as file:
        print(*words, "TILEWRIGHT_UNDER_MEMCHECK" in os.environ, file=file)

@pytest.mark.parametrize("size", [1, 2])
@cuda_memcheck(size=2)
def test_sizes(size, request):
    note("size", size)

@cuda_memcheck()
def test_all(request):
    note("all")
    assert not os.path.exists("fail")

@cuda_memcheck()
def test_without_request():
    note("never")
"""


@pytest.fixture
def run(tmp_path):
    """Runs a test of the file; returns what pytest prints, and the lines of the log."""

    def run_test(name, errors=0, install=True):
        (tmp_path / "test_checked_file.py").write_text(CHECKED)
        (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
        program = tmp_path / "compute-sanitizer"
        if install:
            program.write_text(SANITIZER.format(python=sys.executable, errors=errors))
            program.chmod(0o755)
        command = [sys.executable, "-m", "pytest", "-q", f"test_checked_file.py::{name}"]
        environment = {**os.environ, "PATH": str(tmp_path), "COLUMNS": "200"}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        log = tmp_path / "log"
        return done.stdout, log.read_text().splitlines() if log.exists() else []

    return run_test


def test_the_test_runs_once_in_the_sanitizer(run):
    printed, log = run("test_all")
    assert "1 passed" in printed and log == ["all True"]


def test_only_the_chosen_parameters_are_checked(run):
    printed, log = run("test_sizes")
    assert "2 passed" in printed and log == ["size 1 False", "size 2 True"]


def test_errors_that_the_sanitizer_finds(run):
    printed, _ = run("test_all", errors=3)
    assert "1 failed" in printed and "ERROR SUMMARY: 3 errors" in printed


def test_a_test_that_fails_in_the_sanitizer(run, tmp_path):
    (tmp_path / "fail").touch()
    printed, log = run("test_all")
    assert "1 failed" in printed and "compute-sanitizer found errors" in printed
    assert log == ["all True"]


def test_a_test_without_the_fixture_request(run):
    printed, log = run("test_without_request")
    assert "test_without_request must have the fixture `request`" in printed and log == []


def test_without_the_sanitizer(run):
    printed, log = run("test_all", install=False)
    assert "DeviceError: cuda_memcheck needs NVIDIA's compute-sanitizer" in printed and log == []
