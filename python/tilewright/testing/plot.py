"""Plots a benchmark's table with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from pathlib import Path
from typing import Any

from tilewright.testing.optional import require
from tilewright.testing.table import Table


def require_plots() -> None:
    """Raises BenchmarkError if matplotlib is not installed.

    To be called before a measurement, whose results would be lost.
    """
    require("matplotlib", "a plot")


def save_plot(table: Table, path: Path) -> None:
    """Writes a PNG file. Opens no window, and leaves pyplot's figures alone."""
    figure = require("matplotlib.figure", "a plot").Figure()
    _draw(figure, table)
    figure.savefig(path)


def show_plot(table: Table) -> None:
    """Shows the plot in a window, or where else matplotlib's back end shows it."""
    pyplot = require("matplotlib.pyplot", "a plot")
    figure = pyplot.figure()
    _draw(figure, table)
    pyplot.show()
    pyplot.close(figure)


def _draw(figure: Any, table: Table) -> None:
    benchmark = table.benchmark
    axes = figure.add_subplot()
    x = _x_values(row.x[0] for row in table.rows)
    for line, name in enumerate(benchmark.line_names):
        color, style = benchmark.styles[line][:2] if benchmark.styles else (None, None)
        values = [row.values[line] for row in table.rows]
        y = [_number(value.y if value else None) for value in values]
        low = [_number(value.y_min if value else None) for value in values]
        high = [_number(value.y_max if value else None) for value in values]
        (drawn,) = axes.plot(x, y, label=name, color=color, ls=style)
        if not all(map(math.isnan, low)) and not all(map(math.isnan, high)):
            axes.fill_between(x, low, high, alpha=0.15, color=drawn.get_color())
    if benchmark.line_names:
        axes.legend()
    axes.set_title(benchmark.plot_name)
    axes.set_xlabel(benchmark.xlabel or benchmark.x_names[0])
    axes.set_ylabel(benchmark.ylabel)
    # Setting the default scale, "linear", would replace the labels of an x axis without numbers.
    if benchmark.x_log:
        axes.set_xscale("log")
    if benchmark.y_log:
        axes.set_yscale("log")


def _x_values(values: Iterable[Any]) -> list[Any]:
    """Numbers, or labels if some are not numbers, such as dtypes."""
    kept = list(values)
    return kept if all(isinstance(x, Real) for x in kept) else [str(x) for x in kept]


def _number(value: float | None) -> float:
    """NaN, where matplotlib interrupts the line, for a missing value."""
    return math.nan if value is None else value
