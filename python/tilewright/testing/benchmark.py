"""Describes a benchmark: a plot with several lines, and the arguments of each of its points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from tilewright.errors import BenchmarkError


class Benchmark:
    """One plot of a function decorated with `perf_report`, with the arguments of Triton's class.

    The function is called once per point and line, with keywords: the values of `x_names`, the
    line's value for `line_arg`, and `args`.

    Args:
        x_names: The names of the arguments that vary along the x axis, which shows the first.
        x_vals: For each point a tuple with one value for each name, or one value for all names.
        line_arg: The name of the argument that varies from line to line.
        line_vals: The value of `line_arg` for each line.
        line_names: The lines' labels in the plot, and their columns in tables; as many as values.
        plot_name: The title; also the name of the files that are written, without the suffix.
        args: Further arguments, which are equal for all points.
        xlabel: The label of the x axis; by default the first of `x_names`.
        ylabel: The label of the y axis: what the function returns, such as "GB/s".
        x_log, y_log: Whether an axis is logarithmic.
        styles: For each line its color and style as matplotlib names them, such as ("blue", "--").

    Raises:
        BenchmarkError: The numbers of names, values or styles disagree, a name is given twice, or
            an argument has the wrong type.
    """

    def __init__(
        self,
        x_names: Sequence[str],
        x_vals: Iterable[Any],
        line_arg: str,
        line_vals: Sequence[Any],
        line_names: Sequence[str],
        plot_name: str,
        args: Mapping[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles: Sequence[Sequence[str]] | None = None,
    ) -> None:
        self.x_names = _names("x_names", x_names)
        self.x_vals = _items("x_vals", x_vals)
        self.line_arg = line_arg
        self.line_vals = _items("line_vals", line_vals)
        self.line_names = _names("line_names", line_names)
        self.plot_name = plot_name
        self.args = dict(args)
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = styles if styles is None else _items("styles", styles)
        self._check_lines()
        self._check_arguments()
        self.points()

    def __repr__(self) -> str:
        return f"Benchmark({self.plot_name!r}, {self.x_names}, {self.line_names})"

    def points(self) -> list[tuple[Any, ...]]:
        """The values of x_names at each point."""
        return [self._point(x) for x in self.x_vals]

    def _check_lines(self) -> None:
        names, values = len(self.line_names), len(self.line_vals)
        if names != values:
            raise BenchmarkError(f"line_names has {names} elements, but line_vals has {values}")
        if self.styles is None:
            return
        if len(self.styles) < names:
            raise BenchmarkError(f"styles has {len(self.styles)} elements for {names} lines")
        for style in self.styles:
            if not isinstance(style, Sequence) or len(style) < 2:
                raise BenchmarkError(f"a style must be a color and a line style, not {style!r}")

    def _check_arguments(self) -> None:
        for name, value in [("line_arg", self.line_arg), ("plot_name", self.plot_name)]:
            if not isinstance(value, str):
                raise BenchmarkError(f"{name} must be a string, not {value!r}")
        arguments = [*self.x_names, self.line_arg, *self.args]
        for name in arguments:
            if arguments.count(name) > 1:
                raise BenchmarkError(
                    f"argument {name!r} is given by several of x_names, line_arg and args"
                )
        if not self.x_names:
            raise BenchmarkError("x_names is empty")

    def _point(self, x: Any) -> tuple[Any, ...]:
        values = tuple(x) if isinstance(x, list | tuple) else (x,) * len(self.x_names)
        if len(values) != len(self.x_names):
            names = ", ".join(self.x_names)
            raise BenchmarkError(
                f"x_vals has {x!r}, but x_names are {names}: "
                f"{len(values)} values for {len(self.x_names)} names"
            )
        if self.x_log and not isinstance(values[0], Real):
            raise BenchmarkError(f"x_log needs numbers on the x axis, not {values[0]!r}")
        return values


def _items(name: str, values: Any) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise BenchmarkError(f"{name} must be a list, not {values!r}")
    return list(values)


def _names(name: str, values: Any) -> list[str]:
    names = _items(name, values)
    for value in names:
        if not isinstance(value, str):
            raise BenchmarkError(f"{name} must be strings, not {value!r}")
        if names.count(value) > 1:
            raise BenchmarkError(f"{name} has {value!r} twice")
    return names
