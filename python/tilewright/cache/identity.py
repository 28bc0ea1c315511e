"""Identifies the compiler itself in a key: equal bytes give equal identities."""

from __future__ import annotations

import functools
import hashlib
import os
import struct

_PT_NOTE = 4
_NT_GNU_BUILD_ID = 3


@functools.cache
def binary_identity(path: str) -> str:
    """The linker's build id of a shared object, else the hash of its content.

    The build id is the linker's hash of its output. Reading it takes microseconds; hashing a
    library of a hundred megabytes would take longer than loading a kernel from the cache should.
    """
    with open(path, "rb") as stream:
        start = stream.read(65536)
        if build_id := elf_build_id(start):
            return "build-id:" + build_id
        digest = hashlib.sha256(start)
        while block := stream.read(1 << 20):
            digest.update(block)
    return "sha256:" + digest.hexdigest()


def elf_build_id(start: bytes) -> str | None:
    """The GNU build id in the first bytes of a 64-bit little-endian ELF file, in hexadecimal."""
    if len(start) < 64 or start[:6] != b"\x7fELF\x02\x01":
        return None
    (headers,) = struct.unpack_from("<Q", start, 32)
    entry_size, count = struct.unpack_from("<HH", start, 54)
    for i in range(count):
        at = headers + i * entry_size
        if at + 56 > len(start):
            return None
        kind, _, offset, _, _, size = struct.unpack_from("<IIQQQQ", start, at)
        found = _find_note(start[offset : offset + size]) if kind == _PT_NOTE else None
        if found:
            return found.hex()
    return None


def _find_note(notes: bytes) -> bytes | None:
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        name_at = at + 12
        data_at = name_at + (name_size + 3 & ~3)
        name = notes[name_at : name_at + name_size]
        if kind == _NT_GNU_BUILD_ID and name == b"GNU\0" and data_at + size <= len(notes):
            return notes[data_at : data_at + size]
        at = data_at + (size + 3 & ~3)
    return None


@functools.cache
def sources_identity(*folders: str) -> str:
    """A hash of the names and contents of all Python files in the folders, read once."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(_python_files(folder)):
            with open(path, "rb", buffering=0) as stream:
                data = stream.read()
            digest.update(f"{path[len(folder) :]}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.hexdigest()


def _python_files(folder: str) -> list[str]:
    found = []
    with os.scandir(folder) as items:
        for item in items:
            if item.name.endswith(".py"):
                found.append(item.path)
            elif item.is_dir() and item.name != "__pycache__":
                found += _python_files(item.path)
    return found
