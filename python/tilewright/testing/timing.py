"""Times functions side by side."""

import statistics
import time
from collections.abc import Callable, Mapping


def compare(
    functions: Mapping[str, Callable[[], object]], rounds: int = 30, warmup: int = 3
) -> dict[str, float]:
    """The median time in seconds of one call of each function.

    The functions take turns, so that what else the machine does, and how fast its clock runs,
    hits all of them alike.
    """
    for _ in range(warmup):
        for function in functions.values():
            function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(taken) for name, taken in times.items()}
