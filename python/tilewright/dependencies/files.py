"""Files that compiled code depends on: libraries of bitcode, by their content."""

from __future__ import annotations

import hashlib
import os


class File:
    """The content of a file.

    A launch compares `content` with what it was, by identity; see watches.py. That takes a
    microsecond: the file is read again only if its status has changed.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._status: tuple[int, ...] | None = ()
        self._content = ""

    @property
    def content(self) -> str:
        """A digest of the content, or "missing"; the same object while the file is the same."""
        status = _status(self.path)
        if status != self._status:
            content = _digest(self.path)
            self._content = self._content if self._content == content else content
            self._status = status
        return self._content


_files: dict[str, File] = {}


def file_at(path: str) -> File:
    """The file with an absolute path."""
    return _files.setdefault(path, File(path))


def _status(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return "missing"
