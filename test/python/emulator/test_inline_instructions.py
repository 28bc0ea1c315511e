"""The PTX instructions of inline assembly on emulated GPUs, against NumPy.

Each text is assembled for sm_100a as well, so that the tests use instructions that exist.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from seeds import generator

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.compiler import Options, resolve_target

SIZE = 512
LETTERS = {8: "h", 16: "h", 32: "r", 64: "l"}


@tilewright.jit
def execute(a, b, c, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr):
    i = tl.arange(0, N)
    values = [tl.load(a + i), tl.load(b + i), tl.load(c + i)]
    y = tl.inline_asm_elementwise(ASM, CONSTRAINTS, values, out.dtype.element_ty, True, 1)
    tl.store(out + i, y)


def run(text: str, operands: list[np.ndarray], result: Any, arch: str = "100a") -> np.ndarray:
    """The results of executing the text, in which $0 is the result, for each element."""
    filled = (operands + operands * 3)[:3]
    out = np.zeros(SIZE, result)
    letters = [f"={LETTERS[out.itemsize * 8]}", *(LETTERS[x.itemsize * 8] for x in filled)]
    constraints = ",".join(letters)
    with tilewright.emulate("cuda:100a"):
        execute[(1,)](*filled, out, SIZE, text, constraints)
    types = ["*" + str(tl.dtype.from_name(x.dtype.name)) for x in (*filled, out)]
    if arch:
        signature = [*types, SIZE, text, constraints]
        compiler.compile(execute, signature, resolve_target(f"cuda:{arch}"), Options())
    return out


def ints(dtype: str, low: int | None = None, high: int | None = None) -> np.ndarray:
    info = np.iinfo(dtype)
    low, high = info.min if low is None else low, info.max if high is None else high
    values = generator().integers(low, high, SIZE, dtype=dtype, endpoint=True)
    values[:4] = [low, high, low, high]
    return values


def words(dtype: str, special: list[int]) -> np.ndarray:
    values = ints(dtype)
    values[4 : 4 + len(special)] = special
    return values


#
# Integers
#

WIDE = {16: np.int64, 32: np.int64, 64: object}


def wrap(values: Any, dtype: str) -> np.ndarray:
    bits = np.dtype(dtype).itemsize * 8
    reduced = np.asarray(values, object) & ((1 << bits) - 1)
    if dtype.startswith("i"):
        reduced = np.where(reduced >= 1 << (bits - 1), reduced - (1 << bits), reduced)
    return reduced.astype(dtype)


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


#
# Predicates, moves, conversions of integers
#


@pytest.mark.parametrize("type", ["s32", "u32"])
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_comparisons(name, type):
    dtype = "int32" if type == "s32" else "uint32"
    a, b = ints(dtype), ints(dtype)
    b[::3] = a[::3]
    holds = getattr(np, {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal",
                         "gt": "greater", "ge": "greater_equal"}[name])(a, b)  # fmt: skip
    text = f"{{ .reg .pred p; setp.{name}.{type} p, $1, $2; selp.b32 $0, 7, -3, p; }}"
    assert np.array_equal(run(text, [a, b], "int32"), np.where(holds, 7, -3))


def test_predicates_and_their_negations():
    a, b, c = ints("int32", -5, 5), ints("int32", -5, 5), ints("int32", -5, 5)
    text = """{
        .reg .pred p, q, r, s;
        setp.lt.s32 p, $1, 0;
        setp.gt.and.s32 q|r, $2, $3, p;
        mov.u32 $0, 0;
        @q\tadd.u32 $0, $0, 1;
        @r add.u32 $0, $0, 2;
        @!p add.u32 $0, $0, 4;
        xor.pred s, q, r;
        not.pred s, s;
        @s add.u32 $0, $0, 8;
    }"""
    p = a < 0
    q, r = (b > c) & p, ~(b > c) & p
    expected = q * 1 + r * 2 + ~p * 4 + ~(q ^ r) * 8
    assert np.array_equal(run(text, [a, b, c], "int32"), expected)


def test_comparisons_of_floats_with_nan():
    a, b = (generator().integers(-3, 3, SIZE).astype(np.float32) for _ in "ab")
    a[::5], b[::7] = np.nan, np.nan
    text = """{
        .reg .pred p;
        .reg .b32 t;
        mov.u32 $0, 0;
        setp.lt.f32 p, $1, $2;  selp.u32 t, 1, 0, p;  or.b32 $0, $0, t;
        setp.geu.f32 p, $1, $2; selp.u32 t, 2, 0, p;  or.b32 $0, $0, t;
        setp.nan.f32 p, $1, $2; selp.u32 t, 4, 0, p;  or.b32 $0, $0, t;
        setp.ne.f32 p, $1, $2;  selp.u32 t, 8, 0, p;  or.b32 $0, $0, t;
    }"""
    nan = np.isnan(a) | np.isnan(b)
    expected = (a < b) * 1 + ((a >= b) | nan) * 2 + nan * 4 + ((a != b) & ~nan) * 8
    found = run(text, [a.view(np.uint32), b.view(np.uint32)], "uint32")
    assert np.array_equal(found, expected)


def test_moves_pack_and_unpack():
    a, b = ints("uint32"), ints("uint32")
    swapped = "{ .reg .b16 x, y; mov.b32 {x, y}, $1; mov.b32 $0, {y, x}; }"
    assert np.array_equal(run(swapped, [a], "uint32"), a << 16 | a >> 16)
    wide = run("mov.b64 $0, {$1, $2};", [a, b], "uint64")
    assert np.array_equal(wide, a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32))
    low = run("{ .reg .b32 x; mov.b64 {$0, x}, $1; }", [wide], "uint32")
    assert np.array_equal(low, a)


@pytest.mark.parametrize(
    ("to", "source"),
    [("s32", "s8"), ("u32", "u8"), ("s32", "s16"), ("u64", "u32"), ("s64", "s32"), ("u16", "u32")],
)
def test_conversions_of_integers(to, source):
    bits = {"8": "int16", "16": "int16", "32": "int32"}[source[1:]]
    a = ints(bits)
    result = f"{'u' if to[0] == 'u' else ''}int{to[1:]}"
    narrow = f"{'u' if source[0] == 'u' else ''}int{source[1:]}"
    expected = wrap(wrap(a.astype(object), narrow).astype(object), result)
    assert np.array_equal(run(f"cvt.{to}.{source} $0, $1;", [a], result), expected)


def test_saturating_conversions_of_integers():
    a = ints("int32", -400, 400)
    found = run("{ .reg .s16 t; cvt.sat.s8.s32 t, $1; cvt.s32.s16 $0, t; }", [a], "int32", arch="")
    assert np.array_equal(found.astype(np.int8), np.clip(a, -128, 127))
    found = run("cvt.sat.u16.s32 $0, $1;", [a], "uint16")
    assert np.array_equal(found, np.clip(a, 0, 65535))


#
# Floats
#


def floats(scale: float = 1) -> np.ndarray:
    values = (generator().standard_normal(SIZE) * scale).astype(np.float32)
    values[:8] = [0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 3e38]
    return values


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    nan = np.isnan(expected)
    bits = f"uint{expected.itemsize * 8}"
    return bool(
        np.array_equal(np.isnan(found), nan)
        and np.array_equal(found[~nan].view(bits), expected[~nan].view(bits))
    )


def run_floats(text: str, operands: list[np.ndarray], dtype: str = "float32") -> np.ndarray:
    raw = [x.view(f"uint{x.itemsize * 8}") for x in operands]
    return run(text, raw, f"uint{np.dtype(dtype).itemsize * 8}").view(dtype)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rounding", ["", ".rn"])
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_float_arithmetic(name, rounding):
    operation = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[name]
    a, b = floats(), floats()[::-1].copy()
    assert same(run_floats(f"{name}{rounding}.f32 $0, $1, $2;", [a, b]), operation(a, b))
    x, y = a.astype(np.float64), b.astype(np.float64) / 3
    found = run_floats(f"{name}{rounding}.f64 $0, $1, $2;", [x, y], "float64")
    assert same(found, operation(x, y))


@pytest.mark.filterwarnings("ignore")
def test_fused_and_saturated_arithmetic():
    a, b, c = floats(), floats()[::-1].copy(), floats(0.1)
    exact = a.astype(np.longdouble) * b.astype(np.longdouble) + c.astype(np.longdouble)
    assert same(run_floats("fma.rn.f32 $0, $1, $2, $3;", [a, b, c]), exact.astype(np.float32))
    clamped = np.nan_to_num(np.clip(a + b, 0, 1), nan=0).astype(np.float32)
    assert np.array_equal(run_floats("add.sat.f32 $0, $1, $2;", [a, b]), clamped)


def test_flushed_arithmetic():
    a = np.full(SIZE, 1e-40, np.float32)
    a[1::2] = -1e-40
    b = np.zeros(SIZE, np.float32)
    b[::4] = 2.0
    found = run_floats("add.ftz.f32 $0, $1, $2;", [a, b])
    assert np.array_equal(found, b)
    found = run_floats("mul.ftz.f32 $0, $1, $2;", [np.full(SIZE, 1e-30, np.float32)] * 2)
    assert (found == 0).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["min", "max"])
def test_extrema_of_floats(name):
    a, b = floats(), floats()[::-1].copy()
    a[100:104], b[100:104] = [0.0, -0.0, np.nan, 1], [-0.0, 0.0, 2, np.nan]
    quiet = (np.fmin if name == "min" else np.fmax)(a, b)
    quiet[100:102] = -0.0 if name == "min" else 0.0
    assert same(run_floats(f"{name}.f32 $0, $1, $2;", [a, b]), quiet)
    loud = (np.minimum if name == "min" else np.maximum)(a, b)
    loud[100:102] = -0.0 if name == "min" else 0.0
    assert same(run_floats(f"{name}.NaN.f32 $0, $1, $2;", [a, b]), loud)


APPROXIMATIONS = {
    "ex2.approx.ftz.f32": np.exp2, "rcp.approx.ftz.f32": np.reciprocal, "tanh.approx.f32": np.tanh,
    "sin.approx.f32": np.sin, "cos.approx.ftz.f32": np.cos, "lg2.approx.f32": np.log2,
    "rsqrt.approx.ftz.f32": lambda x: 1 / np.sqrt(x), "sqrt.rn.f32": np.sqrt,
    "rcp.rn.f32": np.reciprocal,
}  # fmt: skip


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_functions(name):
    a = generator().uniform(0.1, 3, SIZE).astype(np.float32)
    found = run_floats(f"{name} $0, $1;", [a])
    assert np.allclose(found, APPROXIMATIONS[name](a.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("name", ["div.rn.f32", "div.full.f32", "div.approx.f32"])
def test_quotients(name):
    a, b = generator().uniform(0.1, 3, (2, SIZE)).astype(np.float32)
    assert np.allclose(run_floats(f"{name} $0, $1, $2;", [a, b]), a / b, rtol=1e-6)


def test_immediates():
    a = floats()
    text = "{ .reg .f32 h; mov.f32 h, 0f3F000000; fma.rn.f32 $0, $1, h, 0fBF800000; }"
    expected = np.float32(0.5) * a - np.float32(1)
    assert same(run_floats(text, [a]), expected)
    found = run("add.u32 $0, $1, 0xFFFFFFFFU;", [a.view(np.uint32)], "uint32")
    assert np.array_equal(found, a.view(np.uint32) - np.uint32(1))
    assert (run_floats("mov.f64 $0, 1.5;", [a], "float64") == 1.5).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("mode", "function"), [("rni", np.rint), ("rzi", np.trunc),
                                                ("rmi", np.floor), ("rpi", np.ceil)])  # fmt: skip
def test_floats_to_integers(mode, function):
    a = floats(100)
    a[10:14] = [0.5, 1.5, -2.5, 5e9]
    expected = np.clip(np.nan_to_num(function(a.astype(np.float64)), nan=0), -(2**31), 2**31 - 1)
    found = run(f"cvt.{mode}.s32.f32 $0, $1;", [a.view(np.uint32)], "int32")
    assert np.array_equal(found, expected.astype(np.int64))
    assert same(run_floats(f"cvt.{mode}.f32.f32 $0, $1;", [a]), function(a))


def test_other_conversions_of_floats():
    a = ints("int32")
    assert np.array_equal(
        run("cvt.rn.f32.s32 $0, $1;", [a], "uint32").view(np.float32), a.astype(np.float32)
    )
    x = floats()
    assert same(run_floats("cvt.f64.f32 $0, $1;", [x], "float64"), x.astype(np.float64))
    half = generator().standard_normal(SIZE).astype(np.float16)
    found = run("cvt.f32.f16 $0, $1;", [half.view(np.uint16)], "uint32").view(np.float32)
    assert np.array_equal(found, half.astype(np.float32))


#
# 16-bit floats
#


def halves(kind: torch.dtype, scale: float = 1) -> torch.Tensor:
    values = torch.from_numpy(generator().standard_normal(SIZE * 2) * scale).to(kind)
    values[:6] = torch.tensor([0, -0.0, torch.inf, torch.nan, 1e-5, 65000]).to(kind)
    return values


def as_words(x: torch.Tensor) -> np.ndarray:
    return x.view(torch.int16).numpy().view(np.uint32)


@pytest.mark.parametrize("type", ["f16x2", "bf16x2"])
@pytest.mark.parametrize("name", ["add.rn", "sub", "mul", "fma.rn", "min", "max", "neg", "abs"])
def test_arithmetic_on_pairs(name, type):
    """In double precision, sums of numbers of this magnitude are exact."""
    kind = torch.float16 if type == "f16x2" else torch.bfloat16
    a, b, c = halves(kind), halves(kind).flip(0), halves(kind, 0.25)
    x, y, z = (each.double() for each in (a, b, c))
    expected = {
        "add.rn": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y,
        "fma.rn": lambda: x * y + z, "min": lambda: torch.fmin(x, y),
        "max": lambda: torch.fmax(x, y), "neg": lambda: -x, "abs": lambda: x.abs(),
    }[name]().to(kind)  # fmt: skip
    operands = {"fma.rn": "$1, $2, $3", "neg": "$1", "abs": "$1"}.get(name, "$1, $2")
    words_ = run(f"{name}.{type} $0, {operands};", [as_words(each) for each in (a, b, c)], "uint32")
    found = torch.from_numpy(words_.view(np.int16)).view(kind)
    assert torch.equal(found.isnan(), expected.isnan())
    kept = ~expected.isnan()
    assert torch.equal(found[kept], expected[kept])


def test_a_sum_is_rounded_once():
    """1 + 2^-9 is halfway between two bf16; the addend, which a double loses, decides."""
    one = np.full(SIZE, 0x3F80, np.uint16)
    factor = np.full(SIZE, 0x3B80, np.uint16)  # 2^-8, half of the last bit of 1
    tiny = np.where(np.arange(SIZE) % 2, 0x0080, 0x8080).astype(np.uint16)  # +-2^-126
    text = "fma.rn.bf16 $0, $1, $2, $3;"
    found = run(text, [one, factor, tiny], "uint16")
    assert (found == 0x3B80).all()
    text = "{ .reg .b16 s; fma.rn.bf16 s, $1, $2, $3; add.bf16 $0, $1, s; }"
    assert (run(text, [one, factor, np.zeros_like(tiny)], "uint16") == 0x3F80).all()
    # 1 * 1 + 2^-8 is a tie, which goes to 1; with 2^-8 + 2^-15 it is above the tie.
    above = np.full(SIZE, 0x3B81, np.uint16)
    assert (run(text, [one, above, np.zeros_like(tiny)], "uint16") == 0x3F81).all()


@pytest.mark.parametrize("name", ["tanh.approx.f16x2", "tanh.approx.bf16x2", "ex2.approx.f16x2",
                                  "ex2.approx.ftz.bf16x2"])  # fmt: skip
def test_functions_of_pairs(name):
    kind = torch.bfloat16 if "bf16" in name else torch.float16
    a = torch.from_numpy(generator().uniform(-2, 2, SIZE * 2)).to(kind)
    function = torch.tanh if name.startswith("tanh") else torch.exp2
    words_ = run(f"{name} $0, $1;", [as_words(a)], "uint32")
    found = torch.from_numpy(words_.view(np.int16)).view(kind)
    assert torch.equal(found, function(a.double()).to(kind))


#
# Narrow floats
#

E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def test_e4m3():
    a, b = (generator().uniform(-500, 500, SIZE).astype(np.float32) for _ in "ab")
    text = "{ .reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, $2, $1; mov.b32 $0, {t, t}; }"
    found = run(text, [a.view(np.uint32), b.view(np.uint32)], "uint32").view(np.uint8)
    expected = torch.from_numpy(np.stack([a, b], 1)).clamp(-448, 448).to(torch.float8_e4m3fn)
    assert np.array_equal(found.reshape(SIZE, 4)[:, :2], expected.view(torch.uint8).numpy())
    back = run("{ .reg .b16 l, h; mov.b32 {l, h}, $1; cvt.rn.f16x2.e4m3x2 $0, l; }",
               [found.view(np.uint32)], "uint32").view(np.float16)  # fmt: skip
    assert np.array_equal(back.reshape(SIZE, 2), expected.to(torch.float16).numpy())


def test_e2m1():
    a, b = (generator().uniform(-8, 8, SIZE).astype(np.float32) for _ in "ab")
    a[:4] = [np.nan, 0.25, -0.0, 5]
    text = """{
        .reg .b8 t, z;
        .reg .b16 w;
        cvt.rn.satfinite.e2m1x2.f32 t, $1, $2;
        mov.b16 w, 0;
        mov.b16 {z, _}, w;
        mov.b32 $0, {t, z, z, z};
    }"""
    found = run(text, [a.view(np.uint32), b.view(np.uint32)], "uint32")
    table = np.array(E2M1)

    def code(x: float) -> int:
        if np.isnan(x):
            return 7
        distance = np.abs(table - min(abs(x), 6))
        best = np.flatnonzero(distance == distance.min())
        chosen = best[0] if len(best) == 1 else next(i for i in best if i % 2 == 0)
        return int(chosen) | (8 if np.signbit(x) else 0)

    assert found.tolist() == [code(p) << 4 | code(q) for p, q in zip(a, b, strict=True)]
    text = "{ .reg .b8 t, x, y, z; mov.b32 {t, x, y, z}, $1; cvt.rn.f16x2.e2m1x2 $0, t; }"
    back = run(text, [found], "uint32").view(np.float16).reshape(SIZE, 2)
    value = lambda c: table[c & 7] * np.where(c & 8, -1, 1)  # noqa: E731
    assert np.array_equal(back, np.stack([value(found & 15), value(found >> 4)], 1))


@pytest.mark.parametrize(("mode", "function"), [("rp", np.ceil), ("rz", np.floor)])
def test_ue8m0(mode, function):
    a = (2.0 ** generator().uniform(-125, 126, SIZE)).astype(np.float32)
    a[:5] = [1, 2, 0, np.nan, np.inf]
    text = f"{{ .reg .b16 t; cvt.{mode}.satfinite.ue8m0x2.f32 t, $1, $2; mov.b32 $0, {{t, 0}}; }}"
    text = text.replace("{t, 0}", "{t, t}")
    found = run(text, [a.view(np.uint32), a.view(np.uint32)], "uint32") & 0xFF
    with np.errstate(all="ignore"):
        exponent = function(np.log2(a.astype(np.float64))) + 127
    expected = np.where(np.isnan(a), 255, np.clip(exponent, 0, 254))
    assert np.array_equal(found, expected)
