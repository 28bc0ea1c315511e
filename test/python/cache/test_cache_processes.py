"""Many processes and threads that share a folder, and processes that are killed."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from tilewright.cache import Entry, Folder, KeyedLocks, Store
from tilewright.cache.locks import process_lock

KEY = "ab" * 32

_WRITER = """
import os, sys, itertools
from pathlib import Path
from tilewright.cache import Entry, Folder, Store
store = Store(Folder(Path(sys.argv[1]), explicit=True))
print("ready", flush=True)
for i in itertools.count():
    store.save(sys.argv[2], Entry({"i": i}, {"object": os.urandom(1) * 4_000_000}))
"""

_LOCKER = """
import sys, time
from pathlib import Path
from tilewright.cache.locks import process_lock
with process_lock(Path(sys.argv[1]), "key"):
    print("ready", flush=True)
    time.sleep(3600)
"""


def _start(script, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)], stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"ready\n"
    return process


def _kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def _is_locked(folder):
    """Whether another process would have to wait for a lock of the folder."""
    code = """if True:
        import fcntl, sys
        for path in sys.argv[1:]:
            fcntl.flock(open(path), fcntl.LOCK_EX | fcntl.LOCK_NB)
    """
    files = map(str, (folder / "locks").iterdir())
    return subprocess.run([sys.executable, "-c", code, *files], capture_output=True).returncode != 0


def test_a_process_killed_while_writing_does_no_harm(tmp_path):
    store = Store(Folder(tmp_path / "cache", explicit=True))
    for delay in (0.003, 0.011, 0.023):
        process = _start(_WRITER, store.path, KEY)
        time.sleep(delay)
        _kill(process)
        entry = store.load(KEY)
        assert entry is None or len(entry.sections["object"]) == 4_000_000
    store.save(KEY, Entry({}, {"object": b"new"}))
    assert store.load(KEY).sections["object"] == b"new"


def test_readers_never_see_a_part_of_a_file(tmp_path):
    store = Store(Folder(tmp_path / "cache", explicit=True))
    store.save(KEY, Entry({}, {"object": b""}))
    writers = [_start(_WRITER, store.path, KEY) for _ in range(2)]
    try:
        for _ in range(30):
            assert store.load(KEY) is not None
    finally:
        for process in writers:
            _kill(process)


def test_a_killed_holder_frees_its_lock(tmp_path):
    _kill(_start(_LOCKER, tmp_path))
    with process_lock(tmp_path, "key", timeout=300):
        assert _is_locked(tmp_path)


def test_a_lock_held_for_too_long_is_not_waited_for(tmp_path):
    process = _start(_LOCKER, tmp_path)
    try:
        with process_lock(tmp_path, "key", timeout=0.05):
            assert process.poll() is None  # it runs, and so holds the lock
    finally:
        _kill(process)


def test_a_thread_does_not_wait_for_itself(tmp_path, monkeypatch):
    attempts = []
    monkeypatch.setattr(fcntl, "flock", lambda *_: attempts.append(1))
    with process_lock(tmp_path, "key"):
        taken = len(attempts)
        with process_lock(tmp_path, "key"):
            assert len(attempts) == taken


def test_a_file_system_without_locks_is_tolerated(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    entered = []
    with process_lock(tmp_path, "key"):
        entered.append(True)
    assert entered


def test_threads_take_turns_per_key():
    locks = KeyedLocks()
    inside, most = [], []

    def work(_):
        with locks.hold("key"):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.002)
            inside.pop()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    assert max(most) == 1 and not locks._held


def test_other_keys_do_not_wait():
    locks = KeyedLocks()
    done = threading.Event()

    def other():
        with locks.hold("b"):
            done.set()

    with locks.hold("a"):
        thread = threading.Thread(target=other)
        thread.start()
        assert done.wait(300)
    thread.join()


def test_a_forked_child_is_not_locked_out():
    locks = KeyedLocks()
    release = threading.Event()
    held = threading.Event()

    def hold():
        with locks.hold("key"):
            held.set()
            release.wait(300)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(300)
    child = os.fork()
    if child == 0:
        signal.alarm(300)
        with locks.hold("key"):
            os._exit(7)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    release.set()
    thread.join()
    assert status == 7
