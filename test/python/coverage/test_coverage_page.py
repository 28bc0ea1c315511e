"""docs/coverage.md has a row for every public function, and claims nothing that is not tested.

After a change of the table, `pytest test/python/coverage/test_coverage_page.py --update` writes the
page; cover.py --write adds the results of targets.
"""

import re
from pathlib import Path

import pytest
from coverage_page import LETTERS, PAGE, read, rows, takes, written
from table import ELSEWHERE, OPERATIONS, WITHIN

from tilewright.language.registry import ENTRIES
from tilewright.language.tensor import tensor

TESTS = Path(__file__).parents[1]


def test_every_public_function_is_covered() -> None:
    used = {name for o in OPERATIONS for name in re.findall(r"tl\.(\w+)", o.code + o.before)}
    public = {entry.name for entry in ENTRIES}
    assert public - used - set(ELSEWHERE) - set(WITHIN) == set()
    assert (set(ELSEWHERE) | set(WITHIN)) - public == set()
    assert set(WITHIN.values()) <= used | set(ELSEWHERE)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_other_tests_use_the_function(name: str) -> None:
    assert re.search(rf"\b{name}\b", (TESTS / ELSEWHERE[name]).read_text())


def test_every_operator_is_covered() -> None:
    """Those that tensors define."""
    code = " ".join(operation.code for operation in OPERATIONS)
    symbols = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>"]
    symbols += ["==", "!=", "<", "<=", ">", ">="]
    assert not [symbol for symbol in symbols if f"a {symbol} b" not in code]
    assert hasattr(tensor, "__invert__") and "~a" in code and "-a" in code


def test_rows_use_all_numbers_of_warps() -> None:
    import coverage_cases as cases

    for name, group in rows().items():
        found = {cases.warps(o, dtype, o.shapes[0]) for o in group for dtype in o.takes}
        dtypes = {dtype for o in group for dtype in o.takes}
        assert len(found) >= min(5, len(dtypes)) - 1, name


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    shown = PAGE.read_text() if PAGE.exists() else ""
    current = written(read(shown))
    if request.config.getoption("--update"):
        PAGE.write_text(current)
        return
    assert shown == current, "run with --update"


def test_the_page_claims_only_what_is_tested() -> None:
    letters = set("".join(LETTERS.values()))
    shown = read(PAGE.read_text())
    assert any(shown.values())
    for (name, dtype), cell in shown.items():
        assert set(cell) <= letters
        assert not cell or takes(rows()[name], dtype), (name, dtype)
