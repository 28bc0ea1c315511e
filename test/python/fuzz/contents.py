"""The contents of arrays before a launch: a function of the seed, the array and the index."""

from __future__ import annotations

import zlib

import numpy as np
from narrow import encode
from tiles import DType


def _random_bits(seed: int, name: str, index: np.ndarray) -> np.ndarray:
    """64 random bits per index: the finalizer of SplitMix64."""
    with np.errstate(over="ignore"):
        x = index.astype(np.uint64) + np.uint64(seed * 0x9E3779B97F4A7C15 & (2**64 - 1))
        x = x * np.uint64(0x9E3779B97F4A7C15) + np.uint64(zlib.crc32(name.encode()))
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def contents(dtype: DType, fill: str, seed: int, name: str, index: np.ndarray) -> np.ndarray:
    """The elements as stored in memory; bfloat16 and float8 as bits.

    Args:
        fill: "any": any integer, or multiples of 1/8 below 8; "small": whole numbers from -4 to 4,
            or 0 to 8 for unsigned types; "zero"; "below N": from 0 to N - 1; "permutation N":
            indices, permuted within groups of N, a power of two; "rising": in steps of 0 to 4;
            "of A B C": these integers.
    """
    bits = _random_bits(seed, name, index)
    kind, _, limit = fill.partition(" ")
    if kind == "zero":
        values = np.zeros(len(index))
    elif kind == "below":
        values = (bits % np.uint64(int(limit))).astype(np.int64)
    elif kind == "permutation":
        values = (index * 5 + 3) % int(limit)
    elif kind == "rising":
        values = index * 2 + (bits % np.uint64(3)).astype(np.int64)
    elif kind == "of":
        choices = np.array([int(text) for text in limit.split()], dtype.stored)
        return choices[bits % np.uint64(len(choices))]
    elif kind == "small" or dtype == "int1":
        values = (bits % np.uint64(9)).astype(np.int64)
        if dtype.is_float or dtype.is_signed:
            values = values - 4
    elif dtype.is_float:
        values = ((bits >> np.uint64(7)) % np.uint64(128)).astype(np.int64) / 8 - 8
    else:
        return np.where(bits >> np.uint64(63), bits % np.uint64(9), bits).astype(dtype.stored)
    if dtype == "bfloat16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if dtype.is_float8:
        return encode(values.astype(np.float64), dtype)
    return (values & 1 if dtype == "int1" else values).astype(dtype.stored)
