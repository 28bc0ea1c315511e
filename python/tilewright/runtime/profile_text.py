"""Profiles as text: the source of a kernel, with the counts of each line beside it.

          global  sectors/         shared   waves/                         |
    line   bytes   request  ideal   bytes  request  ideal  barriers  float |
      12    4096         4      4                                          |   a = tl.load(x + rows)
      13                             8192     16.5*     1         8        |   b = tl.trans(a)
      14                                                                32 |   c = b * 2

Sectors and wavefronts are averages per request, of loads and stores together; a star marks a number
above the ideal. Instructions and barriers are counted per warp. The titles are in the terms of the
GPU's vendor: those of AMD's GPUs are "lines/" and "phases/", of LDS.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tilewright.compiler.targets import hardware_terms
from tilewright.runtime.profile import Counts, KernelProfile, MemoryCounts

_AROUND = 3  # lines of context before and after a line with counts
_MOST_CLASSES = 5  # the most instruction classes that have a column each
_REST = "rest"
_STAR = "*"  # after a number that is above the ideal


class _Column(NamedTuple):
    """A column with its title in two rows. Cells align to the right."""

    above: str
    title: str
    cell: Callable[[Counts], str]


class _Function(NamedTuple):
    """A function, from line `first` to `last` of a file."""

    file: str
    name: str
    first: int
    last: int


def listing(profile: KernelProfile) -> str:
    """The text: a title, a table for each function, and the totals."""
    terms = hardware_terms(profile.target)
    columns = _columns(profile.totals, terms)
    parts = [_title(profile)]
    for function, counts in _functions(profile):
        parts.append(_heading(function) + "\n" + _table(function, counts, columns))
    parts.append(_sums(profile.totals, terms))
    return "\n\n".join(parts)


def _title(profile: KernelProfile) -> str:
    grid = " x ".join(map(str, profile.grid))
    times = f", {profile.launches} launches" if profile.launches > 1 else ""
    return f"{profile.name} on {profile.target}, grid {grid}{times}"


def _sums(totals: Counts, terms: dict[str, str]) -> str:
    memory, shared = totals.global_memory, totals.shared_memory
    return "\n".join(
        [
            f"global memory  {_short(memory.bytes)} bytes, "
            f"{_short(memory.transfers)} {terms['transfer']}s, "
            f"ideal {_short(memory.ideal)} ({memory.efficiency:.0%})",
            f"{terms['shared']:<13}  {_short(shared.bytes)} bytes, "
            f"{_short(shared.transfers)} {terms['wavefront']}s, "
            f"ideal {_short(shared.ideal)} ({_short(shared.excess)} of bank conflicts)",
            f"{terms['warp'] + 's':<13}  {_short(sum(totals.instructions.values()))} instructions, "
            f"{_short(totals.barriers)} barriers",
        ]
    )


# ---------------------------------------------------------------------------
# Functions and their lines
# ---------------------------------------------------------------------------


def _functions(profile: KernelProfile) -> list[tuple[_Function, dict[int, Counts]]]:
    """The functions that have counts, the kernel first, each with the counts of its lines."""
    found: dict[_Function, dict[int, Counts]] = {}
    defined: dict[str, list[_Function]] = {}
    for line in profile.lines():
        if line.file not in defined:
            defined[line.file] = list(_defined_in(line.file))
        around = [f for f in defined[line.file] if f.first <= line.line <= f.last]
        # Of nested functions the innermost begins last.
        alone = _Function(line.file, "", line.line, line.line)
        function = max(around, key=lambda f: f.first, default=alone)
        found.setdefault(function, {})[line.line] = line.counts
    return sorted(found.items(), key=lambda item: (item[0].name != profile.name, not item[0].file))


def _defined_in(file: str) -> Iterator[_Function]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return  # the file was edited, or is not Python: its lines are listed without a function
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield _Function(file, node.name, node.lineno, node.end_lineno or node.lineno)


def _shown(function: _Function, counts: dict[int, Counts]) -> list[int]:
    """The first line of `function`, and the lines near those with counts."""
    near = {function.first}
    for line in counts:
        near.update(range(line - _AROUND, line + _AROUND + 1))
    # A gap of one line is shown, since the dots would take a line, too.
    near.update(line + 1 for line in list(near) if line + 2 in near)
    return sorted(line for line in near if function.first <= line <= function.last)


def _heading(function: _Function) -> str:
    if not function.file:
        return "unknown lines"
    return f"{function.file}" + (f", {function.name}" if function.name else "")


# ---------------------------------------------------------------------------
# Tables
# ---------------------------------------------------------------------------


def _columns(totals: Counts, terms: dict[str, str]) -> list[_Column]:
    """The columns of the memories and barriers that the kernel uses, and of its instructions."""
    columns: list[_Column] = []
    if totals.global_memory.requests:
        columns += _memory_columns(
            "global", terms["transfer"] + "s/", lambda counts: counts.global_memory
        )
    if totals.shared_memory.requests:
        shared = terms["shared"].removesuffix(" memory")
        waves = terms["wavefront"].removesuffix("front") + "s/"
        columns += _memory_columns(shared, waves, lambda counts: counts.shared_memory)
    if totals.barriers:
        columns.append(_Column("", "barriers", lambda counts: _nonzero(counts.barriers)))
    return columns + _instruction_columns(totals)


def _memory_columns(
    name: str, unit: str, memory: Callable[[Counts], MemoryCounts]
) -> list[_Column]:
    def actual(counts: Counts) -> str:
        found = memory(counts)
        return _per_request(found.transfers, found) + (_STAR if found.excess else "")

    return [
        _Column(name, "bytes", lambda counts: _nonzero(memory(counts).bytes)),
        _Column(unit, "request", actual),
        _Column("", "ideal", lambda counts: _per_request(memory(counts).ideal, memory(counts))),
    ]


def _instruction_columns(totals: Counts) -> list[_Column]:
    # Barriers have their own column.
    classes = [name for name, n in totals.instructions.items() if n and name != "barrier"]
    classes.sort(key=lambda name: -totals.instructions[name])
    main, rest = classes[:_MOST_CLASSES], classes[_MOST_CLASSES:]

    def column(title: str, names: list[str]) -> _Column:
        return _Column(
            "", title, lambda counts: _nonzero(sum(counts.instructions.get(n, 0) for n in names))
        )

    columns = [column(name, [name]) for name in main]
    return columns + ([column(_REST, rest)] if rest else [])


def _table(function: _Function, counts: dict[int, Counts], columns: list[_Column]) -> str:
    rows = [["", *(c.above for c in columns), ""], ["line", *(c.title for c in columns), ""]]
    previous = function.first - 1
    for line in _shown(function, counts):
        if line != previous + 1:
            rows.append(["...", *("" for _ in columns), ""])
        previous = line
        cells = [c.cell(counts[line]) if line in counts else "" for c in columns]
        rows.append([str(line or "?"), *cells, linecache.getline(function.file, line).rstrip()])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_row(cells, widths) for cells in rows)


def _row(cells: list[str], widths: list[int]) -> str:
    *numbers, source = cells
    # A number's star is in the space after it, so that the digits are aligned.
    aligned = (
        cell.rjust(width + cell.endswith(_STAR)).ljust(width + 1)
        for cell, width in zip(numbers, widths, strict=False)
    )
    return f"{' '.join(aligned)}| {source}".rstrip()


def _per_request(transfers: int, memory: MemoryCounts) -> str:
    if not memory.requests:
        return ""
    return f"{transfers / memory.requests:.1f}".removesuffix(".0")


def _nonzero(number: int) -> str:
    return _short(number) if number else ""


def _short(number: int) -> str:
    """A number in at most five characters: 99999, 100k, 1.23M, 45.6G."""
    if number < 100_000:
        return str(number)
    thousands = (len(str(number)) - 1) // 3
    value = f"{number / 1000**thousands:.3g}"
    if value == "1e+03":  # 999,999 is rounded to the next unit
        thousands, value = thousands + 1, "1"
    return value + "_kMGTPE"[thousands]
