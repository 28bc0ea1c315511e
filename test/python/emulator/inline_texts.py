"""Executes the texts of inline assembly on an emulated GPU.

Each text is assembled for sm_100a as well, so that the tests use instructions that exist.
"""

from __future__ import annotations

from typing import Any

import numpy as np
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


def wrap(values: Any, dtype: str) -> np.ndarray:
    bits = np.dtype(dtype).itemsize * 8
    reduced = np.asarray(values, object) & ((1 << bits) - 1)
    if dtype.startswith("i"):
        reduced = np.where(reduced >= 1 << (bits - 1), reduced - (1 << bits), reduced)
    return reduced.astype(dtype)


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
