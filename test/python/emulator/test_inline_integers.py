"""Integer instructions of inline assembly on emulated GPUs, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from inline_texts import SIZE, ints, run, words, wrap
from seeds import generator

ARITHMETIC = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul.lo": lambda a, b: a * b,
    "min": lambda a, b: np.minimum(a, b), "max": lambda a, b: np.maximum(a, b),
}  # fmt: skip


@pytest.mark.parametrize("type", ["s16", "u16", "s32", "u32", "s64", "u64"])
@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic(name, type):
    dtype = f"{'u' if type[0] == 'u' else ''}int{type[1:]}"
    a, b = ints(dtype), ints(dtype)
    found = run(f"{name}.{type} $0, $1, $2;", [a, b], dtype)
    assert np.array_equal(found, wrap(ARITHMETIC[name](a.astype(object), b.astype(object)), dtype))


@pytest.mark.parametrize("type", ["s32", "u32"])
def test_products(type):
    dtype, wide = ("int32", "int64") if type[0] == "s" else ("uint32", "uint64")
    a, b, c = ints(dtype), ints(dtype), ints(dtype)
    x, y, z = (each.astype(object) for each in (a, b, c))
    assert np.array_equal(
        run(f"mul.hi.{type} $0, $1, $2;", [a, b], dtype), wrap(x * y >> 32, dtype)
    )
    assert np.array_equal(run(f"mul.wide.{type} $0, $1, $2;", [a, b], wide), wrap(x * y, wide))
    found = run(f"mad.lo.{type} $0, $1, $2, $3;", [a, b, c], dtype)
    assert np.array_equal(found, wrap(x * y + z, dtype))
    found = run(f"mad.hi.{type} $0, $1, $2, $3;", [a, b, c], dtype)
    assert np.array_equal(found, wrap((x * y >> 32) + z, dtype))


@pytest.mark.parametrize("type", ["s32", "u32", "s64"])
def test_divisions(type):
    dtype = f"{'u' if type[0] == 'u' else ''}int{type[1:]}"
    a, b = ints(dtype), ints(dtype, -100 if type[0] == "s" else 1, 100)
    b[b == 0] = -1 if type[0] == "s" else 1
    x, y = a.astype(object), b.astype(object)
    signs = np.where((a < 0) == (b < 0), 1, -1).astype(object)
    quotient = np.abs(x) // np.abs(y) * signs
    assert np.array_equal(run(f"div.{type} $0, $1, $2;", [a, b], dtype), wrap(quotient, dtype))
    found = run(f"rem.{type} $0, $1, $2;", [a, b], dtype)
    assert np.array_equal(found, wrap(x - quotient * y, dtype))


def test_unary():
    a = words("int32", [0, 1, -1])
    assert np.array_equal(run("neg.s32 $0, $1;", [a], "int32"), wrap(-a.astype(object), "int32"))
    found = run("abs.s32 $0, $1;", [a], "int32")
    assert np.array_equal(found, wrap(np.abs(a.astype(object)), "int32"))
    assert np.array_equal(run("not.b32 $0, $1;", [a], "int32"), ~a)
    assert np.array_equal(run("cnot.b32 $0, $1;", [a], "int32"), (a == 0).astype(np.int32))


@pytest.mark.parametrize("name", ["and", "or", "xor"])
@pytest.mark.parametrize("bits", [16, 32, 64])
def test_logic(name, bits):
    dtype = f"uint{bits}"
    a, b = ints(dtype), ints(dtype)
    expected = {"and": a & b, "or": a | b, "xor": a ^ b}[name]
    assert np.array_equal(run(f"{name}.b{bits} $0, $1, $2;", [a, b], dtype), expected)


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_shifts_beyond_the_width(bits):
    dtype = f"int{bits}"
    a, amount = ints(dtype), generator().integers(0, 80, SIZE).astype(np.uint32)
    x, s = a.astype(object), amount.astype(object)
    unsigned = x & ((1 << bits) - 1)
    assert np.array_equal(run(f"shl.b{bits} $0, $1, $2;", [a, amount], dtype), wrap(x << s, dtype))
    assert np.array_equal(run(f"shr.s{bits} $0, $1, $2;", [a, amount], dtype), wrap(x >> s, dtype))
    found = run(f"shr.u{bits} $0, $1, $2;", [a, amount], dtype)
    assert np.array_equal(found, wrap(unsigned >> s, dtype))


@pytest.mark.parametrize("mode", ["wrap", "clamp"])
@pytest.mark.parametrize("side", ["l", "r"])
def test_funnel_shifts(side, mode):
    a, b = ints("uint32"), ints("uint32")
    c = generator().integers(0, 70, SIZE).astype(np.uint32)
    pair = (b.astype(object) << 32) | a.astype(object)
    n = np.asarray([int(x) & 31 if mode == "wrap" else min(int(x), 32) for x in c], object)
    expected = (pair << n) >> 32 if side == "l" else pair >> n
    found = run(f"shf.{side}.{mode}.b32 $0, $1, $2, $3;", [a, b, c], "uint32")
    assert np.array_equal(found, wrap(expected, "uint32"))


def test_permutes_bytes_and_signs():
    a, b, c = ints("uint32"), ints("uint32"), ints("uint32")
    expected = np.zeros(SIZE, np.uint32)
    pool = np.stack([a, b], axis=1).view(np.uint8).reshape(SIZE, 8)
    for i in range(4):
        nibble = (c >> np.uint32(4 * i)) & np.uint32(15)
        byte = pool[np.arange(SIZE), nibble & 7]
        byte = np.where(nibble & 8, np.where(byte & 0x80, 0xFF, 0), byte).astype(np.uint32)
        expected |= byte << np.uint32(8 * i)
    assert np.array_equal(run("prmt.b32 $0, $1, $2, $3;", [a, b, c], "uint32"), expected)


@pytest.mark.parametrize("table", [0x00, 0x80, 0x96, 0xC0, 0xE8, 0xEA, 0x6C, 0xFF])
def test_logic_by_table(table):
    a, b, c = ints("uint32"), ints("uint32"), ints("uint32")
    expected = np.zeros(SIZE, np.uint32)
    for i in range(8):
        if table >> i & 1:
            expected |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
    assert np.array_equal(run(f"lop3.b32 $0, $1, $2, $3, {table};", [a, b, c], "uint32"), expected)


@pytest.mark.parametrize("type", ["u32", "s32", "u64", "s64"])
def test_bit_fields(type):
    bits = int(type[1:])
    dtype = f"{'u' if type[0] == 'u' else ''}int{bits}"
    a = ints(dtype)
    position, length = (generator().integers(0, bits + 8, SIZE).astype(np.uint32) for _ in "ab")

    def field(value: int, at: int, count: int) -> int:
        sign_at = min(at + count - 1, bits - 1)
        unsigned = value & ((1 << bits) - 1)
        sign = unsigned >> sign_at & 1 if type[0] == "s" and count else 0
        picked = [
            unsigned >> (at + i) & 1 if i < count and at + i < bits else sign for i in range(bits)
        ]
        return sum(bit << i for i, bit in enumerate(picked))

    expected = [field(int(v), int(p), int(n)) for v, p, n in zip(a, position, length, strict=True)]
    found = run(f"bfe.{type} $0, $1, $2, $3;", [a, position, length], dtype)
    assert np.array_equal(found, wrap(expected, dtype))


def test_inserts_bit_fields():
    a, b = ints("uint32"), ints("uint32")
    control = generator().integers(0, 40, (2, SIZE))
    packed = (control[0] | control[1] << 8).astype(np.uint32)
    text = "{ .reg .b32 p, n; bfe.u32 p, $3, 0, 8; bfe.u32 n, $3, 8, 8; bfi.b32 $0, $1, $2, p, n; }"
    mask = [((1 << int(n)) - 1) << int(p) & 0xFFFFFFFF for p, n in control.T]
    expected = [
        (int(x) << int(p)) & m | int(y) & ~m
        for x, y, p, m in zip(a, b, control[0], mask, strict=True)
    ]
    assert np.array_equal(run(text, [a, b, packed], "uint32"), wrap(expected, "uint32"))


def test_counts_of_bits():
    a = words("uint32", [0, 1, 0x80000000, 0xFFFFFFFF])
    ones = [int(x).bit_count() for x in a]
    zeros = [32 - int(x).bit_length() for x in a]
    reversed_ = [int(f"{int(x):032b}"[::-1], 2) for x in a]
    assert run("popc.b32 $0, $1;", [a], "uint32").tolist() == ones
    assert run("clz.b32 $0, $1;", [a], "uint32").tolist() == zeros
    assert run("brev.b32 $0, $1;", [a], "uint32").tolist() == reversed_
