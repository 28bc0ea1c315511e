"""Functions of PTX on the bits of integers: in NumPy, and as helpers in the language.

In NumPy, operands are arrays of int16, int32 or int64, and immediates are Python's integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _bits(a: np.ndarray) -> int:
    return int(a.dtype.itemsize * 8)


def _unsigned(a: np.ndarray) -> np.ndarray:
    return a.view(f"u{a.dtype.itemsize}")


def _signed(a: np.ndarray) -> np.ndarray:
    return a.view(f"i{a.dtype.itemsize}")


def unsigned(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of the operands read as unsigned integers."""

    def apply(*operands: Any) -> np.ndarray:
        found = function(*(_unsigned(x) if isinstance(x, np.ndarray) else x for x in operands))
        return found if found.dtype == np.bool_ else _signed(found)

    return apply


def _texts(a: np.ndarray) -> list[str]:
    bits = _bits(a)
    return [format(int(x) & ((1 << bits) - 1), f"0{bits}b") for x in a]


def _words(values: list[int], like: np.ndarray) -> np.ndarray:
    mask = (1 << _bits(like)) - 1
    return _signed(np.array([v & mask for v in values], f"u{like.dtype.itemsize}"))


def popc(a: np.ndarray) -> np.ndarray:
    return np.array([text.count("1") for text in _texts(a)], np.int32)


def clz(a: np.ndarray) -> np.ndarray:
    return np.array([_bits(a) - len(text.lstrip("0")) for text in _texts(a)], np.int32)


def brev(a: np.ndarray) -> np.ndarray:
    return _words([int(text[::-1], 2) for text in _texts(a)], a)


