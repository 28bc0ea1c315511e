"""The table of names as text: what docs/compat.md shows and `--names` prints."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from tilewright.compat.entries import Module, Same
from tilewright.compat.facade import find, is_found, known_names, submodules
from tilewright.compat.table import MISSING_MODULES, MODULES
from tilewright.compiler.foreign_options import FOREIGN_OPTIONS


def listing() -> str:
    """Every module of the table with its names, by what they are; in Markdown."""
    lines: list[str] = []
    for module in MODULES.values():
        lines += [f"### `{module.name}`", "", *_module(module)]
    lines += ["### Modules that can't be imported", ""]
    lines += [f"- `{missing.name}`: {missing.note}" for missing in MISSING_MODULES.values()]
    lines += ["", "### Options of launches that Tilewright does not have", "", *_options()]
    return "\n".join(lines)


def _options() -> Iterator[str]:
    for name, option in FOREIGN_OPTIONS.items():
        if option.accepted is None:
            what = "ignored"
        else:
            what = f"accepted if {' or '.join(map(repr, option.accepted))}, else an error"
        yield textwrap.fill(f"- `{name}`, {option.doc}: {what}.", 100, subsequent_indent="  ")


def _module(module: Module) -> Iterator[str]:
    twin = _twin(module)
    if twin:
        yield from (f"Has the names of `{twin.name}`.", "")
        return
    there, fail, absent = names_by_state(module)
    if not there + fail + absent:
        what = "Has only submodules." if submodules(module) else "Has no names."
        yield from (what, "")
    language = MODULES["triton.language"]
    if module is not language and language.sources[0] in module.sources:
        shared = {*names_by_state(language)[0], *language.names} - {"view"}
        there, fail, absent = (
            [n for n in part if n not in shared] for part in (there, fail, absent)
        )
        yield from (f"Has the names of `{language.name}`, and these.", "")
    yield from _paragraph("Tilewright's", there)
    yield from _paragraph("Missing, an error where it is used", fail)
    yield from _paragraph("Missing, not an attribute", absent)
    yield from _notes(module, {*there, *fail, *absent})


def _twin(module: Module) -> Module | None:
    """An earlier module with the same names."""
    for other in MODULES.values():
        if other is module:
            return None
        if (other.names, other.sources) == (module.names, module.sources) and module.names:
            return other
    return None


def _notes(module: Module, names: set[str]) -> Iterator[str]:
    entries = sorted(module.names.items())
    notes = [f"- `{name}`: {entry.note}." for name, entry in entries if entry.note if name in names]
    if notes:
        yield from (*notes, "")


def names_by_state(module: Module) -> tuple[list[str], list[str], list[str]]:
    """The names that Tilewright has, that fail when they are used, and that do not exist."""
    there: list[str] = []
    fail: list[str] = []
    absent: list[str] = []
    for name in known_names(module):
        if name in submodules(module) and not isinstance(module.names.get(name), Same):
            continue  # it has its own list
        value = find(module, name)
        if getattr(value, "__tilewright_placeholder__", False):
            fail.append(name)
        else:
            (there if is_found(value) else absent).append(name)
    return there, fail, absent


def _paragraph(title: str, names: Iterable[str]) -> Iterator[str]:
    text = ", ".join(f"`{name}`" for name in names)
    if text:
        yield from (*textwrap.wrap(f"{title}: {text}.", 100, break_on_hyphens=False), "")
