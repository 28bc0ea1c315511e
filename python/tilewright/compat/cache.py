"""FileCacheManager: files of a program's own by key, as `triton.runtime.cache` keeps them.

Tilewright's kernels are in a cache of another format (tilewright/cache) and not in these files.
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
from collections.abc import Mapping

from tilewright import knobs
from tilewright.errors import CacheError


def default_cache_dir() -> str:
    """The folder of the files: TRITON_CACHE_DIR, else ~/.triton/cache."""
    return knobs.cache.dir or knobs.cache.get_triton_dir("cache")


class FileCacheManager:
    """The files of one key; they are in the folder `cache_dir`.

    Args:
        key: The key, which can be the name of a folder.
        override, dump: Whether the files are those that replace, or that show, a kernel's IR.

    Attributes:
        key: The key.
        cache_dir: The folder; it exists, unless the files are those that replace others.
        lock_path: A file in it that programs can lock; None if the folder need not exist.

    Raises:
        CacheError: The key is empty or has path separators.
    """

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        if not key or os.path.basename(key) != key or key in (".", ".."):
            raise CacheError(f"a key must be usable as the name of a folder, found {key!r}")
        self.key = key
        self.lock_path: str | None = None
        folder = default_cache_dir()
        if dump:
            folder = knobs.cache.dump_dir or knobs.cache.get_triton_dir("dump")
        elif override:
            folder = knobs.cache.override_dir or knobs.cache.get_triton_dir("override")
        self.cache_dir = os.path.join(folder, key)
        if not override:
            os.makedirs(self.cache_dir, exist_ok=True)
            self.lock_path = os.path.join(self.cache_dir, "lock")

    def has_file(self, filename: str) -> bool:
        """Whether there is a file with this name."""
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename: str) -> str | None:
        """The path of a file, or None if there is none."""
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data: bytes | str, filename: str, binary: bool = True) -> str:
        """Writes a file atomically and returns its path; a text is encoded as UTF-8."""
        path = self._make_path(filename)
        content = data.encode() if isinstance(data, str) else bytes(data)
        os.makedirs(self.cache_dir, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f"{filename}.", dir=self.cache_dir)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        return path

    def put_group(self, filename: str, group: Mapping[str, str]) -> str:
        """Stores the paths of files that belong together under one name."""
        return self.put(json.dumps({"child_paths": dict(group)}), self._group_name(filename))

    def get_group(self, filename: str) -> dict[str, str] | None:
        """The paths that `put_group` stored and that still exist; None if nothing was stored."""
        path = self.get_file(self._group_name(filename))
        if path is None:
            return None
        with open(path, encoding="utf-8") as stream:
            paths = json.load(stream)["child_paths"]
        return {name: child for name, child in paths.items() if os.path.exists(child)}

    def _group_name(self, filename: str) -> str:
        return f"__grp__{filename}"

    def _make_path(self, filename: str) -> str:
        return os.path.join(self.cache_dir, filename)


def base32(key: str) -> str:
    """The name of the folder for a key in hexadecimal digits, such as the `hash` of a kernel."""
    return base64.b32encode(bytes.fromhex(key)).decode("ascii").rstrip("=")


def get_cache_manager(key: str) -> FileCacheManager:
    """The files of a key."""
    return FileCacheManager(key)
