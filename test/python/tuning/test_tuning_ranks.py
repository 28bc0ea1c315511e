"""Ranks of torch.distributed tune together, and choose the same."""

import multiprocessing
import os
import time
from pathlib import Path

import numpy as np
import pytest
from tuned_kernels import configs_of, launch_scale, tuned

from tilewright import Config
from tilewright.tuning.ranks import Session
from tilewright.tuning.trial import Trial

torch = pytest.importorskip("torch")


def _rank(rank: int, count: int, folder: str, launches: list[bool], found) -> None:
    """Joins the group, launches if its entry of `launches` says so, and reports what it timed."""
    os.environ["TILEWRIGHT_CACHE_DIR"] = f"{folder}/cache{rank}"
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=count
    )
    run_here, timed = Session._run, []

    def count(self, trials, race) -> None:
        timed.extend(trials)
        run_here(self, trials, race)

    Session._run = count
    kernel = tuned(configs=configs_of(8, 16, 32, 64, 128, 256))
    if launches[rank]:
        chosen = launch_scale(kernel)
        found.put((chosen.kwargs["BLOCK"], len(timed)))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def _run_ranks(folder: Path, launches: list[bool]) -> list[tuple[int, int]]:
    context = multiprocessing.get_context("spawn")
    found = context.SimpleQueue()
    arguments = [(rank, len(launches), str(folder), launches, found) for rank in range(2)]
    processes = [context.Process(target=_rank, args=each) for each in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    return [found.get() for _ in range(sum(launches))]


def test_ranks_share_the_work_and_choose_the_same(tmp_path) -> None:
    first, second = _run_ranks(tmp_path, [True, True])
    assert first[0] == second[0]
    assert first[1] + second[1] == 6


def test_a_rank_that_tunes_alone_waits_for_nobody(tmp_path) -> None:
    ((_, timed),) = _run_ranks(tmp_path, [False, True])
    assert timed == 6


def trials_of(*indices: int) -> list[Trial]:
    return [Trial(index, Config({}), lambda: None) for index in indices]


@pytest.fixture
def store():
    return torch.distributed.HashStore()


def racing(times: dict[int, float], log: list[int]):
    def race(trials: list[Trial]) -> None:
        for trial in trials:
            log.append(trial.index)
            trial.time = times[trial.index]

    return race


def test_the_work_of_a_dead_rank_is_done_by_another(store) -> None:
    # It has claimed two of six trials and posts nothing.
    store.add("tilewright/tuning/k/claimed", 2)
    log: list[int] = []
    trials = trials_of(0, 1, 2, 3, 4, 5)
    race = racing({index: 9.0 - index for index in range(6)}, log)
    Session(store, "k", 2).tune(trials, race, timeout=0.05)
    assert sorted(log) == [0, 1, 2, 3, 4, 5] and log[-2:] == [0, 1]
    assert [trial.time for trial in trials] == [9.0, 8.0, 7.0, 6.0, 5.0, 4.0]


def test_ranks_may_prune_different_configurations(store) -> None:
    log: list[int] = []
    one, other = trials_of(0, 2, 4), trials_of(1, 2, 5)
    race = racing(dict.fromkeys(range(6), 1.0), log)
    Session(store, "k", 2).tune(one, race, timeout=0.05)
    Session(store, "k", 2).tune(other, race, timeout=0.05)
    assert all(trial.time == 1.0 for trial in (*one, *other))


def test_the_first_decision_holds(store) -> None:
    first, second = Session(store, "k", 2), Session(store, "k", 2)
    assert first.decision() is None
    assert first.decide(3) == 3
    assert second.decide(1) == 3 and second.decision() == 3
    assert Session(store, "other", 2).decision() is None


def test_a_failure_on_one_rank_is_known_on_the_other(store) -> None:
    def fail(trials: list[Trial]) -> None:
        for trial in trials:
            trial.dropped = "compiling: CompileError: no"

    Session(store, "k", 2).tune(trials_of(0, 1), fail)
    trials = trials_of(0, 1)
    started = time.monotonic()
    Session(store, "k", 2).tune(trials, fail)
    assert time.monotonic() < started + 30
    assert all(trial.error is not None and trial.time is None for trial in trials)


def test_one_process_has_no_session() -> None:
    kernel = tuned()
    launch_scale(kernel)
    assert np.isfinite(kernel.bench_time)
