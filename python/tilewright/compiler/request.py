"""A compilation request, and its cache keys."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tilewright.compiler.core import build_identity
from tilewright.compiler.options import Options
from tilewright.compiler.sources import ASTSource
from tilewright.compiler.targets import Target
from tilewright.dependencies import Record, Untrackable, digest
from tilewright.errors import ArgumentError, ConstantError

# Incremented when the meaning of a key or of an entry's sections changes.
_SCHEME = "4"


class KernelNaming:
    """What a function that names kernels gets.

    Attributes:
        fn: The @jit function.
        name: Its name.
        signature: The types of its parameters by name: "*fp32", "i32", "constexpr".
        constants: The values of constants by name.
    """

    def __init__(self, source: ASTSource) -> None:
        names = list(source.signature)
        self.fn = source.fn
        self.name = source.name
        self.signature = source.signature
        self.constants = {
            names[path[0]]: value for path, value in source.constants.items() if len(path) == 1
        }


class Request:
    """A request to compile one kernel for one signature.

    There are two keys. The base key covers what is known before anything is read: the kernel's own
    source, the signature, options and target. The cache maps it to the shapes of what earlier
    compilations have read. Replaying a shape gives the key of the result.

    Attributes:
        fn: The @jit function.
        signature: For each parameter, in order, a descriptor ("*fp32:D", "i32", ...), a
            compile-time value, or a nested tuple of these.
        target: The target.
        options: The options.
        noalias: Whether no two pointer arguments share memory.
        ir: Tile IR in place of what the front end builds, or None.
    """

    def __init__(
        self,
        fn: Any,
        signature: tuple[Any, ...],
        target: Target,
        options: Options,
        noalias: bool = False,
        ir: str | None = None,
    ) -> None:
        self.fn = fn
        self.signature = signature
        self.target = target
        self.options = options
        self.noalias = noalias
        self.ir = ir

    def record(self) -> Record:
        """A record of the kernel and its signature, before anything else is read.

        Raises:
            ConstantError: The value of a constant in the signature can't be tracked.
        """
        # The metadata of assertions and of checked accesses contain full paths.
        embeds_source_paths = self.target.embeds_source_paths or bool(self.options.checks)
        with_folders = self.options.debug or embeds_source_paths
        try:
            return Record(self.fn, self.signature, with_folders)
        except Untrackable as problem:
            raise ConstantError(
                f"the arguments of `{self.fn.name}` hold {problem}",
                file=self.fn.source_file,
                line=self.fn.first_line,
            ) from None

    def replay(self, shape: Iterable[Sequence[Any]]) -> Record | None:
        """A record of what a compilation would read now, or None if a reading fails."""
        record = self.record()
        return record if record.replay(shape) else None

    @property
    def lacks_function(self) -> bool:
        """Whether only the kernel's IR is left, since PyTorch's Inductor drops the functions of
        kernels that it has compiled."""
        return getattr(self.fn, "fn", self.fn) is None

    @functools.cached_property
    def name(self) -> str:
        """The name of the kernel, which is a C identifier; see `jit`'s argument `repr`.

        Raises:
            ArgumentError: `repr` does not return a text.
        """
        rename = getattr(self.fn, "_repr", None)
        if rename is None:
            return str(self.fn.name)
        source = ASTSource.of_request(self.fn, self.signature, self.noalias)
        name = rename(KernelNaming(source))
        if not isinstance(name, str) or not name:
            raise ArgumentError(f"`repr` of {self.fn.name} returned {name!r}, not a name")
        return re.sub(r"^(?=\d)|\W", "_", name, flags=re.ASCII)

    @functools.cached_property
    def base(self) -> str:
        """The base key: 64 hexadecimal digits."""
        options = self.options.relevant(self.target.kind)
        parts = [_SCHEME, build_identity(), self.target.key, str(sorted(options.items()))]
        if self.name != self.fn.name:
            parts.append(f"name {self.name}")
        if self.ir is not None:
            # Without a function, nothing is read of what a record of the same base may list.
            parts.append(f"ir {digest(self.ir)}{' alone' if self.lacks_function else ''}")
        return digest("\0".join([*parts, str(self.noalias), self.record().root]))

    def key(self, record: Record) -> str:
        """The key of the result of a compilation with this record: 64 hexadecimal digits."""
        return digest(f"{self.base}\0{record.text}")

    def describe(self) -> dict[str, str]:
        """The descriptor or value of each parameter as text for the user."""
        names = [parameter.name for parameter in self.fn.params]
        return {n: describe_leaf(v) for n, v in zip(names, self.signature, strict=False)}


def describe_leaf(value: Any) -> str:
    """A descriptor unchanged, a compile-time value as its name or its repr."""
    if isinstance(value, tuple):
        # A structure's entry is its class, its key and its parts; see language/value.py.
        is_class = type(value).__name__ == "Described"
        name, parts = (value[0].__name__, value[2]) if is_class else ("", value)
        return f"{name}({', '.join(map(describe_leaf, parts))})"
    if isinstance(value, str):
        return value
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else repr(value)
