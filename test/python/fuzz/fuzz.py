"""Compares random kernels with an evaluation in NumPy.

python test/python/fuzz/fuzz.py 0 500                 seeds 0 to 499 on this machine's processor
python test/python/fuzz/fuzz.py 0 500 --targets cpu,cpu:avx2,cpu:sse2,emulator:cuda:90a+checks
python test/python/fuzz/fuzz.py 0 500 --targets cuda --jobs 16     on this machine's GPU, or hip
python test/python/fuzz/fuzz.py 0 500 --family pointers            of one family
python test/python/fuzz/fuzz.py 17 --show             one kernel, and where it differs

A seed gives the same kernel on every machine. A failure is printed with a command that reproduces
it.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from case import Case
from families import FAMILIES
from memory import Undefined
from tiles import Inexact

from tilewright.errors import OutOfResourcesError, TilewrightError

INEXACT = "inexact"


def command(seed: int, target: str, family: str | None) -> str:
    """The command that reproduces a failure."""
    tail = f" --family {family}" if family else ""
    return f"python test/python/fuzz/fuzz.py {seed} --show --targets {target}{tail}"


def check(
    seed: int,
    targets: list[str],
    folder: Path,
    family: str | None = None,
    note: Callable[[str], None] = lambda place: None,
) -> str | None:
    """Checks one kernel: describes the failure; INEXACT if its result is not unique.

    Args:
        note: Called with what is about to run, in case it crashes the process.
    """
    try:
        case = Case(seed, folder, family)
    except Exception:
        return f"no kernel: {traceback.format_exc()}"
    checked = 0
    for target in sorted(targets, key=is_gpu):
        note(f"{case.family}, {target}")
        wrong = difference(case, target)
        if wrong and wrong != INEXACT:
            return f"{case.family}, {target}: {wrong}\n  {command(seed, target, family)}"
        checked += wrong is None
    return None if checked else INEXACT


def difference(case: Case, target: str) -> str | None:
    """Describes what is wrong with a kernel on a target, or None."""
    try:
        case.evaluate(rounds_correctly=not is_gpu(target))
    except Undefined:
        if not (case.kernel.outside and target.startswith("emulator")):
            return INEXACT
        return failing(lambda: case.damage(target))
    except Inexact:
        return INEXACT
    except Exception:
        return f"the oracle fails: {traceback.format_exc()}"
    return failing(lambda: case.difference(case.launch(target)))


def failing(launch: Callable[[], str | None]) -> str | None:
    """The result of a launch, or its exception as text."""
    try:
        return launch()
    except OutOfResourcesError:
        return INEXACT  # it is too large for the GPU
    except TilewrightError as error:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return traceback.format_exc()


def is_gpu(target: str) -> bool:
    return not target.startswith("cpu")


def run_apart(function: Callable[[], str], seconds: int = 60) -> str | None:
    """The result of a function that is run in its own process.

    None if the process crashes, "" if it times out.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)
        try:
            with os.fdopen(writer, "w") as pipe:
                pipe.write(function())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        result = pipe.read()
    _, status = os.waitpid(child, 0)
    return (
        "" if os.waitstatus_to_exitcode(status) == -signal.SIGALRM else None if status else result
    )


def check_here(
    seeds: range, targets: list[str], folder: Path, family: str | None, seconds: int, writer: int
) -> NoReturn:
    """Checks kernels in this process, writes the results to a pipe, and exits."""
    status = 1
    try:
        with os.fdopen(writer, "w") as pipe:

            def tell(kind: str, text: str | None) -> None:
                print(repr((kind, text)), file=pipe, flush=True)

            for seed in seeds:
                signal.alarm(seconds)
                result = check(seed, targets, folder, family, partial(tell, "place"))
                tell("result", result)
                if result and "lost to this process" in result:
                    break  # after an error, the process can't use the GPU any more
        status = 0
    except BrokenPipeError:
        pass  # the parent has stopped reading
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(status)


def check_all(
    seeds: range, targets: list[str], folder: Path, family: str | None, seconds: int
) -> Iterator[tuple[int, str | None]]:
    """Checks kernels in a child process; after a crash a new one continues."""
    while seeds:
        place = "before any target"
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            check_here(seeds, targets, folder, family, seconds, writer)
        os.close(writer)
        try:
            with os.fdopen(reader) as pipe:
                for line in pipe:
                    kind, text = ast.literal_eval(line)
                    if kind == "place":
                        place = text
                        continue
                    yield seeds[0], text
                    seeds = seeds[1:]
        except GeneratorExit:
            os.kill(child, signal.SIGKILL)
            raise
        finally:
            _, status = os.waitpid(child, 0)
        if seeds and status:
            code = os.waitstatus_to_exitcode(status)
            end = f"timeout after {seconds} s" if code == -signal.SIGALRM else f"crash, {code}"
            again = command(seeds[0], place.split(", ")[-1], family)
            yield seeds[0], f"{place}: {end}\n  {again}"
            seeds = seeds[1:]


def check_in_jobs(seeds: range, jobs: int, *rest: Any) -> Iterator[tuple[int, str | None]]:
    """`check_all` with the seeds distributed over several processes."""
    if jobs == 1:
        yield from check_all(seeds, *rest)
        return
    context = multiprocessing.get_context("fork")
    results: Any = context.Queue()

    def work(part: range) -> None:
        try:
            for result in check_all(part, *rest):
                results.put(result)
        finally:
            results.put(None)

    workers = [context.Process(target=work, args=(seeds[job::jobs],)) for job in range(jobs)]
    for worker in workers:
        worker.start()
    running = jobs
    try:
        while running:
            result = results.get()
            if result is None:
                running -= 1
            else:
                yield result
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--targets", default="cpu")
    parser.add_argument("--family", choices=FAMILIES, help="only kernels of this family")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--seconds", type=int, default=120, help="timeout for one kernel")
    parser.add_argument("--show", action="store_true", help="print the kernel")
    parser.add_argument("--first", action="store_true", help="stop at the first failure")
    parser.add_argument("--keep", type=Path, help="a folder for the failing kernels")
    return parser.parse_args()


def main() -> None:
    options = parse()
    targets = options.targets.split(",")
    results: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.setdefault("TILEWRIGHT_CACHE_DIR", f"{scratch}/cache")
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        seeds = range(options.seed, options.seed + options.count)
        rest = (targets, folder, options.family, options.seconds)
        for seed, wrong in check_in_jobs(seeds, options.jobs, *rest):
            results[INEXACT if wrong == INEXACT else "wrong" if wrong else "right"] += 1
            path = folder / f"kernel_{seed}.py"
            if options.show:
                print(path.read_text())
            if wrong and wrong != INEXACT:
                print(f"seed {seed}: {wrong}", flush=True)
                if options.first:
                    break
            else:
                path.unlink(missing_ok=True)
    kinds = ("right", "wrong", INEXACT)
    print(
        f"seeds {seeds[0]} to {seeds[-1]} on {options.targets}:",
        ", ".join(f"{results[kind]} {kind}" for kind in kinds),
    )
    sys.exit(results["wrong"] > 0)


if __name__ == "__main__":
    main()
