"""Calls a benchmark's function for each point and line, and collects what it returns."""

from __future__ import annotations

import inspect
import math
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tilewright.errors import BenchmarkError
from tilewright.testing.benchmark import Benchmark
from tilewright.testing.table import Row, Table, Value


def measure(
    fn: Callable[..., Any],
    benchmark: Benchmark,
    kwargs: Mapping[str, Any],
    rounds: int = 1,
    keep_errors: bool = False,
) -> Table:
    """Runs a benchmark.

    Args:
        fn: The function, which returns y or (y, y_min, y_max), or None where it has no result.
        benchmark: The points and lines.
        kwargs: Further arguments of the function.
        rounds: How often each point is measured; the result is the median, with the smallest and
            largest value. The lines alternate, so that other load affects all of them.
        keep_errors: Whether an exception of the function becomes part of the table.

    Raises:
        BenchmarkError: The function does not take the arguments, or returns something else.
    """
    calls = _Calls(fn, benchmark, kwargs, keep_errors)
    calls.check_arguments()
    return Table(benchmark, [calls.row(point, rounds) for point in benchmark.points()])


@dataclass(frozen=True)
class _Calls:
    """The calls of a benchmark's function."""

    fn: Callable[..., Any]
    benchmark: Benchmark
    kwargs: Mapping[str, Any]
    keep_errors: bool

    def row(self, point: tuple[Any, ...], rounds: int) -> Row:
        """Measures all lines at one point."""
        found: list[list[Value]] = [[] for _ in self.benchmark.line_vals]
        errors: dict[int, Exception] = {}
        for _ in range(rounds):
            for line, values in enumerate(found):
                if line in errors:
                    continue
                try:
                    values += self.call(point, line)
                except Exception as error:
                    if not self.keep_errors:
                        raise
                    errors[line] = error
        results = [None if line in errors else _combined(v) for line, v in enumerate(found)]
        return Row(point, results, errors)

    def call(self, point: tuple[Any, ...], line: int) -> list[Value]:
        """The result of one call; empty if it is None."""
        arguments = self._arguments(point, self.benchmark.line_vals[line])
        result = self.fn(**arguments)
        if result is None:
            return []
        value = _as_value(result)
        if value is None:
            given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
            raise BenchmarkError(
                f"{self._name()} of {self.benchmark.plot_name!r} must return a number or "
                f"(y, y_min, y_max), but it returns {result!r} for {given}"
            )
        return [value]

    def check_arguments(self) -> None:
        """Raises BenchmarkError if the function can't be called with the arguments."""
        benchmark = self.benchmark
        for name in self.kwargs:
            if name in (*benchmark.x_names, benchmark.line_arg, *benchmark.args):
                raise BenchmarkError(
                    f"argument {name!r} of {self._name()} is already set by its benchmark"
                )
        arguments = self._arguments((None,) * len(benchmark.x_names), None)
        try:
            inspect.signature(self.fn).bind(**arguments)
        except TypeError as error:
            given = ", ".join(arguments)
            raise BenchmarkError(f"{self._name()} can't be called with {given}: {error}") from None

    def _arguments(self, point: tuple[Any, ...], line_value: Any) -> dict[str, Any]:
        x = dict(zip(self.benchmark.x_names, point, strict=True))
        return {**x, self.benchmark.line_arg: line_value, **self.benchmark.args, **self.kwargs}

    def _name(self) -> str:
        return str(getattr(self.fn, "__name__", self.fn))


def _as_value(result: Any) -> Value | None:
    """A number or (y, y_min, y_max) as a Value; None for anything else."""
    parts = tuple(result) if isinstance(result, list | tuple) else (result, None, None)
    if len(parts) != 3:
        return None
    try:
        y, low, high = (part if part is None else _as_number(part) for part in parts)
    except (TypeError, ValueError, RuntimeError):
        return None
    return Value(math.nan if y is None else y, low, high)


def _as_number(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError("text is not a number, even if it consists of digits")
    return float(value)


def _combined(values: list[Value]) -> Value | None:
    """The median of several rounds, with the smallest and the largest value."""
    if len(values) < 2:
        return values[0] if values else None
    lows = [value.y if value.y_min is None else value.y_min for value in values]
    highs = [value.y if value.y_max is None else value.y_max for value in values]
    return Value(statistics.median(value.y for value in values), min(lows), max(highs))
