"""The results of tunings on disk: an SQLite database beside the kernel cache.

Many processes may use it at once: it is in WAL mode, and the process that tunes holds a lock for
which the others wait, to find its result. Whatever is wrong with the file costs a tuning, never a
launch: a file that is locked, read-only or from a newer version causes a warning, and results stay
in memory. A corrupt file is renamed, and a new one is begun.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilewright.cache.folder import find_folder, prepare_folder
from tilewright.cache.locks import process_lock
from tilewright.errors import CacheError, CacheWarning
from tilewright.tuning.results import VERSION, Result

FILE = "tuning.sqlite"
# Seconds to wait for another process that writes, and for one that tunes the same kernel.
_BUSY = 10.0
_LOCK = 900.0


class TuningStore:
    """The database in one folder.

    Raises:
        CacheError: The folder is not trusted.
        OSError: The folder can't be created.
    """

    def __init__(self, folder: Path) -> None:
        prepare_folder(folder)
        self.folder = folder
        self.path = folder / FILE
        self._usable = True

    def load(self, key: str) -> Result | None:
        """The result of this key, or None."""
        rows = self._read("WHERE key = ?", (key,))
        return rows[0] if rows else None

    def all(self) -> list[Result]:
        """All results, the latest first."""
        return self._read("ORDER BY created DESC", ())

    def save(self, results: list[Result]) -> bool:
        """Adds results, and replaces those of equal keys. Returns whether that succeeded."""
        places = ", ".join("?" * len(Result._fields))
        with self._connection(writes=True) as connection:
            if connection is None:
                return False
            sql = f"INSERT OR REPLACE INTO results ({', '.join(Result._fields)}) VALUES ({places})"
            connection.executemany(sql, results)
            connection.commit()
            return True
        return False  # after an error, which _connection has reported

    def clear(self, kernel: str | None = None) -> int:
        """Removes all results, or those of one kernel; returns their number."""
        with self._connection(writes=True) as connection:
            if connection is None:
                return 0
            rows = connection.execute("SELECT key, kernel FROM results").fetchall()
            keys = [(key,) for key, name in rows if kernel in (None, name, name.rpartition(".")[2])]
            connection.executemany("DELETE FROM results WHERE key = ?", keys)
            connection.commit()
            return len(keys)
        return 0

    @contextlib.contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Held by the process that tunes `key`, if the file system supports it."""
        with process_lock(self.folder, "tuning " + key, _LOCK):
            yield

    def _read(self, condition: str, values: tuple[Any, ...]) -> list[Result]:
        if not self.path.exists():
            return []
        sql = f"SELECT {', '.join(Result._fields)} FROM results {condition}"
        with self._connection(writes=False) as connection:
            if connection is None:
                return []
            found = [Result(*row) for row in connection.execute(sql, values)]
            return [result for result in found if result.is_valid()]
        return []

    @contextlib.contextmanager
    def _connection(self, writes: bool) -> Iterator[sqlite3.Connection | None]:
        """An open database; None if it can't be used. Its errors become warnings."""
        connection = self._open(writes)
        try:
            yield connection
        except sqlite3.Error as error:
            self._failed(error, writes)
        finally:
            if connection is not None:
                connection.close()

    def _open(self, writes: bool) -> sqlite3.Connection | None:
        if not self._usable:
            return None
        try:
            return _open(self.path, writes)
        except (sqlite3.Error, _NewerVersionError) as error:
            self._failed(error, writes)
            return None

    def _failed(self, error: Exception, writes: bool) -> None:
        if isinstance(error, _NewerVersionError):
            self._warn(str(error))
        elif type(error) is sqlite3.DatabaseError:
            self._set_aside(error)
        else:
            self._warn(f"can't be {'written' if writes else 'read'} ({error})")

    def _set_aside(self, error: Exception) -> None:
        """Renames a corrupt file, so that the next use begins a new one."""
        name = self.path.with_suffix(f".corrupt-{time.time_ns()}")
        with contextlib.suppress(OSError):
            self.path.rename(name)
            for end in ("-wal", "-shm"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)
        text = f"the tuning results {self.path} are corrupt ({error}); they are now {name}"
        warnings.warn(text, CacheWarning, stacklevel=4)

    def _warn(self, problem: str) -> None:
        self._usable = False
        text = f"the tuning results {self.path} {problem}; results are kept in memory only"
        warnings.warn(text, CacheWarning, stacklevel=4)


class _NewerVersionError(Exception):
    """The file was written by a newer version of Tilewright."""


def _open(path: Path, writes: bool) -> sqlite3.Connection | None:
    """The database; None to read from one that another process is about to create."""
    if writes:
        connection = sqlite3.connect(path, timeout=_BUSY)
    else:
        # Where nothing can be written, WAL's shared index can't be made.
        mode = "mode=ro" if os.access(path.parent, os.W_OK) else "immutable=1"
        connection = sqlite3.connect(f"{path.as_uri()}?{mode}", timeout=_BUSY, uri=True)
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            raise _NewerVersionError(
                f"have version {version}; this Tilewright reads versions up to {VERSION}"
            )
        if version < VERSION and not writes:
            connection.close()
            return None
        if version < VERSION:
            _create(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _enter_wal_mode(connection: sqlite3.Connection) -> None:
    # SQLite does not wait here for other processes that create the database at the same time.
    deadline = time.monotonic() + _BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() >= deadline:
                raise
        time.sleep(0.01)


def _create(connection: sqlite3.Connection) -> None:
    types = {"chosen": "INTEGER", "created": "REAL"}
    columns = ", ".join(f"{name} {types.get(name, 'TEXT')} NOT NULL" for name in Result._fields)
    _enter_wal_mode(connection)
    connection.execute(f"CREATE TABLE IF NOT EXISTS results ({columns}, PRIMARY KEY (key))")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.commit()


@functools.lru_cache(maxsize=8)
def _store_at(folder: Path) -> TuningStore | None:
    try:
        return TuningStore(folder)
    except (CacheError, OSError) as error:
        warnings.warn(f"{error}; tuning results are kept in memory", CacheWarning, stacklevel=3)
        return None


def default_store() -> TuningStore | None:
    """The store beside the kernel cache; None if the disk cache is off."""
    folder = find_folder()
    return None if folder is None else _store_at(folder.path)
