"""`tilewright bench file.py` runs the benchmarks of a file and compares their lines."""

import csv
import json
import subprocess
import sys

import pytest

from tilewright import cli
from tilewright.cli.bench import better

HEAD = """
from tilewright.testing import Benchmark, perf_report

def plot(name="plot", x_vals=(1, 2), lines="ab", **options):
    names = [line.upper() for line in lines]
    return Benchmark(["n"], x_vals, "kind", list(lines), names, name, {}, **options)
"""
FIRST = """
@perf_report(plot())
def first(n, kind):
    return n if kind == "a" else 3 * n
"""


@pytest.fixture
def bench(tmp_path, capsys, monkeypatch):
    """Runs the command for a file; returns its status and what it prints to stdout and stderr."""
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(text, *arguments):
        file = tmp_path / "benched_file.py"
        file.write_text(HEAD + text)
        sys.modules.pop("benched_file", None)
        status = cli.main(["bench", str(file), *map(str, arguments)])
        return status, *capsys.readouterr()

    yield run
    for name in ("benched_file", "beside_the_benchmarks"):
        sys.modules.pop(name, None)


def test_a_table_with_ratios(bench):
    status, text, error = bench(FIRST)
    assert (status, error) == (0, "")
    assert text == "plot\nn  A  B  B / A\n1  1  3  3.000\n2  2  6  3.000\n"


def test_all_benchmarks_of_the_file(bench):
    _, text, _ = bench(
        FIRST
        + "@perf_report([plot('second', lines='a'), plot('third', x_vals=[])])\n"
        + "def other(n, kind): return 1.25\n"
        + "again = other\n"
    )
    tables = text.split("\n\n")
    assert [table.splitlines()[0] for table in tables] == ["plot", "second", "third"]
    assert tables[1] == "second\nn     A\n1  1.25\n2  1.25"
    assert tables[2] == "third\nn  A  B  B / A\n"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["first"], ["plot"]),
        (["other"], ["two", "three"]),
        (["three", "plot"], ["plot", "three"]),
        (["other", "two"], ["two", "three"]),
    ],
)
def test_benchmarks_can_be_chosen(bench, names, expected):
    text = FIRST + "other = perf_report([plot('two'), plot('three')])(lambda n, kind: 1)"
    status, printed, _ = bench(text, *names)
    assert status == 0
    assert [table.splitlines()[0] for table in printed.split("\n\n")] == expected


def test_an_unknown_name(bench):
    status, text, error = bench(FIRST, "plot", "second")
    assert (status, text) == (1, "")
    assert error.startswith("tilewright bench: ") and "\n" not in error.strip()
    assert error.endswith("has no benchmark 'second'; it has: first, plot\n")


def test_the_label_says_what_is_better(bench):
    _, text, _ = bench("x = perf_report(plot(ylabel='GB/s'))(lambda n, kind: 1)")
    assert text.startswith("plot (GB/s, higher is better)\n")
    _, text, _ = bench("x = perf_report(plot(ylabel='apples'))(lambda n, kind: 1)")
    assert text.startswith("plot (apples)\n")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        *[(label, "higher is better") for label in ("TFLOPS", "GB / s", "ops/sec", "Speedup")],
        *[(label, "lower is better") for label in ("ms", "Time (µs)", "milliseconds", "Latency")],
        *[(label, "") for label in ("", "bytes", "items", "msgs", "error")],
    ],
)
def test_units(label, expected):
    assert better(label) == expected


FAILING = """
@perf_report(plot())
def failing(n, kind):
    if (n, kind) == (1, "b"):
        raise ValueError("too small\\nfor b")
    return None if (n, kind) == (2, "a") else n

after = perf_report(plot("after"))(lambda n, kind: 1)
"""


def test_calls_that_raise_an_exception_are_reported(bench):
    status, text, error = bench(FAILING)
    assert (status, error) == (1, "")
    assert text.split("\n\n")[0].splitlines() == [
        "plot",
        "n  A       B  B / A",
        "1  1  failed      -",
        "2  -       2      -",
        "failed: B, n=1: ValueError: too small",
        "    for b",
    ]
    assert text.split("\n\n")[1].startswith("after\n")


def test_results_that_are_no_numbers_are_failures(bench):
    status, text, _ = bench("x = perf_report(plot())(lambda n, kind: 'fast')")
    assert status == 1
    assert "failed: A, n=1: BenchmarkError: <lambda> of 'plot' must return a number" in text


def test_a_function_that_does_not_take_the_arguments(bench):
    status, text, error = bench("@perf_report(plot('x'))\ndef narrow(n): return 1\n" + FIRST)
    assert status == 1 and text.startswith("plot\n")
    assert error.startswith("tilewright bench: narrow can't be called with n, kind: ")


def test_rounds_alternate_and_give_the_median(bench, tmp_path):
    text = (
        "calls, times = [], iter([5, 1, 9, 1, 6, 1])\n"
        "@perf_report(plot(x_vals=[1]))\n"
        "def f(n, kind):\n    calls.append(kind)\n    print(*calls)\n    return next(times)\n"
    )
    path = tmp_path / "results.json"
    _, printed, _ = bench(text, "--rounds", 3, "--json", path)
    assert "a b a b a b\nplot\n" in printed and printed.endswith("1  6  1  0.167\n")
    (row,) = json.loads(path.read_text())[0]["rows"]
    assert row["lines"]["A"] == {"y": 6, "y_min": 5, "y_max": 9, "ratio": 1}


@pytest.mark.parametrize("rounds", ["0", "-1", "two"])
def test_rounds_must_be_positive(bench, rounds):
    with pytest.raises(SystemExit) as stopped:
        bench(FIRST, "--rounds", rounds)
    assert stopped.value.code == 2


