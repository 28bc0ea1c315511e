"""What the plots of benchmarks show."""

import math

import pytest

from tilewright.testing import Benchmark, plot
from tilewright.testing.table import Row, Table, Value

figures = pytest.importorskip("matplotlib.figure")


def axes_of(rows, names=("A", "B"), x_vals=(1, 2), **options):
    """The axes of a plot; `rows` has the values of each point."""
    lines = list(names)
    benchmark = Benchmark(["n", "k"], list(x_vals), "kind", lines, lines, "plot", {}, **options)
    points = zip(benchmark.points(), rows, strict=True)
    table = Table(benchmark, [Row(x, list(values), {}) for x, values in points])
    figure = figures.Figure()
    plot._draw(figure, table)
    figure.canvas.draw()
    return figure.axes[0]


def test_a_line_for_each_value():
    axes = axes_of([[Value(1), Value(2)], [Value(3), Value(4)]], x_vals=[(8, 0), (16, 1)])
    first, second = axes.lines
    assert first.get_xdata().tolist() == [8, 16] and first.get_ydata().tolist() == [1, 3]
    assert second.get_ydata().tolist() == [2, 4]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["A", "B"]


def test_minimum_and_maximum_are_a_band():
    axes = axes_of([[Value(2, 1, 3), Value(5)], [Value(3, 2, 6), Value(5)]])
    (band,) = axes.collections
    (path,) = band.get_paths()
    assert {tuple(point) for point in path.vertices} >= {(1, 1), (1, 3), (2, 2), (2, 6)}
    assert tuple(band.get_facecolor()[0][:3]) == pytest.approx(rgb(axes.lines[0].get_color()))


def rgb(color):
    return pytest.importorskip("matplotlib.colors").to_rgb(color)


def test_labels_and_scales():
    rows = [[Value(1), Value(2)]] * 2
    axes = axes_of(rows)
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("plot", "n", "")
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    axes = axes_of(rows, xlabel="size", ylabel="GB/s", x_log=True, y_log=True)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("size", "GB/s")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_styles():
    axes = axes_of([[Value(1), Value(2)]] * 2, styles=[("red", "--"), ("blue", "-"), ("k", ":")])
    assert [line.get_color() for line in axes.lines] == ["red", "blue"]
    assert [line.get_linestyle() for line in axes.lines] == ["--", "-"]


def test_missing_values_interrupt_the_line():
    axes = axes_of([[None, Value(2)], [Value(1), None]])
    assert math.isnan(axes.lines[0].get_ydata()[0]) and axes.lines[0].get_ydata()[1] == 1


def test_labels_on_the_x_axis():
    axes = axes_of([[Value(1), Value(2)]] * 2, x_vals=["float16", None])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["float16", "None"]


def test_a_plot_without_points_or_lines():
    assert len(axes_of([], x_vals=[]).lines) == 2
    assert axes_of([[], []], names=()).get_legend() is None
