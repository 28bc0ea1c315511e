"""The race, with simulated clocks: who wins, how often, and how much is measured."""

import random
import re

import pytest

from tilewright.tuning.racing import MOST_ROUNDS, race


def simulated(times, noise, seed, drift=0.0):
    """A clock whose noise only adds time, and whose speed drifts from call to call."""
    generator, calls = random.Random(seed), []

    def measure(runner):
        calls.append(runner)
        slow = 1 + drift * len(calls) / 100
        return times[runner] * slow * (1 + abs(generator.gauss(0, noise)))

    return measure, calls


def test_the_fastest_wins_and_the_slow_ones_stop_early() -> None:
    measure, calls = simulated([5.0, 1.0, 1.4, 9.0], 0.001, seed=1)
    dropped = []
    standings = race(range(4), measure, lambda runner, why: dropped.append((runner, why)))
    assert [each.runner for each in standings] == [1]
    assert calls.count(0) == calls.count(3) == 1
    assert re.fullmatch(r"[89]\.\d\d times the best after round 1", dict(dropped)[3])


@pytest.mark.parametrize("noise, drift", [(0.0, 0.0), (0.01, 0.0), (0.03, 0.2)])
def test_the_choice_is_within_two_percent_of_the_best(noise, drift) -> None:
    generator = random.Random(7)
    good = 0
    for seed in range(100):
        times = [generator.uniform(1, 2) for _ in range(24)]
        measure, _ = simulated(times, noise, seed, drift)
        chosen = race(range(24), measure)[0].runner
        good += times[chosen] <= 1.02 * min(times)
    assert good >= 95


def test_equal_runners_give_the_first() -> None:
    assert race("abc", lambda runner: 1.0)[0].runner == "a"


def test_one_that_fails_is_out() -> None:
    failing = {"a": iter([1.0, None])}

    def measure(runner):
        return next(failing["a"]) if runner == "a" else 2.0

    assert [each.runner for each in race("ab", measure)] == ["b"]
    assert race("ab", lambda runner: None) == []


def test_a_race_is_finite() -> None:
    calls = []
    race("ab", lambda runner: calls.append(runner) or random.random())
    assert len(calls) <= 2 * MOST_ROUNDS


def test_times_of_zero_do_not_divide() -> None:
    assert race("ab", lambda runner: 0.0)[0].runner == "a"
