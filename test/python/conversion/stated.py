"""The error bounds in ulp that docs/math.md states; tests of every target check them."""

from __future__ import annotations

import re
from pathlib import Path

_PAGE = Path(__file__).parents[3] / "docs" / "math.md"
_NUMBER = r"(\d+(?:\.\d+)?)"


def _section(title: str) -> str:
    return _PAGE.read_text().split(f"## {title}\n")[1].split("\n## ")[0]


def errors(element: str) -> dict[str, float]:
    """The bounds by function for "f32" or "f64", from the table for all processors."""
    row = re.compile(rf"^\| (\w+) \| {_NUMBER} \| (?:{_NUMBER})? ?\|", re.M)
    found = {name: (single, double) for name, single, double in row.findall(_section("Errors"))}
    bounds = {name: pair[element == "f64"] for name, pair in found.items()}
    # A square root is a single, correctly rounded instruction.
    return {"sqrt": 0.5, **{name: float(bound) for name, bound in bounds.items() if bound}}


def errors_on_gpus() -> dict[str, float]:
    """The bounds by row of the table for GPUs; "as above" means the bound in `errors`."""
    bounds = {}
    for name, bound, _ in re.findall(
        rf"^\| ([^|]+) \| ({_NUMBER}|as above) \|", _section("On a GPU"), re.M
    ):
        function, _, element = name.partition(", ")
        bounds[name] = errors(element or "f32")[function] if bound == "as above" else float(bound)
    return bounds


def instructions_on_gpus() -> dict[str, int]:
    """The number of PTX instructions by row of the table for GPUs."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| (\d+) \|", _section("On a GPU"), re.M)
    return {name: int(count) for name, count in rows}
