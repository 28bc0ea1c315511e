"""The public functions of the language, by family: what `tl.__all__` and docs/language.md list."""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from tilewright.language.constexpr import builtin

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Family(Enum):
    """A heading under which docs/language.md lists functions, in order. As a decorator it makes a
    function public; the function is `builtin` as well:

        @Family.SHAPES
        def gather(src, index, axis): ...
    """

    GRID = "The grid"
    CREATION = "Creating tiles"
    SHAPES = "Shapes"
    MEMORY = "Memory"
    DESCRIPTORS = "Tensor descriptors"
    ATOMICS = "Atomic memory"
    MATH = "Mathematics, elementwise"
    REDUCTIONS = "Reductions and scans"
    DOT = "Matrix multiplication"
    RANDOM = "Random numbers"
    HINTS = "Hints"
    ASSEMBLY = "Inline assembly"
    ORDER = "Order of programs"
    COMPILE_TIME = "While compiling"
    DEBUGGING = "Debugging"

    def __call__(self, fn: _Function) -> _Function:
        function = builtin(_accepting_semantic(fn))
        self.add(fn.__name__, function)
        return function

    def add(self, name: str, value: Any) -> None:
        """Makes a value other than a function public."""
        ENTRIES.append(Entry(name, self, value))


def _accepting_semantic(fn: _Function) -> _Function:
    """Accepts Triton's argument `_semantic` as well, which programs' own builtins pass on."""

    @functools.wraps(fn)
    def call(*args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return call  # type: ignore[return-value]


class Entry(NamedTuple):
    """A public function or constant."""

    name: str
    family: Family
    value: Any


ENTRIES: list[Entry] = []
