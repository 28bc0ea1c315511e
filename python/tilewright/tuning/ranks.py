"""Tuning with the other ranks of torch.distributed: each times a share, and all choose the same.

The ranks agree through PyTorch's key-value store, not through collectives: a rank that tunes alone,
because the others have the result or never launch the kernel, does not wait. A rank claims some
configurations at a time, times them, and posts their times. When all are claimed, it waits for the
times of the others. If no rank posts any for a minute, it times the missing configurations itself.
The first rank that knows all times decides, and the others take its choice.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from tilewright.errors import LaunchError
from tilewright.tuning.trial import Trial

# Seconds without a posted time after which a rank times what the others have claimed.
_TIMEOUT = 60.0
# Seconds between two reads of the store.
_PAUSE = 0.01


def session(key: str) -> Session | None:
    """The session of this key; None without torch.distributed, or with one rank only."""
    torch: Any = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if not distributed or not distributed.is_available() or not distributed.is_initialized():
        return None
    if distributed.get_world_size() < 2:
        return None
    store = distributed.distributed_c10d._get_default_store()
    return Session(store, key, distributed.get_world_size())


class Session:
    """One tuning of all ranks.

    Args:
        store: A torch.distributed.Store.
        key: Identifies the tuning; equal on all ranks.
        ranks: Their number.
    """

    def __init__(self, store: Any, key: str, ranks: int) -> None:
        self._store = store
        self._prefix = f"tilewright/tuning/{key}/"
        self._ranks = ranks
        self._done_here: set[int] = set()

    def decision(self) -> int | None:
        """The index of the choice, if the ranks have decided."""
        if self._store.add(self._prefix + "decided", 0) == 0:
            return None
        return self._read_choice()

    def decide(self, index: int) -> int:
        """Proposes a choice; returns the one that all ranks take."""
        if self._store.add(self._prefix + "decided", 1) == 1:
            self._store.set(self._prefix + "choice", str(index))
            return index
        found = self._read_choice()
        return index if found is None else found

    def tune(
        self,
        trials: list[Trial],
        race: Callable[[list[Trial]], object],
        timeout: float = _TIMEOUT,
    ) -> None:
        """Times the trials together with the other ranks.

        Args:
            trials: This rank's trials; other ranks may have pruned others.
            race: Times some of them: sets their `time`, or why they are dropped.
            timeout: Seconds without a posted time after which this rank times what is missing.
        """
        share = max(1, math.ceil(len(trials) / (2 * self._ranks)))
        mine = {trial.index: trial for trial in trials}
        last = max(mine, default=-1)
        while (end := self._store.add(self._prefix + "claimed", share)) - share <= last:
            self._run([mine[index] for index in range(end - share, end) if index in mine], race)
        self._collect(trials, race, timeout)

    def _run(self, trials: list[Trial], race: Callable[[list[Trial]], object]) -> None:
        race(trials)
        self._done_here |= {trial.index for trial in trials}
        for trial in trials:
            self._store.set(self._place(trial), json.dumps([trial.time, trial.dropped]))
        self._store.add(self._prefix + "posted", 1)

    def _collect(
        self, trials: list[Trial], race: Callable[[list[Trial]], object], timeout: float
    ) -> None:
        """Reads the times of the other ranks; times what they do not, or have pruned."""
        last_progress, posted = time.monotonic(), -1
        while missing := [trial for trial in trials if not self._read(trial)]:
            now = self._store.add(self._prefix + "posted", 0)
            if now != posted:
                posted, last_progress = now, time.monotonic()
            elif time.monotonic() > last_progress + timeout:
                self._run(missing, race)
            else:
                time.sleep(_PAUSE)

    def _read(self, trial: Trial) -> bool:
        if trial.index in self._done_here:
            return True
        if not self._store.check([self._place(trial)]):
            return False
        trial.time, trial.dropped = json.loads(self._store.get(self._place(trial)))
        if trial.time is None:
            trial.error = trial.error or LaunchError(trial.dropped)
        return True

    def _read_choice(self) -> int | None:
        """The choice; None if the rank that decides has ended before it stored its choice."""
        key = self._prefix + "choice"
        try:
            self._store.wait([key], timedelta(seconds=_TIMEOUT))
        except RuntimeError:  # torch.distributed.DistStoreError, after the timeout
            return None
        return int(self._store.get(key))

    def _place(self, trial: Trial) -> str:
        return f"{self._prefix}time/{trial.index}"
