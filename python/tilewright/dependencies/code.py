"""What a Python function reads, according to its bytecode."""

from __future__ import annotations

import dis
import functools
import types
from typing import NamedTuple

# A chain of names, `pkg.mod.N`, starts with a global; the chain of an import starts with this.
IMPORT = ".import"
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")


class Reads(NamedTuple):
    """What the code of a function may read besides its arguments and closure.

    Attributes:
        chains: Globals, each with the attributes that are read directly from it.
        names: The names of all attributes, and all strings, which may be names of attributes.
        text: The code itself; independent of its position in the file.
    """

    chains: tuple[tuple[str, ...], ...]
    names: frozenset[str]
    text: str


@functools.lru_cache(maxsize=4096)
def reads_of(code: types.CodeType) -> Reads:
    """What a function's code reads, including nested functions."""
    chains: dict[tuple[str, ...], None] = {}
    names = set(code.co_names)
    texts = [_own_text(code)]
    for chain in _chains(code):
        chains.setdefault(chain)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = reads_of(constant)
            chains.update(dict.fromkeys(inner.chains))
            names |= inner.names
            texts.append(inner.text)
        else:
            texts.append(f"{type(constant).__name__}:{_constant_text(constant)}")
            names.update(_strings(constant))
    return Reads(tuple(chains), frozenset(names), "\n".join(texts))


def _chains(code: types.CodeType) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    is_open = False  # whether the next attribute is read from the last chain
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name in _GLOBALS:
            found.append((instruction.argval,))
            is_open = True
        elif name == "IMPORT_NAME":
            found.append((IMPORT, instruction.argval))
            is_open = False
        elif name in _ATTRIBUTES and is_open:
            found[-1] += (instruction.argval,)
        elif name not in ("CACHE", "EXTENDED_ARG"):
            is_open = False
    return found


def _own_text(code: types.CodeType) -> str:
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    handlers = getattr(code, "co_exceptiontable", b"")
    return f"{code.co_name} {counts} {names} {code.co_code.hex()} {handlers.hex()}"


def _constant_text(constant: object) -> str:
    if isinstance(constant, frozenset):
        return str(sorted(map(_constant_text, constant)))
    if isinstance(constant, tuple):
        return str([f"{type(item).__name__}:{_constant_text(item)}" for item in constant])
    return hex(constant) if type(constant) is int else repr(constant)


def _strings(constant: object) -> list[str]:
    if isinstance(constant, str):
        return [constant]
    if isinstance(constant, (tuple, frozenset)):
        return [text for item in constant for text in _strings(item)]
    return []
