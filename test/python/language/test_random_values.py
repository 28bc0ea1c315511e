"""Random numbers, bit for bit against Philox written in NumPy."""

import numpy as np
import pytest
from inputs import error, fresh, poisoned, wide

import tilewright
import tilewright.language as tl

N = 1024


@tilewright.jit
def integers(seed, offset, out, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.arange(0, N)
    words = tl.randint4x(seed, tl.load(offset + i), ROUNDS)
    for k in tl.static_range(4):
        tl.store(out + k * N + i, words[k])


@tilewright.jit
def floats(seed, out, FUNCTION: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, FUNCTION(seed, i))


def philox(seed, offset, rounds=10):
    """Philox 4x32 (Salmon et al., 2011) on NumPy arrays of uint64 that hold 32-bit words."""
    low32 = np.uint64(0xFFFFFFFF)
    offset = offset.astype(np.int64).astype(np.uint64)
    zero = np.zeros_like(offset)
    c = [offset & low32, offset >> np.uint64(32), zero, zero]
    seed &= (1 << 64) - 1
    k = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    for _ in range(rounds):
        p, q = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        shift = np.uint64(32)
        c = [(q >> shift) ^ c[1] ^ k[0], q & low32, (p >> shift) ^ c[3] ^ k[1], p & low32]
        k = [(k[0] + np.uint64(0x9E3779B9)) & low32, (k[1] + np.uint64(0xBB67AE85)) & low32]
    return np.stack(c).astype(np.uint32)


def test_reference_gives_the_published_words():
    words = philox(0, np.zeros(1, np.uint32))[:, 0]
    assert [hex(word) for word in words] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


@pytest.mark.parametrize("seed", [0, 42, 2**31 - 1, 2**40 + 12345])
@pytest.mark.parametrize("rounds", [6, 10])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64"])
def test_bits(dtype, rounds, seed):
    offset = fresh(dtype, (N,), 0, None)
    out = poisoned("uint32", (4, N))
    integers[(1,)](seed, offset, out, N=N, ROUNDS=rounds)
    assert np.array_equal(out, philox(seed, offset, rounds))


def uniform(bits):
    signed = bits.view(np.int32)
    folded = np.where(signed < 0, -signed - 1, signed)
    return folded.astype(np.float32) * np.float32(4.6566127342e-10)


def test_rand():
    out = poisoned("fp32", (4 * N,))
    floats[(4,)](123, out, FUNCTION=tl.rand, N=N)
    assert np.array_equal(out.numpy(), uniform(philox(123, np.arange(4 * N))[0]))
    assert out.min() >= 0 and out.max() < 1 and abs(out.mean() - 0.5) < 0.03


def test_randn():
    out = poisoned("fp32", (16 * N,))
    floats[(16,)](7, out, FUNCTION=tl.randn, N=N)
    words = philox(7, np.arange(16 * N))
    u1, u2 = (uniform(words[k]).astype(np.float64) for k in (0, 1))
    radius = np.sqrt(-2 * np.log(np.maximum(np.float32(1e-7), u1)))
    assert error(out, radius * np.cos(np.float32(6.283185307179586) * u2)) < 1e-6
    assert abs(wide(out).mean()) < 0.04 and abs(wide(out).std() - 1) < 0.03
