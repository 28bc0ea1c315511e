"""What is asked of the compiler, and the keys that stand for it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from tilewright.compiler.core import build_identity
from tilewright.compiler.options import Options
from tilewright.compiler.targets import Target
from tilewright.dependencies import Record, Untrackable, digest
from tilewright.errors import ConstantError

# Changed when the meaning of a key or of an entry's sections does.
_SCHEME = "2"


class Request:
    """One kernel to be compiled for one signature.

    There are two keys. The base stands for what is known before anything is read: the kernel's own
    source, the signature, options and target. Under it the cache has the shapes of what earlier
    compilations read. Reading that again gives the key of the result.

    Attributes:
        fn: The @jit function.
        signature: One descriptor ("*fp32:D", "i32", ...), compile-time value or nested tuple of
            them per parameter, in the order of the parameters.
        target, options: What for and how.
        noalias: Whether no two pointer arguments share memory.
    """

    def __init__(
        self,
        fn: Any,
        signature: tuple[Any, ...],
        target: Target,
        options: Options,
        noalias: bool = False,
    ) -> None:
        self.fn = fn
        self.signature = signature
        self.target = target
        self.options = options
        self.noalias = noalias

    def record(self) -> Record:
        """A record that nothing but the kernel and its signature has been read into.

        Raises:
            ConstantError: a constant of the signature has no value that can be seen.
        """
        # What is kept of an assertion, or of a checked access, names the whole path of its file.
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
        """What a compilation that reads the same things would find now; None where it can't."""
        record = self.record()
        return record if record.replay(shape) else None

    @functools.cached_property
    def base(self) -> str:
        """64 hexadecimal digits that stand for the request."""
        options = self.options.relevant(self.target.kind)
        parts = [_SCHEME, build_identity(), self.target.key, str(sorted(options.items()))]
        return digest("\0".join([*parts, str(self.noalias), self.record().root]))

    def key(self, record: Record) -> str:
        """64 hexadecimal digits that name the result of a compilation that read this."""
        return digest(f"{self.base}\0{record.text}")

    def describe(self) -> dict[str, str]:
        """Each parameter's descriptor or value as text, for people."""
        names = [parameter.name for parameter in self.fn.params]
        return {n: describe_leaf(v) for n, v in zip(names, self.signature, strict=False)}


def describe_leaf(value: Any) -> str:
    """A descriptor as it is, a compile-time value by its repr."""
    if isinstance(value, tuple):
        return f"({', '.join(map(describe_leaf, value))})"
    if isinstance(value, str):
        return value
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else repr(value)
