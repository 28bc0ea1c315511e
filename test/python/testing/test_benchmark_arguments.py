"""Benchmarks whose arguments contradict each other."""

import pytest

from tilewright.errors import BenchmarkError
from tilewright.testing import Benchmark

GIVEN = {
    "x_names": ["m", "n"],
    "x_vals": [1, (2, 3)],
    "line_arg": "kind",
    "line_vals": ["a", "b"],
    "line_names": ["A", "B"],
    "plot_name": "plot",
    "args": {"size": 4},
}


def test_positions_and_defaults():
    made = Benchmark(*GIVEN.values())
    assert {name: getattr(made, name) for name in GIVEN} == GIVEN
    assert (made.xlabel, made.ylabel, made.x_log, made.y_log) == ("", "", False, False)
    assert made.styles is None


def test_points():
    made = Benchmark(**{**GIVEN, "x_vals": (x for x in [1, (2, 3), [4, 5]])})
    assert made.points() == [(1, 1), (2, 3), (4, 5)] == made.points()
    assert Benchmark(**{**GIVEN, "x_vals": range(2)}).points() == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"line_names": ["A"]}, "line_names has 1 elements, but line_vals has 2"),
        ({"line_vals": []}, "line_names has 2 elements, but line_vals has 0"),
        ({"line_names": ["A", "A"]}, "line_names has 'A' twice"),
        ({"line_names": "AB"}, "line_names must be a list, not 'AB'"),
        ({"line_names": ["A", 3]}, "line_names must be strings, not 3"),
        ({"x_vals": [(1, 2, 3)]}, r"x_vals has \(1, 2, 3\), but x_names are m, n: 3 values for 2"),
        ({"x_vals": [1, [2]]}, r"x_vals has \[2\], but x_names are m, n"),
        ({"x_vals": 5}, "x_vals must be a list, not 5"),
        ({"x_vals": "5"}, "x_vals must be a list, not '5'"),
        ({"x_names": "m"}, "x_names must be a list, not 'm'"),
        ({"x_names": []}, "x_names is empty"),
        ({"x_names": ["m", "m"]}, "x_names has 'm' twice"),
        ({"x_names": ["m", "kind"]}, "argument 'kind' is given by several"),
        ({"args": {"n": 1}}, "argument 'n' is given by several"),
        ({"line_arg": None}, "line_arg must be a string, not None"),
        ({"plot_name": 3}, "plot_name must be a string, not 3"),
        ({"styles": [("red", "-")]}, "styles has 1 elements for 2 lines"),
        ({"styles": [("red",), ("blue", "-")]}, r"a color and a line style, not \('red',\)"),
        ({"styles": ["r", "b"]}, "a color and a line style, not 'r'"),
        ({"x_log": True, "x_vals": [1, "2"]}, "x_log needs numbers on the x axis, not '2'"),
    ],
)
def test_contradictions(changes, message):
    with pytest.raises(BenchmarkError, match=message):
        Benchmark(**{**GIVEN, **changes})
