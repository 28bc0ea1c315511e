"""docs/language.md lists the functions of the language as they are.

After a change of a function, `pytest test/python/structure/test_language_reference.py --update`
writes the list. Review the change of the page and the text around it.
"""

import difflib
from pathlib import Path

import language_reference
import pytest

import tilewright.language as tl
from tilewright.language.registry import ENTRIES

PAGE = Path(__file__).resolve().parents[3] / "docs" / "language.md"


def test_the_page_lists_the_functions(request: pytest.FixtureRequest) -> None:
    shown = PAGE.read_text()
    current = language_reference.replace(shown)
    if request.config.getoption("--update"):
        PAGE.write_text(current)
        return
    difference = difflib.unified_diff(
        shown.splitlines(), current.splitlines(), "shown", "current", n=1
    )
    assert shown == current, "run with --update:\n" + "\n".join(difference)


def test_functions_are_exported_once() -> None:
    assert len(set(tl.__all__)) == len(tl.__all__)
    assert all(getattr(tl, entry.name) is entry.value for entry in ENTRIES)


def test_functions_say_what_they_do() -> None:
    undocumented = [entry.name for entry in ENTRIES if not getattr(entry.value, "__doc__", None)]
    assert not undocumented
