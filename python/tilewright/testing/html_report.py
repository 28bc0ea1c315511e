"""Writes a page with the plots and tables of benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from tilewright.testing.table import Table


def write_html(path: Path, tables: Sequence[Table], with_ratios: bool = False) -> None:
    """Writes a page with each benchmark's plot, a PNG file in the same folder, and its table."""
    sections = "".join(_section(table, with_ratios) for table in tables)
    page = '<!DOCTYPE html>\n<html>\n<head><meta charset="utf-8"><title>Results</title></head>\n'
    page += f"<body>\n{sections}</body>\n</html>\n"
    path.write_text(page, encoding="utf-8")


def _section(table: Table, with_ratios: bool) -> str:
    name = table.benchmark.plot_name
    return (
        f"<h2>{escape(name)}</h2>\n"
        f'<img src="{quote(name)}.png" alt="{escape(name)}">\n'
        f"<pre>{escape(table.to_text(with_ratios))}</pre>\n"
    )
