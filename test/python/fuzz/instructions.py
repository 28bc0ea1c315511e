"""PTX instructions for random inline assembly: each in NumPy, and in the language for the CPU.

A kind is a register and what it holds:

    r, l, h    an integer of 32, 64 or 16 bits, signed in the functions below
    f, d       a float of 32 or 64 bits
    p          a predicate
    x, y       two floats of 16 bits: float16, bfloat16
    w, b       two integers of 16 bits, four of 8 bits
    n          an immediate
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import word_functions as words
from tiles import to_bfloat16
from word_functions import unsigned

NUMBERS = {"r": "b32", "l": "b64", "h": "b16", "f": "f32", "d": "f64", "p": "pred"}
NUMBERS |= dict.fromkeys("xywb", "b32")  # types of registers
LANES = {"x": 2, "y": 2, "w": 2, "b": 4}  # elements of a register, if it holds several
DTYPES = {
    "r": ["int32", "uint32"], "l": ["int64", "uint64"], "h": ["int16", "uint16"],
    "f": ["float32"], "d": ["float64"], "x": ["float16"], "y": ["bfloat16"],
    "w": ["int16", "uint16"], "b": ["int8", "uint8"],
}  # fmt: skip


class Instruction(NamedTuple):
    """Attributes:
    operands, result: Kinds.
    cpu: The result in the language, of operands that are names or numbers.
    numpy: The same; floats of 16 bits are float16 or, for bfloat16, float32.
    immediates: The numbers of the operands of kind n.
    """

    name: str
    operands: str
    result: str
    cpu: str
    numpy: Callable[..., Any]
    immediates: tuple[range, ...] = ()


def fused(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """x * y + z of floats of up to 32 bits: a float64 rounded to odd, for the final rounding."""
    with np.errstate(all="ignore"):
        product, addend = x.astype(np.float64) * y.astype(np.float64), z.astype(np.float64)
        total = product + addend
        part = total - product
        rest = (product - (total - part)) + (addend - part)
        bits = total.view(np.int64)
        toward_zero = (rest < 0) == (total > 0)
        odd = np.where(toward_zero, bits - 1, bits) | 1
        inexact = np.isfinite(total) & (rest != 0) & (bits % 2 == 0)
        return np.where(inexact, odd.view(np.float64), total)


_COMPARE = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
_EQUAL = {"eq": np.equal, "ne": np.not_equal}
_UNSIGNED = {"lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal}
_SYMBOLS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_SYMBOLS |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}


def _integers(kind: str, bits: int) -> list[Instruction]:
    """What all widths have."""
    u, s = f"tl.uint{bits}", f"tl.int{bits}"
    below = (range(bits),)
    unary = [
        ("neg.s", "-{0}", np.negative), ("not.b", "~{0}", np.invert),
    ]  # fmt: skip
    binary = [
        ("add.s", "{0} + {1}", np.add), ("sub.s", "{0} - {1}", np.subtract),
        ("mul.lo.s", "{0} * {1}", np.multiply), ("and.b", "{0} & {1}", np.bitwise_and),
        ("or.b", "{0} | {1}", np.bitwise_or), ("xor.b", "{0} ^ {1}", np.bitwise_xor),
        ("min.s", "tl.minimum({0}, {1})", np.minimum),
        ("max.s", "tl.maximum({0}, {1})", np.maximum),
        ("min.u", f"tl.minimum({{0}}.to({u}), {{1}}.to({u})).to({s})", unsigned(np.minimum)),
        ("max.u", f"tl.maximum({{0}}.to({u}), {{1}}.to({u})).to({s})", unsigned(np.maximum)),
    ]  # fmt: skip
    shifts = [
        ("shl.b", "{0} << {1}", np.left_shift), ("shr.s", "{0} >> {1}", np.right_shift),
        ("shr.u", f"({{0}}.to({u}) >> {{1}}).to({s})", unsigned(np.right_shift)),
    ]  # fmt: skip
    return [
        *(Instruction(f"{name}{bits}", kind, kind, cpu, f) for name, cpu, f in unary),
        *(Instruction(f"{name}{bits}", 2 * kind, kind, cpu, f) for name, cpu, f in binary),
        *(Instruction(f"{n}{bits}", f"{kind}n", kind, cpu, f, below) for n, cpu, f in shifts),
    ]


def _wide_integers(kind: str, bits: int) -> list[Instruction]:
    """What 32 and 64 bits have."""
    u = f"tl.uint{bits}"
    counts = {"popc": words.popc, "clz": words.clz}
    found = [
        Instruction(f"{name}.b{bits}", kind, "r", f"{name}({{0}}, {bits})", f)
        for name, f in counts.items()
    ]
    found += [
        Instruction(f"brev.b{bits}", kind, kind, f"brev({{0}}, {bits})", words.brev),
        Instruction(f"abs.s{bits}", kind, kind, "tl.abs({0})", np.abs),
        Instruction(
            f"mul.hi.u{bits}", 2 * kind, kind,
            f"tl.umulhi({{0}}.to({u}), {{1}}.to({u})).to(tl.int{bits})", unsigned(words.upper),
        ),
        Instruction(f"mad.lo.s{bits}", 3 * kind, kind, "{0} * {1} + {2}", _multiply_add),
        Instruction(f"selp.b{bits}", f"{kind}{kind}p", kind, "tl.where({2}, {0}, {1})", _select),
        Instruction(
            f"bfe.u{bits}", f"{kind}nn", kind, f"field({{0}}, {{1}}, {{2}}, {bits})", words.field,
            (range(bits), range(bits + 1)),
        ),
        Instruction(
            f"div.s{bits}", f"{kind}n", kind, "{0} // {1}", words.quotient, (range(2, 100),)
        ),
        Instruction(
            f"rem.s{bits}", f"{kind}n", kind, "{0} % {1}", words.remainder, (range(2, 100),)
        ),
    ]  # fmt: skip
    for name, function in (_COMPARE | _EQUAL).items():
        cpu = f"{{0}} {_SYMBOLS[name]} {{1}}"
        found.append(Instruction(f"setp.{name}.s{bits}", 2 * kind, "p", cpu, function))
    for name, function in _UNSIGNED.items():
        cpu = f"{{0}}.to({u}) {_SYMBOLS[name]} {{1}}.to({u})"
        found.append(Instruction(f"setp.{name}.u{bits}", 2 * kind, "p", cpu, unsigned(function)))
    return found


def _multiply_add(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def _select(a: Any, b: Any, condition: Any) -> Any:
    return np.where(condition, a, b)


def _words() -> list[Instruction]:
    """What only 32 bits have, and what predicates have."""
    found = [
        Instruction("cnot.b32", "r", "r", "({0} == 0).to(tl.int32)", lambda a: np.int32(a == 0)),
        Instruction(
            "mul.hi.s32", "rr", "r",
            "(({0}.to(tl.int64) * {1}.to(tl.int64)) >> 32).to(tl.int32)", words.upper,
        ),
        Instruction("lop3.b32", "rrrn", "r", "lop3({0}, {1}, {2}, {3})", words.lop3, (range(256),)),
        Instruction("prmt.b32", "rrn", "r", "prmt({0}, {1}, {2})", words.prmt, (range(1 << 16),)),
        Instruction(
            "bfe.s32", "rnn", "r", "signed_field({0}, {1}, {2})", words.signed_field,
            (range(32), range(33)),
        ),
        Instruction(
            "bfi.b32", "rrnn", "r", "insert({0}, {1}, {2}, {3})", words.insert,
            (range(32), range(33)),
        ),
        Instruction("not.pred", "p", "p", "~{0}", np.logical_not),
    ]  # fmt: skip
    for name, symbol in {"and": "&", "or": "|", "xor": "^"}.items():
        function = getattr(np, f"logical_{name}")
        cpu = f"{{0}} {symbol} {{1}}"
        found.append(Instruction(f"{name}.pred", "pp", "p", cpu, function))
    for side in "lr":
        for mode in ("wrap", "clamp"):
            cpu = f"funnel_{side}({{0}}, {{1}}, {{2}}, {mode == 'clamp'})"
            function = words.funnel(side == "l", mode == "clamp")
            found.append(Instruction(f"shf.{side}.{mode}.b32", "rrr", "r", cpu, function))
    return found


def _conversions() -> list[Instruction]:
    byte, half = "(({0} & 255) ^ 128) - 128", "(({0} & 65535) ^ 32768) - 32768"
    wide = "{0}.to(tl.uint32).to(tl.uint64)"
    return [
        Instruction("cvt.s32.s8", "r", "r", byte, lambda a: a.astype(np.int8).astype(np.int32)),
        Instruction("cvt.u32.u8", "r", "r", "{0} & 255", lambda a: a & 255),
        Instruction("cvt.s32.s16", "r", "r", half, lambda a: a.astype(np.int16).astype(np.int32)),
        Instruction("cvt.u32.u16", "r", "r", "{0} & 65535", lambda a: a & 65535),
        Instruction("cvt.s64.s32", "r", "l", "{0}.to(tl.int64)", lambda a: a.astype(np.int64)),
        Instruction("cvt.u64.u32", "r", "l", f"{wide}.to(tl.int64)", words.zero_extended),
        Instruction("cvt.u32.u64", "l", "r", "{0}.to(tl.int32)", lambda a: a.astype(np.int32)),
        Instruction(
            "mul.wide.s32", "rr", "l", "{0}.to(tl.int64) * {1}.to(tl.int64)",
            lambda a, b: a.astype(np.int64) * b.astype(np.int64),
        ),
        Instruction("cvt.rn.f32.s32", "r", "f", "{0}.to(tl.float32)", lambda a: np.float32(a)),
        Instruction("cvt.rn.f64.s32", "r", "d", "{0}.to(tl.float64)", lambda a: np.float64(a)),
    ]  # fmt: skip


def _floats(kind: str, bits: int) -> list[Instruction]:
    root, quotient = ("tl.sqrt_rn({0})", "tl.div_rn({0}, {1})")
    if bits == 64:
        root, quotient = "tl.sqrt({0})", "{0} / {1}"
    magnitude = "tl.abs({0})"
    cases = [
        ("add.rn", 2, "{0} + {1}", np.add), ("sub.rn", 2, "{0} - {1}", np.subtract),
        ("mul.rn", 2, "{0} * {1}", np.multiply), ("neg", 1, "-{0}", np.negative),
        ("abs", 1, magnitude, np.abs), ("min", 2, "tl.minimum({0}, {1})", np.fmin),
        ("max", 2, "tl.maximum({0}, {1})", np.fmax), ("sqrt.rn", 1, root, np.sqrt),
        ("div.rn", 2, quotient, np.divide),
    ]  # fmt: skip
    found = [
        Instruction(f"{name}.f{bits}", count * kind, kind, cpu, function)
        for name, count, cpu, function in cases
    ]
    for name, function in _COMPARE.items():
        cpu = f"{{0}} {_SYMBOLS[name]} {{1}}"
        found.append(Instruction(f"setp.{name}.f{bits}", 2 * kind, "p", cpu, function))
    selected = Instruction(
        f"selp.f{bits}", f"{kind}{kind}p", kind, "tl.where({2}, {0}, {1})", _select
    )
    if bits == 64:
        return [*found, selected]
    rounding = {"rmi": "tl.floor({0})", "rpi": "tl.ceil({0})"}
    functions = {"rmi": np.floor, "rpi": np.ceil}
    found += [
        Instruction(f"cvt.{mode}.f32.f32", "f", "f", cpu, functions[mode])
        for mode, cpu in rounding.items()
    ]
    multiply_add = "tl.fma({0}, {1}, {2})"
    fma = Instruction("fma.rn.f32", "fff", "f", multiply_add, lambda *v: np.float32(fused(*v)))
    return [*found, selected, fma]


def _pairs(kind: str, name: str) -> list[Instruction]:
    """Instructions of two floats of 16 bits."""

    def rounded(function: Any) -> Any:
        convert = np.float16 if name == "f16" else to_bfloat16
        return lambda *values: convert(function(*values))

    cast = ".to(tl.bfloat16)" if name == "bf16" else ""
    cases = [
        ("neg", 1, "-{0}", np.negative), ("abs", 1, "tl.abs({0})", np.abs),
        ("min", 2, f"tl.minimum({{0}}, {{1}}){cast}", np.fmin),
        ("max", 2, f"tl.maximum({{0}}, {{1}}){cast}", np.fmax),
        ("fma.rn", 3, "tl.fma({0}, {1}, {2})", rounded(fused)),
    ]  # fmt: skip
    if name == "f16":
        cases += [
            ("add.rn", 2, "{0} + {1}", np.add), ("sub.rn", 2, "{0} - {1}", np.subtract),
            ("mul.rn", 2, "{0} * {1}", np.multiply),
        ]  # fmt: skip
    return [
        Instruction(f"{each}.{name}x2", count * kind, kind, cpu, function)
        for each, count, cpu, function in cases
    ]


TABLE = [
    *_integers("r", 32), *_integers("l", 64), *_integers("h", 16), *_wide_integers("r", 32),
    *_wide_integers("l", 64), *_words(), *_conversions(), *_floats("f", 32), *_floats("d", 64),
    *_pairs("x", "f16"), *_pairs("y", "bf16"),
]  # fmt: skip
BY_NAME = {instruction.name: instruction for instruction in TABLE}
# Those that treat all bits alike, so that a register may hold several integers.
BITWISE = [BY_NAME[name] for name in ("and.b32", "or.b32", "xor.b32", "not.b32", "lop3.b32")]
# Two floats become one register: the first operand is its upper half.
NARROWING = {"x": "cvt.rn.f16x2.f32", "y": "cvt.rn.bf16x2.f32"}
