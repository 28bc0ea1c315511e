"""Times configurations one after the other with a benchmark function, as `do_bench` asks for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright.errors import TilewrightError
from tilewright.tuning import checking, compiling, report
from tilewright.tuning.config import Config
from tilewright.tuning.trial import Trial, explain_failure

if TYPE_CHECKING:
    from tilewright.tuning.autotuner import Autotuner

_QUANTILES = (0.5, 0.2, 0.8)
_FAILED = [float("inf")] * 3


def bench(
    tuner: Autotuner, args: tuple[Any, ...], config: Config, meta: dict[str, Any]
) -> list[float]:
    """The quantiles of a configuration's times in ms by the tuner's `do_bench`.

    Infinite if it fails with an error of Tilewright. The hooks are timed as well.
    """
    named = {**(tuner.nargs or {}), **meta, **config.all_kwargs()}
    given = {**meta, **config.all_kwargs()}

    def call() -> None:
        if config.pre_hook is not None:
            config.pre_hook(named)
        tuner.pre_hook(named)
        try:
            tuner.fn.run(*args, **given)
        except Exception as error:
            tuner.post_hook(named, exception=error)
            raise
        tuner.post_hook(named, exception=None)

    try:
        found = tuner.do_bench(call, quantiles=_QUANTILES)
    except TilewrightError:
        return _FAILED
    return checking.times(found)


def bench_each(
    tuner: Autotuner,
    key: tuple[Any, ...],
    trials: list[Trial],
    compile: Callable[[Trial], Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> int:
    """Compiles all trials at once, then times each with `_bench`; returns the fastest's index."""
    started = time.perf_counter()
    list(compiling.compile_all(trials, compile))
    progress = report.Progress(tuner.__name__, len(trials))
    try:
        for trial in trials:
            if not trial.dropped:
                trial.times = checking.times(tuner._bench(*args, config=trial.config, **kwargs))
                trial.time = trial.times[0]
            if trial.time == float("inf"):
                _explain(tuner, trial)
            progress.done()
    finally:
        progress.close()
    timed = [trial for trial in trials if not trial.dropped]
    if not timed:
        raise explain_failure(tuner.__name__, trials) from trials[0].error
    chosen = min(timed, key=lambda trial: trial.time or 0.0)
    report.print_table(tuner.__name__, key, trials, chosen, started)
    return chosen.index


def _explain(tuner: Autotuner, trial: Trial) -> None:
    """Launches a trial whose timing failed once more, to find out why."""
    trial.time, trial.dropped = None, "could not be timed"
    try:
        trial.launch()
    except TilewrightError as error:
        trial.fail(error, "launching")
    if trial.error is None:
        trial.error = TilewrightError(trial.dropped)
