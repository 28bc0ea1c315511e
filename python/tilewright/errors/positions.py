"""Positions in source files: the parts of errors that have one, and how it is shown.

kernel.py:7:12: shapes (16,) and (32,) do not broadcast
    y = x + tl.arange(0, 32)
        ^
"""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """A remark on an error, with its own position; `column` counts characters from 1."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    source_line: str | None = None

    def __str__(self) -> str:
        return located(self._replace(message=f"note: {self.message}"))


class Position(NamedTuple):
    """A position as a node of Python's `ast` states it: lines count from 1, columns from 0."""

    lineno: int
    col_offset: int


class Finding(NamedTuple):
    """An error that a check found in a running kernel.

    Attributes:
        kind: "bounds", "uninitialized", "race", "copy", "alignment", "deadlock", "mask", "endless",
            "fault", "proxy", "register", "warpgroup", or "barrier".
        message: The description, without the position.
        kernel: The kernel's name.
        program: The program's index in the grid.
        thread: The thread's index in the program; None on the CPU, where a program is one thread.
        file, line, column: The position; None if it is unknown.
        instruction: The GPU instruction, if the finding is about one; else empty.
        other_thread, other_line: The other thread of a conflict and its line, if any.
    """

    kind: str
    message: str
    kernel: str
    program: tuple[int, int, int]
    thread: int | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    instruction: str = ""
    other_thread: int | None = None
    other_line: int | None = None

    def __str__(self) -> str:
        who = f"{self.kernel}, program {self.program}"
        if self.thread is not None:
            who += f", thread {self.thread}"
        text = f"{self.kind}: {who}: {self.message}"
        return located(Note(text, self.file, self.line, self.column))


def located(note: Note) -> str:
    """`file:line:column: message`, the source line and a caret; unknown parts are left out."""
    place = ":".join(str(part) for part in (note.file, note.line, note.column) if part is not None)
    head = f"{place}: {note.message}" if place else note.message
    text = note.source_line
    if text is None and note.file and note.line:
        import linecache

        text = linecache.getline(note.file, note.line)
    if not text or not text.strip():
        return head
    text = text.rstrip("\n")
    shown = text.lstrip()
    lines = [head, f"    {shown}"]
    if note.column is not None:
        before = text[len(text) - len(shown) : max(note.column - 1, 0)]
        # Tabs are kept so that the caret is below its character.
        lines.append("    " + "".join("\t" if char == "\t" else " " for char in before) + "^")
    return "\n".join(lines)
