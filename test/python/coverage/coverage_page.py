"""Writes docs/coverage.md, and reads the results back from it.

The page is the store of the results: a run adds and removes the letters of its targets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from number_formats import DTYPES
from operation import Operation
from table import ELSEWHERE, OPERATIONS, WITHIN

PAGE = Path(__file__).parents[3] / "docs" / "coverage.md"
LETTERS = {"cpu": "c", "emulator:cuda:80": "8", "emulator:cuda:90a": "9", "cuda": "H"}
REFUSED = "-"
UNKNOWN = "?"
# The letters of the targets on which a row is right for a dtype.
Cells = dict[tuple[str, str], str]

INTRODUCTION = """# Coverage

Which functions and operators of the language are tested for which dtypes, on which targets. The
page is written by `python test/python/coverage/cover.py --targets T --write` from the table in
test/python/coverage and the results of running it: each cell is a kernel for one dtype that
computes tiles of three shapes (mostly 128, 16 x 32 and 5 x 12), with 1 to 16 warps. Inputs are
random numbers mixed with infinities, NaNs, zeros of both signs, denormal numbers and the extremes
of the dtype, where the operation defines its result for them. Integers are compared exactly, floats
with a wider reference within the bounds of [math.md](math.md).

| | right on |
|---|---|
| `c` | the CPU |
| `8` | an emulated sm_80 |
| `9` | an emulated sm_90a |
| `H` | a device, an H200 or an H100 |
| `-` | refused with an error that names the line of the operation; a test checks it |
| `?` | in the table, but right on no target so far, or not run |
| empty | not in the table |

An operation that is wrong on a target does not get its letter.

## Operations
"""


def rows(operations: Iterable[Operation] = OPERATIONS) -> dict[str, list[Operation]]:
    """The operations by name."""
    found: dict[str, list[Operation]] = {}
    for operation in operations:
        found.setdefault(operation.name, []).append(operation)
    return found


def takes(group: list[Operation], dtype: str) -> bool:
    return any(dtype in operation.takes for operation in group)


def refuses(group: list[Operation], dtype: str) -> bool:
    return not takes(group, dtype) and any(dtype in operation.refuses for operation in group)


def written(cells: Mapping[tuple[str, str], str]) -> str:
    """The text of the page."""
    lines = [
        "| | " + " | ".join(DTYPES) + " |",
        "|---" * (len(DTYPES) + 1) + "|",
    ]
    for name, group in rows().items():
        shown = []
        for dtype in DTYPES:
            if takes(group, dtype):
                shown.append(cells.get((name, dtype)) or UNKNOWN)
            else:
                shown.append(REFUSED if refuses(group, dtype) else "")
        lines.append(f"| `{name.replace('|', chr(92) + '|')}` | " + " | ".join(shown) + " |")
    others = [f"| `tl.{name}` | test/python/{path} |" for name, path in sorted(ELSEWHERE.items())]
    others += [f"| `tl.{name}` | with `tl.{other}` |" for name, other in sorted(WITHIN.items())]
    rest = ["", "## Covered by other tests", "", "| | |", "|---|---|", *others]
    return INTRODUCTION + "\n" + "\n".join([*lines, *rest]) + "\n"


def read(text: str) -> Cells:
    """The results that a page shows."""
    cells: Cells = {}
    section = text.partition("## Operations")[2].partition("\n## ")[0]
    for line in section.splitlines():
        parts = re.split(r"(?<!\\)\|", line)
        name = re.fullmatch(r" `(.*)` ", parts[1]) if len(parts) == len(DTYPES) + 3 else None
        if name is not None:
            for dtype, cell in zip(DTYPES, parts[2:-1], strict=True):
                letters = "".join(c for c in cell if c in LETTERS.values())
                cells[name[1].replace("\\|", "|"), dtype] = letters
    return cells


def update(cells: Cells, target: str, right: Mapping[tuple[str, str], bool]) -> None:
    """Adds or removes the letter of a target; cells that were not run keep it."""
    for key, is_right in right.items():
        rest = cells.get(key, "").replace(LETTERS[target], "")
        cells[key] = "".join(sorted(rest + LETTERS[target] if is_right else rest, key=_rank))


def _rank(letter: str) -> int:
    return list(LETTERS.values()).index(letter)
