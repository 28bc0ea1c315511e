"""Mutual exclusion by key, between the threads of a process and between processes.

The locks only avoid duplicate work. Files are written atomically, so two concurrent writers of one
key do no harm.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

# The holder may die while a forked child still has the lock file open. After this many seconds the
# other processes stop waiting and compile the kernel themselves.
_TIMEOUT = 120.0
# The lock files are a fixed set, shared by keys with the same hash. They are never deleted, because
# deleting a lock on which others wait is a race, and their number stays bounded.
_LOCK_FILES = 4096
_thread = threading.local()


class KeyedLocks:
    """One lock per key between threads; it exists only while a thread holds or awaits it."""

    def __init__(self) -> None:
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        # The threads that held a lock do not exist in a forked child.
        self._guard = threading.Lock()
        self._held: dict[str, tuple[threading.RLock, list[None]]] = {}

    @contextlib.contextmanager
    def hold(self, key: str) -> Iterator[None]:
        """Holds the lock of `key`; reentrant."""
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
    """Holds the advisory lock of `key` between processes, if the file system supports it.

    Never fails: without flock (some network file systems), without write permission, or after
    `timeout` seconds the body runs without the lock. It also does so in a thread that already holds
    a lock, to avoid a deadlock with itself.
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
        # Unlocks explicitly: a child forked in the meantime may keep the file open.
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
