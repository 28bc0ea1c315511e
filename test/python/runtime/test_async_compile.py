"""Compiling in an executor, and launches that wait."""

from __future__ import annotations

import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright import knobs
from tilewright.compiler import pipeline
from tilewright.errors import ArgumentError, CompileError
from tilewright.runtime.async_compile import AsyncCompileMode, FutureKernel


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    pipeline._kernels.clear()


@pytest.fixture
def fill():
    @tilewright.jit
    def fill(out, BLOCK: tl.constexpr):
        tl.store(out + tl.arange(0, BLOCK), BLOCK)

    return fill


@pytest.fixture
def compiled():
    """The threads that have compiled."""
    threads = []
    with knobs.runtime.scope():
        knobs.runtime.jit_post_compile_hook = lambda **told: threads.append(
            (threading.current_thread(), told["is_manual_warmup"])
        )
        yield threads


def test_kernels_are_compiled_in_the_executor(fill, compiled) -> None:
    with ThreadPoolExecutor(2) as executor, AsyncCompileMode(executor):
        futures = [fill.warmup(tl.int32, block, grid=(1,)) for block in (4, 8, 16)]
        assert all(isinstance(future, FutureKernel) for future in futures)
    assert [future.result().src.constants[1,] for future in futures] == [4, 8, 16]
    assert len(compiled) == 3
    assert all(thread is not threading.main_thread() and warm for thread, warm in compiled)
    out = np.zeros(8, np.int32)
    assert fill[1](out, 8) is futures[1].result()
    assert out.tolist() == [8] * 8
    assert len(compiled) == 3


def test_a_launch_waits(fill, monkeypatch) -> None:
    started, go_on, count = threading.Event(), threading.Event(), []
    original = pipeline._run

    def run(request, store):
        count.append(request)
        started.set()
        assert go_on.wait(30)
        return original(request, store)

    monkeypatch.setattr(pipeline, "_run", run)
    out = np.zeros(8, np.int32)
    with ThreadPoolExecutor(1) as executor, AsyncCompileMode(executor):
        future = fill.warmup(tl.int32, 8)
        assert started.wait(30)
        threading.Timer(0.05, go_on.set).start()
        made = fill[1](out, 8)
    assert made is future.result()
    assert len(count) == 1
    assert out.tolist() == [8] * 8


def test_a_future_is_used_like_a_kernel(fill) -> None:
    out = np.zeros(8, np.int32)
    with ThreadPoolExecutor(1) as executor, AsyncCompileMode(executor):
        future = fill.warmup(out, 8)
        assert future.name == "fill"
        future[1](out)
    assert out.tolist() == [8] * 8
    assert not hasattr(future, "misspelled")


def test_the_emulated_gpu_is_that_of_the_caller(fill) -> None:
    with ThreadPoolExecutor(1) as executor, AsyncCompileMode(executor):
        with tilewright.emulate("cuda:80"):
            future = fill.warmup(tl.int32, 8)
        other = fill.warmup(tl.int32, 8)
    assert (future.target, other.target) == ("emulator:cuda:80", "cpu")


@pytest.fixture
def broken():
    @tilewright.jit
    def broken(out):
        tl.store(out, missing)  # type: ignore[name-defined]  # noqa: F821

    return broken


def test_errors_are_raised_at_the_end(broken, fill) -> None:
    with ThreadPoolExecutor(1) as executor:
        with pytest.raises(CompileError, match="missing"), AsyncCompileMode(executor):
            broken.warmup(tl.int32)
        with pytest.raises(KeyError, match="body"), AsyncCompileMode(executor):
            broken.warmup(tl.int32)
            raise KeyError("body")
        with AsyncCompileMode(executor, ignore_errors=True):
            failed, made = broken.warmup(tl.int32), fill.warmup(tl.int32, 8)
    assert failed.result(ignore_errors=True) is None
    assert made.result().name == "fill"
    with pytest.raises(CompileError, match="missing"):
        failed.result()
    assert fill.warmup(tl.int32, 8) is made.result()


def test_by_key() -> None:
    finalized = []
    with ThreadPoolExecutor(1) as executor, AsyncCompileMode(executor) as mode:
        first = mode.submit("key", lambda: 1, finalized.append)
        assert mode.submit("key", lambda: 2, finalized.append) is first
    assert (first.result(), finalized) == (1, [1])


def test_only_one_and_only_threads() -> None:
    with ThreadPoolExecutor(1) as executor, AsyncCompileMode(executor) as outer:
        with pytest.raises(RuntimeError, match="active"), AsyncCompileMode(executor):
            pass
        assert outer.submit("key", lambda: 1).result() == 1
    with ProcessPoolExecutor(1) as executor, pytest.raises(ArgumentError, match="threads"):
        AsyncCompileMode(executor)
