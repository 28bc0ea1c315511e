"""The IR of the kernel that docs/architecture.md follows through the layers is up to date."""

import re
from pathlib import Path

import pytest

from tilewright import compiler
from tilewright.cli.compile import find_kernel

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "architecture.md").read_text()
EXCERPTS = re.findall(r"^```\w+ (\w+)\n(.*?)^```", PAGE, re.M | re.S)
SIGNATURE = ["*fp32:D", "*fp32:D", "i32:D", 1024]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    source = re.search(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
    assert source is not None
    file = tmp_path_factory.mktemp("page") / "page.py"
    file.write_text("import tilewright\nimport tilewright.language as tl\n\n" + source[1])
    fn = find_kernel(f"{file}:softmax")
    return compiler.compile(fn, SIGNATURE, "cpu:avx512", noalias=True)


def plain(line: str) -> str:
    """The line without locations and numbers of values, with normalized white space."""
    line = re.sub(r" loc\((#\w+|\"[^\"]*\":\d+:\d+)\)", "", line)
    line = re.sub(r"%[\w.]+", "%", line) if "zmm" not in line else line
    return re.sub(r"\s+", " ", line).strip()


def pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in plain(line).split("..."))


def test_every_phase_is_shown() -> None:
    assert [phase for phase, _ in EXCERPTS] == ["source", "tile", "vector", "llvm", "asm"]


@pytest.mark.parametrize(("phase", "excerpt"), EXCERPTS, ids=[phase for phase, _ in EXCERPTS])
def test_excerpt(kernel, phase: str, excerpt: str) -> None:
    lines = iter([plain(line) for line in kernel.ir(phase).splitlines()])
    for wanted in excerpt.splitlines():
        if wanted.strip() != "...":
            # In order: the search continues after the line that was found.
            assert any(re.match(pattern(wanted), line) for line in lines), wanted
