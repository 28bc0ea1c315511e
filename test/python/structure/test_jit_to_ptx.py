"""The page docs/from-jit-to-ptx.md names files and functions that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "from-jit-to-ptx.md").read_text()
ROWS = re.findall(r"^\| (\S+\.(?:py|cpp)) \| `(\w+)` \|", PAGE, re.M)


def test_the_page_has_rows() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("file", "name"), ROWS, ids=[f"{file}:{name}" for file, name in ROWS])
def test_the_function_is_defined_in_the_file(file: str, name: str) -> None:
    text = (ROOT / file).read_text()
    if file.endswith(".py"):
        defined = re.search(rf"^\s*(?:def|class) {name}\b", text, re.M)
    else:
        defined = re.search(rf"^(?!\s*return\b)[\w:<>*&, ]*\b{name}\b[^;]*\{{", text, re.M)
    assert defined, f"{file} does not define {name}"
