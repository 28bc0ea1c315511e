"""The pages of docs/ agree with the code."""

import re
from pathlib import Path

import pytest

import tilewright.language as tl
from tilewright.compiler.options import Options, all_options
from tilewright.compiler.targets import target_kinds

ROOT = Path(__file__).resolve().parents[3]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "third_party").rglob("*.md")),
]
GUIDES = [
    ROOT / "docs" / f"{name}.md"
    for name in ("adding-a-target", "adding-an-instruction", "emulator", "gpu-pipeline", "layouts")
]


def code_files() -> list[Path]:
    folders = [ROOT / name for name in ("include", "lib", "python", "test")]
    suffixes = {".cpp", ".h", ".td", ".py", ".mlir"}
    return [file for folder in folders for file in folder.rglob("*") if file.suffix in suffixes]


def without_code(text: str) -> str:
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"^    .*$|`[^`\n]*`", "", text, flags=re.M)


def test_the_language_page_lists_what_there_is() -> None:
    listed = set(re.findall(r"`tl\.(\w+)", (ROOT / "docs" / "language.md").read_text()))
    assert set(tl.__all__) - listed == set(), "not on the page"
    assert listed - set(tl.__all__) == set(), "on the page, but not in tilewright.language"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([\w./-]+)(?:#[\w-]*)?\)", without_code(page.read_text()))
    assert not [link for link in links if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_are_there(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    folders = r"(?<![\w/.-])(?:bin|cmake|docs|include|lib|python|test|third_party)/"
    named = re.findall(folders + r"[\w./-]*\w", text)
    # "lib/Hardware/Nvidia*" matches several files; names with "frobnicate" are examples.
    missing = [name for name in named if not any(ROOT.glob(f"{name}*"))]
    assert not [name for name in missing if "frobnicate" not in name.lower()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_sources_named_without_a_folder_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    named = set(re.findall(r"(?<![\w/.-])\w+\.(?:cpp|h)\b", text))
    assert not named - {file.name for file in [*code_files(), *ROOT.glob("*/*/*.h")]}


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_names_of_the_code_are_in_the_code(page: Path) -> None:
    names = re.findall(r"`([a-zA-Z_][\w:]+)(?:\(\))?`", page.read_text())
    code = "".join(file.read_text() for file in code_files())
    assert not [name for name in names if name.rpartition("::")[2] not in code]


def test_options_are_documented_as_declared() -> None:
    """The table in language.md; to update it, paste the rows that the failure prints."""
    rows = [
        f"| `{option.name}` | {option.default!r} | {kinds_with(option.name)} | {option.doc} |"
        for option in all_options().values()
    ]
    page = (ROOT / "docs" / "language.md").read_text()
    assert [row for row in rows if row not in page.splitlines()] == []


def kinds_with(option: str) -> str:
    return ", ".join(name for name in target_kinds() if option in Options().relevant(name))


def test_settings_are_documented() -> None:
    sources = [*(ROOT / "python").rglob("*.py"), *(ROOT / "lib").rglob("*.cpp")]
    read = {
        name
        for file in sources
        for name in re.findall(
            r'(?:environ\W+(?:get\W+)?|getenv\W+)"?(TILEWRIGHT_\w+)', file.read_text()
        )
    }
    page = (ROOT / "docs" / "debugging.md").read_text()
    assert read
    assert not [name for name in read if name not in page]
