"""8-bit floats by instructions: conversions, against the CPU, and dots, whose sums are exact here.

gfx942 has instructions for the formats without infinity and negative zero, later GPUs for OCP's.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl

FNUZ = {"fp8e4b8": torch.float8_e4m3fnuz, "fp8e5b16": torch.float8_e5m2fnuz}
OCP = {"fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2}
FORMATS = {**FNUZ, **OCP}
NATIVE = {"gfx942": FNUZ, "gfx950": OCP, "gfx1201": OCP}
CASES = [(arch, name) for arch in NATIVE for name in FORMATS]


@tilewright.jit
def decode(x, out, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(TYPE, bitcast=True).to(out.dtype.element_ty))


@tilewright.jit
def encode(x, out, TYPE: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(TYPE).to(tl.int8, bitcast=True))


def emulated(arch: str) -> str:
    return f"emulator:hip:{arch}+checks"


@pytest.mark.cpu_only("tests emulated GPUs", compiles=False)
@pytest.mark.parametrize("size", (256, 64, 32))
@pytest.mark.parametrize("wide", (np.float16, np.float32))
@pytest.mark.parametrize(("arch", "name"), CASES)
def test_decoding_is_that_of_the_cpu(arch: str, name: str, wide: Any, size: int) -> None:
    """Fewer elements than lanes are converted one at a time."""
    for first in range(0, 256, size):
        x = np.arange(first, first + size).astype(np.uint8).view(np.int8)
        found, wanted = np.zeros(size, wide), np.zeros(size, wide)
        for out, target in ((found, emulated(arch)), (wanted, "cpu")):
            decode[(1,)](x, out, TYPE=tl.dtype(name), N=size, target=target, num_warps=1)
        assert np.array_equal(found, wanted, equal_nan=True)
        isnan = np.isnan(wanted)
        assert np.array_equal(np.signbit(found) | isnan, np.signbit(wanted) | isnan)


def numbers_between(name: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The format's numbers, the middles between them, the floats next to these, and others."""
    codes = torch.arange(256).to(torch.uint8).view(FORMATS[name]).float()
    numbers = np.unique(codes[codes.isfinite()].numpy())
    middles = (numbers[1:] + numbers[:-1]) / 2
    infinity = np.float32(np.inf)
    beyond = np.float32([2, 1.1, 1.0625, 1.03125, 1.03]) * numbers[-1]
    special = np.float32([np.inf, np.nan, 0, 1e-45, 1e-30, 1e-7, 3e-6, 1e30, 3.4e38])
    special = np.concatenate([beyond, special])
    near = [middles, np.nextafter(middles, infinity), np.nextafter(middles, -infinity)]
    values = np.concatenate([numbers, *near, special, -special]).astype(np.float32)
    values = np.append(values, np.uint32([0xFFC00000, 0x7F800001, 0xFF812345]).view(np.float32))
    return np.append(values, np.zeros(-len(values) % 256, np.float32))


