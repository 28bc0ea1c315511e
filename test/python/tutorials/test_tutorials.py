"""Every tutorial runs: each checks its own results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIALS = sorted((Path(__file__).resolve().parents[3] / "docs" / "tutorials").glob("[0-9]*.py"))


def test_the_tutorials_are_found() -> None:
    assert len(TUTORIALS) >= 5


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(tutorial: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    environment = os.environ | {"TILEWRIGHT_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(tutorial)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "agrees with" in done.stdout or "keeps" in done.stdout
