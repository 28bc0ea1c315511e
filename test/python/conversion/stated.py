"""The errors in ulp that docs/math.md states: bounds, which tests of every target hold to."""

from __future__ import annotations

import re
from pathlib import Path

_PAGE = Path(__file__).parents[3] / "docs" / "math.md"
_NUMBER = r"(\d+(?:\.\d+)?)"


def _section(title: str) -> str:
    return _PAGE.read_text().split(f"## {title}\n")[1].split("\n## ")[0]


def errors(element: str) -> dict[str, float]:
    """By function, of "f32" or "f64": the table that holds for every processor."""
    row = re.compile(rf"^\| (\w+) \| {_NUMBER} \| (?:{_NUMBER})? ?\|", re.M)
    found = {name: (single, double) for name, single, double in row.findall(_section("Errors"))}
    bounds = {name: pair[element == "f64"] for name, pair in found.items()}
    # A square root is one instruction, correctly rounded.
    return {"sqrt": 0.5, **{name: float(bound) for name, bound in bounds.items() if bound}}


def errors_on_gpus() -> dict[str, float]:
    """By row of the table for GPUs; "as on the CPU" stands for what `errors` has."""
    bounds = {}
    for name, bound, _ in re.findall(
        rf"^\| ([^|]+) \| ({_NUMBER}|as above) \|", _section("On a GPU"), re.M
    ):
        function, _, element = name.partition(", ")
        bounds[name] = errors(element or "f32")[function] if bound == "as above" else float(bound)
    return bounds


def instructions_on_gpus() -> dict[str, int]:
    """How many instructions of PTX a row of the table for GPUs has."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| (\d+) \|", _section("On a GPU"), re.M)
    return {name: int(count) for name, count in rows}