@pytest.mark.cpu_only("tests emulated GPUs", compiles=False)
@pytest.mark.parametrize("wide", (np.float32, np.float16, np.float64))
@pytest.mark.parametrize(("arch", "name"), CASES)
def test_encoding_is_that_of_the_cpu(arch: str, name: str, wide: Any) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        x = numbers_between(name).astype(wide)
    x = np.roll(x, 1)  # a number and its neighbors are in different places of a word
    found, wanted = np.zeros(len(x), np.int8), np.ones(len(x), np.int8)
    for out, target in ((found, emulated(arch)), (wanted, "cpu")):
        encode[(len(x) // 256,)](x, out, TYPE=tl.dtype(name), N=256, target=target, num_warps=1)
    assert np.array_equal(found, wanted)


@tilewright.jit
def product(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(out + m[:, None] * N + n[None, :], tl.dot(x, y))


def matrix(rows: int, columns: int, dtype: torch.dtype, seed: int) -> torch.Tensor:
    """Multiples of a quarter, whose products and sums are exact, and the format's extremes."""
    random = np.random.default_rng(seed)
    values = torch.from_numpy(random.integers(-7, 8, (rows, columns)) / 4).to(dtype)
    values[0, 0] = torch.finfo(dtype).max
    return values


@pytest.mark.cpu_only("tests emulated GPUs", compiles=False)
@pytest.mark.parametrize("shape", ((64, 32, 64), (16, 16, 32), (32, 128, 16)))
@pytest.mark.parametrize(
    ("arch", "a", "b"),
    [(arch, a, b) for arch in NATIVE for formats in (FNUZ, OCP) for a in formats for b in formats],
)
def test_dots(arch: str, a: str, b: str, shape: tuple[int, int, int]) -> None:
    rows, columns, depth = shape
    x, y = matrix(rows, depth, FORMATS[a], 1), matrix(depth, columns, FORMATS[b], 2)
    out = torch.zeros(rows, columns)
    product[(1,)](x, y, out, M=rows, N=columns, K=depth, target=emulated(arch))
    wanted = x.double() @ y.double()
    assert torch.equal(out[1:, 1:].double(), wanted[1:, 1:])
    assert torch.allclose(out.double(), wanted, rtol=1e-6, atol=0)


@pytest.mark.cpu_only("tests emulated GPUs", compiles=False)
@pytest.mark.parametrize(("arch", "name"), [(arch, n) for arch, f in NATIVE.items() for n in f])
def test_nan_reaches_the_sums(arch: str, name: str) -> None:
    x, y = matrix(32, 32, FORMATS[name], 3), matrix(32, 32, FORMATS[name], 4)
    x[5, 7] = float("nan")
    out = torch.zeros(32, 32)
    product[(1,)](x, y, out, M=32, N=32, K=32, target=emulated(arch))
    assert out[5].isnan().all()
    assert not out[6].isnan().any()


def instructions(kernel: Any) -> list[str]:
    return re.findall(r"^\s+(v_\w+)", kernel.asm["amdgcn"], re.MULTILINE)


@pytest.mark.parametrize(("arch", "name"), CASES)
def test_conversions_take_instructions(arch: str, name: str) -> None:
    options = {"TYPE": tl.dtype(name), "N": 1024, "num_warps": 1, "target": f"hip:{arch}"}
    back = instructions(encode.warmup(np.float32, np.int8, **options))
    there = instructions(decode.warmup(np.int8, np.float32, **options))
    elements = 1024 // (64 if arch in ("gfx942", "gfx950") else 32)
    kind = "fp8" if "e4" in name else "bf8"
    native = name in NATIVE[arch]
    counts = [
        sum(op.startswith(f"v_cvt_pk_{op_name}") for op in found)
        for found, op_name in ((there, f"f32_{kind}"), (back, f"{kind}_f32"))
    ]
    assert counts == [elements // 2 if native else 0] * 2
    if native:
        # The median, and a comparison and a selection for NaN, of each element.
        assert len(back) < 4.5 * elements
        assert len(there) < 2 * elements


@pytest.mark.parametrize("arch", NATIVE)
def test_dots_take_instructions(arch: str) -> None:
    sizes = {"M": 64, "N": 64, "K": 64, "target": f"hip:{arch}"}
    unit = "v_wmma" if arch == "gfx1201" else "v_mfma"
    for a in FORMATS:
        kernel = product.warmup(tl.dtype(a), tl.dtype(a), np.float32, **sizes)
        matrix = {op for op in instructions(kernel) if op.startswith(unit)}
        kind = "fp8" if "e4" in a else "bf8"
        ends = f"_{kind}_{kind}" if a in NATIVE[arch] else "f16"
        assert len(matrix) == 1
        assert next(iter(matrix)).removesuffix("_e32").endswith(ends)
