"""Importing tilewright is quick and brings in no big library."""

import subprocess
import sys

import pytest

LIMIT_SECONDS = 0.150

MEASURE = """
import time
start = time.perf_counter()
import tilewright
print(time.perf_counter() - start)
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.timed
def test_import_takes_at_most_150_ms() -> None:
    # The best of several processes: what the machine does besides only ever adds time.
    times = [float(run(MEASURE)) for _ in range(5)]
    assert min(times) <= LIMIT_SECONDS, f"{[f'{1000 * t:.0f} ms' for t in times]}"


@pytest.mark.parametrize("module", ["tilewright", "tilewright.language"])
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_import_brings_in_no_big_library(module: str, library: str) -> None:
    assert run(f"import sys, {module}; print({library!r} in sys.modules)").strip() == "False"
