"""Timing one function with a fake clock."""

import types

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import BenchmarkError
from tilewright.testing import do_bench, timing


@pytest.fixture
def clock(monkeypatch):
    """A clock whose time, `clock.now` in seconds, advances only when a function changes it."""
    made = types.SimpleNamespace(now=0.0, perf_counter=lambda: made.now)
    monkeypatch.setattr(timing, "time", made)
    return made


def sleeper(clock, milliseconds):
    calls = []

    def sleep():
        calls.append(clock.now)
        clock.now += milliseconds / 1e3

    return sleep, calls


@pytest.mark.parametrize("mode", ["mean", "median", "min", "max"])
def test_milliseconds_of_one_call(clock, mode):
    sleep, _ = sleeper(clock, 2)
    assert do_bench(sleep, warmup=1, rep=20, return_mode=mode) == pytest.approx(2)


def test_warmup_and_rep_say_how_often_it_is_called(clock):
    few, calls_of_few = sleeper(clock, 2)
    many, calls_of_many = sleeper(clock, 2)
    times = do_bench(few, warmup=1, rep=1, return_mode="all")
    assert len(times) == 1 and len(calls_of_few) == 1 + 5 + 1 + 1
    times = do_bench(many, warmup=41, rep=81, return_mode="all")
    assert len(times) == 40 and len(calls_of_many) == 1 + 5 + 20 + 40


def test_quantiles_of_the_times(clock):
    count = 0

    def uneven():
        nonlocal count
        count += 1
        clock.now += 0.01 if count % 2 else 0.002

    low, middle, high = do_bench(uneven, warmup=1, rep=200, quantiles=[0, 0.5, 1])
    assert (low, high) == (pytest.approx(2), pytest.approx(10)) and low <= middle <= high
    assert isinstance(do_bench(uneven, rep=1, quantiles=[0.5]), float)


def test_gradients_are_reset_before_each_timed_call():
    x, found = torch.ones(3, requires_grad=True), []

    def backward():
        x.sum().backward()
        found.append(x.grad[0].item())

    do_bench(backward, warmup=0, rep=0, grad_to_none=[x])
    # The first call, five that estimate the time, one to warm up, which adds, and the timed one.
    assert found == [1, 1, 1, 1, 1, 1, 2, 1]
    found.clear()
    do_bench(backward, 0, 0, None)
    assert found == [2, 3, 4, 5, 6, 7, 8, 9]


def test_gradients_of_what_is_no_tensor():
    with pytest.raises(BenchmarkError, match="list of tensors, not one tensor"):
        do_bench(lambda: None, grad_to_none=torch.ones(2, requires_grad=True))
    with pytest.raises(BenchmarkError, match="it has a ndarray"):
        do_bench(lambda: None, grad_to_none=[np.zeros(2)])


def test_what_it_does_not_take():
    with pytest.raises(ValueError, match=r"return_mode must be one of min, .*not 'average'"):
        do_bench(lambda: None, return_mode="average")
    with pytest.raises(ValueError, match="between 0 and 1"):
        do_bench(lambda: None, quantiles=[50])
    with pytest.raises(BenchmarkError, match=r"quantiles must be a list of numbers, not 0\.5"):
        do_bench(lambda: None, quantiles=0.5)
    assert issubclass(BenchmarkError, ValueError)


def test_a_first_call_that_compiles_is_not_counted(clock):
    calls = []

    def compiles_first():
        clock.now += 0.001 if calls else 5
        calls.append(clock.now)

    assert do_bench(compiles_first, warmup=1, rep=1, return_mode="max") == pytest.approx(1)


def test_a_kernel():
    @tilewright.jit
    def touch(out, VALUE: tl.constexpr):
        tl.store(out, VALUE)

    out = np.zeros(1, np.int32)
    assert do_bench(lambda: touch[(1,)](out, VALUE=5), warmup=1, rep=1) > 0
    assert out[0] == 5
