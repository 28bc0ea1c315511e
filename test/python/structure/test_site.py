"""bin/docs builds a site from all pages, and its search finds every function."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tilewright.language.registry import ENTRIES

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [ROOT / "bin" / "docs", "--strict", "--site-dir", folder], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_search_finds_each_function(site: Path) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    titles = {entry["title"] for entry in found}
    assert {f"tl.{entry.name}" for entry in ENTRIES} <= titles


def _files(entry: object) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    parts = entry.values() if isinstance(entry, dict) else entry
    return [file for part in parts for file in _files(part)]  # type: ignore[attr-defined]


def test_the_navigation_has_every_page() -> None:
    listed = _files(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert set(listed) == pages and len(listed) == len(pages)
