"""A kernel is compiled again if and only if something on which it depends has changed.

Both directions are tested within one process and between processes that share a cache.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from aggregate_cases import AGGREGATE_CASES
from cases import CASES as _CASES
from cases import Case

import tilewright

CASES = [*_CASES, *AGGREGATE_CASES]
_CHANGING = [case for case in CASES if case.change is not None]
_PACKAGE = Path(tilewright.__file__).parents[1]


def _names(case: Case) -> str:
    return case.name.replace(" ", "_")


def _write(folder: Path, value: int) -> None:
    for case in CASES:
        (folder / f"{case.module}.py").write_text(case.text(value))
        if case.extra:
            (folder / f"{case.module}_extra.py").write_text(case.extra_text(value))


def _stored(module: ModuleType) -> tuple[int, Any]:
    out = np.zeros(1, np.int32)
    kernel = module.launch(out)
    return int(out[0]), kernel


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Case], ModuleType]]:
    """Imports the module of a case, with the value 1; the disk cache is empty."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    monkeypatch.delenv("TILEWRIGHT_DEBUG", raising=False)
    before = set(sys.modules)
    environment = dict(os.environ)
    _write(tmp_path, 1)
    yield lambda case: importlib.import_module(case.module)
    for name in set(sys.modules) - before:
        if name.startswith("case_"):
            del sys.modules[name]
    for name in set(os.environ) - set(environment):
        del os.environ[name]


@pytest.mark.parametrize("case", _CHANGING, ids=_names)
def test_in_one_process(case: Case, load: Callable[[Case], ModuleType]) -> None:
    module = load(case)
    first, kernel = _stored(module)
    again, same = _stored(module)
    assert (first, again) == (1, 1)
    assert same is kernel
    exec(case.change or "", vars(module))
    second, changed = _stored(module)
    assert second == 2
    assert changed is not kernel
    assert _stored(module) == (2, changed)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[Any]]]:
    """The output of each program in four processes, run one after the other."""
    source = tmp_path_factory.mktemp("source")
    cache = tmp_path_factory.mktemp("cache")
    cache.chmod(0o700)
    here = Path(__file__).parent
    env = {
        **os.environ,
        "PYTHONPATH": f"{source}:{_PACKAGE}",
        "TILEWRIGHT_CACHE_DIR": str(cache),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    # Without a fixed seed, hashes and the order of sets differ between processes.
    for name in (
        "PYTHONHASHSEED",
        "TILEWRIGHT_CACHE",
        "TILEWRIGHT_DEBUG",
        "TILEWRIGHT_TARGET",
        "TILEWRIGHT_DUMP",
    ):
        env.pop(name, None)
    names = json.dumps([case.module for case in CASES])
    found = {}
    for run, value in (("first", 1), ("same", 1), ("changed", 2), ("back", 1)):
        _write(source, value)
        done = subprocess.run(
            [sys.executable, here / "run_cases.py"],
            input=names, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found[run] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("case", CASES, ids=_names)
def test_from_the_disk(case: Case, runs: dict[str, dict[str, list[Any]]]) -> None:
    assert runs["first"][case.module] == [1, "compiled"]
    assert runs["same"][case.module] == [1, "disk"]
    assert runs["changed"][case.module] == [2, "compiled"]
    assert runs["back"][case.module] == [1, "disk"]
