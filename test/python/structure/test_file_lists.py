"""The docstring of a package lists its files, and no others."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "python" / "tilewright"
ENTRY = re.compile(r"^ *((?:\w+\.py(?:, )?)+)(?:\s|$)", re.M)


def listed(docstring: str) -> set[str]:
    """The files at the beginnings of the lines; a line may name several."""
    return {file for names in ENTRY.findall(docstring) for file in names.split(", ")}


LISTS = {
    init.parent: listed(ast.get_docstring(ast.parse(init.read_text())) or "")
    for init in sorted(PACKAGE.rglob("__init__.py"))
}


def test_packages_have_lists() -> None:
    assert sum(1 for files in LISTS.values() if files) > 5


@pytest.mark.parametrize("folder", [f for f, files in LISTS.items() if files], ids=lambda f: f.name)
def test_the_list_is_complete(folder: Path) -> None:
    there = {file.name for file in folder.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert LISTS[folder] == there


def test_a_line_may_name_several_files() -> None:
    assert listed("x.py  is first\n    a.py, b_c.py\nnot d.py\n") == {"x.py", "a.py", "b_c.py"}
