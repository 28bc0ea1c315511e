"""A configuration under trial, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tilewright.errors import OutOfResourcesError, TilewrightError, TuningError
from tilewright.tuning.config import Config


@dataclass
class Trial:
    """One configuration in a tuning.

    Attributes:
        index: Its place in the list of configurations.
        config: The configuration.
        launch: Launches the kernel with it.
        compiled: Its compiled kernel, or None.
        times: Times of calls in ms, in order of measurement.
        time: The time that counts, in ms; None if it was not timed to the end.
        dropped: Why it is out, as text for the user; empty while it is not.
        error: The exception that it failed with, if it did.
    """

    index: int
    config: Config
    launch: Callable[[], object]
    compiled: Any = None
    times: list[float] = field(default_factory=list)
    time: float | None = None
    dropped: str = ""
    error: BaseException | None = None

    def fail(self, error: BaseException, doing: str) -> None:
        """Takes the configuration out of the race because of an exception."""
        self.error = error
        lines = str(error).strip().splitlines() or [""]
        self.dropped = f"{doing}: {type(error).__name__}: {lines[0]}"

    def quantiles(self) -> list[float]:
        """The median and the 0.2 and 0.8 quantiles of its times in ms; infinite if it failed."""
        times = sorted(self.times) or ([] if self.time is None else [self.time])
        if not times or (self.time is None and self.error is not None):
            return [float("inf")] * 3
        last = len(times) - 1
        return [times[round(q * last)] for q in (0.5, 0.2, 0.8)]


def explain_failure(name: str, trials: list[Trial]) -> Exception:
    """The exception for a tuning in which every configuration has failed.

    If all failed with the same error, it does not depend on the configuration and is returned as it
    is. If all lack resources, the exception is an OutOfResourcesError.
    """
    errors = [trial.error for trial in trials]
    first = errors[0]
    if isinstance(first, TilewrightError) and len({(type(e), str(e)) for e in errors}) == 1:
        return first
    lines = [f"  {trial.config}: {trial.dropped}" for trial in trials]
    text = f"{name}: all {len(trials)} configurations failed:\n" + "\n".join(lines)
    lacking = [error for error in errors if isinstance(error, OutOfResourcesError)]
    if len(lacking) == len(errors):
        least = min(lacking, key=lambda error: error.required)
        return OutOfResourcesError(text, least.resource, least.required, least.limit)
    return TuningError(text)
