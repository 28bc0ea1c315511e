"""Random numbers from a seed and offsets: Philox 4x32-10, with the same bits as in Triton.

Philox is a counter-based generator (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
2011). It applies keyed rounds to a counter of four words, so each element is computed from its own
offset, without state. The offset is the first word of the counter, or the first two if it has 64
bits; the two halves of the seed are the key.
"""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple

from tilewright.errors import TypeMismatchError
from tilewright.language import math
from tilewright.language._build import constant, to_tensor
from tilewright.language.casts import convert, reinterpret
from tilewright.language.constexpr import constant_int
from tilewright.language.creation import where
from tilewright.language.dtypes import int32, int64, uint32, uint64
from tilewright.language.registry import Family
from tilewright.language.tensor import tensor

N_ROUNDS_DEFAULT = 10
Family.RANDOM.add("N_ROUNDS_DEFAULT", N_ROUNDS_DEFAULT)


class _Constants(NamedTuple):
    key_a: int
    key_b: int
    round_a: int
    round_b: int


_PHILOX = {
    32: _Constants(0x9E3779B9, 0xBB67AE85, 0xD2511F53, 0xCD9E8D57),
    64: _Constants(0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B, 0xD2E7470EE14C6C93, 0xCA5A826395121157),
}

_Four = tuple[tensor, tensor, tensor, tensor]


@Family.RANDOM
def philox_impl(
    c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any, n_rounds: Any = N_ROUNDS_DEFAULT
) -> _Four:
    """Applies `n_rounds` rounds of Philox to the counter (c0, c1, c2, c3) with the key (k0, k1).

    All words are uint32, or all are uint64.

    Example:
        >>> zero = tl.zeros((2,), tl.uint32)
        >>> tl.philox_impl(zero, zero, zero, zero, zero, zero)[0]
        [1713891541 1713891541]
    """
    words = _PHILOX[c0.dtype.primitive_bitwidth]
    for _ in builtins.range(constant_int(n_rounds, "n_rounds")):
        high_b, low_b = math.umulhi(c2, _word(words.round_b, c2)), c2 * words.round_b
        high_a, low_a = math.umulhi(c0, _word(words.round_a, c0)), c0 * words.round_a
        c0, c1, c2, c3 = high_b ^ c1 ^ k0, low_b, high_a ^ c3 ^ k1, low_a
        k0, k1 = k0 + words.key_a, k1 + words.key_b
    return c0, c1, c2, c3


def _word(value: int, like: tensor) -> tensor:
    return constant(value, like.type)


@Family.RANDOM
def philox(
    seed: Any, c0: Any, c1: Any, c2: Any, c3: Any, n_rounds: Any = N_ROUNDS_DEFAULT
) -> _Four:
    """Philox with a key of up to 64 bits, on a counter of four words of 32 or 64 bits.

    Returns:
        Four words of the counter's width, unsigned.

    Raises:
        TypeMismatchError: `seed` is not an integer.

    Example:
        >>> zero = tl.zeros((2,), tl.uint32)
        >>> tl.philox(7, zero, zero, zero, zero)[0]
        [4099963437 4099963437]
    """
    key = convert(_integer(seed, "seed"), uint64)
    if to_tensor(c0).dtype.primitive_bitwidth == 32:
        word = uint32
        low, high = convert(key, uint32), convert(key >> 32, uint32)
    else:
        word = uint64
        low, high = key, constant(0, key.type)
    w0, w1, w2, w3 = (reinterpret(to_tensor(c), word) for c in (c0, c1, c2, c3))
    return philox_impl(w0, w1, w2, w3, low, high, n_rounds)


def _integer(x: Any, what: str) -> tensor:
    value = to_tensor(x)
    if not value.dtype.is_int():
        raise TypeMismatchError(
            f"the {what} of a random number must be an integer, found {value.type}"
        )
    return value


@Family.RANDOM
def randint4x(seed: Any, offset: Any, n_rounds: Any = N_ROUNDS_DEFAULT) -> _Four:
    """Four random uint32 values, each with the shape of `offset`.

    Args:
        seed: An integer scalar or tile of up to 64 bits.
        offset: An integer scalar or tile of up to 64 bits; distinct offsets give independent
            numbers.
        n_rounds: The number of rounds; fewer are faster and of lower quality.

    Raises:
        TypeMismatchError: `seed` or `offset` is not an integer.

    Example:
        >>> tl.randint4x(7, tl.arange(0, 2))
        [4099963437 1747881627]
        [3221879260 3415718931]
        [490388034 737869675]
        [ 367897730 4113952422]
    """
    counter = _integer(offset, "offset")
    low = convert(counter, uint32)
    zero = constant(0, low.type)
    wide = counter.dtype.int_bitwidth > 32
    high = convert(counter >> 32, uint32) if wide else zero
    return philox(seed, low, high, zero, zero, n_rounds)


