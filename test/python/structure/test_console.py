"""The output of commands in the pages of docs/ is their actual output.

After a change of the compiler, `pytest test/python/structure/test_console.py --update` writes the
current output into the pages. Review the change of the pages and the text around it.
"""

import difflib
from pathlib import Path

import console
import pytest


@pytest.mark.parametrize("page", console.pages(), ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if missing := console.missing_tools():
        pytest.skip(f"not built: {missing}")
    shown = page.read_text()
    printed = console.rerun(shown, tmp_path)
    if request.config.getoption("--update"):
        page.write_text(printed)
        return
    difference = difflib.unified_diff(
        shown.splitlines(), printed.splitlines(), "shown", "printed", n=1
    )
    assert shown == printed, "run with --update:\n" + "\n".join(difference)
