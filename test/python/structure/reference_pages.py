"""The pages docs/language/*.md, one for each family of functions, from the docstrings."""

import inspect
import re
import textwrap
from pathlib import Path

from language_reference import signature

from tilewright.language.registry import ENTRIES, Entry, Family

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "language"
_SECTION = re.compile(r"^(Args|Returns|Raises|Example):\n((?:(?: {4}.*)?\n?)+)", re.MULTILINE)
_ITEM = re.compile(r"^(\S[^:\n]*): ", re.MULTILINE)


def pages() -> dict[Path, str]:
    """The contents of all pages by file."""
    shown = {FOLDER / f"{slug(family)}.md": _page(family) for family in Family}
    return {FOLDER / "index.md": _index(), **shown}


def slug(family: Family) -> str:
    return re.sub(r"[^a-z]+", "-", family.value.lower())


def sections(doc: str) -> dict[str, str]:
    """The text of a docstring before its sections, under "", and the text of each section."""
    found = {match[1]: textwrap.dedent(match[2]).strip("\n") for match in _SECTION.finditer(doc)}
    return {"": _SECTION.sub("", doc).strip(), **found}


def documented(family: Family) -> list[Entry]:
    return sorted((e for e in ENTRIES if e.family is family), key=lambda entry: entry.name)


def _index() -> str:
    rows = [
        f"- [{family.value}]({slug(family)}.md): "
        + ", ".join(f"[{e.name}]({slug(family)}.md#tl{e.name.lower()})" for e in documented(family))
        for family in Family
    ]
    return (
        "# Functions of the language\n\n"
        "One page for each family, written from the docstrings. A test runs each example: `p`\n"
        "points to the int32 numbers 0 to 15 and `q` to the float32 numbers 0.0 to 7.5 in steps\n"
        "of 0.5, and what the last line gives is shown. [The kernel language](../language.md)\n"
        "describes the rest.\n\n" + "\n".join(rows) + "\n"
    )


def _page(family: Family) -> str:
    parts = [_entry(entry) for entry in documented(family)]
    return f"# {family.value}\n\n" + "\n".join(parts)


def _entry(entry: Entry) -> str:
    if not callable(entry.value) or inspect.isclass(entry.value):
        return _constant(entry)
    found = sections(inspect.getdoc(entry.value) or "")
    head = f"## tl.{entry.name}\n\n```python\n{_call(entry)}\n```\n\n"
    text = head + found.pop("") + "\n"
    for title, body in found.items():
        text += f"\n**{title}**\n\n"
        text += f"```pycon\n{body}\n```\n" if title == "Example" else _items(body)
    return text


def _call(entry: Entry) -> str:
    """The signature, with one line for each parameter if it is long."""
    parameters = signature(entry.value)[1:-1].replace("'", '"')
    text = f"tl.{entry.name}({parameters})"
    if len(text) <= 100:
        return text
    return f"tl.{entry.name}(\n    " + ",\n    ".join(parameters.split(", ")) + ",\n)"


def _constant(entry: Entry) -> str:
    doc = inspect.getdoc(entry.value) if inspect.isclass(entry.value) else f"{entry.value}."
    return f"## tl.{entry.name}\n\n{sections(doc or '')['']}\n"


def _items(body: str) -> str:
    """`name: text` lines as a list; other text as it is."""
    if not _ITEM.match(body):
        return body + "\n"
    lines = []
    for item in re.split(r"\n(?=\S)", body):
        text = " ".join(line.strip() for line in item.split("\n"))
        name, _, meaning = text.partition(": ")
        shown = ", ".join(f"`{part}`" for part in name.split(", "))
        filled = textwrap.fill(f"- {shown}: {meaning}", 100, subsequent_indent="  ")
        lines.append(filled)
    return "\n".join(lines) + "\n"
