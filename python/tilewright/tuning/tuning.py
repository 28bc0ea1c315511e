"""One tuning, in order: drop what cannot fit, compile, verify, race, choose.

The main thread verifies and times configurations while others still compile, if the clock allows
it: see Clock.runs_beside_compiling.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tilewright.compiler.targets import Target
from tilewright.errors import LaunchError, TilewrightError
from tilewright.tuning import compiling, racing, report
from tilewright.tuning.clocks import Clock, clock_for
from tilewright.tuning.ranks import Session
from tilewright.tuning.trial import Trial, explain_failure
from tilewright.tuning.verifying import Verifier

# The calls in a round of a kernel that is fast enough for it: other work on the machine may make
# any single call slow.
_FEWEST_CALLS = 5


@dataclass
class Plan:
    """The input of a tuning.

    Attributes:
        name: The kernel's name.
        key: The tuning key.
        target: The target of the launches.
        device: Their device, "cpu" or "cuda:0".
        trials: One for each configuration.
        compile: Compiles a trial.
        excess: Why a trial cannot fit, known without compiling; empty if it may.
        before, after: Called before and after each trial launch; not timed. `after` gets the
            exception of a launch that failed.
        milliseconds: How long a configuration is timed at most.
        verifier: Compares results, or None.
        time_limit: Seconds that one launch may take.
        runs_alone: Runs a trial in a child process and returns why it failed, or None to trust it.
    """

    name: str
    key: tuple[Any, ...]
    target: Target
    device: str
    trials: list[Trial]
    compile: Callable[[Trial], Any]
    excess: Callable[[Trial], str]
    before: Callable[[Trial], object]
    after: Callable[[Trial, Exception | None], object]
    milliseconds: float
    verifier: Verifier | None = None
    time_limit: float | None = None
    runs_alone: Callable[[Trial], str] | None = None


def tune(plan: Plan, session: Session | None = None) -> int:
    """Finds the fastest configuration, with the other ranks if there is a session.

    Returns:
        Its index. With a session it may be one that this rank has pruned.

    Raises:
        TuningError, OutOfResourcesError, or another TilewrightError: All configurations failed;
            see explain_failure.
    """
    started = time.perf_counter()
    progress = report.Progress(plan.name, len(plan.trials))
    tuning = _Tuning(plan, progress)
    try:
        if session:
            session.tune(plan.trials, tuning.run)
        else:
            tuning.run(plan.trials)
    finally:
        progress.close()
    timed = [trial for trial in plan.trials if trial.time is not None]
    if not timed:
        raise explain_failure(plan.name, plan.trials) from plan.trials[0].error
    chosen = min(timed, key=lambda trial: trial.time or 0.0)
    report.print_table(plan.name, plan.key, plan.trials, chosen, started)
    return session.decide(chosen.index) if session else chosen.index


class _Tuning:
    def __init__(self, plan: Plan, progress: report.Progress) -> None:
        self._plan = plan
        self._progress = progress
        self._clock: Clock = clock_for(plan.target, plan.device)
        # The calls of each trial that are timed in one round.
        self._counts: dict[int, int] = {}

    def run(self, trials: list[Trial]) -> None:
        """Sets the time of each trial that finishes the race, and why the others are dropped."""
        ready = self._distinct(self._compiled(trials))
        runners = [trial for trial in ready if self._is_usable(trial)]
        rounds = racing.MOST_ROUNDS if self._clock.repeats else 1
        standings = racing.race(runners, self._measure, self._drop, rounds)
        for standing in standings:
            standing.runner.time = standing.time
        self._progress.done(len(standings))

    # Compiling

    def _compiled(self, trials: list[Trial]) -> list[Trial]:
        """The trials that compile, in order; those that are ready early are tried at once."""
        plan = self._plan
        fitting: list[Trial] = []
        ready: list[Trial] = []
        for trial in trials:
            trial.dropped = plan.excess(trial)
            if trial.dropped:
                trial.error = LaunchError(trial.dropped)
                self._progress.done()
            else:
                fitting.append(trial)
        for trial in compiling.compile_all(fitting, plan.compile):
            if trial.dropped:
                self._progress.done()
                continue
            ready.append(trial)
            if self._clock.runs_beside_compiling:
                self._is_usable(trial)
        return sorted(ready, key=lambda each: each.index)

    def _distinct(self, ready: list[Trial]) -> list[Trial]:
        """Without trials that have the same code and launch as an earlier one.

        On the CPU, options of GPUs change nothing.
        """
        seen: dict[tuple[int, str], Trial] = {}
        distinct = []
        for trial in ready:
            same = (id(trial.compiled), str(sorted(trial.config.kwargs.items(), key=str)))
            if same in seen and trial.config.pre_hook is seen[same].config.pre_hook:
                trial.dropped = f"has the same code as {seen[same].config}"
                self._progress.done()
            else:
                seen[same] = trial
                distinct.append(trial)
        return distinct

    # Timing

    def _is_usable(self, trial: Trial) -> bool:
        """Launches a trial for the first time, unless that was done; drops it if it fails."""
        if trial.dropped or trial.index in self._counts:
            return not trial.dropped
        plan = self._plan
        try:
            # The child process comes first: the launch may end the process that runs it.
            trial.dropped = plan.runs_alone(trial) if plan.runs_alone else ""
            if not trial.dropped and plan.verifier:
                trial.dropped = self._verified(plan.verifier, trial)
            if not trial.dropped:
                self._estimate(trial)
        except TilewrightError as error:
            trial.fail(error, "launching")
        if trial.dropped:
            trial.error = trial.error or LaunchError(trial.dropped)
            self._progress.done()
        return not trial.dropped

    def _verified(self, verifier: Verifier, trial: Trial) -> str:
        """Why the result of a trial is wrong; empty if it is not."""
        difference = verifier.check(lambda: self._launch(trial), lambda: self._plan.before(trial))
        self._plan.after(trial, None)
        return difference

    def _launch(self, trial: Trial) -> None:
        try:
            trial.launch()
        except Exception as error:
            self._plan.after(trial, error)
            raise

    def _estimate(self, trial: Trial) -> None:
        """Decides how many calls are timed in a round."""
        first = self._times(trial, 1)[0]
        limit = self._plan.time_limit
        if limit is not None and first > limit * 1e3:
            trial.dropped = f"took {first / 1e3:.2f} s, the limit is {limit:g} s"
            return
        slice_of_time = self._plan.milliseconds / racing.MOST_ROUNDS
        # The first call may load code, so a second one tells how long a call takes.
        again = min(first, self._times(trial, 1)[0]) if first < slice_of_time else first
        fewest = _FEWEST_CALLS if _FEWEST_CALLS * again <= 2 * self._plan.milliseconds else 1
        self._counts[trial.index] = max(fewest, min(1000, int(slice_of_time / max(again, 1e-4))))

    def _measure(self, trial: Trial) -> float | None:
        count = self._counts[trial.index] if self._clock.repeats else 1
        try:
            times = self._times(trial, count)
        except TilewrightError as error:
            trial.fail(error, "launching")
            self._progress.done()
            return None
        trial.times += times
        took = self._clock.summary(times)
        self._progress.best(took)
        return took

    def _times(self, trial: Trial, count: int) -> list[float]:
        plan = self._plan
        return self._clock.times(
            lambda: self._launch(trial),
            lambda: plan.before(trial),
            lambda: plan.after(trial, None),
            count,
        )

    def _drop(self, trial: Trial, why: str) -> None:
        trial.dropped = why
        self._progress.done()
