"""The decorator `perf_report`: a function with its benchmarks, which `run` measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tilewright.errors import BenchmarkError
from tilewright.testing.benchmark import Benchmark
from tilewright.testing.html_report import write_html
from tilewright.testing.measure import measure
from tilewright.testing.optional import require
from tilewright.testing.plot import require_plots, save_plot, show_plot
from tilewright.testing.table import Table


class Mark:
    """A function and its benchmarks, as `perf_report` returns them.

    Attributes:
        fn: The function.
        benchmarks: A Benchmark or a list of them, as given to `perf_report`.
    """

    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]) -> None:
        self.fn = fn
        self.benchmarks = benchmarks
        for benchmark in self.listed():
            if not isinstance(benchmark, Benchmark):
                raise BenchmarkError(f"perf_report takes Benchmarks, not {benchmark!r}")

    def listed(self) -> list[Benchmark]:
        """The benchmarks, also if there is only one."""
        given = self.benchmarks
        return list(given) if isinstance(given, list | tuple) else [given]  # type: ignore[list-item]

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str | os.PathLike[str] = "",
        return_df: bool = False,
        diff_col: bool = False,
        save_precision: int = 6,
        **kwargs: Any,
    ) -> Any:
        """Measures all benchmarks.

        Args:
            show_plots: Whether to show each plot in a window; needs matplotlib.
            print_data: Whether to print each table.
            save_path: A folder for NAME.png and NAME.csv of each benchmark, where NAME is its
                plot_name, and for results.html, which shows all; needs matplotlib. Empty: no files.
            return_df: Whether to return the tables; needs pandas.
            diff_col: Whether to add a column with the second of two lines minus the first.
            save_precision: The number of digits after the point in CSV files.
            kwargs: Further arguments of the function.

        Returns:
            With return_df, a pandas DataFrame with columns for x_names and the lines, or a list of
            them if `perf_report` was given a list; else None.

        Raises:
            BenchmarkError: A benchmark does not fit the function, the function returns no number,
                the plot_names are not distinct file names, or a package is missing.
        """
        self._check(show_plots, save_path, return_df, diff_col)
        folder = Path(save_path) if save_path else None
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
        tables = []
        for benchmark in self.listed():
            table = measure(self.fn, benchmark, kwargs)
            table.with_difference = diff_col
            tables.append(table)
            _report(table, show_plots, print_data, folder, save_precision)
        if folder:
            write_html(folder / "results.html", tables)
        if not return_df:
            return None
        frames = [table.to_dataframe() for table in tables]
        return frames[0] if isinstance(self.benchmarks, Benchmark) else frames

    def _check(
        self, show_plots: bool, save_path: str | os.PathLike[str], return_df: bool, diff_col: bool
    ) -> None:
        """Finds errors before the measurement, whose results would be lost."""
        if show_plots or save_path:
            require_plots()
        if return_df:
            require("pandas", "return_df=True")
        if save_path:
            check_file_names(self.listed())
        for benchmark in self.listed():
            if diff_col and len(benchmark.line_names) != 2:
                found = len(benchmark.line_names)
                raise BenchmarkError(
                    f"diff_col needs two lines, but {benchmark.plot_name!r} has {found}"
                )


def perf_report(
    benchmarks: Benchmark | Sequence[Benchmark],
) -> Callable[[Callable[..., Any]], Mark]:
    """Decorates a function that measures one point of a plot.

    The function returns y, or (y, y_min, y_max), whose minimum and maximum are plotted as a band,
    or None where it has no result. The decorated function is a Mark.

    Args:
        benchmarks: A Benchmark or a list of them.
    """
    return lambda fn: Mark(fn, benchmarks)


def check_file_names(benchmarks: Sequence[Benchmark]) -> None:
    """Raises BenchmarkError unless the plot_names are distinct names of files."""
    seen: set[str] = set()
    for benchmark in benchmarks:
        name = benchmark.plot_name
        if not name or "/" in name or "\\" in name or "\0" in name:
            raise BenchmarkError(f"plot_name {name!r} can't be the name of a file to save")
        if name in seen:
            raise BenchmarkError(
                f"two benchmarks have the plot_name {name!r}: the files of one "
                "would overwrite the other's"
            )
        seen.add(name)


def _report(
    table: Table, show_plots: bool, print_data: bool, folder: Path | None, precision: int
) -> None:
    name = table.benchmark.plot_name
    if print_data:
        print(f"{name}:\n{table.to_text()}" if name else table.to_text())
    if folder:
        save_plot(table, folder / f"{name}.png")
        table.write_csv(folder / f"{name}.csv", precision)
    if show_plots and name:
        show_plot(table)
