"""The commands and examples in README.md work."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_every_command_exists() -> None:
    commands = re.findall(r"^\s*(?:bash )?(bin/[\w-]+)", "\n".join(blocks("sh")), re.M)
    assert {"bin/quickstart", "bin/test"} <= set(commands)
    for command in commands:
        assert (ROOT / command).stat().st_mode & 0o111, command


def run(source: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    script = folder / "add.py"
    script.write_text(source)
    return subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env={**os.environ, **settings}
    )


def example() -> str:
    pytest.importorskip("torch")
    (source,) = blocks("python")
    return source


def test_the_example_runs(tmp_path) -> None:
    done = run(example(), tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "number, found, wrong, settings",
    [
        (0, "tl.arange(0, BLOCK)", "tl.arange(0, n)", {}),
        (1, ", mask=m)\n", ")\n", {"TILEWRIGHT_TARGET": "emulator:cuda:90a"}),
    ],
    ids=["compile error", "emulator"],
)
def test_the_errors_are_printed(tmp_path, number, found, wrong, settings) -> None:
    source = example()
    assert source.count(found) == 1
    done = run(source.replace(found, wrong), tmp_path, **settings)
    assert done.returncode != 0
    assert done.stderr.replace(f"{tmp_path}/", "").endswith(blocks("text")[number]), done.stderr


def test_the_figures_are_those_of_the_benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "test" / "benchmark")
    import figures

    shown = figures.MARKED.search(README)
    assert shown and shown[0] == figures.current(), "run test/benchmark/figures.py"
