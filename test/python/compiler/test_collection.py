"""Building a kernel starts no garbage collection, and leaves the collector as it was."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator

import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler import compile
from tilewright.compiler.collection import postponed


@tilewright.jit
def copies(x_ptr, N: tl.constexpr):
    for i in tl.static_range(N):
        tl.store(x_ptr + i, tl.load(x_ptr + i + N))


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    was_enabled, thresholds = gc.isenabled(), gc.get_threshold()
    gc.enable()
    yield
    gc.set_threshold(*thresholds)
    (gc.enable if was_enabled else gc.disable)()


def test_nested() -> None:
    with postponed():
        with postponed():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_after_an_error() -> None:
    with pytest.raises(ValueError), postponed():
        raise ValueError
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    with postponed():
        pass
    assert not gc.isenabled()


def test_until_the_last_thread_is_done() -> None:
    entered, leave = threading.Event(), threading.Event()

    def wait() -> None:
        with postponed():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    entered.wait()
    with postponed():
        pass
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_while_a_kernel_is_built() -> None:
    phases: list[str] = []
    gc.set_threshold(20)
    gc.callbacks.append(lambda phase, info: phases.append(_building()))
    try:
        compile(copies, ("*fp32", 30), "cpu")
    finally:
        gc.callbacks.pop()
    assert "outside" in phases  # the threshold is low enough
    assert "building" not in phases


def _building() -> str:
    """Whether the front end is on this thread's stack."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "build_module":
            return "building"
        frame = frame.f_back  # type: ignore[assignment]
    return "outside"
