"""Converts the core's diagnostics to the exceptions and warnings of errors.py.

The core raises IRError with `diagnostics`: a list of (message, frames, notes), where frames are
(file, line, column), innermost call first.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from tilewright.errors import CompileError, CompileWarning, Note, PassError

_Kind = TypeVar("_Kind", bound=CompileError)
_Frame = tuple[str, int, int]
_PACKAGE = str(Path(__file__).parent.parent)
# The start of the note with which MLIR prints the failing operation, which may be a whole kernel.
_OPERATION = "see current operation:"
# The position at the end of an error of the emulator, which has LLVM's debug locations.
_POSITION = re.compile(r" \((.+):(\d+):(\d+)\)$")


def from_ir_error(error: Exception, kind: type[_Kind]) -> _Kind:
    """Makes an error of the given class with the message and all positions of an IRError."""
    diagnostics: Sequence[Any] = getattr(error, "diagnostics", None) or [(str(error), [], [])]
    message, frames, notes = diagnostics[0]
    at = _users_frame(frames)
    result = kind(message)
    if frames:
        result.at(*frames[at])
    elif found := _POSITION.search(message):
        result = kind(message[: found.start()]).at(found[1], int(found[2]), int(found[3]))
    if not issubclass(kind, PassError):
        # An error of the program: its line says more than the operation.
        notes = [note for note in notes if not note[0].startswith(_OPERATION)]
        diagnostics = diagnostics[:1]
    remarks = [Note("in the library function called here", *frame) for frame in frames[:at]]
    remarks += [Note("called from here", *frame) for frame in frames[at + 1 :]]
    remarks += _flatten(notes)
    remarks += _flatten(diagnostics[1:])
    # A note at the same position as the error does not show the source line again.
    place = (result.file, result.line, result.column)
    result.notes = tuple(Note(n.message) if n[1:4] == place else n for n in remarks)
    return result


def is_about_assembly(error: Exception) -> bool:
    """Whether the error is one of the program's inline assembly; its message says so."""
    diagnostics: Sequence[Any] = getattr(error, "diagnostics", None) or [(str(error), [], [])]
    return "inline assembly" in diagnostics[0][0]


def warn(warnings_of_core: Sequence[Any]) -> None:
    """Passes the core's warnings on as Python warnings at the user's lines."""
    for message, frames, _ in warnings_of_core:
        file, line, _ = frames[_users_frame(frames)] if frames else ("<kernel>", 1, 1)
        warnings.warn_explicit(message, CompileWarning, file, line)


def _users_frame(frames: Sequence[_Frame]) -> int:
    """The index of the innermost frame outside of Tilewright's own library."""
    for index, (file, _, _) in enumerate(frames):
        if not file.startswith(_PACKAGE):
            return index
    return 0


def _flatten(diagnostics: Sequence[Any]) -> list[Note]:
    result = []
    for message, frames, notes in diagnostics:
        if message.startswith(_OPERATION) and "\n" in message.strip():
            continue  # The reproducer contains the operation.
        frame = frames[_users_frame(frames)] if frames else ()
        result.append(Note(message, *frame))
        result += _flatten(notes)
    return result
