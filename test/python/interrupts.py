"""Sends Ctrl-C to a script that launches a kernel that does not terminate."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time


def expect_interrupted(arguments: list[str], threads: int) -> None:
    """Runs Python with these arguments: a script that prints "ready", launches, and continues.

    It is interrupted while the launch runs. It must report the interrupt and continue. The launch
    does not terminate by itself.

    Args:
        threads: The number of host threads that launches use.
    """
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TILEWRIGHT_NUM_THREADS": str(threads)},
        preexec_fn=_handle_interrupts,
    )
    assert process.stdout
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)  # From now on it handles the signal; usually the launch has started.
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert output == "interrupted\ngoes on\n"


def _handle_interrupts() -> None:
    """Python ignores Ctrl-C if its parent does, such as the jobs of a shell in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
