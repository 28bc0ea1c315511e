"""Tuning tests have a cache folder of their own: no test finds the results of another."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def fresh_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tuning-cache"
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(folder))
    monkeypatch.delenv("TILEWRIGHT_TUNING", raising=False)
    monkeypatch.delenv("TILEWRIGHT_TUNING_FILE", raising=False)
    return folder
