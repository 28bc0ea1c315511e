"""The errors of launches, by the names that Triton gives them.

OutOfResources(required, limit, name) is raised by programs, and is the base of what launches raise.
"""

from __future__ import annotations

from tilewright.compiler.errors import PTXASError, TritonError
from tilewright.errors import OutOfResources, TilewrightError

__all__ = ["InterpreterError", "OutOfResources", "PTXASError", "TritonError"]


class InterpreterError(TilewrightError):
    """An error of Triton's interpreter.

    Tilewright has no interpreter and never raises it; programs name it in `except` clauses.
    """

    def __init__(self, error_message: str | None = None) -> None:
        super().__init__(error_message or "")
        self.error_message = error_message
