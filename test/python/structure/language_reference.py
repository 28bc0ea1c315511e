"""The list of functions in docs/language.md, from the functions themselves."""

import inspect
import textwrap
from enum import Enum

from tilewright.language.registry import ENTRIES, Entry, Family

BEGIN = "<!-- functions: written by test_language_reference.py --update -->\n"
END = "<!-- end of functions -->\n"


def render() -> str:
    """The list, by family in the order of `Family`, and in each family by name."""
    return "\n".join(_family(family) for family in Family)


def replace(page: str) -> str:
    """The page with the current list between the marks."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{render()}\n{END}{after}"


def _family(family: Family) -> str:
    entries = [entry for entry in ENTRIES if entry.family is family]
    return f"**{family.value}**\n\n" + "".join(
        map(_item, sorted(entries, key=lambda entry: entry.name))
    )


def _item(entry: Entry) -> str:
    text = f"- `tl.{entry.name}{signature(entry.value)}`: {_summary(entry.value)}"
    return textwrap.fill(text, 100, subsequent_indent="  ", break_on_hyphens=False) + "\n"


def _summary(value: object) -> str:
    if not callable(value):
        return f"{value}."
    paragraph = (inspect.getdoc(value) or "").split("\n\n")[0]
    return " ".join(paragraph.split())


def signature(value: object) -> str:
    if not inspect.isfunction(value):
        return ""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown = []
    for parameter in inspect.signature(value).parameters.values():
        default = parameter.default
        suffix = "" if default is inspect.Parameter.empty else f"={_literal(default)}"
        shown.append(f"{stars.get(parameter.kind, '')}{parameter.name}{suffix}")
    return f"({', '.join(shown)})"


def _literal(default: object) -> str:
    return f"tl.{default}" if isinstance(default, Enum) else repr(default)
