"""Random inputs. Each test's inputs are determined by its name and by one seed for the run, which
is fixed unless `--seed` is given. The run prints the seed, and a failing test prints the command
that reproduces it.

A test uses `seeds.generator()`, or `seeds.seed()` to pass a seed on. `random` and PyTorch's global
generator are seeded too.
"""

from __future__ import annotations

import random
import shlex
import sys
import zlib
from collections.abc import Generator

import numpy as np
import pytest

_current = 0
_generator = np.random.default_rng(0)


def seed() -> int:
    """The seed of the running test, less than 2^32."""
    return _current


def generator() -> np.random.Generator:
    """The generator of the running test; all calls share its state."""
    return _generator


def start(name: str, of_run: int) -> None:
    """Seeds all generators for the test with this name."""
    global _current, _generator
    _current = zlib.crc32(f"{of_run} {name}".encode())
    _generator = np.random.default_rng(_current)
    random.seed(_current)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(_current)


def pytest_report_header(config: pytest.Config) -> str:
    return f"random inputs: --seed={config.getoption('--seed')}"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    start(item.nodeid, item.config.getoption("--seed"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        options = [f"--seed={item.config.getoption('--seed')}"]
        if "launch_target" in getattr(getattr(item, "callspec", None), "params", {}):
            options.append(f"--targets={item.config.getoption('--targets')}")
        command = ["python", "-m", "pytest", item.nodeid, *options]
        report.sections.append(("repeat with the same random inputs", shlex.join(command)))
    return report
