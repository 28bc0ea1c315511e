"""The context in which the language's functions build a kernel.

A `BuildContext` belongs to one compilation. The functions of the language take no builder; they
call `current()`. The front end installs the context with `use(context)` while it visits a kernel.
Several threads can compile at the same time, each with its own context.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tilewright.errors import CompileError

if TYPE_CHECKING:
    from tilewright import _core
    from tilewright.language.dtypes import dtype


def _no_front_end(fn: Any, *args: Any) -> Any:
    raise CompileError(f"{fn} can only be called from a kernel that the front end is building")


@dataclass
class BuildContext:
    """The kernel being built.

    Attributes:
        ctx: The MLIR context, which owns types and attributes.
        builder: Creates operations at its insertion point, with its current location.
        options: The options of this compilation.
        call: `call(fn, args, kwargs)` builds a call of a `@jit` function; set by the front end.
        inline: `inline(fn, args)` visits the body of a `@jit` function at the insertion point and
            returns its result; set by the front end, used for combiners.
        initialize: `initialize(fn, instance, args, kwargs)` runs a constructor that is a `@jit`
            function, and returns the initialized copy of the instance; set by the front end.
        record: Records what the front end reads of the program around the kernel.
        omits_asserts: Whether an assertion was omitted because `debug` is off.
        target: Describes the target to functions that ask for it (compat/target_info.py).
        checks_overflow: Whether the arithmetic of integers is checked here; see overflow.py.
        combiner: Describes the function of a reduction, a scan or a map whose body is being built.
    """

    ctx: _core.Context
    builder: _core.Builder
    options: Any = None
    call: Callable[[Any, list[Any], dict[str, Any]], Any] = _no_front_end
    inline: Callable[[Any, list[Any]], Any] = _no_front_end
    initialize: Callable[[Any, Any, Any, Any], Any] = _no_front_end
    record: Any = None
    omits_asserts: bool = False
    target: Any = None
    checks_overflow: bool = False
    combiner: str | None = None
    _types: dict[dtype, _core.Type] = field(default_factory=dict, repr=False)
    _tile_types: dict[Any, dtype] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        wanted = self.option("debug", False) and self.option("sanitize_overflow", False)
        self.checks_overflow = bool(wanted)

    def option(self, name: str, default: Any) -> Any:
        """The value of an option, or the default if there are no options."""
        if isinstance(self.options, Mapping):
            return self.options.get(name, default)
        return getattr(self.options, name, default)

    @contextmanager
    def without_overflow_checks(self) -> Iterator[None]:
        """Checks no arithmetic until the `with` statement ends: no assertion can be built."""
        before, self.checks_overflow = self.checks_overflow, False
        try:
            yield
        finally:
            self.checks_overflow = before

    def ir(self, type: dtype) -> _core.Type:
        """The IR type for a type of the language; cached."""
        found = self._types.get(type)
        if found is None:
            found = self._types[type] = type.ir(self.ctx)
        return found

    def type_of(self, handle: _core.Value, element: dtype) -> dtype:
        """The language's type of a value in the IR whose elements have the type `element`."""
        ir = handle.type
        found = self._tile_types.get((ir, element))
        if found is None:
            if ir.element != self.ir(element):
                raise CompileError(f"a value of type {ir} does not have elements of type {element}")
            found = element.tile(ir.shape, ir.encoding) if ir.is_tile else element
            self._tile_types[ir, element] = found
        return found


class _Ambient(threading.local):
    def __init__(self) -> None:
        self.stack: list[BuildContext] = []


_ambient = _Ambient()


def current() -> BuildContext:
    """The context of the kernel that this thread is building.

    Raises:
        CompileError: No kernel is being built, because a function of the language was called
            from ordinary Python.
    """
    if not _ambient.stack:
        raise CompileError(
            "a function of tilewright.language was called outside of a kernel",
            hint="these functions work only in functions decorated with @tilewright.jit",
        )
    return _ambient.stack[-1]


def is_building() -> bool:
    """Whether this thread is building a kernel."""
    return bool(_ambient.stack)


@contextmanager
def use(context: BuildContext) -> Iterator[BuildContext]:
    """Makes `context` current for this thread until the `with` statement ends."""
    _ambient.stack.append(context)
    try:
        yield context
    finally:
        _ambient.stack.pop()
