"""The PTX of arithmetic operations, one small kernel each; no GPU is needed."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from stated import instructions_on_gpus

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.compiler import Options, resolve_target

TARGETS = ["cuda:80", "cuda:90a"]
LANES = 128  # one element per thread
FUNCTIONS = ["exp", "exp2", "log", "log2", "tanh", "erf", "sqrt", "rsqrt", "sqrt_rn"]
DOUBLES = ["exp", "exp2", "log", "log2", "tanh", "erf", "sqrt", "rsqrt"]
BRANCHING = ["sin", "cos"]


@tilewright.jit
def unary(x, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, FUNCTION(tl.load(x + i)))


@tilewright.jit
def binary(x, y, out, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    if KIND == "copy":
        result = a
    elif KIND == "+":
        result = a + b
    elif KIND == "*":
        result = a * b
    elif KIND == "/":
        result = a / b
    elif KIND == "/ 3":
        result = a / 3.0
    elif KIND == "/ scalar":
        result = a / tl.load(y)
    elif KIND == "div_rn":
        result = tl.div_rn(a, b)
    elif KIND == "a * b + a":
        result = a * b + a
    elif KIND == "max":
        result = tl.maximum(a, b)
    elif KIND == "max NaN":
        result = tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
    elif KIND == "umulhi":
        result = tl.umulhi(a, b)
    else:
        result = a % b
    tl.store(out + i, result)


def ptx_of(kernel, signature, target: str, **options) -> str:
    made = compiler.compile(kernel, signature, resolve_target(target), Options.make(options))
    return made.assembly()


def opcodes(ptx: str) -> Counter[str]:
    """The number of occurrences of each instruction, except for register moves."""
    names = re.findall(r"^\t(?:@%p\d+ )?([a-z][\w.]*)[ \t]", ptx, re.M)
    return Counter(name for name in names if not name.startswith("mov"))


def unary_opcodes(name: str, dtype: str, target: str) -> Counter[str]:
    """The instructions of the function itself, without loads and stores."""
    pointer = f"*{dtype}"
    function = ptx_of(unary, (pointer, pointer, getattr(tl, name), LANES), target)
    copy = ptx_of(unary, (pointer, pointer, tl.abs, LANES), target)
    kind = {"fp32": "abs.f32", "fp64": "abs.f64"}[dtype]
    return opcodes(function) + Counter([kind]) - opcodes(copy)


def binary_opcodes(
    kind: str, dtype: str, target: str, block: int = LANES, **options
) -> Counter[str]:
    signature = (*[f"*{dtype}:D"] * 3, kind, block)
    return opcodes(ptx_of(binary, signature, target, **options))


def check_straight(counts: Counter[str]) -> None:
    for name in counts:
        assert not name.startswith("call") and ".local" not in name, name


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_instructions_of_single_precision(name: str, target: str) -> None:
    counts = unary_opcodes(name, "fp32", target)
    check_straight(counts)
    assert counts.total() == instructions_on_gpus()[name], counts


@pytest.mark.parametrize("name", DOUBLES)
def test_instructions_of_double_precision(name: str) -> None:
    counts = unary_opcodes(name, "fp64", "cuda:90a")
    check_straight(counts)
    assert counts.total() == instructions_on_gpus()[f"{name}, f64"], counts


@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
@pytest.mark.parametrize("name", BRANCHING)
def test_large_arguments_take_a_branch(name: str, dtype: str) -> None:
    ptx = ptx_of(unary, (f"*{dtype}", f"*{dtype}", getattr(tl, name), LANES), "cuda:90a")
    check_straight(opcodes(ptx))
    assert len(re.findall(r"@%p\d+ bra", ptx)) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_approximate_instructions_are_used(target: str) -> None:
    assert unary_opcodes("exp", "fp32", target)["ex2.approx.ftz.f32"] == 1
    assert unary_opcodes("exp2", "fp32", target) == Counter(["ex2.approx.ftz.f32"])
    assert unary_opcodes("sqrt", "fp32", target) == Counter(["sqrt.approx.f32"])
    assert unary_opcodes("sqrt_rn", "fp32", target) == Counter(["sqrt.rn.f32"])


@pytest.mark.parametrize("target", TARGETS)
def test_quotients(target: str) -> None:
    copy = binary_opcodes("copy", "fp32", target)
    by_elements = binary_opcodes("/", "fp32", target)
    assert by_elements["rcp.approx.ftz.f32"] == 1
    load = Counter(["ld.param.b64", "add.s64", "ld.global.b32"])
    assert (by_elements - copy - load).total() == instructions_on_gpus()["x / y"]
    assert binary_opcodes("div_rn", "fp32", target)["div.rn.f32"] == 1
    assert binary_opcodes("/", "fp64", target)["div.rn.f64"] == 1
    by_three = binary_opcodes("/ 3", "fp32", target)
    assert (by_three - copy).total() == instructions_on_gpus()["x / 3"]
    for counts in (by_elements, by_three):
        assert not any(name.startswith("div") for name in counts)


def test_a_shared_divisor_is_inverted_once() -> None:
    counts = binary_opcodes("/ scalar", "fp32", "cuda:90a", block=4 * LANES)
    assert counts["rcp.approx.ftz.f32"] == 1
    # Two products and one multiply-add for each of four elements, and two of each for the divisor.
    assert counts["mul.rn.f32"] == 10
    assert counts["fma.rn.f32"] == 6
    assert not any(name.startswith("div") for name in counts)


def test_products_and_sums_are_fused_unless_the_option_says_no() -> None:
    assert binary_opcodes("a * b + a", "fp32", "cuda:90a")["fma.rn.f32"] == 1
    strict = binary_opcodes("a * b + a", "fp32", "cuda:90a", enable_fp_fusion=False)
    assert strict["mul.rn.f32"] == strict["add.rn.f32"] == 1


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_16_bit_floats_are_processed_in_pairs(dtype: str, target: str) -> None:
    kind = {"f16": "fp16", "bf16": "bf16"}[dtype]
    for operation, opcode in [("max", f"max.{dtype}x2"), ("max NaN", f"max.NaN.{dtype}x2")]:
        assert binary_opcodes(operation, kind, target, block=8 * LANES)[opcode] == 4
    fused = binary_opcodes("a * b + a", kind, target, block=8 * LANES)
    assert fused[f"fma.rn.{dtype}x2"] == 4


def test_bfloat16_is_added_natively_or_as_multiply_add() -> None:
    assert binary_opcodes("+", "bf16", "cuda:90a", block=8 * LANES)["add.rn.bf16x2"] == 4
    assert binary_opcodes("+", "bf16", "cuda:80", block=8 * LANES)["fma.rn.bf16x2"] == 4


@tilewright.jit
def extended_bfloats(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(tl.float32))


@pytest.mark.parametrize("target", TARGETS)
def test_bfloats_are_extended_in_their_words(target: str) -> None:
    signature = ("*bf16:D", "*fp32:D", 8 * LANES)
    ptx = ptx_of(extended_bfloats, signature, target)
    assert (
        len(re.findall(r"and\.b32.*, -65536;", ptx))
        == len(re.findall(r"shl\.b32.*, 16;", ptx))
        == 4
    )
    assert "cvt.f32.bf16" not in ptx and "mov.b32 \t{" not in ptx


@tilewright.jit
def extended_apart(x, out, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * stride).to(tl.float32))


def test_bfloats_that_were_loaded_apart_are_not_packed() -> None:
    signature = ("*bf16:D", "*fp32:D", "i32", 8 * LANES)
    ptx = ptx_of(extended_apart, signature, "cuda:90a")
    assert len(re.findall(r"cvt\.f32\.bf16", ptx)) == 8 and "and.b32" not in ptx


@tilewright.jit
def half_of_bfloats(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.load(x + i).to(tl.float32) + tl.load(y + i).to(tl.float32)
    tl.store(out + i, total.to(tl.float16))


def test_sums_of_bfloats_are_rounded_to_half_once() -> None:
    signature = ("*bf16:D", "*bf16:D", "*fp16:D", LANES)
    counts = opcodes(ptx_of(half_of_bfloats, signature, "cuda:90a"))
    assert counts["add.rn.f32"] == counts["cvt.rn.f16.f32"] == 1


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["fp32", "fp64"])
def test_extrema_of_wider_floats(dtype: str, target: str) -> None:
    short = dtype.replace("fp", "f")
    assert binary_opcodes("max", dtype, target)[f"max.{short}"] == 1
    if dtype == "fp32":
        assert binary_opcodes("max NaN", dtype, target)["max.NaN.f32"] == 1


@pytest.mark.parametrize("dtype", ["i32", "i64"])
def test_the_upper_half_of_a_product_is_one_instruction(dtype: str) -> None:
    counts = binary_opcodes("umulhi", dtype, "cuda:90a")
    assert counts[f"mul.hi.u{dtype[1:]}"] == 1
    check_straight(counts)
