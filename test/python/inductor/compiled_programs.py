"""Runs programs that compile functions by torch.compile, each in a process of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
START = """
import torch
import tilewright.inductor

tilewright.inductor.register()
"""


def run(program: str, folder: Path, **settings: str) -> subprocess.CompletedProcess:
    """Runs a program with caches in a folder, and no settings of compat inherited."""
    dropped = ("TILEWRIGHT_COMPAT", "TILEWRIGHT_COMPAT_VERSION", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    own = {
        "PYTHONPATH": str(ROOT / "python"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "TILEWRIGHT_CACHE_DIR": str(folder / "kernels"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TILEWRIGHT_LOG": "compiles",
    }
    file = folder / "program.py"
    file.write_text(textwrap.dedent(program))
    return subprocess.run(
        [sys.executable, str(file)],
        capture_output=True, text=True, timeout=300, env=kept | own | settings,
    )  # fmt: skip


def succeeds(program: str, folder: Path, **settings: str) -> subprocess.CompletedProcess:
    """Runs a program after `register()`, which must succeed."""
    done = run(START + textwrap.dedent(program), folder, **settings)
    assert done.returncode == 0, done.stderr[-4000:]
    return done
