"""Functions decorated with perf_report: what they are called with and what is made of it."""

import csv
import math
import struct
import subprocess
import sys

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import BenchmarkError
from tilewright.testing import Benchmark, Mark, do_bench, perf_report


def benchmark(**changes):
    """Two lines, "a" and "b", at the points n=1 and n=2."""
    given = {
        "x_names": ["n"],
        "x_vals": [1, 2],
        "line_arg": "kind",
        "line_vals": ["a", "b"],
        "line_names": ["A", "B"],
        "plot_name": "some plot",
        "args": {},
    }
    return Benchmark(**{**given, **changes})


def ten(n, kind, **more):
    return 10 * n + (kind == "b")


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_each_point_and_line_is_called_once():
    calls = []

    @perf_report(benchmark(args={"size": 5}))
    def record(**arguments):
        calls.append(arguments)
        return 1

    assert isinstance(record, Mark) and record.run(extra="x") is None
    common = {"size": 5, "extra": "x"}
    expected = [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
    assert calls == [{"n": n, "kind": kind, **common} for n, kind in expected]


def test_several_x_names():
    points = []
    several = benchmark(
        x_names=["m", "n"], x_vals=[(1, 2), [3, 4], 5], line_vals=[0], line_names=["L"]
    )
    perf_report(several)(lambda m, n, kind: points.append((m, n))).run()
    assert points == [(1, 2), (3, 4), (5, 5)]


def test_the_table_is_printed(capsys):
    perf_report(benchmark())(ten).run(print_data=True)
    assert capsys.readouterr().out == "some plot:\nn   A   B\n1  10  11\n2  20  21\n"


def test_nothing_is_printed_or_written_by_default(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert perf_report(benchmark())(ten).run() is None
    assert capsys.readouterr().out == "" and list(tmp_path.iterdir()) == []


def test_the_files(tmp_path):
    folder = tmp_path / "new" / "folder"
    both = [benchmark(), benchmark(plot_name="<2> & #3", x_vals=[0.5])]
    perf_report(both)(ten).run(save_path=str(folder))
    names = {path.name for path in folder.iterdir()}
    assert names == {
        *("some plot.png", "some plot.csv", "<2> & #3.png", "<2> & #3.csv"),
        "results.html",
    }
    assert rows(folder / "some plot.csv") == [
        ["n", "A", "B"],
        ["1", "10.000000", "11.000000"],
        ["2", "20.000000", "21.000000"],
    ]
    assert rows(folder / "<2> & #3.csv")[1] == ["0.500000", "5.000000", "6.000000"]
    page = (folder / "results.html").read_text()
    assert 'src="some%20plot.png"' in page and 'src="%3C2%3E%20%26%20%233.png"' in page
    assert "&lt;2&gt; &amp; #3" in page and "<2>" not in page


def test_the_plot_is_a_png_file(tmp_path):
    perf_report(benchmark(x_log=True, y_log=True))(ten).run(save_path=tmp_path)
    content = (tmp_path / "some plot.png").read_bytes()
    assert content.startswith(b"\x89PNG") and min(struct.unpack(">II", content[16:24])) > 100


def test_precision_and_difference(tmp_path, capsys):
    perf_report(benchmark())(ten).run(
        save_path=tmp_path, save_precision=1, diff_col=True, print_data=True
    )
    assert rows(tmp_path / "some plot.csv")[1] == ["1", "10.0", "11.0", "1.0"]
    assert capsys.readouterr().out.splitlines()[1:] == [
        "n   A   B  Diff",
        "1  10  11     1",
        "2  20  21     1",
    ]
    with pytest.raises(BenchmarkError, match="diff_col needs two lines, but 'some plot' has 1"):
        perf_report(benchmark(line_vals=[1], line_names=["A"]))(ten).run(diff_col=True)


def test_data_frames():
    pytest.importorskip("pandas")
    frame = perf_report(benchmark())(ten).run(return_df=True)
    assert list(frame.columns) == ["n", "A", "B"]
    assert frame["n"].tolist() == [1, 2] and frame["B"].tolist() == [11, 21]
    frames = perf_report([benchmark()])(ten).run(return_df=True)
    assert isinstance(frames, list) and frames[0].equals(frame)


def test_points_without_a_result(tmp_path, capsys):
    pytest.importorskip("pandas")
    mark = perf_report(benchmark())(lambda n, kind: None if kind == "a" else n)
    frame = mark.run(save_path=tmp_path, return_df=True, print_data=True)
    assert frame["A"].isna().all() and frame["A"].dtype == float
    assert rows(tmp_path / "some plot.csv")[1] == ["1", "", "1.000000"]
    assert capsys.readouterr().out.splitlines()[2] == "1  -  1"


@pytest.mark.parametrize(
    "result",
    [2, 2.0, np.float32(2), np.array(2), torch.tensor([2]), (2, 1, 3), [2.0, None, None]],
    ids=repr,
)
def test_what_a_benchmark_may_return(result, capsys):
    perf_report(benchmark())(lambda n, kind: result).run(print_data=True)
    assert capsys.readouterr().out.splitlines()[2] == "1  2  2"


@pytest.mark.parametrize("result", ["2", b"2", (1, 2), [1], {}, 1j, ("1", 2, 3), torch.ones(3)])
def test_what_it_may_not_return(result):
    with pytest.raises(BenchmarkError, match=r"'some plot' must return a number .* for n=1, kind"):
        perf_report(benchmark())(lambda n, kind: result).run()


def test_exceptions_of_the_function_are_raised():
    def fail(n, kind):
        raise KeyError("no such kind")

    with pytest.raises(KeyError, match="no such kind"):
        perf_report(benchmark())(fail).run()


def test_functions_that_do_not_take_the_arguments():
    def narrow(n):
        raise AssertionError("is not called")

    with pytest.raises(BenchmarkError, match=r"narrow can't be called with n, kind: .*'kind'"):
        perf_report(benchmark())(narrow).run()
    with pytest.raises(BenchmarkError, match="'n' of ten is already set by its benchmark"):
        perf_report(benchmark())(ten).run(n=5)


def test_names_that_are_no_file_names(tmp_path):
    for name in ("", "a/b", "../x"):
        mark = perf_report(benchmark(plot_name=name))(lambda n, kind: pytest.fail("measured"))
        with pytest.raises(BenchmarkError, match="can't be the name of a file"):
            mark.run(save_path=tmp_path)
    mark = perf_report([benchmark(), benchmark()])(lambda n, kind: pytest.fail("measured"))
    with pytest.raises(BenchmarkError, match="two benchmarks have the plot_name 'some plot'"):
        mark.run(save_path=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_duplicate_names_are_allowed_where_nothing_is_written(capsys):
    perf_report([benchmark(), benchmark()])(ten).run(print_data=True)
    assert capsys.readouterr().out.count("some plot:") == 2


@pytest.mark.parametrize("bad", ["plot", None, [benchmark(), 5]])
def test_only_benchmarks_are_taken(bad):
    with pytest.raises(BenchmarkError, match="perf_report takes Benchmarks, not"):
        perf_report(bad)(ten)


def test_missing_packages(monkeypatch, tmp_path, capsys):
    for name in ("matplotlib", "matplotlib.figure", "matplotlib.pyplot", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    mark = perf_report(benchmark())(ten)
    mark.run(print_data=True)
    assert "2  20  21" in capsys.readouterr().out
    unmeasured = perf_report(benchmark())(lambda n, kind: pytest.fail("measured"))
    for arguments in ({"save_path": tmp_path}, {"show_plots": True}):
        with pytest.raises(BenchmarkError, match="pip install matplotlib"):
            unmeasured.run(**arguments)
    with pytest.raises(BenchmarkError, match="pip install pandas"):
        unmeasured.run(return_df=True)


def test_packages_are_imported_only_when_they_are_needed():
    code = """
import sys
from tilewright.testing import Benchmark, perf_report
one = Benchmark(["n"], [1], "kind", ["a"], ["A"], "plot", {})
perf_report(one)(lambda n, kind: 1).run(print_data=True)
print([name for name in ("numpy", "torch", "pandas", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_saving_leaves_pyplot_alone(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = pyplot.get_fignums()
    perf_report(benchmark())(ten).run(save_path=tmp_path)
    assert pyplot.get_fignums() == before


def test_plots_are_shown_on_request(monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    shown = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.append(pyplot.gcf().axes[0].get_title()))
    perf_report([benchmark(), benchmark(plot_name="other")])(ten).run(show_plots=True)
    assert shown == ["some plot", "other"] and pyplot.get_fignums() == []


def test_a_kernel_is_measured():
    @tilewright.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        m = i < n
        tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)

    @perf_report(benchmark(x_vals=[100, 5000], line_vals=[64, 1024]))
    def time_add(n, kind):
        x, out = np.arange(n, dtype=np.float32), np.empty(n, np.float32)

        def launch():
            add[(tilewright.cdiv(n, kind),)](x, x, out, n, BLOCK=kind)

        ms, low, high = do_bench(launch, warmup=1, rep=1, quantiles=[0.5, 0.2, 0.8])
        np.testing.assert_array_equal(out, x + x)
        return ms, low, high

    pytest.importorskip("pandas")
    frame = time_add.run(return_df=True)
    assert frame["n"].tolist() == [100, 5000]
    assert (frame[["A", "B"]] > 0).all().all() and math.isfinite(frame["A"].sum())
