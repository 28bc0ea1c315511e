"""`tilewright bench file.py`: runs a file's benchmarks and prints a table for each.

A file's benchmarks are the functions that are decorated with tilewright.testing.perf_report.

    add (GB/s, higher is better)
        n  PyTorch  Tilewright  Tilewright / PyTorch
     4096  9.81642     4.91212                 0.500
    65536  52.9193     49.1522                 0.929
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilewright.cli.benchmark_json import to_json
from tilewright.cli.module import load_module
from tilewright.errors import ArgumentError, BenchmarkError
from tilewright.testing.benchmark import Benchmark
from tilewright.testing.html_report import write_html
from tilewright.testing.measure import measure
from tilewright.testing.perf_report import Mark, check_file_names
from tilewright.testing.plot import require_plots, save_plot
from tilewright.testing.table import Table

_CSV_PRECISION = 6


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Import a Python file, run its functions that are decorated with "
        "tilewright.testing.perf_report, and print a table for each of their benchmarks. "
        "A column 'B / A' is B's value (y) divided by that of A, the first line: for times a ratio "
        "below 1 means that B is better, for throughputs a ratio above 1."
    )
    parser.add_argument("file", metavar="FILE", help="a Python file; its name is not __main__")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="run only these: names of decorated functions, or plot_names of benchmarks",
    )
    parser.add_argument(
        "--csv", metavar="FOLDER", type=Path, help="write a CSV file for each benchmark"
    )
    parser.add_argument(
        "--html",
        metavar="FOLDER",
        type=Path,
        help="write results.html with all tables and plots (needs matplotlib)",
    )
    parser.add_argument(
        "--plot", metavar="FOLDER", type=Path, help="write a PNG file for each (needs matplotlib)"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all results to a file")
    parser.add_argument(
        "--rounds",
        metavar="N",
        type=_positive,
        default=1,
        help="measure each point N times, alternating between the lines, and take the median",
    )


def run(arguments: argparse.Namespace) -> int:
    """Runs the benchmarks; returns 1 if a call failed."""
    chosen = _chosen(_marks(arguments.file), arguments.names, arguments.file)
    _prepare(arguments, [benchmark for _, benchmark in chosen])
    tables: list[Table] = []
    failed = False
    for mark, benchmark in chosen:
        try:
            table = measure(mark.fn, benchmark, {}, arguments.rounds, keep_errors=True)
        except BenchmarkError as error:  # the function does not take the benchmark's arguments
            print(f"tilewright bench: {error}", file=sys.stderr)
            failed = True
            continue
        failed |= any(row.errors for row in table.rows)
        print(("\n" if tables else "") + _text(table), flush=True)
        tables.append(table)
        _write(arguments, table)
    if arguments.html:
        write_html(arguments.html / "results.html", tables, with_ratios=True)
    if arguments.json:
        text = json.dumps([to_json(table) for table in tables], indent=2, allow_nan=False)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 1 if failed else 0


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def _marks(file: str) -> dict[str, Mark]:
    """The decorated functions of a file by name; those with two names once."""
    saved = sys.argv
    sys.argv = [file]  # so that the file does not parse this command's arguments
    try:
        module = load_module(file)
    finally:
        sys.argv = saved
    marks: dict[str, Mark] = {}
    for name, value in vars(module).items():
        if isinstance(value, Mark) and all(value is not known for known in marks.values()):
            marks[name] = value
    if not marks:
        raise ArgumentError(
            f"{file} has no benchmark: decorate a function with tilewright.testing.perf_report"
        )
    return marks


def _chosen(
    marks: dict[str, Mark], names: Sequence[str], file: str
) -> list[tuple[Mark, Benchmark]]:
    """The benchmarks with these names, or all if there are no names, in the file's order."""
    known: dict[str, None] = {}
    chosen = []
    for name, mark in marks.items():
        known[name] = None
        for benchmark in mark.listed():
            known[benchmark.plot_name] = None
            if not names or name in names or benchmark.plot_name in names:
                chosen.append((mark, benchmark))
    for name in names:
        if name not in known:
            raise ArgumentError(f"{file} has no benchmark {name!r}; it has: {', '.join(known)}")
    return chosen


def _prepare(arguments: argparse.Namespace, benchmarks: Sequence[Benchmark]) -> None:
    """Finds errors and creates folders before the measurement, whose results would be lost."""
    folders = [path for path in (arguments.csv, arguments.html, arguments.plot) if path]
    if folders:
        check_file_names(benchmarks)
    if arguments.html or arguments.plot:
        require_plots()
    if arguments.json:
        folders.append(arguments.json.absolute().parent)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)


def _write(arguments: argparse.Namespace, table: Table) -> None:
    name = table.benchmark.plot_name
    if arguments.csv:
        table.write_csv(arguments.csv / f"{name}.csv", _CSV_PRECISION)
    for folder in {arguments.plot, arguments.html} - {None}:
        save_plot(table, folder / f"{name}.png")


def _text(table: Table) -> str:
    benchmark = table.benchmark
    unit = ", ".join(filter(None, [benchmark.ylabel, better(benchmark.ylabel)]))
    title = f"{benchmark.plot_name} ({unit})" if unit else benchmark.plot_name
    return "\n".join([title, table.to_text(with_ratios=True), *_failures(table)])


def _failures(table: Table) -> Iterator[str]:
    """A line for each call that raised an exception."""
    benchmark = table.benchmark
    for row in table.rows:
        point = ", ".join(
            f"{name}={value}" for name, value in zip(benchmark.x_names, row.x, strict=True)
        )
        for line, error in row.errors.items():
            what = f"{type(error).__name__}: {error}".rstrip(": ").replace("\n", "\n    ")
            yield f"failed: {benchmark.line_names[line]}, {point}: {what}"


_RATE = re.compile(r"/\s*s\b|/\s*sec|per second|flop|throughput|bandwidth|speedup", re.I)
_TIME = re.compile(r"\b([mnuµ]?s|[mnuµ]sec|(milli|micro|nano)?seconds?|time|latency)\b", re.I)


def better(ylabel: str) -> str:
    """Which values are better, as text; empty if the label of the y axis has no known unit."""
    if _RATE.search(ylabel):
        return "higher is better"
    return "lower is better" if _TIME.search(ylabel) else ""
