"""The local variables of a function, and why one that was assigned may be unavailable."""

from __future__ import annotations

from dataclasses import dataclass

from .values import Value


@dataclass(frozen=True)
class Unavailable:
    """Marks a variable that has no usable value at this point."""

    reason: str
    hint: str | None = None
    is_type_conflict: bool = False


class Scope:
    """Maps names to values and to the lines of their last assignments."""

    def __init__(self) -> None:
        self.values: dict[str, Value | Unavailable] = {}
        self.lines: dict[str, int] = {}

    def set(self, name: str, value: Value | Unavailable, line: int) -> None:
        self.values[name] = value
        self.lines[name] = line

    def copy(self) -> Scope:
        scope = Scope()
        scope.values = dict(self.values)
        scope.lines = dict(self.lines)
        return scope

    def is_defined(self, name: str) -> bool:
        return name in self.values and not isinstance(self.values[name], Unavailable)

    def changed_since(self, before: Scope) -> list[str]:
        """The names bound to another value than `before`, in order of first assignment."""
        return [
            name
            for name, value in self.values.items()
            if name not in before.values or before.values[name] is not value
        ]
