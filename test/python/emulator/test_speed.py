"""Launches on an emulated GPU take no longer than the project wants them to."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_FILE = Path(__file__).resolve().parents[2] / "benchmark" / "emulator.py"


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("emulator_benchmark", _FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BENCHMARK = _load()


@pytest.mark.timed
@pytest.mark.parametrize(("name", "launch", "wanted"), BENCHMARK.ROWS)
def test_launch(name: str, launch: Callable[[], None], wanted: float) -> None:
    plain = BENCHMARK.milliseconds(launch)
    assert plain <= wanted, name
    assert BENCHMARK.milliseconds(launch, checks=True) <= BENCHMARK.MOST_WITH_CHECKS * plain
