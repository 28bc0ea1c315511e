"""The results of a benchmark as JSON."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from tilewright.testing.table import Row, Table


def to_json(table: Table) -> dict[str, Any]:
    """A dictionary with the benchmark's labels and a list of rows.

    In a row, `x` has the values of x_names, and `lines` for each line either y, y_min, y_max and
    the ratio of y to the first line's, or `error`. Numbers that are missing, infinite or NaN are
    null.
    """
    benchmark = table.benchmark
    return {
        "name": benchmark.plot_name,
        "xlabel": benchmark.xlabel or benchmark.x_names[0],
        "ylabel": benchmark.ylabel,
        "lines": benchmark.line_names,
        "rows": [_row(table, row) for row in table.rows],
    }


def _row(table: Table, row: Row) -> dict[str, Any]:
    benchmark = table.benchmark
    x = zip(benchmark.x_names, row.x, strict=True)
    return {
        "x": {name: _plain(value) for name, value in x},
        "lines": {name: _line(row, line) for line, name in enumerate(benchmark.line_names)},
    }


def _line(row: Row, line: int) -> dict[str, Any]:
    if line in row.errors:
        error = row.errors[line]
        return {"error": f"{type(error).__name__}: {error}"}
    value = row.values[line]
    y, low, high = (value.y, value.y_min, value.y_max) if value else (None, None, None)
    numbers = {"y": y, "y_min": low, "y_max": high, "ratio": row.ratio(line)}
    return {name: _finite(number) for name, number in numbers.items()}


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _plain(x: Any) -> Any:
    """A value of x as JSON has it; text for other types, such as dtypes."""
    if x is None or isinstance(x, bool | str):
        return x
    if isinstance(x, Integral):
        return int(x)
    return float(x) if isinstance(x, Real) and math.isfinite(x) else str(x)
