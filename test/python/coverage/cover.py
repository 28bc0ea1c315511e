"""Runs the table of operations, and writes the results to docs/coverage.md.

python test/python/coverage/cover.py --targets cpu,emulator:cuda:80 --jobs 2 --write
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "conversion")]

import coverage_cases as cases  # noqa: E402
import coverage_page  # noqa: E402
import table  # noqa: E402


class Result(NamedTuple):
    """What is wrong with the operation number `index` for a dtype, if anything."""

    index: int
    dtype: str
    problem: str | None


def run(index: int, target: str, refused: bool) -> list[Result]:
    """Runs an operation for all its dtypes, or for all that it refuses."""
    operation = table.OPERATIONS[index]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for dtype in operation.refuses if refused else operation.takes:
            try:
                with cases.launching(target) as gpu:
                    if refused:
                        problem = cases.refusal(operation, dtype, Path(folder))
                    else:
                        problem = cases.run(operation, dtype, operation.shapes, gpu, Path(folder))
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            found.append(Result(index, dtype, problem))
    return found


def run_all(
    indices: list[int], target: str, jobs: int, refused: bool
) -> Iterator[tuple[int, list[Result]]]:
    """The results of each operation, in the order of `indices`."""
    if jobs == 1:
        for index in indices:
            yield index, run(index, target, refused)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        futures = [pool.submit(run, index, target, refused) for index in indices]
        for index, future in zip(indices, futures, strict=True):
            yield index, future.result()


def rows_of(
    results: Iterator[tuple[int, list[Result]]], indices: list[int]
) -> Iterator[tuple[str, list[Result]]]:
    """The results of each row, when all of its operations have run."""
    pending = Counter(table.OPERATIONS[index].name for index in indices)
    collected: dict[str, list[Result]] = {}
    for index, found in results:
        name = table.OPERATIONS[index].name
        collected.setdefault(name, []).extend(found)
        pending[name] -= 1
        if pending[name] == 0:
            yield name, collected.pop(name)


def record(target: str, name: str, results: list[Result]) -> None:
    """Writes the results of a row to the page."""
    right: dict[tuple[str, str], bool] = {}
    for _, dtype, problem in results:
        right[name, dtype] = right.get((name, dtype), True) and problem is None
    page = coverage_page.PAGE
    cells = coverage_page.read(page.read_text()) if page.exists() else {}
    coverage_page.update(cells, target.partition("+")[0], right)
    page.write_text(coverage_page.written(cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", default="cpu")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--rows", default="", help="a regular expression of the rows to run")
    parser.add_argument("--refused", action="store_true", help="the dtypes that must be refused")
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    options = parser.parse_args()
    indices = [
        index
        for index, operation in enumerate(table.OPERATIONS)
        if re.search(options.rows, operation.name)
    ]
    count = failures = 0
    for target in options.targets.split(","):
        results = run_all(indices, target, options.jobs, options.refused)
        for name, found in rows_of(results, indices):
            count += len(found)
            for index, dtype, problem in found:
                if problem:
                    failures += 1
                    code = table.OPERATIONS[index].code
                    print(f"{target}: {code} of {dtype}: {problem}", flush=True)
            if options.write and not options.refused:
                record(target, name, found)
    print(f"{count} kernels, {failures} wrong")
    sys.exit(failures > 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.setdefault("TILEWRIGHT_CACHE_DIR", scratch)
        main()
