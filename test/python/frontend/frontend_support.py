"""Builds kernels without launching them: `jit` is the bare minimum of a @jit function."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tilewright import _core
from tilewright.frontend import build_module


@dataclass
class Param:
    name: str
    index: int
    kind: Any
    default: Any
    annotation: Any

    @property
    def is_constexpr(self) -> bool:
        return "constexpr" in str(self.annotation)


@dataclass
class jit:
    fn: Callable[..., Any]
    source_file: str = ""
    first_line: int = 0
    params: list[Param] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.name = self.fn.__name__
        self.globals = self.fn.__globals__
        self.source_file = self.fn.__code__.co_filename
        self.first_line = self.fn.__code__.co_firstlineno
        for index, p in enumerate(inspect.signature(self.fn).parameters.values()):
            self.params.append(Param(p.name, index, p.kind, p.default, p.annotation))

    def tree(self) -> ast.FunctionDef:
        lines, first = inspect.getsourcelines(self.fn)
        source = "".join(lines)
        dedented = textwrap.dedent(source)
        indent = len(lines[0]) - len(dedented.splitlines(keepends=True)[0])
        [node] = ast.parse(dedented).body
        assert isinstance(node, ast.FunctionDef)
        ast.increment_lineno(node, first - 1)
        for child in ast.walk(node):
            if hasattr(child, "col_offset"):
                child.col_offset += indent
        return node


def build(fn: Any, *signature: Any, noalias: bool = False, **options: Any) -> str:
    """The Tile IR of a kernel as text."""
    return str(build_module(_core.Context(), fn, list(signature), noalias, options))


def build_with_locations(fn: Any, *signature: Any) -> str:
    module = build_module(_core.Context(), fn, list(signature), False, {})
    return module.print(debug_info=True)
