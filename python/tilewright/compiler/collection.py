"""Postpones Python's garbage collector.

The front end makes tens of thousands of objects, nearly all of which are in use until a kernel is
built. Each collection that they start looks at everything that the program holds, which can take as
long as building the kernel.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_waiting = 0  # the `with` statements of all threads that postpone collections
_was_enabled = False


@contextmanager
def postponed() -> Iterator[None]:
    """Starts no collection in the process until the `with` statement ends, in any thread."""
    global _waiting, _was_enabled
    with _lock:
        if _waiting == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _waiting += 1
    try:
        yield
    finally:
        with _lock:
            _waiting -= 1
            if _waiting == 0 and _was_enabled:
                gc.enable()
