"""docs/compat.md lists the names as they are.

After a change, `pytest test/python/compat/test_compat_page.py --update` writes the list.
"""

import difflib
from pathlib import Path

import pytest

from tilewright.compat.entries import Same
from tilewright.compat.facade import find, is_found
from tilewright.compat.listing import listing
from tilewright.compat.table import MISSING_MODULES, MODULES

PAGE = Path(__file__).resolve().parents[3] / "docs" / "compat.md"
BEGIN = "<!-- names: written by test_compat_page.py --update -->\n"
END = "<!-- end of names -->\n"


def test_the_page_lists_the_names(request: pytest.FixtureRequest) -> None:
    shown = PAGE.read_text()
    before, _, rest = shown.partition(BEGIN)
    current = f"{before}{BEGIN}\n{listing()}\n\n{END}{rest.partition(END)[2]}"
    if request.config.getoption("--update"):
        PAGE.write_text(current)
        return
    difference = difflib.unified_diff(shown.splitlines(), current.splitlines(), n=1)
    assert shown == current, "run with --update:\n" + "\n".join(difference)


def test_every_module_is_listed() -> None:
    text = listing()
    assert all(f"`{name}`" in text for name in (*MODULES, *MISSING_MODULES))


def test_every_module_has_its_package() -> None:
    parents = {name.rpartition(".")[0] for name in MODULES} - {""}
    assert parents <= set(MODULES)
    assert not set(MODULES) & set(MISSING_MODULES)


def test_tilewright_has_what_the_table_names() -> None:
    missing = [
        f"{module.name}.{name}: {entry.target}"
        for module in MODULES.values()
        for name, entry in module.names.items()
        if isinstance(entry, Same) and not is_found(find(module, name))
    ]
    assert not missing, "moved or renamed; adapt python/tilewright/compat/table"
