"""The option `extern_libs`: files of LLVM bitcode by their names.

{"mine": "mine.bc"}, (("mine", "mine.bc"),)         what a launch passes
'[["mine", "/home/me/mine.bc"]]'                    what the option stores, in JSON
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tilewright.errors import ArgumentError


def canonical(value: Any, name: str) -> str:
    """The text of a value that a program has set; empty for no libraries.

    Raises:
        ArgumentError: The value has another form; `name` says where it was set.
    """
    if not value:
        return ""
    pairs: Any = list(value.items()) if isinstance(value, Mapping) else value
    if isinstance(value, str):
        with suppress(ValueError):
            pairs = parse(value)
    if not isinstance(pairs, (tuple, list)) or not all(map(_is_pair, pairs)):
        raise ArgumentError(
            f"{name} must be names and files of LLVM bitcode, such as {{'mine': 'mine.bc'}} or "
            f"(('mine', 'mine.bc'),), not {value!r}"
        )
    return json.dumps([[library, os.path.abspath(os.fspath(file))] for library, file in pairs])


def parse(text: str) -> tuple[tuple[str, str], ...]:
    """The names and absolute paths of the text."""
    return tuple((name, file) for name, file in json.loads(text or "[]"))


def _is_pair(item: Any) -> bool:
    return (
        isinstance(item, (tuple, list))
        and len(item) == 2
        and isinstance(item[0], str)
        and isinstance(item[1], (str, os.PathLike))
    )
