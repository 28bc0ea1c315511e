"""Reads and writes the files of the cache.

A file appears complete or not at all: it is written under a temporary name in the same folder and
renamed. A reader treats an invalid file as absent, and the next writer replaces it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import stat
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilewright.cache.folder import Folder, find_folder, is_trusted, prepare_folder
from tilewright.cache.format import Entry, decode, encode
from tilewright.cache.locks import process_lock
from tilewright.errors import CacheError, CacheWarning

SUFFIX = ".kernel"
# The shapes of what compilations have read; see dependencies/record.py.
_SHAPES = ".shapes"
_MOST_SHAPES = 64
_TEMPORARY = ".tmp"
# A temporary file this old (in seconds) was left by a process that was killed.
_ABANDONED = 3600.0


class Store:
    """One folder of the cache. After a failed write it becomes read-only.

    Raises:
        CacheError: The user chose the folder and it is not trusted. For an untrusted default
            folder there is only a warning, and it is neither read nor written.
    """

    def __init__(self, folder: Folder) -> None:
        self.path = folder.path
        self._readable = self._writable = True
        self._swept = False
        self._guard = threading.Lock()
        try:
            prepare_folder(folder.path)
        except CacheError as error:
            if folder.explicit:
                raise
            self._readable = False
            self._stop_writing(str(error))
        except OSError as error:
            self._readable = False
            self._stop_writing(f"the cache folder {self.path} can't be used ({error})")

    @property
    def writable(self) -> bool:
        return self._writable

    def file(self, key: str, suffix: str = SUFFIX) -> Path:
        """The path of the entry of `key`."""
        return self.path / (key + suffix)

    def load(self, key: str, suffix: str = SUFFIX) -> Entry | None:
        """The entry of `key`, or None if it has no valid file."""
        if not self._readable:
            return None
        try:
            data = _read_trusted(self.file(key, suffix))
        except OSError:
            return None
        try:
            return decode(key, data)
        except (ValueError, KeyError, TypeError):
            return None

    def load_shapes(self, key: str) -> list[Any]:
        """The shapes of what compilations of the request `key` have read, latest first."""
        entry = self.load(key, _SHAPES)
        return [] if entry is None else list(entry.metadata["shapes"])

    def add_shape(self, key: str, shape: Any) -> None:
        """Adds the shape, JSON-serializable, of what a compilation of the request `key` has read.

        The caller holds the lock of `key`. Without locks a concurrent update may be lost, which
        costs only a recompilation.
        """
        added = json.loads(json.dumps(shape))
        others = [other for other in self.load_shapes(key) if other != added]
        self.save(key, Entry({"shapes": [added, *others][:_MOST_SHAPES]}, {}), _SHAPES)

    def save(self, key: str, entry: Entry, suffix: str = SUFFIX) -> None:
        """Writes the entry of `key` atomically. A failure causes a warning, once, not an error."""
        if not self._writable:
            return
        self._sweep()
        name = f".{key[:16]}-{os.getpid()}-{os.urandom(4).hex()}{_TEMPORARY}"
        temporary = self.path / name
        try:
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(fd, "wb", buffering=0) as stream:
                data = memoryview(encode(key, entry))
                while data:
                    data = data[stream.write(data) :]
            os.replace(temporary, self.file(key, suffix))
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            self._stop_writing(f"the cache folder {self.path} can't be written ({error})")

    @contextlib.contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Holds the lock of `key` between processes, if the file system supports it."""
        if not self._writable:
            yield
            return
        with process_lock(self.path, key):
            yield

    def entries(self) -> list[Path]:
        """The files of all entries, valid or not."""
        return sorted(self.path.glob("*" + SUFFIX)) if self._readable else []

    def clear(self) -> int:
        """Removes all entries and temporary files; returns the number of removed entries."""
        removed = 0
        for path in self.entries():
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
                removed += 1
        for path in self.path.glob("*" + _SHAPES) if self._readable else ():
            path.unlink(missing_ok=True)
        self._remove_temporaries(older_than=0.0)
        return removed

    def _stop_writing(self, why: str) -> None:
        with self._guard:
            was_writable, self._writable = self._writable, False
        if was_writable:
            text = f"{why}; kernels are kept in memory only"
            warnings.warn(text, CacheWarning, stacklevel=2)

    def _sweep(self) -> None:
        if not self._swept:
            self._swept = True
            self._remove_temporaries(older_than=_ABANDONED)

    def _remove_temporaries(self, older_than: float) -> None:
        limit = time.time() - older_than
        with contextlib.suppress(OSError), os.scandir(self.path) as found:
            for item in found:
                if item.name.endswith(_TEMPORARY) and item.stat().st_mtime <= limit:
                    os.unlink(item.path)


def _read_trusted(path: Path) -> bytes:
    """The bytes of a regular file that only the user or root can write."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb", buffering=0) as stream:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or not is_trusted(status):
            raise PermissionError(f"{path} is not a regular file that belongs to the user")
        return stream.read()


@functools.lru_cache(maxsize=8)
def _store_at(folder: Folder) -> Store:
    return Store(folder)


def default_store() -> Store | None:
    """The store that the environment currently determines, or None if the disk cache is off."""
    folder = find_folder()
    return None if folder is None else _store_at(folder)
