"""The kinds of entries of the table of names (compat/table).

A name of a module is looked up in this order: an entry `Same`; a submodule; the module's `sources`;
an entry `Deferred` or `Absent`. A name that Tilewright gains is found in the sources, whatever its
old entry says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Same:
    """The same object as `target`, "module:attribute"; "module:" is the module itself."""

    target: str
    note: str = ""


@dataclass(frozen=True)
class Deferred:
    """A missing name that exists, so that modules which import it can be imported.

    Using it raises an UnsupportedError: calling the function, which in a kernel names the line, or
    creating an object of the class.
    """

    note: str = ""
    is_class: bool = False


@dataclass(frozen=True)
class Absent:
    """A missing name that does not exist: programs probe for it, and do without it.

    Attributes:
        is_planned: Whether the error says that the name is not in Tilewright yet.
    """

    note: str = ""
    is_planned: bool = True


Entry: TypeAlias = "Same | Deferred | Absent"


@dataclass(frozen=True)
class Module:
    """One of Triton's modules.

    Attributes:
        name: Its full name.
        names: Its names that are not found in `sources`.
        sources: Modules of Tilewright whose public names it has, in the order in which they are
            searched.
        has_numbered_arguments: Whether the functions of `sources` also take their arguments by the
            names arg0, arg1 and so on.
    """

    name: str
    names: Mapping[str, Entry] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    has_numbered_arguments: bool = False


@dataclass(frozen=True)
class MissingModule:
    """A module of Triton that can't be imported, as if Triton did not have it."""

    name: str
    note: str
