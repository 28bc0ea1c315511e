"""Timing one function."""

import time

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.testing import do_bench


def sleeper(milliseconds):
    calls = []

    def sleep():
        calls.append(time.perf_counter())
        time.sleep(milliseconds / 1e3)

    return sleep, calls


@pytest.mark.parametrize("mode", ["mean", "median", "min", "max"])
def test_milliseconds_of_one_call(mode):
    sleep, _ = sleeper(2)
    assert 2 <= do_bench(sleep, warmup=1, rep=20, return_mode=mode) < 50


def test_warmup_and_rep_say_how_often_it_is_called():
    few, calls_of_few = sleeper(2)
    many, calls_of_many = sleeper(2)
    times = do_bench(few, warmup=1, rep=1, return_mode="all")
    assert len(times) == 1 and len(calls_of_few) == 1 + 5 + 1 + 1
    times = do_bench(many, warmup=40, rep=80, return_mode="all")
    assert len(times) > 1 and len(calls_of_many) > len(times) + 1 + 5 + 1


def test_quantiles_of_the_times():
    count = 0

    def uneven():
        nonlocal count
        count += 1
        time.sleep(0.01 if count % 2 else 0)

    low, middle, high = do_bench(uneven, warmup=1, rep=200, quantiles=[0, 0.5, 1])
    assert low < 5 and high >= 10 and low <= middle <= high
    assert isinstance(do_bench(uneven, rep=1, quantiles=[0.5]), float)


def test_what_it_does_not_take():
    with pytest.raises(ValueError, match=r"return_mode is one of min, .*not 'average'"):
        do_bench(lambda: None, return_mode="average")
    with pytest.raises(ValueError, match="from 0 to 1"):
        do_bench(lambda: None, quantiles=[50])


def test_a_first_call_that_compiles_is_not_counted():
    @tilewright.jit
    def touch(out, VALUE: tl.constexpr):
        tl.store(out, VALUE)

    out = np.zeros(1, np.int32)
    slowest = do_bench(lambda: touch[(1,)](out, VALUE=5), warmup=1, rep=1, return_mode="min")
    assert out[0] == 5 and slowest < 1
