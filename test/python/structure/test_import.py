"""Importing tilewright loads no large library; test/benchmark/startup.py times it."""

import subprocess
import sys

import pytest


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("library", ["concurrent.futures", "subprocess", "asyncio"])
def test_a_kernel_needs_no_slow_module(library: str) -> None:
    code = "import sys, tilewright, tilewright.runtime.function as f, tilewright.compiler.pipeline"
    assert run(f"{code}; print({library!r} in sys.modules)").strip() == "False"


@pytest.mark.parametrize("module", ["tilewright", "tilewright.language"])
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_import_brings_in_no_big_library(module: str, library: str) -> None:
    assert run(f"import sys, {module}; print({library!r} in sys.modules)").strip() == "False"
