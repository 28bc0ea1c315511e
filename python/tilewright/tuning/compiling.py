"""Compiles all configurations at once, in threads: the core compiles without the GIL.

A configuration that exceeds a limit which is known without compiling is dropped before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from tilewright import _core
from tilewright.compiler.gpu_target import thread_target
from tilewright.compiler.targets import Target
from tilewright.errors import TilewrightError
from tilewright.tuning.trial import Trial

# Limits of every CUDA device: of threads per block, of registers per block, and of the grid's axes.
_MOST_THREADS = 1024
_REGISTERS = 65536
_MOST_PROGRAMS = (2**31 - 1, 65535, 65535)
_LANES = 32


def worker_count() -> int:
    """The number of processors that this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def excess(options: dict[str, Any], grid: Any, target: Target) -> str:
    """Why a configuration cannot fit on a GPU, as far as that is known without compiling it.

    Args:
        options: Its keyword arguments.
        grid: The grid of its launch, an integer or a tuple.
        target: The target of the launch.

    Returns:
        Text for the user; empty if it may fit.
    """
    if target.kind == "cpu":
        return ""
    threads = _LANES * _integer(options.get("num_warps"), 4)
    if threads > _MOST_THREADS:
        return f"needs {threads} threads per program, the limit is {_MOST_THREADS}"
    registers = threads * _integer(options.get("maxnreg"), 0)
    if registers > _REGISTERS:
        return f"allows {registers} registers per program, the limit is {_REGISTERS}"
    axes = grid if isinstance(grid, (tuple, list)) else (grid,)
    for axis, (size, limit) in enumerate(zip(axes, _MOST_PROGRAMS, strict=False)):
        if _integer(size, 0) > limit:
            return f"axis {axis} of its grid is {size}, the limit is {limit}"
    return ""


def compile_all(
    trials: list[Trial], compile: Callable[[Trial], Any], workers: int | None = None
) -> Iterator[Trial]:
    """Compiles the trials, several at a time, and yields each one when it is ready.

    A trial that fails with an error of Tilewright gets the reason, and is yielded as well. Other
    exceptions are raised. The threads launch on the calling thread's default target.
    """
    target = thread_target()

    def work(trial: Trial) -> Trial:
        _core.exchange_default_target(target)
        try:
            trial.compiled = compile(trial)
        except TilewrightError as error:
            trial.fail(error, "compiling")
        return trial

    executor = ThreadPoolExecutor(min(workers or worker_count(), max(1, len(trials))))
    pending: set[Future[Trial]] = {executor.submit(work, trial) for trial in trials}
    try:
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from sorted((future.result() for future in done), key=lambda each: each.index)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _integer(value: Any, default: int) -> int:
    return int(value) if isinstance(value, int) else default
