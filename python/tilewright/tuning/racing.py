"""The race: rounds in which all configurations alternate, and the slow ones drop out.

Timing one configuration after the other would compare different moments: clocks, temperature and
other programs change in between. Here each round times every configuration that is still in the
race for a short while, so that such changes affect all of them. After a round, a configuration is
out if it is slower than the best by more than the round allows; the longer the race, the less it
allows. This is successive halving (Jamieson and Talwalkar, 2016) with a threshold in place of a
fixed number, because often many configurations are nearly equal.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

# The ratio to the best time that a configuration may have after a round to stay in the race; the
# last one applies to all further rounds.
_ALLOWED = (2.5, 1.5, 1.25, 1.15, 1.1, 1.06)
MOST_ROUNDS = 10
# Rounds after which the order of the remaining ones is trusted if their times repeat well.
_FEWEST_ROUNDS = 3
_STEADY = 0.003


class Standing(NamedTuple, Generic[T]):
    """A runner with its time in each round, in ms; it is out if it has fewer than others."""

    runner: T
    rounds: list[float]

    @property
    def time(self) -> float:
        """The median over the rounds; infinite before the first."""
        return statistics.median(self.rounds) if self.rounds else float("inf")

    @property
    def spread(self) -> float:
        """The median deviation of the rounds from their median, relative to it."""
        if len(self.rounds) < 2 or not self.time:
            return 0.0
        return statistics.median(abs(each - self.time) for each in self.rounds) / self.time


def race(
    runners: Sequence[T],
    measure: Callable[[T], float | None],
    on_drop: Callable[[T, str], object] = lambda runner, why: None,
    rounds: int = MOST_ROUNDS,
) -> list[Standing[T]]:
    """Races the runners; returns the standings of those that finished, the fastest first.

    Args:
        runners: What is compared.
        measure: The time of a runner in one round, in ms, or None if it failed and is out.
        on_drop: Called with a runner that is out because it is slow, and the reason.
        rounds: The most rounds.
    """
    standings = [Standing(runner, []) for runner in runners]
    for number in range(rounds):
        standings = [each for each in standings if _run_round(each, measure)]
        if not standings:
            return []
        standings = _without_slow(standings, number, on_drop)
        if len(standings) == 1 or (number + 1 >= _FEWEST_ROUNDS and _is_decided(standings)):
            break
    # Of equal times the first in the list wins: the choice does not depend on chance.
    return sorted(standings, key=lambda each: each.time)


def _run_round(standing: Standing[T], measure: Callable[[T], float | None]) -> bool:
    time = measure(standing.runner)
    if time is not None:
        standing.rounds.append(time)
    return time is not None


def _without_slow(
    standings: list[Standing[T]], number: int, on_drop: Callable[[T, str], object]
) -> list[Standing[T]]:
    best = min(standings, key=lambda each: each.time)
    kept = []
    for each in standings:
        # A time that varies by much says little about the difference of two.
        noise = 1 + 3 * max(best.spread, each.spread)
        limit = best.time * max(_ALLOWED[min(number, len(_ALLOWED) - 1)], noise)
        if each.time <= limit:
            kept.append(each)
        else:
            slower = each.time / best.time if best.time else float("inf")
            on_drop(each.runner, f"{slower:.2f} times the best after round {number + 1}")
    return kept


def _is_decided(standings: list[Standing[T]]) -> bool:
    """Whether the times repeat so well that further rounds would not change the order."""
    best, second = sorted(standings, key=lambda each: each.time)[:2]
    steady = max(best.spread, second.spread) <= _STEADY
    return steady and second.time > best.time * (1 + 4 * _STEADY)
