"""Files for debugging: dumps of every phase, and reproducers of failures."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from tilewright.cache.store import default_store
from tilewright.errors import CacheError


def dump_folder() -> Path | None:
    """The folder that TILEWRIGHT_DUMP names, or None."""
    chosen = os.environ.get("TILEWRIGHT_DUMP")
    return Path(chosen).expanduser().absolute() if chosen else None


class PhaseDump:
    """Writes the phases of one kernel to `<folder>/<kernel>-<key>/NN-phase.<suffix>`, in order."""

    def __init__(self, folder: Path, name: str, key: str) -> None:
        self.folder = folder / f"{_safe(name)}-{key[:12]}"
        self._count = 0
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.glob("[0-9][0-9]-*.*"):
            old.unlink(missing_ok=True)

    def __call__(self, phase: str, text: str) -> None:
        """Writes the text of one phase."""
        path = self.folder / f"{self._count:02d}-{_safe(phase)}{_suffix(phase, text)}"
        self._count += 1
        path.write_text(text)


def save_reproducer(name: str, key: str, text: str) -> Path:
    """Saves a reproducer of a failure and returns its path.

    The folder is TILEWRIGHT_DUMP if set, else the cache's, else a temporary one.
    """
    folders = [dump_folder()]
    with contextlib.suppress(CacheError):
        store = default_store()
        folders.append(store.path / "reproducers" if store and store.writable else None)
    file = f"{_safe(name)}-{key[:12]}.mlir"
    for folder in folders:
        if folder is not None:
            with contextlib.suppress(OSError):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                (folder / file).write_text(text)
                return folder / file
    import tempfile

    path = Path(tempfile.mkdtemp(prefix="tilewright-")) / file
    path.write_text(text)
    return path


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)[:80]


# Of phases whose text is not MLIR.
_SUFFIXES = {"asm": ".s", "ptx": ".ptx", "log": ".txt"}


def _suffix(phase: str, text: str) -> str:
    return ".ll" if text.startswith("; ModuleID") else _SUFFIXES.get(phase, ".mlir")
