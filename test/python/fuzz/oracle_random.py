"""The random numbers of the language in NumPy, with the integers of Python.

Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
from tiles import Tile, lift

N_ROUNDS_DEFAULT = 10

_MULTIPLIERS = {
    32: (0xD2511F53, 0xCD9E8D57), 64: (0xD2E7470EE14C6C93, 0xCA5A826395121157),
}  # fmt: skip
_WEYL = {32: (0x9E3779B9, 0xBB67AE85), 64: (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)}


def _philox(counter: list[Any], key: list[Any], bits: int, rounds: int) -> list[Any]:
    """On arrays of Python's integers."""
    mask = (1 << bits) - 1
    for _ in range(rounds):
        first = counter[0] * _MULTIPLIERS[bits][0]
        second = counter[2] * _MULTIPLIERS[bits][1]
        counter = [
            (second >> bits) ^ counter[1] ^ key[0], second & mask,
            (first >> bits) ^ counter[3] ^ key[1], first & mask,
        ]  # fmt: skip
        key = [(k + step) & mask for k, step in zip(key, _WEYL[bits], strict=True)]
    return counter


def _wide(x: Any, bits: int) -> Any:
    return lift(x).exact().astype(object) & ((1 << bits) - 1)


def _four(words: list[Any], bits: int) -> tuple[Tile, ...]:
    shape = np.broadcast_shapes(*(np.shape(word) for word in words))
    wide = [np.broadcast_to(np.asarray(word, object), shape) for word in words]
    return tuple(Tile(f"uint{bits}", word.astype(np.uint64)) for word in wide)


def philox_impl(
    c0: Tile, c1: Tile, c2: Tile, c3: Tile, k0: Any, k1: Any, n_rounds: int = N_ROUNDS_DEFAULT
) -> tuple[Tile, ...]:
    bits = c0.dtype.bits
    words = [_wide(x, bits) for x in (c0, c1, c2, c3, k0, k1)]
    return _four(_philox(words[:4], words[4:], bits, n_rounds), bits)


def philox(
    seed: Any, c0: Any, c1: Any, c2: Any, c3: Any, n_rounds: int = N_ROUNDS_DEFAULT
) -> tuple[Tile, ...]:
    bits = lift(c0).dtype.bits
    key = _wide(lift(seed).to("uint64"), 64)
    keys = [key & 0xFFFFFFFF, key >> 32] if bits == 32 else [key, 0]
    counter = [_wide(x, bits) for x in (c0, c1, c2, c3)]
    return _four(_philox(counter, keys, bits, n_rounds), bits)


def randint4x(seed: Any, offset: Any, n_rounds: int = N_ROUNDS_DEFAULT) -> tuple[Tile, ...]:
    counter = lift(offset)
    signed = counter.to("int64" if counter.dtype.bits > 32 else "int32")
    low = Tile("uint32", _wide(signed, 32).astype(np.uint64))
    zero = oracle.zeros_like(low)
    high = zero
    if counter.dtype.bits > 32:
        high = Tile("uint32", (_wide(signed, 64) >> 32).astype(np.uint64))
    return philox(seed, low, high, zero, zero, n_rounds)


def randint(seed: Any, offset: Any, n_rounds: int = N_ROUNDS_DEFAULT) -> Tile:
    return randint4x(seed, offset, n_rounds)[0]


def uint_to_uniform_float(x: Tile) -> Tile:
    bits = x.dtype.bits
    signed = x.to(f"int{bits}", bitcast=True).value
    folded = np.where(signed < 0, ~signed, signed)
    scale = np.float32(4.6566127342e-10 if bits == 32 else 1.0842020432385337e-19)
    return Tile("float32", folded.astype(np.float32) * scale)


def rand4x(seed: Any, offset: Any, n_rounds: int = N_ROUNDS_DEFAULT) -> tuple[Tile, ...]:
    return tuple(uint_to_uniform_float(x) for x in randint4x(seed, offset, n_rounds))


def rand(seed: Any, offset: Any, n_rounds: int = N_ROUNDS_DEFAULT) -> Tile:
    return rand4x(seed, offset, n_rounds)[0]


def pair_uniform_to_normal(u1: Tile, u2: Tile) -> tuple[Tile, Tile]:
    known = oracle.names()
    radius = known["sqrt"](-2.0 * known["log"](oracle.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * known["cos"](angle), radius * known["sin"](angle)


def randn4x(seed: Any, offset: Any, n_rounds: int = N_ROUNDS_DEFAULT) -> tuple[Tile, ...]:
    a, b, c, d = rand4x(seed, offset, n_rounds)
    return *pair_uniform_to_normal(a, b), *pair_uniform_to_normal(c, d)


def randn(seed: Any, offset: Any, n_rounds: int = N_ROUNDS_DEFAULT) -> Tile:
    return randn4x(seed, offset, n_rounds)[0]


_FUNCTIONS = (
    philox_impl, philox, randint4x, randint, uint_to_uniform_float, rand4x, rand,
    pair_uniform_to_normal, randn4x, randn,
)  # fmt: skip


def names() -> dict[str, Any]:
    known: dict[str, Any] = {function.__name__: function for function in _FUNCTIONS}
    return {**known, "N_ROUNDS_DEFAULT": N_ROUNDS_DEFAULT}
