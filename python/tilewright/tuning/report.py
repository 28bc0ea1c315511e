"""What a tuning tells the user: a progress bar on a terminal, and a table for TILEWRIGHT_LOG."""

from __future__ import annotations

import sys
import time
from typing import Any

from tilewright import knobs
from tilewright.compiler import log
from tilewright.tuning.trial import Trial


class Progress:
    """A progress bar on standard error: configurations done, time left, the best so far.

    There is one only on a terminal, and if tqdm is installed.
    """

    def __init__(self, name: str, total: int) -> None:
        self._bar: Any = None
        if sys.stderr is None or not sys.stderr.isatty():
            return
        try:
            from tqdm import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=total, desc=f"tuning {name}", unit="config", leave=False)

    def done(self, count: int = 1) -> None:
        """Some more configurations have their final time, or are out."""
        if self._bar is not None:
            self._bar.update(count)

    def best(self, milliseconds: float) -> None:
        """Shows the best time so far."""
        if self._bar is not None:
            self._bar.set_postfix_str(f"best {milliseconds:.4g} ms")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _wanted() -> bool:
    return log.wanted("tuning") or bool(knobs.autotuning.print)


def print_table(
    name: str, key: tuple[Any, ...], trials: list[Trial], chosen: Trial, started: float
) -> None:
    """Prints each configuration with its time, or the reason why it is out, the fastest first."""
    if not _wanted():
        return
    best = chosen.time or 0.0
    lines = [
        f"tilewright: {name}: tuned for {key} in {time.perf_counter() - started:.2f} s, "
        f"chose {chosen.config}"
    ]
    for trial in sorted(trials, key=lambda each: (each.time is None, each.time or 0.0, each.index)):
        lines.append(f"  {_result(trial, best):>32}  {trial.config}")
    sys.stderr.write("\n".join(lines) + "\n")


def _result(trial: Trial, best: float) -> str:
    if trial.time is not None and not trial.dropped:
        ratio = f" ({trial.time / best:.2f})" if best else ""
        return f"{trial.time:.4f} ms{ratio}"
    return trial.dropped or "not timed"


def print_reuse(name: str, key: tuple[Any, ...], origin: str, config: object) -> None:
    """Prints where a choice comes from that was not tuned now."""
    if _wanted():
        sys.stderr.write(f"tilewright: {name}: {origin} has {config} for {key}\n")
