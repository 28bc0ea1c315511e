"""What is asked of the compiler, and the key that stands for it."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

from tilewright.compiler.canonical import is_portable
from tilewright.compiler.core import build_identity
from tilewright.compiler.options import Options
from tilewright.compiler.sources import reachable_text, value_text
from tilewright.compiler.targets import Target

# Changed when the meaning of a key or of an entry's sections does.
_SCHEME = "1"


class Request:
    """One kernel to be compiled for one signature.

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

    @functools.cached_property
    def source(self) -> str:
        """The text of everything that the kernel's code depends on."""
        return reachable_text(self.fn)

    @functools.cached_property
    def _text(self) -> str:
        options = self.options.relevant(self.target.kind)
        parts = [_SCHEME, build_identity(), self.target.key, str(sorted(options.items()))]
        parts += [str(self.noalias), value_text(self.signature), self.source]
        # What is kept of an assertion, or of a checked access, names the whole path of its file.
        if self.options.debug or self.options.checks or self.target.names_files:
            parts += [reachable_text(self.fn, with_folders=True)]
            parts += [value_text(self.signature, with_folders=True)]
        return "\0".join(parts)

    @functools.cached_property
    def key(self) -> str:
        """64 hexadecimal digits that name the result."""
        return hashlib.sha256(self._text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def portable(self) -> bool:
        """Whether the key means the same in another process, so that the disk may know it."""
        return is_portable(self._text)

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
