"""The format of a cache file.

    offset  bytes
    0       8      magic "TWKERNEL"
    8       4      version of this format, little endian
    12      4      zero
    16      32     sha256 of everything that follows
    48      8      size of the table of contents, little endian
    56      ...    table of contents, JSON: key, metadata, [section name, size] in order
    ...     ...    the sections, one after another

The checksum detects corruption and truncation; the key detects a valid file under a wrong name.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any, NamedTuple

MAGIC = b"TWKERNEL"
VERSION = 1
_HEADER = struct.Struct("<8sII32s")
_SIZE = struct.Struct("<Q")


class Entry(NamedTuple):
    """The entry of one key: JSON-serializable metadata and named byte strings."""

    metadata: dict[str, Any]
    sections: dict[str, bytes]


def encode(key: str, entry: Entry) -> bytes:
    """The bytes of a file that holds `entry` under `key`."""
    table = {
        "key": key,
        "metadata": entry.metadata,
        "sections": [[name, len(data)] for name, data in entry.sections.items()],
    }
    contents = json.dumps(table, separators=(",", ":")).encode()
    body = b"".join([_SIZE.pack(len(contents)), contents, *entry.sections.values()])
    return _HEADER.pack(MAGIC, VERSION, 0, hashlib.sha256(body).digest()) + body


def decode(key: str, data: bytes) -> Entry | None:
    """The entry in a file's bytes, or None unless they are exactly what `encode` wrote."""
    if len(data) < _HEADER.size:
        return None
    magic, version, zero, digest = _HEADER.unpack_from(data)
    body = memoryview(data)[_HEADER.size :]
    if (magic, version, zero) != (MAGIC, VERSION, 0) or hashlib.sha256(body).digest() != digest:
        return None
    # The checksum matches, so the rest is well-formed.
    (table_size,) = _SIZE.unpack_from(body)
    offset = _SIZE.size + table_size
    table = json.loads(bytes(body[_SIZE.size : offset]))
    if table["key"] != key:
        return None
    sections = {}
    for name, size in table["sections"]:
        sections[name] = bytes(body[offset : offset + size])
        offset += size
    return Entry(table["metadata"], sections)
