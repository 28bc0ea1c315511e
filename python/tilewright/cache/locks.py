"""Mutual exclusion by key: among the threads of a process, and among processes.

Both only save work. Files are written atomically, so two makers of one key do no harm.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

# A maker may die while a forked child of it still holds the lock's file; after this many seconds
# the others stop waiting and compile for themselves.
_TIMEOUT = 120.0
# Locks are a fixed set of files, shared by keys of the same hash, so that none is ever deleted
# (deleting a lock that others wait for is a race) and their number stays small.
_LOCK_FILES = 4096
_thread = threading.local()


class KeyedLocks:
    """One lock per key among threads, kept only while somebody holds or awaits it."""

    def __init__(self) -> None:
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        # Threads that held a lock do not exist in a forked child.
        self._guard = threading.Lock()
        self._held: dict[str, tuple[threading.RLock, list[None]]] = {}

    @contextlib.contextmanager
    def hold(self, key: str) -> Iterator[None]:
        """Holds the lock of `key`; re-entrant."""
        guard, held = self._guard, self._held
        with guard:
            lock, users = held.setdefault(key, (threading.RLock(), []))
            users.append(None)
        try:
            with lock:
                yield
        finally:
            with guard:
                users.pop()
                if not users:
                    held.pop(key, None)


@contextlib.contextmanager
def process_lock(folder: Path, key: str, timeout: float = _TIMEOUT) -> Iterator[None]:
    """Holds the advisory lock of `key` among processes, where the file system offers one.

    Never fails: without flock (some network file systems), without write permission, or after
    `timeout` seconds the body runs without the lock. So it does in a thread that already holds
    one, which might be waiting for itself.
    """
    if getattr(_thread, "holds", False):
        yield
        return
    try:
        import fcntl

        (folder / "locks").mkdir(mode=0o700, exist_ok=True)
        name = f"{zlib.crc32(key.encode()) % _LOCK_FILES:03x}"
        fd = os.open(folder / "locks" / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except (ImportError, OSError):
        yield
        return
    try:
        _wait(fd, time.monotonic() + timeout)
        _thread.holds = True
        yield
    finally:
        _thread.holds = False
        # Explicitly: a child forked meanwhile shares the lock and may keep its copy open.
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def _wait(fd: int, deadline: float) -> None:
    import fcntl

    pause = 0.001
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return
        except OSError:
            return
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
