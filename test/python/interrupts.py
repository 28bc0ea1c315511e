"""Ctrl-C for a script that launches what does not end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time


def expect_interrupted(arguments: list[str], threads: int) -> None:
    """Runs Python with these arguments: a script that prints "ready", launches, and goes on.

    It is interrupted while the launch runs, and has to say so, and that it goes on. The launch does
    not end by itself.

    Args:
        threads: How many of the host launches use.
    """
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TILEWRIGHT_NUM_THREADS": str(threads)},
    )
    assert process.stdout
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)  # It expects the signal from now on; usually the launch has begun.
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert output == "interrupted\ngoes on\n"
