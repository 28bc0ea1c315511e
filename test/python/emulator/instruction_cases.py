"""The operands of each instruction of the emulator, and its tolerance against the hardware.

Every row of the emulator's table with an LLVM intrinsic has a case here, or a reason why it has
none (`WITHOUT_CASE`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from instruction_kernels import LANES, SHARED, Form

from tilewright import _core

Rng = np.random.Generator
Compare = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
PROGRAMS = 128

WITHOUT_CASE = {
    r"(?:v|s|ds|sched|iglp)_|work(?:item|group)\.|wave\.|ballot|implicitarg": "AMD's",
    r"read\w+counter": "AMD's",
    r"%(tid|ntid|ctaid|nctaid)|WARP_SZ|%laneid": "special registers: every kernel depends on them",
    r"%clock|%globaltimer|nanosleep": "time",
    r"(?:%smid|%nsmid|%warpid)$": "what runs where is the hardware's choice",
    r"m?barrier\.|bar\.warp|fence|griddepcontrol": "ordering: tested by kernels and planted faults",
    r"cp\.(reduce\.)?async|createpolicy": "asynchronous copies: tested by pipelined kernels",
    r"prefetch": "has no effect on results",
    r"wgmma": "instructions of four warps: tested by test_wgmma_texts.py",
    r"setmaxnreg": "no result: tested by kernels with producer warps",
    r"activemask": "depends on how the hardware schedules lanes",
    r"elect\.sync": "any lane is allowed",
    r"mma\S*k16\.row\.col\.f32\.e|mma\S*\.f16\.e": "LLVM's code generator lacks it for sm_90",
    r"ld\.|st\.|atom\.|emulator\.|vprintf|__assertfail|tanh": "no intrinsic",
    r"(add|sub|mul|fma|neg|abs|min|max|ex2)\.(\S+\.)?b?f16(x2)?$": "only in users' assembly",
    r"(min|max)\.NaN\.xorsign\.abs\.f32": "only in users' assembly",
    r"cvt\S*\.(e2m1x2|e2m3x2|e3m2x2|ue8m0x2)": "only in users' assembly",
}


@dataclass(frozen=True)
class Case:
    """
    Attributes:
        values: Generates the slots of all lanes, [lanes, variable operands].
        compare: Returns which results differ, given (emulated, real, inputs).
        since: The first compute capability that has the instruction.
    """

    name: str
    form: Form
    values: Callable[[Rng], np.ndarray]
    compare: Compare
    since: int = 80


#
# Values
#


def _bits(text: str) -> np.ndarray:
    return np.array([int(word, 16) for word in text.split()], np.uint64)


# Zeros, the smallest and largest subnormal and normal numbers, infinities, NaN, and the limits at
# which functions and conversions overflow.
_SPECIAL = {
    "f16": _bits("0 8000 1 8001 3ff 400 7bff fbff 7c00 fc00 7e00 3c00"),
    "bf16": _bits("0 8000 1 8001 7f 80 7f7f ff7f 7f80 ff80 7fc0 3f80"),
    "f32": _bits(
        "0 80000000 1 807fffff 7fffff 800000 7f7fffff 7f800000 ff800000 7fc00000 3f800000 bf800000 "
        "43e00000 477ff000 42fe0000 c2fc0000 c3150000 47800000"
    ),
    "f64": _bits("0 8000000000000000 1 7fefffffffffffff 7ff0000000000000 7ff8000000000000"),
}
_DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def floats(rng: Rng, type: str, count: int) -> np.ndarray:
    """Bits of numbers near one, random bits, and special values."""
    if type == "bf16":
        return floats(rng, "f32", count) >> np.uint64(16)
    dtype = _DTYPES[type]
    unsigned = f"u{np.dtype(dtype).itemsize}"
    near = rng.standard_normal(count).astype(dtype).view(unsigned).astype(np.uint64)
    bits = np.dtype(dtype).itemsize * 8
    anything = rng.integers(0, 2**bits, count, np.uint64, endpoint=False) if bits < 64 else None
    anything = rng.integers(0, 2**63, count, np.uint64) * 2 if anything is None else anything
    special = rng.choice(_SPECIAL[type], count)
    return np.choose(rng.choice(3, count, p=[0.4, 0.5, 0.1]), [near, anything, special])


def of_types(types: list[str]) -> Callable[[Rng], np.ndarray]:
    def make(rng: Rng) -> np.ndarray:
        count = PROGRAMS * LANES
        return np.stack([_slots(rng, type, count) for type in types], axis=1)

    return make


def _slots(rng: Rng, type: str, count: int) -> np.ndarray:
    if type == "vector<2xf16>":
        return floats(rng, "f16", count) | floats(rng, "f16", count) << np.uint64(16)
    if type in _SPECIAL:
        return floats(rng, type, count)
    return rng.integers(0, 2 ** min(63, int(type[1:])), count, np.uint64)


#
# Comparisons
#

_NAN_BITS = {
    "f16": (0x7C00, 0x3FF),
    "f32": (0x7F800000, 0x7FFFFF),
    "f64": (0x7FF << 52, (1 << 52) - 1),
}


def bits(emulated: np.ndarray, real: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    return emulated != real


def _as_float(slots: np.ndarray, type: str) -> np.ndarray:
    dtype = np.dtype(_DTYPES[type])
    return slots.astype(f"u{dtype.itemsize}").view(dtype)


def same_or_nan(type: str) -> Compare:
    """Compares bit by bit, but all NaN are equal."""

    def compare(emulated: np.ndarray, real: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        both_nan = np.isnan(_as_float(emulated, type)) & np.isnan(_as_float(real, type))
        return (emulated != real) & ~both_nan

    return compare


def within(
    ulps: float, type: str = "f32", absolute: float = 0, domain: Compare | None = None
) -> Compare:
    """Compares up to a number of units in the last place; all NaN are equal."""

    def compare(emulated: np.ndarray, real: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        a, b = (_as_float(x, type).astype(np.float64) for x in (emulated, real))
        with np.errstate(all="ignore"):
            unit = np.spacing(
                np.maximum(np.abs(a), np.abs(b)).astype(_DTYPES[type]), dtype=_DTYPES[type]
            )
            near = np.abs(a - b) <= np.maximum(ulps * unit.astype(np.float64), absolute)
        same = (emulated == real) | (np.isnan(a) & np.isnan(b)) | near
        outside = np.zeros(len(a), bool) if domain is None else ~domain(emulated, real, inputs)
        return ~same & ~outside[:, None]

    return compare


def _argument_below(limit: float) -> Compare:
    return lambda emulated, real, inputs: np.abs(_as_float(inputs[:, 0], "f32")) <= limit


def _divisor_in_range(emulated: np.ndarray, real: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    y = np.abs(_as_float(inputs[:, 1], "f32"))
    return (y >= 2.0**-126) & (y <= 2.0**126)


# The tolerance is twice the error that the PTX ISA allows; the emulator rounds correctly.
_ERRORS: dict[str, Compare] = {
    "ex2.approx": within(4),
    "lg2.approx": within(4, absolute=2.0**-21),
    "sin.approx": within(0, absolute=2.0**-19, domain=_argument_below(np.pi)),
    "cos.approx": within(0, absolute=2.0**-19, domain=_argument_below(np.pi)),
    "sqrt.approx": within(2),
    "rsqrt.approx": within(4),
    "rcp.approx": within(2),
    "div.full": within(4),
    "div.approx": within(4, domain=_divisor_in_range),
}


#
# The families
#


def _math(name: str, intrinsic: str) -> Case | None:
    match = re.fullmatch(r"(ex2|lg2|sin|cos|sqrt|rsqrt|rcp|div|fma)\.([a-z.]+)\.(f32|f64)", name)
    if not match:
        return None
    type = match[3]
    operands = (type,) * {"div": 2, "fma": 3}.get(match[1], 1)
    kind = name.removesuffix(f".{type}").removesuffix(".ftz")
    compare = _ERRORS.get(kind, same_or_nan(type))
    if type == "f64" and kind in _ERRORS:
        compare = within(2.0**30, "f64")
    return Case(name, Form(intrinsic, operands, (type,)), of_types(list(operands)), compare)


def _conversion(name: str, intrinsic: str) -> Case | None:
    match = re.fullmatch(r"cvt\.(?:rn|rna|rz)(?:\.satfinite)?(?:\.relu)?\.(\w+)\.(\w+)", name)
    if not match:
        return None
    to, source = match[1], match[2]
    packed = {
        "tf32": "i32",
        "f16x2": "vector<2xf16>",
        "bf16x2": "vector<2xbf16>",
        "f16": "f16",
        "bf16": "bf16",
    }
    result = packed.get(to, "i16")
    operand = {"f32": "f32", "f16x2": "vector<2xf16>"}.get(source, "i16")
    operands = (operand,) * (2 if source == "f32" and to.endswith("x2") else 1)
    since = 90 if re.search("e[45]m|rn.*tf32|rz.*tf32|satfinite", name) else 80
    compare = same_or_nan("f32") if to == "tf32" else bits
    return Case(
        name, Form(intrinsic, operands, (result,)), of_types(list(operands)), compare, since
    )


def _warp(name: str, intrinsic: str) -> Case | None:
    everybody = "i32=-1"
    if match := re.fullmatch(r"shfl\.sync\.(\w+)\.b32( d\|p)?", name):
        results = ("i32", "i1") if match[2] else ("i32",)
        suffix = ".i32p" if match[2] else ".i32"
        form = Form(
            intrinsic.removesuffix(".p") + suffix, (everybody, "i32", "i32", "i32"), results
        )
        return Case(name, form, of_types(["i32", "i5", "i13"]), bits)
    if match := re.fullmatch(r"vote\.sync\.(\w+)\.\w+", name):
        result = "i32" if match[1] == "ballot" else "i1"
        form = Form(intrinsic, (everybody, "i1"), (result,))
        return Case(name, form, of_types(["i1"]), bits)
    if match := re.fullmatch(r"match\.(any|all)\.sync\.b(32|64)", name):
        results = ("i32",) if match[1] == "any" else ("i32", "i1")
        form = Form(intrinsic, (everybody, f"i{match[2]}"), results)
        return Case(name, form, of_types(["i2"]), bits)
    if name.startswith("redux.sync"):
        return Case(name, Form(intrinsic, ("i32", everybody), ("i32",)), of_types(["i32"]), bits)
    return None


def _matrix(name: str, intrinsic: str) -> Case | None:
    match = re.fullmatch(
        r"(ld|st)matrix\.sync\.aligned\.(m8n8|m16n8|m16n16)\.x(\d)(?:\.trans)?\.shared\.b(8|16)",
        name,
    )
    if not match:
        return None
    registers = ("i32",) * (int(match[3]) * (2 if match[2] == "m16n16" else 1))
    operands = (SHARED,) if match[1] == "ld" else (SHARED, *registers)
    results = registers if match[1] == "ld" else ()
    form = Form(intrinsic + ".p3", operands, results, shared=1024)

    def values(rng: Rng) -> np.ndarray:
        rows = rng.permutation(64)[:LANES].astype(np.uint64) * 16
        registers = [rng.integers(0, 2**32, LANES, np.uint64) for _ in operands[1:]]
        return np.stack([rows, *registers], axis=1)

    since = 100 if match[4] == "8" else 90 if match[1] == "st" else 80
    return Case(name, form, values, bits, since)


def _mma(name: str, intrinsic: str) -> Case | None:
    match = re.fullmatch(
        r"mma\.sync\.aligned\.m(\d+)n8k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+)", name
    )
    if not match:
        return None
    m, k, accumulator, a = int(match[1]), int(match[2]), match[3], match[4]
    width = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64}.get(a, 8)
    register = {"f16": "vector<2xf16>", "f64": "f64"}.get(a, "i32")
    of_a, of_b = (rows * k * width // LANES // max(32, width) for rows in (m, 8))
    of_c = m * 8 // LANES // (2 if accumulator == "f16" else 1)
    c = {"f16": "vector<2xf16>", "f32": "f32", "f64": "f64", "s32": "i32"}[accumulator]
    form = Form(intrinsic, (register,) * (of_a + of_b) + (c,) * of_c, (c,) * of_c)
    elements = [(match[4], of_a), (match[5], of_b), (accumulator, of_c)]
    values = lambda rng: np.concatenate([_fragments(rng, *each) for each in elements], axis=1)  # noqa: E731
    compare = same_or_nan(accumulator) if accumulator in ("f32", "f64") else bits
    return Case(name, form, values, compare, 89 if a.startswith("e") else 80)


def _fragments(rng: Rng, type: str, registers: int) -> np.ndarray:
    """Numbers of similar magnitude, and in some programs of different ones; no NaN or infinity."""
    shape = (PROGRAMS * LANES, registers)
    if type in ("s8", "u8", "s32"):
        return rng.integers(0, 2**32, shape, np.uint64)
    spread = np.repeat(rng.choice([0, 3, 10], PROGRAMS), LANES)[:, None]
    return _pack(rng, type, shape, spread)


def _pack(rng: Rng, type: str, shape: tuple[int, int], spread: np.ndarray) -> np.ndarray:
    def numbers() -> np.ndarray:
        return rng.standard_normal(shape) * 2.0 ** (rng.uniform(-1, 1, shape) * spread)

    if type == "f64":
        return numbers().view(np.uint64)
    if type == "f32":
        return numbers().astype(np.float32).view(np.uint32).astype(np.uint64)
    if type == "tf32":
        return (numbers().astype(np.float32).view(np.uint32) & 0xFFFFE000).astype(np.uint64)
    word = np.zeros(shape, np.uint64)
    if type.startswith("e"):  # any finite 8-bit number
        limit = 0x7B if type == "e5m2" else 0x7E
        for shift in (0, 8, 16, 24):
            magnitude = rng.integers(0, limit, shape, np.uint64, endpoint=True)
            sign = rng.integers(0, 2, shape, np.uint64) << np.uint64(7)
            word |= (magnitude | sign) << np.uint64(shift)
        return word
    for shift in (0, 16):
        if type == "f16":
            half = (
                np.clip(numbers(), -6e4, 6e4).astype(np.float16).view(np.uint16).astype(np.uint64)
            )
        else:
            half = numbers().astype(np.float32).view(np.uint32).astype(np.uint64) >> np.uint64(16)
        word |= half << np.uint64(shift)
    return word


def cases() -> Iterator[Case]:
    for name, intrinsic, *_ in _core.emulated_instructions():
        made = (make(name, intrinsic) for make in (_math, _conversion, _warp, _matrix, _mma))
        case = next(filter(None, made), None) if intrinsic else None
        if case and not has_reason(name):
            yield case


def has_reason(name: str) -> bool:
    return any(re.match(key, name) for key in WITHOUT_CASE)


def rows_without_case() -> list[str]:
    """The names of rows that have neither a case nor a reason."""
    known = {case.name for case in cases()}
    names = [name for name, *_ in _core.emulated_instructions() if name not in known]
    return [name for name in names if not has_reason(name)]
