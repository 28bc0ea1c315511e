"""The option ir_override: Tile IR in a file, in place of what the front end builds."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from tilewright.compiler.core import core
from tilewright.compiler.diagnostics import from_ir_error
from tilewright.errors import ArgumentError, CompileError

_SUFFIXES = (".ttir", ".mlir")
_KERNEL = re.compile(r"func\.func @[^\n]*")


def read_override(path: Any) -> str | None:
    """The text of the file that a launch names; None if it names none.

    Args:
        path: The value of the option: a path that ends in .ttir or .mlir, or None.

    Raises:
        ArgumentError: It is no such path, or the file can't be read.
    """
    if path is None:
        return None
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path).endswith(_SUFFIXES):
        raise ArgumentError(
            f"ir_override must be a file of Tile IR that ends in {' or '.join(_SUFFIXES)}, as "
            f'compiled.ir("source") prints it, not {path!r}'
        )
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ArgumentError(f"ir_override: {path} can't be read: {error}") from error


def parse_module(text: str) -> Any:
    """The module in the text.

    Raises:
        CompileError: The text is no IR.
    """
    try:
        return core().Module.parse(core().Context(), text)
    except core().IRError as error:
        raise from_ir_error(error, CompileError) from error


def replace_module(module: Any, text: str) -> Any:
    """The module in the text, whose kernel has the same parameters as the front end's.

    Args:
        module: What the front end has built for the launch.
        text: Tile IR.

    Raises:
        CompileError: The text is no IR, or its kernel has other parameters: the launch would pass
            values that it does not expect, or does not check what it assumes of them.
    """
    replaced = parse_module(text)
    wanted, found = _signature(module), _signature(replaced)
    if wanted != found:
        raise CompileError(
            f"the kernel in ir_override does not have the parameters of the launch:\n"
            f"  expected: {wanted}\n  found: {found}"
        )
    return replaced


def _signature(module: Any) -> str:
    """The line that declares the kernel: its name, and its parameters with their attributes."""
    found = _KERNEL.search(module.print())
    return found.group() if found else "no kernel"
