"""The results of a benchmark as a table: one row per point, one column per line."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright.testing.benchmark import Benchmark
from tilewright.testing.optional import require


@dataclass(frozen=True)
class Value:
    """What the function returned for one point of a line."""

    y: float
    y_min: float | None = None
    y_max: float | None = None


@dataclass
class Row:
    """One point: the values of x_names, each line's result, and the exceptions by line.

    A result is None where the function raised an exception or returned None.
    """

    x: tuple[Any, ...]
    values: list[Value | None]
    errors: dict[int, Exception]

    def y(self, line: int) -> float | None:
        value = self.values[line]
        return value.y if value else None

    def ratio(self, line: int) -> float | None:
        """The line's y divided by the first line's."""
        y, first = self.y(line), self.y(0)
        return y / first if y is not None and first else None

    def difference(self) -> float | None:
        """The second line's y minus the first line's."""
        first, second = self.y(0), self.y(1)
        return None if first is None or second is None else second - first


@dataclass
class Table:
    """The results of a benchmark. `with_difference` adds a column for two lines."""

    benchmark: Benchmark
    rows: list[Row]
    with_difference: bool = False

    def columns(self) -> list[str]:
        difference = ["Diff"] if self.with_difference else []
        return [*self.benchmark.x_names, *self.benchmark.line_names, *difference]

    def cells(self, row: Row) -> list[Any]:
        """A row's values of x_names, then a number or None for each line."""
        lines = [row.y(line) for line in range(len(row.values))]
        return [*row.x, *lines, *([row.difference()] if self.with_difference else [])]

    def write_csv(self, path: Path, precision: int) -> None:
        """Writes the table with this number of digits after the point; a missing y is empty."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns())
            for row in self.rows:
                writer.writerow([_csv_cell(cell, precision) for cell in self.cells(row)])

    def to_dataframe(self) -> Any:
        """A pandas DataFrame; a missing y is NaN.

        Raises:
            BenchmarkError: pandas is not installed.
        """
        pandas = require("pandas", "return_df=True")
        x_count = len(self.benchmark.x_names)
        rows = [self.cells(row) for row in self.rows]
        frame = pandas.DataFrame(rows, columns=self.columns())
        return frame.astype(dict.fromkeys(self.columns()[x_count:], float))

    def to_text(self, with_ratios: bool = False) -> str:
        """Aligned columns; with ratios, each further line is followed by its ratio to the first."""
        lines = [self._heading(with_ratios)]
        lines += [self._texts(row, with_ratios) for row in self.rows]
        return aligned(lines)

    def _heading(self, with_ratios: bool) -> list[str]:
        if not with_ratios:
            return self.columns()
        first, *others = self.benchmark.line_names
        heading = [*self.benchmark.x_names, first]
        for other in others:
            heading += [other, f"{other} / {first}"]
        return heading

    def _texts(self, row: Row, with_ratios: bool) -> list[str]:
        texts = [_x_text(x) for x in row.x]
        for line in range(len(row.values)):
            texts.append("failed" if line in row.errors else _y_text(row.y(line), ".6g"))
            if with_ratios and line:
                texts.append(_y_text(row.ratio(line), ".3f"))
        if self.with_difference and not with_ratios:
            texts.append(_y_text(row.difference(), ".6g"))
        return texts


def aligned(lines: list[list[str]]) -> str:
    """Columns of text, each as wide as its widest cell and aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )


def _csv_cell(cell: Any, precision: int) -> Any:
    return f"{cell:.{precision}f}" if isinstance(cell, float) else cell


def _x_text(x: Any) -> str:
    return f"{x:.6g}" if isinstance(x, float) else str(x)


def _y_text(y: float | None, form: str) -> str:
    return "-" if y is None else format(y, form)
