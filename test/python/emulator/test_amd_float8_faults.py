"""The emulator finds faults in the lowering of 8-bit floats for AMD's GPUs, which have two formats.

All of them are wrong numbers: no rule that the emulator checks is broken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from planting import Change, Planted, Problem, replaced

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)


@dataclass(frozen=True)
class Formats:
    """Of an architecture: its types with the longer fraction and with the longer exponent."""

    fp8: str
    bf8: str
    ir: str  # of fp8
    largest: float  # of fp8
    names: tuple[str, str]  # of fp8 and bf8, in the names of matrix instructions


FNUZ = Formats("fp8e4b8", "fp8e5b16", "f8E4M3FNUZ", 240.0, ("e4m3fnuz", "e5m2fnuz"))
OCP = Formats("fp8e4nv", "fp8e5", "f8E4M3FN", 448.0, ("e4m3", "e5m2"))
FORMATS = {"hip:gfx942": FNUZ, "hip:gfx950": OCP, "hip:gfx1201": OCP}


@tilewright.jit
def encode(out, x, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(TYPE).to(tl.int8, bitcast=True))


@tilewright.jit
def decode(out, x, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(TYPE, bitcast=True).to(tl.float32))


@tilewright.jit
def multiply(out, a, b, A: tl.constexpr, B: tl.constexpr, M: tl.constexpr, CHAIN: tl.constexpr):
    m, k = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :]
    x = tl.load(a + m * M + k).to(A, bitcast=True)
    y = tl.load(b + m * M + k).to(B, bitcast=True)
    product = tl.dot(x, y)
    if CHAIN:
        product = tl.dot(product.to(A), y)
    tl.store(out + m * M + k, product)


def _solved(kernel, arguments, result: np.ndarray) -> Problem:
    """The problem whose expected results are those of the CPU."""
    expected = np.zeros_like(result)
    kernel[(1,)](out=expected, **arguments, target="cpu")
    return Problem(kernel, (1,), {"out": result, **arguments}, {"out": expected}, 1e-6)


def _encode(formats: Formats) -> Problem:
    x = np.random.default_rng(1).standard_normal(256).astype(np.float32) * 100
    x[::5] *= 1000  # out of range, of either sign
    x[::7] = np.nan
    x[3::11] /= 2.0**13
    arguments = {"x": x, "TYPE": tl.dtype(formats.fp8), "N": 256, "num_warps": 1}
    return _solved(encode, arguments, np.zeros(256, np.int8))


def _decode(formats: Formats) -> Problem:
    codes = np.arange(256).astype(np.uint8)
    codes[(codes & 0x7F) >= 0x7F] = 1  # a NaN does not equal itself
    codes[codes == 0x80] = 2
    x = np.random.default_rng(2).permutation(codes).view(np.int8)
    arguments = {"x": x, "TYPE": tl.dtype(formats.fp8), "N": 256, "num_warps": 1}
    return _solved(decode, arguments, np.zeros(256, np.float32))


def _multiply(formats: Formats, chain: bool = False) -> Problem:
    random = np.random.default_rng(3)
    # The codes of small numbers of both formats.
    a, b = (random.choice(np.int8([0, 0x38, 0x3C, 0x40, 0x44]), (32, 32)) for _ in range(2))
    types = {"A": tl.dtype(formats.fp8), "B": tl.dtype(formats.bf8)}
    arguments = {"a": a, "b": b, **types, "M": 32, "CHAIN": chain, "num_warps": 1}
    return _solved(multiply, arguments, np.zeros((32, 32), np.float32))


PROBLEMS: dict[str, Callable[[Formats], Problem]] = {
    "encode": _encode,
    "decode": _decode,
    "multiply": _multiply,
    "chain": lambda formats: _multiply(formats, chain=True),
}

# ---------------------------------------------------------------------------
# Conversions that are lowered by hand
# ---------------------------------------------------------------------------

TRUNCATE = r"(%\w+) = thread.truncate_pairs (%\w+), (%\w+), (%\w+), (%\w+) to \w+ -> .*"
EXTEND = r"(%\w+) = thread.extend_pairs (%\w+) from \w+ : .*"


def encoded(
    kind: str = "fp8",
    order: tuple[int, ...] = (0, 1, 2, 3),
    upper: tuple[str, str] = ("false", "true"),
    is_clamped: bool = True,
    keeps_nan: bool = True,
    keeps_word: bool = True,
    bound: float | None = None,
    lower: float | None = None,
) -> Callable[[Formats], Change]:
    """Four numbers to a word. `order` is that of the numbers, `upper` are the halves' flags."""

    def change(formats: Formats) -> Change:
        most = bound or formats.largest
        lines = [
            f"%least = arith.constant {lower if lower is not None else -most:e} : f32",
            f"%most = arith.constant {most:e} : f32",
            "%nan = arith.constant 0x7fffffff : f32",
            "%no_word = arith.constant 0 : i32",
            f"%first_half = arith.constant {upper[0]}",
            f"%second_half = arith.constant {upper[1]}",
        ]
        for index, which in enumerate(order):
            value = f"\\{which + 2}"
            clamped = (
                f'llvm.call_intrinsic "llvm.amdgcn.fmed3.f32"({value}, %least, %most)'
                " : (f32, f32, f32) -> f32"
            )
            same = f"arith.addf {value}, {value} : f32"
            lines += [
                f"%inside{index} = {clamped if is_clamped else same}",
                f"%isnan{index} = arith.cmpf uno, {value}, {value} : f32",
            ]
            kept = f"%nan, %inside{index}" if is_clamped else f"%nan, {value}"
            kept = kept if keeps_nan else f"%inside{index}, %inside{index}"
            lines.append(f"%x{index} = arith.select %isnan{index}, {kept} : f32")
        convert = f'llvm.call_intrinsic "llvm.amdgcn.cvt.pk.{kind}.f32"'
        types = "(f32, f32, i32, i1) -> i32"
        word = "%half" if keeps_word else "%no_word"
        lines += [
            f"%half = {convert}(%x0, %x1, %no_word, %first_half) : {types}",
            f"%word = {convert}(%x2, %x3, {word}, %second_half) : {types}",
            r"\1 = llvm.bitcast %word : i32 to vector<4xi8>",
        ]
        return replaced(TRUNCATE, "\n".join(lines))

    return change


