"""The pages that follow a kernel through the code name files and functions that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = ("from-jit-to-ptx.md", "from-jit-to-mfma.md")
ROWS = {
    page: re.findall(
        r"^\| (\S+\.(?:py|cpp)) \| `(\w+)` \|", (ROOT / "docs" / page).read_text(), re.M
    )
    for page in PAGES
}
ALL = list(dict.fromkeys(row for rows in ROWS.values() for row in rows))


@pytest.mark.parametrize("page", PAGES)
def test_the_page_has_rows(page: str) -> None:
    assert len(ROWS[page]) > 20


@pytest.mark.parametrize(("file", "name"), ALL, ids=[f"{file}:{name}" for file, name in ALL])
def test_the_function_is_defined_in_the_file(file: str, name: str) -> None:
    text = (ROOT / file).read_text()
    if file.endswith(".py"):
        defined = re.search(rf"^\s*(?:def|class) {name}\b", text, re.M)
    else:
        defined = re.search(rf"^(?!\s*return\b)[\w:<>*&, ]*\b{name}\b[^;]*\{{", text, re.M)
    assert defined, f"{file} does not define {name}"
