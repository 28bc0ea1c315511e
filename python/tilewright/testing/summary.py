"""Summarizes measured times as `quantiles` and `return_mode` of the benchmarks ask."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

from tilewright.errors import BenchmarkError

_SUMMARIES: dict[str, Callable[[Sequence[float]], float]] = {
    "min": min,
    "max": max,
    "mean": statistics.mean,
    "median": statistics.median,
}


def check_summary(quantiles: Sequence[float] | None, return_mode: str) -> None:
    """Raises BenchmarkError for an unknown mode or a quantile that is not between 0 and 1.

    To be called before the measurement, which may take long.
    """
    if return_mode != "all" and return_mode not in _SUMMARIES:
        known = ", ".join([*_SUMMARIES, "all"])
        raise BenchmarkError(f"return_mode must be one of {known}, not {return_mode!r}")
    if quantiles is None:
        return
    if not isinstance(quantiles, Sequence):
        raise BenchmarkError(f"quantiles must be a list of numbers, not {quantiles!r}")
    if any(not 0 <= q <= 1 for q in quantiles):
        raise BenchmarkError(f"quantiles must be between 0 and 1, not {quantiles}")


def summarize(
    times: list[float], quantiles: Sequence[float] | None, return_mode: str
) -> float | list[float]:
    """The quantiles (a number if there is one), all times, or a number, as the mode says."""
    if quantiles is not None:
        found = [quantile(times, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    return times if return_mode == "all" else _SUMMARIES[return_mode](times)


def quantile(times: Sequence[float], q: float) -> float:
    """The quantile, interpolated linearly between the two nearest times."""
    ordered = sorted(times)
    place = q * (len(ordered) - 1)
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))