def upper(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The upper half of the product."""
    products = a.astype(object) * b.astype(object) >> _bits(a)
    return _words([int(x) for x in products], a).view(a.dtype)


def quotient(a: np.ndarray, b: int) -> np.ndarray:
    """Rounded toward zero; b is positive."""
    return _words([abs(int(x)) // b * (-1 if x < 0 else 1) for x in a], a)


def remainder(a: np.ndarray, b: int) -> np.ndarray:
    return _words([abs(int(x)) % b * (-1 if x < 0 else 1) for x in a], a)


def zero_extended(a: np.ndarray) -> np.ndarray:
    return _unsigned(a).astype(np.int64)


def field(a: np.ndarray, position: int, length: int) -> np.ndarray:
    mask = (1 << length) - 1
    return _words([(int(x) >> position) & mask for x in _unsigned(a)], a)


def signed_field(a: np.ndarray, position: int, length: int) -> np.ndarray:
    """The sign is the highest bit of the field, or of the operand."""
    if not length:
        return np.zeros_like(a)
    found = []
    for x in _unsigned(a):
        value = (int(x) >> position) & ((1 << length) - 1)
        sign = int(x) >> min(position + length - 1, 31) & 1
        found.append(value - (sign << min(length, 32 - position)))
    return _words(found, a)


def insert(a: np.ndarray, b: np.ndarray, position: int, length: int) -> np.ndarray:
    """The low bits of a, in b."""
    mask = ((1 << length) - 1) << position & 0xFFFFFFFF
    pairs = zip(_unsigned(a), _unsigned(b), strict=True)
    return _words([(int(y) & ~mask) | ((int(x) << position) & mask) for x, y in pairs], a)


def lop3(a: np.ndarray, b: np.ndarray, c: np.ndarray, table: int) -> np.ndarray:
    found = np.zeros_like(a)
    for row in range(8):
        if table >> row & 1:
            parts = zip((a, b, c), (4, 2, 1), strict=True)
            x, y, z = (v if row & bit else ~v for v, bit in parts)
            found |= x & y & z
    return found


def prmt(a: np.ndarray, b: np.ndarray, selector: int) -> np.ndarray:
    """Four of the eight bytes; the highest bit of a nibble repeats the sign instead."""
    found = []
    for x, y in zip(_unsigned(a), _unsigned(b), strict=True):
        pair = (int(y) << 32) | int(x)
        value = 0
        for place in range(4):
            nibble = selector >> (4 * place) & 15
            byte = pair >> (8 * (nibble & 7)) & 255
            if nibble & 8:
                byte = 255 * (byte >> 7)
            value |= byte << (8 * place)
        found.append(value)
    return _words(found, a)


def funnel(left: bool, clamps: bool) -> Callable[..., np.ndarray]:
    """A shift of the 64 bits b, a: the upper half of it, or shifted right, the lower one."""

    def shift(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        found = []
        for x, y, count in zip(*(_unsigned(v) for v in (a, b, c)), strict=True):
            pair = (int(y) << 32) | int(x)
            by = min(int(count), 32) if clamps else int(count) & 31
            found.append((pair << by) >> 32 if left else pair >> by)
        return _words(found, a)

    return shift


# The same in the language, by name. `bits` is the width of x.
HELPERS = {
    "popc": """
def popc(x, bits: tl.constexpr):
    count = tl.zeros_like(x)
    for i in range(bits):
        count += (x >> i) & 1
    return count.to(tl.int32)
""",
    "clz": """
def clz(x, bits: tl.constexpr):
    count = tl.zeros_like(x)
    running = tl.zeros_like(x) + 1
    for i in range(bits):
        running = tl.where(((x >> (bits - 1 - i)) & 1) == 1, 0, running)
        count += running
    return count.to(tl.int32)
""",
    "brev": """
def brev(x, bits: tl.constexpr):
    found = tl.zeros_like(x)
    for i in range(bits):
        found = found | (((x >> i) & 1) << (bits - 1 - i))
    return found
""",
    "field": """
def field(x, position: tl.constexpr, length: tl.constexpr, bits: tl.constexpr):
    found = tl.zeros_like(x)
    for i in tl.static_range(bits):
        if i < length and i + position < bits:
            found = found | (((x >> (i + position)) & 1) << i)
    return found
""",
    "signed_field": """
def signed_field(x, position: tl.constexpr, length: tl.constexpr):
    found = tl.zeros_like(x)
    for i in tl.static_range(32):
        if length > 0:
            if i < length and i + position < 32:
                found = found | (((x >> (i + position)) & 1) << i)
            else:
                found = found | (((x >> min(position + length - 1, 31)) & 1) << i)
    return found
""",
    "insert": """
def insert(x, y, position: tl.constexpr, length: tl.constexpr):
    found = y
    one = tl.zeros_like(x) + 1
    for i in tl.static_range(32):
        if i >= position and i < position + length:
            found = (found & ~(one << i)) | (((x >> (i - position)) & 1) << i)
    return found
""",
    "lop3": """
def lop3(x, y, z, table: tl.constexpr):
    found = tl.zeros_like(x)
    for row in tl.static_range(8):
        if (table >> row) & 1:
            first = x if row & 4 else ~x
            second = y if row & 2 else ~y
            third = z if row & 1 else ~z
            found = found | (first & second & third)
    return found
""",
    "prmt": """
def prmt(x, y, selector: tl.constexpr):
    low, high = x.to(tl.uint32).to(tl.uint64), y.to(tl.uint32).to(tl.uint64)
    pair = low | (high << 32)
    found = low & 0
    for place in tl.static_range(4):
        nibble: tl.constexpr = (selector >> (4 * place)) & 15
        byte = (pair >> (8 * (nibble & 7))) & 255
        if nibble & 8:
            byte = (byte >> 7) * 255
        found = found | (byte << (8 * place))
    return found.to(tl.int32)
""",
    "funnel_l": """
def funnel_l(x, y, count, clamps: tl.constexpr):
    low, high = x.to(tl.uint32).to(tl.uint64), y.to(tl.uint32).to(tl.uint64)
    by = count.to(tl.uint32)
    by = (tl.minimum(by, 32) if clamps else by & 31).to(tl.uint64)
    return (((low | (high << 32)) << by) >> 32).to(tl.int32)
""",
    "funnel_r": """
def funnel_r(x, y, count, clamps: tl.constexpr):
    low, high = x.to(tl.uint32).to(tl.uint64), y.to(tl.uint32).to(tl.uint64)
    by = count.to(tl.uint32)
    by = (tl.minimum(by, 32) if clamps else by & 31).to(tl.uint64)
    return ((low | (high << 32)) >> by).to(tl.int32)
""",
}
