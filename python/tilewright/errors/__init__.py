"""The catalog of exceptions that Tilewright raises.

positions.py   remarks and findings, and how a position in a source file is shown
tracebacks.py  tracebacks without internal frames

    TilewrightError
      CompileError          the kernel's source can't be compiled; names file, line and column
        UnsupportedError      a statement or feature that the language does not have
        UndefinedNameError    a name that is not defined
        TypeMismatchError     an operation does not take this dtype or kind of value
        ShapeMismatchError    shapes that do not match
        ConstantError         a value that must be known at compile time
        LoopTypeError         a variable changes its type in a loop or between branches
        StaticAssertError     tl.static_assert failed
        AssemblyError         inline assembly that is not valid or does not fit its operands
        PassError             the compiler itself failed; carries a command that reproduces it
          PTXASError            NVIDIA's assembler failed
      LaunchError           a compiled kernel can't be launched, or failed
        ArgumentError         also a TypeError
        DeviceError
        OutOfResources        a program needs more of a resource than there is
          OutOfResourcesError a kernel: more shared memory, registers or threads than there are
        GridError             also a ValueError
        DeviceAssertError     also an AssertionError
        CheckError            a run-time check found errors in the kernel
          EmulationError        on an emulated GPU
      TuningError           no configuration could be chosen; also a RuntimeError
      CacheError            the cache folder is unusable
      InterpreterError      never raised; for `except` clauses of programs
      BenchmarkError        a benchmark is malformed or can't be measured; also a ValueError
      CompatError           the name `triton` can't stand for Tilewright
    CompileWarning        a kernel that compiles, but should be changed
    CacheWarning          the disk cache can't be used; kernels are kept in memory only
    TuningWarning         `autotune` names a parameter that does not exist, and ignores it

Triton's names for these classes: TritonError (TilewrightError), CompilationError (CompileError),
CompileTimeAssertionFailure (StaticAssertError), UnsupportedLanguageConstruct (UnsupportedError).

A CompileError prints as

    kernel.py:7:12: shapes (16,) and (32,) do not broadcast
        y = x + tl.arange(0, 32)
            ^
    hint: the sizes of a dimension must be equal, or one of them 1
    kernel.py:20:8: note: called from here
        body(x)
        ^
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import TypeVar

from tilewright.errors.positions import Finding as Finding
from tilewright.errors.positions import Note as Note
from tilewright.errors.positions import Position as Position
from tilewright.errors.positions import located
from tilewright.errors.tracebacks import without_frames_in


class TilewrightError(Exception):
    """Base class of all exceptions in this catalog."""


_Self = TypeVar("_Self", bound="CompileError")


class CompileError(TilewrightError):
    """The source of a kernel can't be compiled.

    Args:
        message: What was found and what was expected, without the position.
        file, line, column: The position; lines and columns count from 1, columns in characters
            (an AST node's `col_offset` counts from 0). `at` fills it in if it is missing.
        source_line: The text of that line; read from the file if it is missing.
        hint: How to fix the error.
        notes: Further remarks, such as the calls that led to the error, innermost first.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        source_line: str | None = None,
        hint: str | None = None,
        notes: Sequence[Note | str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.source_line = source_line
        self.hint = hint
        self.notes: tuple[Note, ...] = tuple(Note(n) if isinstance(n, str) else n for n in notes)

    def at(
        self: _Self,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        source_line: str | None = None,
    ) -> _Self:
        """Sets the position unless the error already has one, and returns the error."""
        if self.line is None:
            self.file, self.line, self.column = file or self.file, line, column
            self.source_line = source_line
        return self

    @property
    def error_message(self) -> str:
        """Triton's name of `message`."""
        return self.message

    @property
    def src(self) -> str:
        """The text of the file, to which the position refers; empty if the file can't be read."""
        import linecache

        return "".join(linecache.getlines(self.file)) if self.file else ""

    @property
    def node(self) -> Position | None:
        """The position, with the attributes of a node of Python's `ast`."""
        return None if self.line is None else Position(self.line, (self.column or 1) - 1)

    def add_note_at(
        self: _Self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        source_line: str | None = None,
    ) -> _Self:
        """Appends a remark with its position, and returns the error."""
        self.notes += (Note(message, file, line, column, source_line),)
        return self

    def __str__(self) -> str:
        main = Note(self.message, self.file, self.line, self.column, self.source_line)
        parts = [located(main)]
        if self.hint:
            parts.append(f"hint: {self.hint}")
        parts += [str(note) for note in self.notes]
        return "\n".join(parts)


class UnsupportedError(CompileError):
    """A statement, expression or feature that the language does not have."""


class UndefinedNameError(CompileError):
    """A name that is not defined where it is used."""


class TypeMismatchError(CompileError):
    """An operation was given a dtype or a kind of value that it does not take."""


class ShapeMismatchError(CompileError):
    """Shapes that do not match."""


class ConstantError(CompileError):
    """A value is not known at compile time although it must be, or is not an allowed one."""


class LoopTypeError(CompileError):
    """A variable changes its type or shape in a loop or between branches."""


class StaticAssertError(CompileError):
    """`tl.static_assert` was given a false condition."""


class AssemblyError(CompileError):
    """Inline assembly is not valid, does not fit its operands, or is not supported."""


class PassError(CompileError):
    """A pass of the compiler failed.

    `reproducer` is a command that reproduces the failure, or None if none could be saved.
    """

    reproducer: str | None = None

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\nreproduce with: {self.reproducer}" if self.reproducer else text


class PTXASError(PassError):
    """NVIDIA's assembler, nvJitLink or ptxas, failed on the PTX of a kernel."""


class LaunchError(TilewrightError):
    """A compiled kernel can't be launched, or failed."""


class ArgumentError(LaunchError, TypeError):
    """Missing, excess or invalid arguments."""


class DeviceError(LaunchError):
    """An argument is in memory that the target can't access, or the device failed."""


class OutOfResources(LaunchError):
    """More of a resource is needed than there is. Programs raise it, too, to skip a configuration.

    Args:
        required, limit: How much is needed and how much is available, per program.
        name: The resource, such as "shared memory".
    """

    def __init__(self, required: int, limit: int, name: str) -> None:
        super().__init__(required, limit, name)
        self.required = required
        self.limit = limit
        self.name = name

    def __str__(self) -> str:
        return f"{self.required} of {self.name} are needed, but there are only {self.limit}"


class OutOfResourcesError(OutOfResources):
    """A kernel needs more of a resource than the device has.

    Args:
        message: The description, with both amounts.
        resource: "shared memory", "registers" or "threads".
        required, limit: How much the kernel needs and how much is available, per program.
    """

    def __init__(self, message: str, resource: str = "", required: int = 0, limit: int = 0) -> None:
        super().__init__(required, limit, resource)
        self.args = (message, resource, required, limit)
        self.message = message

    @property
    def resource(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.message


class GridError(LaunchError, ValueError):
    """The grid is malformed or too large."""


class DeviceAssertError(LaunchError, AssertionError):
    """`tl.device_assert` or `assert` failed in a running kernel.

    Args:
        message: The assertion's message, without the position.
        file, line, column: The position of the assertion; lines and columns count from 1.
        program: The index in the grid of the program that failed; None if it is not known.
        thread: The thread's index in the program; None on the CPU, where a program is one thread,
            and if it is not known.
        note: A consequence of the failure, such as that the device can no longer be used.
    """

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        program: tuple[int, int, int] | None = None,
        thread: int | None = None,
        note: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.program = program
        self.thread = thread
        self.note = note

    @classmethod
    def make(
        cls,
        kernel: str,
        message: str,
        position: tuple[str, int, int],
        program: tuple[int, int, int] | None,
        thread: int | None = None,
        note: str = "",
    ) -> DeviceAssertError:
        """The error of an assertion; empty parts of its position are unknown."""
        text = f"an assertion failed in {kernel}"
        if program is not None:
            text += f", program {program}"
        if thread is not None:
            text += f", thread {thread}"
        if message:
            text += f": {message}"
        file, line, column = (part or None for part in position)
        return cls(text, file, line, column, program, thread, note)  # type: ignore[arg-type]

    def __str__(self) -> str:
        text = located(Note(self.message, self.file, self.line, self.column))
        return f"{text}\n{self.note}" if self.note else text


class CheckError(LaunchError):
    """A run-time check found errors in a kernel, such as an out-of-bounds access.

    Args:
        findings: The errors in the order in which they were found; not empty. Each position is
            reported once.
        suppressed: The number of further findings that are not reported.
        note: A consequence of the findings, such as that the device can no longer be used.
    """

    def __init__(self, findings: Sequence[Finding], suppressed: int = 0, note: str = "") -> None:
        super().__init__(findings, suppressed, note)
        self.findings = tuple(findings)
        self.suppressed = suppressed
        self.note = note

    def __str__(self) -> str:
        parts = [str(finding) for finding in self.findings]
        if self.suppressed:
            parts.append(f"({self.suppressed} more at these places, or others)")
        if self.note:
            parts.append(self.note)
        return "\n".join(parts)


class EmulationError(CheckError):
    """An emulated GPU found errors in a kernel."""


class TuningError(TilewrightError, RuntimeError):
    """An autotuned kernel has no configuration to run with."""


class CacheError(TilewrightError):
    """The folder of the disk cache is unusable or not trusted."""


class BenchmarkError(TilewrightError, ValueError):
    """A benchmark is malformed, returns no number, or needs a package that is not installed."""


class CompatError(TilewrightError):
    """`tilewright.compat` can't make the name `triton` stand for Tilewright."""


class InterpreterError(TilewrightError):
    """An error of Triton's interpreter, which Tilewright does not have and never raises."""

    def __init__(self, error_message: str | None = None) -> None:
        super().__init__(error_message or "")
        self.error_message = error_message


# Triton's names, with which the `except` clauses of programs catch these errors.
TritonError = TilewrightError
CompilationError = CompileError
CompileTimeAssertionFailure = StaticAssertError
UnsupportedLanguageConstruct = UnsupportedError


class CompileWarning(UserWarning):
    """A kernel compiles, but should be changed: for example, a tile does not fit into registers."""


class CacheWarning(UserWarning):
    """The disk cache can't be used; kernels are kept in memory only."""


class TuningWarning(UserWarning):
    """`autotune` names a parameter that does not exist, and ignores it."""


def without_internal_frames(
    error: BaseException, traceback: TracebackType | None
) -> TracebackType | None:
    """The traceback of a launch without Tilewright's own frames, which say nothing to a user.

    Unchanged for an error that is not in this catalog, for one in the compiler itself, and where
    the environment has TILEWRIGHT_TRACEBACK=full.
    """
    is_users = isinstance(error, TilewrightError) and not isinstance(error, PassError)
    if not is_users or os.environ.get("TILEWRIGHT_TRACEBACK") == "full":
        return traceback
    return without_frames_in(os.path.dirname(os.path.dirname(__file__)), traceback)