@Family.RANDOM
def randint(seed: Any, offset: Any, n_rounds: Any = N_ROUNDS_DEFAULT) -> tensor:
    """Random uint32 values with the shape of `offset`; see `randint4x`, which costs the same.

    Example:
        >>> tl.randint(7, tl.arange(0, 2))
        [4099963437 1747881627]
    """
    return randint4x(seed, offset, n_rounds)[0]


@Family.RANDOM
def uint_to_uniform_float(x: Any) -> tensor:
    """Converts random integers of 32 or 64 bits to float32 values in [0, 1).

    Raises:
        TypeMismatchError: `x` is not an integer of 32 or 64 bits.

    Example:
        >>> tl.uint_to_uniform_float(tl.full((1,), 1 << 31, tl.uint32))
        [1.]
    """
    bits = _integer(x, "bits")
    if bits.dtype.int_bitwidth == 32:
        # The largest scale for which the product with the largest integer is below 1.
        signed, scale = reinterpret(bits, int32), 4.6566127342e-10
    elif bits.dtype.int_bitwidth == 64:
        signed, scale = reinterpret(bits, int64), 1.0842020432385337e-19
    else:
        raise TypeMismatchError(f"random bits must have 32 or 64 bits, found {bits.type}")
    return where(signed < 0, -signed - 1, signed) * scale


@Family.RANDOM
def rand(seed: Any, offset: Any, n_rounds: Any = N_ROUNDS_DEFAULT) -> tensor:
    """float32 values, uniform in [0, 1), with the shape of `offset`; see `randint4x`.

    Example:
        >>> tl.rand(7, tl.arange(0, 4))
        [0.0908 0.8139 0.0122 0.7804]
    """
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@Family.RANDOM
def rand4x(seed: Any, offsets: Any, n_rounds: Any = N_ROUNDS_DEFAULT) -> _Four:
    """Four float32 values, uniform in [0, 1), each with the shape of `offsets`.

    Example:
        >>> tl.rand4x(7, tl.arange(0, 2))
        [0.0908 0.8139]
        [0.4997 0.4094]
        [0.2284 0.3436]
        [0.1713 0.0843]
    """
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    uniform = uint_to_uniform_float
    return uniform(a), uniform(b), uniform(c), uniform(d)


@Family.RANDOM
def pair_uniform_to_normal(u1: Any, u2: Any) -> tuple[tensor, tensor]:
    """Converts two uniform float32 values to two normal ones (Box and Muller, 1958).

    Example:
        >>> u = tl.load(q + 1 + tl.arange(0, 1))
        >>> tl.pair_uniform_to_normal(u, u / 4)
        [0.8326]
        [0.8326]
    """
    radius = math.sqrt(-2.0 * math.log(math.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * math.cos(angle), radius * math.sin(angle)


@Family.RANDOM
def randn(seed: Any, offset: Any, n_rounds: Any = N_ROUNDS_DEFAULT) -> tensor:
    """Normal float32 values, mean 0 and variance 1, with the shape of `offset`; see `randint4x`.

    Example:
        >>> tl.randn(7, tl.arange(0, 4))
        [-2.1904 -0.5406  2.9532 -0.7042]
    """
    a, b, _, _ = randint4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))[0]


@Family.RANDOM
def randn4x(seed: Any, offset: Any, n_rounds: Any = N_ROUNDS_DEFAULT) -> _Four:
    """Four normal float32 values, mean 0 and variance 1, each with the shape of `offset`.

    Example:
        >>> tl.randn4x(7, tl.arange(0, 2))
        [-2.1904 -0.5406]
        [0.0042 0.3458]
        [0.8155 1.2614]
        [1.5128 0.7385]
    """
    a, b, c, d = rand4x(seed, offset, n_rounds)
    n0, n1 = pair_uniform_to_normal(a, b)
    n2, n3 = pair_uniform_to_normal(c, d)
    return n0, n1, n2, n3
