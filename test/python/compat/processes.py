"""Starts Python processes for the tests of compat, with none of its settings inherited."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PTH = ROOT / "python" / "tilewright_compat.pth"


def environment(**settings: str) -> dict[str, str]:
    """This process's environment without compat, where tilewright can be imported."""
    dropped = ("TILEWRIGHT_COMPAT", "TILEWRIGHT_COMPAT_VERSION", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return kept | {"PYTHONPATH": str(ROOT / "python")} | settings


def python(*arguments: object, cwd: object = None, **settings: str) -> subprocess.CompletedProcess:
    """Runs Python; returns its outputs and its exit status."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment(**settings),
        cwd=cwd,
        timeout=120,
    )


def output(code: str, **settings: str) -> str:
    """What Python prints for this code, which must succeed."""
    done = python("-c", code, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def program(*arguments: object, cwd: object = None, **settings: str) -> subprocess.CompletedProcess:
    """Runs `python -m tilewright.compat` with these arguments."""
    return python("-m", "tilewright.compat", *arguments, cwd=cwd, **settings)


def fake_triton(folder: Path) -> Path:
    """An installed package `triton` with its distribution, which is not Tilewright's."""
    (folder / "triton" / "language").mkdir(parents=True)
    (folder / "triton" / "__init__.py").write_text("__version__ = '9.9.9'\nfake = True\n")
    (folder / "triton" / "language" / "__init__.py").write_text("fake = True\n")
    (folder / "triton" / "own.py").write_text("fake = True\n")
    information = folder / "triton-9.9.9.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: triton\nVersion: 9.9.9\n")
    return folder


def site_folder(folder: Path) -> Path:
    """A folder with the wheel's .pth file, as site-packages has it."""
    folder.mkdir(exist_ok=True)
    shutil.copy(PTH, folder)
    return folder