def test_the_files(bench, tmp_path):
    text = FIRST + "s = perf_report(plot('second'))(lambda n, kind: (1, 0.5, 2))"
    folders = {name: tmp_path / "new" / name for name in ("csv", "html", "plot")}
    status, _, _ = bench(text, *(part for n, f in folders.items() for part in (f"--{n}", f)))
    assert status == 0
    found = {name: sorted(path.name for path in f.iterdir()) for name, f in folders.items()}
    assert found == {
        "csv": ["plot.csv", "second.csv"],
        "html": ["plot.png", "results.html", "second.png"],
        "plot": ["plot.png", "second.png"],
    }
    with open(folders["csv"] / "plot.csv", newline="") as file:
        assert list(csv.reader(file))[:2] == [["n", "A", "B"], ["1", "1.000000", "3.000000"]]
    page = (folders["html"] / "results.html").read_text()
    assert "B / A" in page and 'src="second.png"' in page


def test_json(bench, tmp_path):
    text = FAILING.replace("return None", "return float('inf')")
    text += "import numpy\nxs = [numpy.int64(3), 0.5, float]\n"
    text += "more = perf_report(plot('more', xs, 'a', xlabel='X', ylabel='ms'))(after.fn)"
    path = tmp_path / "new" / "results.json"
    status, _, _ = bench(text, "--json", path)
    plot, _, more = json.loads(path.read_text(), parse_constant=pytest.fail)
    assert status == 1
    assert (plot["name"], plot["xlabel"], plot["lines"]) == ("plot", "n", ["A", "B"])
    assert plot["rows"][0]["x"] == {"n": 1}
    assert plot["rows"][0]["lines"]["B"] == {"error": "ValueError: too small\nfor b"}
    assert plot["rows"][1]["lines"]["A"]["y"] is None
    assert (more["xlabel"], more["ylabel"]) == ("X", "ms")
    assert [row["x"]["n"] for row in more["rows"]] == [3, 0.5, "<class 'float'>"]


def test_names_that_would_overwrite_files(bench, tmp_path):
    text = FIRST + "again = perf_report(plot())(lambda n, kind: print('measured'))"
    for option in ("--csv", "--plot", "--html"):
        status, printed, error = bench(text, option, tmp_path / "folder")
        assert (status, printed) == (1, "")
        assert "two benchmarks have the plot_name 'plot'" in error
    assert not (tmp_path / "folder").exists()
    assert bench(text, "first", "--csv", tmp_path / "folder")[0] == 0
    assert bench(text)[0] == 0


def test_a_plot_without_matplotlib(bench, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, printed, error = bench(FIRST, "--plot", tmp_path)
    assert (status, printed) == (1, "") and "pip install matplotlib" in error
    assert bench(FIRST, "--csv", tmp_path)[0] == 0


def test_a_file_without_benchmarks(bench):
    status, _, error = bench("def f(n, kind): return 1")
    assert status == 1 and "has no benchmark: decorate a function with" in error


def test_the_file_is_not_main_and_has_no_arguments(bench):
    text = "import sys\nassert __name__ == 'benched_file' and len(sys.argv) == 1\n"
    argv = sys.argv
    assert bench(text + FIRST, "first")[0] == 0
    assert sys.argv is argv


def test_modules_beside_the_file(bench, tmp_path):
    (tmp_path / "beside_the_benchmarks.py").write_text("value = 7")
    text = "@perf_report(plot(lines='a'))\ndef f(n, kind):\n    import beside_the_benchmarks as b\n"
    status, printed, _ = bench(text + "    return b.value")
    assert status == 0 and "1  7\n" in printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", "benched_file.py:7: ZeroDivisionError: division by zero"),
        ("x = (", "benched_file.py:7: SyntaxError:"),
        ("import no_such_module_anywhere", "benched_file.py:7: ModuleNotFoundError:"),
        ("raise SystemExit(3)", "benched_file.py:7: SystemExit: 3"),
        ("plot(lines='aa')", "benched_file.py:6: BenchmarkError: line_names has 'A' twice"),
    ],
)
def test_files_that_can_not_be_imported(bench, text, message):
    status, printed, error = bench(text)
    assert (status, printed) == (1, "")
    assert error.startswith("tilewright bench: ") and message in error
    assert "Traceback" not in error and len(error.splitlines()) == 1


def test_a_missing_file(tmp_path, capsys):
    assert cli.main(["bench", str(tmp_path / "gone.py")]) == 1
    assert "there is no file" in capsys.readouterr().err


def test_a_kernel_in_a_process_of_its_own(tmp_path):
    file = tmp_path / "kernels.py"
    file.write_text(
        HEAD
        + """
import numpy as np, tilewright, tilewright.language as tl
from tilewright.testing import do_bench

@tilewright.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

@perf_report(plot(x_vals=[100, 3000], ylabel="ms"))
def time(n, kind):
    x, out = np.ones(n, np.float32), np.zeros(n, np.float32)
    launch = lambda: add[(tilewright.cdiv(n, 256),)](x, x, out, n, BLOCK=256)
    ms = do_bench(launch if kind == "b" else lambda: np.add(x, x, out), warmup=1, rep=1)
    assert (out == 2).all()
    return ms
"""
    )
    command = [sys.executable, "-m", "tilewright", "bench", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    title, heading, *rows = done.stdout.splitlines()
    assert title == "plot (ms, lower is better)" and heading.split() == [*"nAB", *"B/A"]
    assert [row.split()[0] for row in rows] == ["100", "3000"]
    for row in rows:
        _, a, b, ratio = map(float, row.split())
        assert a > 0 and ratio == pytest.approx(b / a, rel=1e-2)
