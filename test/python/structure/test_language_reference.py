"""docs/language.md and docs/language/*.md describe the functions of the language as they are.

After a change of a function, `pytest test/python/structure/test_language_reference.py --update`
writes the list and the pages. Review the change and the text around it.
"""

import difflib
import inspect
from pathlib import Path

import language_reference
import pytest
import reference_examples
import reference_pages

import tilewright.language as tl
from tilewright.language.registry import ENTRIES, Entry

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


def test_the_pages_of_families_are_current(request: pytest.FixtureRequest) -> None:
    wanted = reference_pages.pages()
    if request.config.getoption("--update"):
        reference_pages.FOLDER.mkdir(exist_ok=True)
        for path, text in wanted.items():
            path.write_text(text)
    assert set(reference_pages.FOLDER.iterdir()) == set(wanted)
    stale = [path.name for path, text in wanted.items() if path.read_text() != text]
    assert not stale, "run with --update"


def _example(entry: Entry) -> str | None:
    return reference_pages.sections(inspect.getdoc(entry.value) or "").get("Example")


FUNCTIONS = [entry for entry in ENTRIES if inspect.isfunction(entry.value)]


@pytest.mark.parametrize("entry", FUNCTIONS, ids=[entry.name for entry in FUNCTIONS])
def test_examples_give_what_they_show(entry: Entry, tmp_path: Path) -> None:
    example = _example(entry)
    assert example is not None, f"tl.{entry.name} has no example"
    found = reference_examples.run(entry.name, example, tmp_path)
    assert found == reference_examples.expected(example)


def test_functions_are_exported_once() -> None:
    assert len(set(tl.__all__)) == len(tl.__all__)
    assert all(getattr(tl, entry.name) is entry.value for entry in ENTRIES)


def test_functions_say_what_they_do() -> None:
    undocumented = [entry.name for entry in ENTRIES if not getattr(entry.value, "__doc__", None)]
    assert not undocumented