def decoded(
    kind: str = "fp8", upper: tuple[str, str] = ("false", "true"), order: str = "%a, %b, %c, %d"
) -> Callable[[Formats], Change]:
    """A word to four numbers."""
    convert = f'llvm.call_intrinsic "llvm.amdgcn.cvt.pk.f32.{kind}"'
    text = rf"""%word = llvm.bitcast \2 : vector<4xi8> to i32
    %first_half = arith.constant {upper[0]}
    %second_half = arith.constant {upper[1]}
    %low = {convert}(%word, %first_half) : (i32, i1) -> vector<2xf32>
    %high = {convert}(%word, %second_half) : (i32, i1) -> vector<2xf32>
    %a = vector.extract %low[0] : f32 from vector<2xf32>
    %b = vector.extract %low[1] : f32 from vector<2xf32>
    %c = vector.extract %high[0] : f32 from vector<2xf32>
    %d = vector.extract %high[1] : f32 from vector<2xf32>
    \1 = vector.from_elements {order} : vector<4xf32>"""
    return lambda formats: replaced(EXTEND, text)


# ---------------------------------------------------------------------------
# Dots
# ---------------------------------------------------------------------------


def dot(pattern: str, replacement: str, number: int = 0) -> Callable[[Formats], Change]:
    """`{fp8}` and `{bf8}` stand for the names of the formats."""

    def change(formats: Formats) -> Change:
        fp8, bf8 = formats.names
        names = {"fp8": fp8, "bf8": bf8}
        return replaced(pattern.format(**names), replacement.format(**names), number)

    return change


OPERANDS = r"(thread\.mma \S+ )(%\w+) by (%\w+) into"

FAULTS: list[tuple[str, str, Callable[[Formats], Change]]] = [
    ("encode", "numbers out of range are not clamped", encoded(is_clamped=False)),
    ("encode", "NaN becomes a number", encoded(keeps_nan=False)),
    ("encode", "the bound of another format", encoded(bound=57344.0)),
    ("encode", "a bound that is too small", encoded(bound=224.0)),
    ("encode", "negative numbers become zero", encoded(lower=0.0)),
    ("encode", "the format with the longer exponent", encoded("bf8")),
    ("encode", "exchanged numbers of a pair", encoded(order=(1, 0, 2, 3))),
    ("encode", "exchanged pairs", encoded(order=(2, 3, 0, 1))),
    ("encode", "exchanged halves", encoded(upper=("true", "false"))),
    ("encode", "both pairs in the lower half", encoded(upper=("false", "false"))),
    ("encode", "the second pair replaces the word", encoded(keeps_word=False)),
    ("decode", "the format with the longer exponent", decoded("bf8")),
    ("decode", "the lower half twice", decoded(upper=("false", "false"))),
    ("decode", "exchanged halves", decoded(upper=("true", "false"))),
    ("decode", "exchanged numbers of a pair", decoded(order="%b, %a, %c, %d")),
    ("multiply", "exchanged formats", dot(r"\.{fp8}\.{bf8}\.f32", ".{bf8}.{fp8}.f32")),
    ("multiply", "one format for both", dot(r"\.{fp8}\.{bf8}\.f32", ".{fp8}.{fp8}.f32")),
    ("multiply", "A and B exchanged", dot(OPERANDS, r"\1\3 by \2 into")),
    ("multiply", "A twice", dot(OPERANDS, r"\1\2 by \2 into")),
    ("multiply", "the row of the transpose", dot(r'(?<=\.f32)" %', '.swapped" %')),
    ("chain", "formats of the instruction for those of the dot",
     dot(r"\.{fp8}\.{bf8}\.f32\.swapped", ".{bf8}.{fp8}.f32.swapped", -1)),
    ("chain", "A and B exchanged", dot(OPERANDS, r"\1\3 by \2 into", -1)),
    ("chain", "the row of the plain dot", dot(r"\.swapped[.by\d]*", "", -1)),
]  # fmt: skip


def test_there_are_faults_of_each_kernel() -> None:
    assert len(FAULTS) >= 20
    assert {name for name, _, _ in FAULTS} == PROBLEMS.keys()


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize(
    ("name", "fault", "change"), FAULTS, ids=lambda x: x if type(x) is str else ""
)
def test_fault_is_found(name: str, fault: str, change: Callable, target: str) -> None:
    formats = FORMATS[target]
    problem = PROBLEMS[name](formats)
    planted = Planted(problem.kernel, "thread", change(formats))
    assert not problem.solved_by(problem.launch(planted, target=target)), fault


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_lowering_is_found_correct(name: str, target: str) -> None:
    problem = PROBLEMS[name](FORMATS[target])
    assert problem.solved_by(problem.launch(target=target))


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize(("name", "change"), [("encode", encoded()), ("decode", decoded())])
def test_conversions_by_hand_are_found_correct(name: str, change: Callable, target: str) -> None:
    problem = PROBLEMS[name](FORMATS[target])
    planted = Planted(problem.kernel, "thread", change(FORMATS[target]))
    assert problem.solved_by(problem.launch(planted, target=target))
