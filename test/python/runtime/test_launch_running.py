"""Programs that fail, that take long, or that run in threads and forked processes."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from interrupts import expect_interrupted

import tilewright
from tilewright.errors import DeviceAssertError

PROGRAMS = 200_000


def kernel_of(substitute, name):
    @tilewright.jit
    def kernel(a):
        pass

    substitute(kernel, name)
    return kernel


def count_all(kernel) -> bool:
    counters = np.zeros(PROGRAMS, np.int32)
    kernel[(PROGRAMS,)](counters)
    return bool((counters == 1).all())


def test_a_failed_assertion(substitute) -> None:
    kernel = kernel_of(substitute, "fail")
    kernel[(100,)](0)
    with pytest.raises(DeviceAssertError, match=r"kernel \(test_launch_running.py:.*code 9") as e:
        kernel[(100,)](9)
    assert isinstance(e.value, AssertionError)


def test_threads(substitute) -> None:
    kernel = kernel_of(substitute, "count")
    results: list[bool] = []

    def work() -> None:
        for _ in range(20):
            results.append(count_all(kernel))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 160


def test_other_threads_run_while_a_kernel_does(substitute) -> None:
    kernel = kernel_of(substitute, "sleep")
    seen: list[str] = []
    launching, ended = threading.Event(), threading.Event()

    def watch() -> None:
        launching.wait()
        while not ended.wait(0.005):
            seen.append("running")

    thread = threading.Thread(target=watch)
    thread.start()
    launching.set()
    kernel[(4,)](200_000)
    while_it_ran = len(seen)
    ended.set()
    thread.join()
    # It would be 1 if the thread had run only before the launch.
    assert while_it_ran > 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_after_a_launch(substitute) -> None:
    kernel = kernel_of(substitute, "count")
    assert count_all(kernel)
    child = os.fork()
    if child == 0:
        os._exit(7 if count_all(kernel) else 8)
    deadline = time.monotonic() + 300
    while (status := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child process hangs")
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(status[1]) == 7
    assert count_all(kernel)


@pytest.mark.parametrize("threads", [1, 3])
def test_interrupt_during_a_long_grid(threads) -> None:
    script = """if True:
        import sys, time
        sys.path.insert(0, sys.argv[1])
        from conftest import Substitute
        from interrupted import kernel
        Substitute(kernel, "sleep")
        try:
            print("ready", flush=True)
            kernel[(2**31 - 1,)](100)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            kernel[(3,)](100)
            print("goes on", flush=True)
        """
    expect_interrupted(["-c", script, os.path.dirname(__file__)], threads)


def test_a_signal_handler_that_returns_does_not_stop_the_grid(substitute) -> None:
    kernel = kernel_of(substitute, "sleep")
    seen: list[int] = []
    previous = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        kernel[(3000,)](100)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert seen == [1]
