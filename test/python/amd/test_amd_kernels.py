"""Kernels compile to code objects for every AMD architecture, without a GPU."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler.targets import resolve_target, target_kinds
from tilewright.errors import CompileError, DeviceError, OutOfResourcesError

ARCHITECTURES = target_kinds()["hip"].architectures
WITH_64_LANES = ("gfx90a", "gfx942", "gfx950")
ASSEMBLER = Path("/usr/lib/llvm-22/bin/llvm-mc")


@tilewright.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@tilewright.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=-float("inf"))
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, numerator / tl.sum(numerator, axis=0), mask=inside)


@tilewright.jit
def layer_norm(out, x, weight, bias, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / columns
    centered = tl.where(inside, values - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centered * centered, axis=0) / columns + eps)
    w = tl.load(weight + i, mask=inside)
    b = tl.load(bias + i, mask=inside)
    tl.store(out + row * columns + i, centered * scale * w + b, mask=inside)


@tilewright.jit
def matmul(
    a, b, c, M, N, K, a_row, b_row, c_row,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_tile = a + m[:, None] * a_row + k[None, :]
    b_tile = b + k[:, None] * b_row + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        x = tl.load(a_tile, mask=k[None, :] < K - first, other=0.0)
        y = tl.load(b_tile, mask=k[:, None] < K - first, other=0.0)
        acc = tl.dot(x, y, acc)
        a_tile += BK
        b_tile += BK * b_row
    c_tile = c + m[:, None] * c_row + n[None, :]
    tl.store(c_tile, acc.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@tilewright.jit
def attention(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    d = tl.arange(0, D)
    queries = tl.load(q + m[:, None] * D + d[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for first in range(0, length, BN):
        keys = tl.load(k + (first + n)[None, :] * D + d[:, None])
        scores = tl.dot(queries, keys) * scale
        greatest = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.exp2(scores - greatest[:, None])
        shrink = tl.exp2(most - greatest)
        total = total * shrink + tl.sum(weights, axis=1)
        values = tl.load(v + (first + n)[:, None] * D + d[None, :])
        acc = tl.dot(weights.to(values.dtype), values, acc * shrink[:, None])
        most = greatest
    tl.store(out + m[:, None] * D + d[None, :], (acc / total[:, None]).to(out.dtype.element_ty))


HALF, SINGLE, INT = np.float16, np.float32, 32
CASES: dict[str, tuple[Any, tuple[Any, ...], dict[str, int]]] = {
    "add": (add, (SINGLE,) * 3 + (INT,), {"BLOCK": 1024}),
    "softmax": (softmax, (SINGLE, SINGLE, INT), {"BLOCK": 4096}),
    "layer_norm": (layer_norm, (HALF, HALF, SINGLE, SINGLE, INT, 1e-5), {"BLOCK": 2048}),
    "matmul": (matmul, (HALF,) * 3 + (INT,) * 6, {"BM": 64, "BN": 64, "BK": 32}),
    "attention": (attention, (HALF,) * 4 + (INT, 0.125), {"BM": 64, "BN": 32, "D": 64}),
}


def compiled(name: str, arch: str, **options: Any) -> Any:
    kernel, types, constants = CASES[name]
    return kernel.warmup(*types, **constants, target=f"hip:{arch}", **options)


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("name", CASES)
def test_code_objects(name: str, arch: str, tmp_path: Path) -> None:
    made = compiled(name, arch)
    assert made.asm["hsaco"][:4] == b"\x7fELF"
    assert made.metadata.registers > 0
    assert made.metadata.spill_bytes == made.metadata.stack_bytes == 0
    lanes = 64 if arch in WITH_64_LANES else 32
    assert made.metadata.threads == lanes * made.num_warps
    if not ASSEMBLER.exists():
        pytest.skip(f"there is no {ASSEMBLER}")
    # LLVM prints instructions that an architecture lacks, which its assembler rejects.
    source = tmp_path / "kernel.s"
    source.write_text(made.asm["amdgcn"])
    command = [ASSEMBLER, "-triple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj", source]
    done = subprocess.run([*command, "-o", "/dev/null"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_accesses_are_16_bytes_wide(arch: str) -> None:
    text = compiled("softmax", arch).asm["amdgcn"]
    wide = r"(global|buffer)_load_(dwordx4|b128)"
    assert re.search(wide, text)
    assert len(re.findall(r"(global|buffer)_load", text)) == len(re.findall(wide, text))


def loop_of_dots(text: str) -> list[str]:
    """The longest loop with matrix instructions."""
    lines, loops, labels = text.splitlines(), [], {}
    for number, line in enumerate(lines):
        if label := re.match(r"(\.LBB\w+):", line):
            labels[label[1]] = number
        elif (jump := re.search(r"s_c?branch\w* (\.LBB\w+)", line)) and jump[1] in labels:
            loops.append(lines[labels[jump[1]] : number])
    return max((loop for loop in loops if re.search(MATRIX, "\n".join(loop))), key=len)


MATRIX = "v_mfma|v_wmma"


@pytest.mark.parametrize("arch", ("gfx942", "gfx1100"))
def test_dots_do_not_wait_for_the_next_loads(arch: str) -> None:
    kernel, types, _ = CASES["matmul"]
    sizes = {"BM": 128, "BN": 128, "BK": 64}
    types = (*types[:3], *(16,) * 6)  # all sizes are multiples of 16
    made = kernel.warmup(*types, **sizes, target=f"hip:{arch}", num_warps=8)
    assert made.metadata.spill_bytes == 0
    loop = loop_of_dots(made.asm["amdgcn"])
    kinds = re.findall(f"buffer_load|vmcnt|{MATRIX}", "\n".join(loop))
    last_load = len(kinds) - 1 - kinds[::-1].index("buffer_load")
    behind = kinds[last_load + 1 :] + kinds  # the next iteration follows
    dots = sum(kind.startswith("v_") for kind in kinds)
    # LLVM places some dots behind the first wait.
    assert behind.index("vmcnt") >= dots * 3 // 4
    assert not re.search(r"ds_(read|load)_u16", "\n".join(loop))


def test_names_of_targets() -> None:
    assert str(resolve_target("hip:gfx942")) == "hip:gfx942"
    assert str(resolve_target("hip:gfx90a:sramecc+:xnack-")) == "hip:gfx90a"
    with pytest.raises(DeviceError, match=r"unknown target 'hip:gfx941'; did you mean 'hip:gfx9"):
        resolve_target("hip:gfx941")


def test_the_architecture_is_in_the_key() -> None:
    kind = target_kinds()["hip"]
    assert len({kind.key(arch) for arch in ARCHITECTURES}) == len(ARCHITECTURES)


def test_too_many_warps() -> None:
    with pytest.raises(OutOfResourcesError, match="num_warps is at most 16"):
        compiled("add", "gfx942", num_warps=32)
    assert compiled("add", "gfx1100", num_warps=32).metadata.threads == 1024


def test_too_much_shared_memory() -> None:
    kernel, types, _ = CASES["matmul"]
    large = {"BM": 256, "BN": 256, "BK": 128}
    with pytest.raises(OutOfResourcesError, match="gfx942 has 65536"):
        kernel.warmup(*types, **large, num_warps=8, target="hip:gfx942")


def test_waves_per_eu_limits_registers() -> None:
    most = compiled("matmul", "gfx942", waves_per_eu=4).metadata.registers
    assert most <= 128
    assert compiled("matmul", "gfx942", waves_per_eu=4).metadata.warps_per_simd >= 4


def test_the_side_of_matrix_instructions() -> None:
    def instructions(**options: int) -> set[str]:
        text = compiled("matmul", "gfx942", **options).asm["amdgcn"]
        return set(re.findall(r"v_mfma_\w+", text))

    assert instructions() == instructions(matrix_instr_nonkdim=32) == {"v_mfma_f32_32x32x8_f16"}
    assert instructions(matrix_instr_nonkdim=16) == {"v_mfma_f32_16x16x16_f16"}
    with pytest.raises(CompileError, match="matrix_instr_nonkdim must be 0, 16 or 32, not 17"):
        compiled("matmul", "gfx942", matrix_instr_nonkdim=17)


def test_hints_for_triton_are_accepted() -> None:
    hints = {"kpack": 2, "schedule_hint": "attention", "allow_flush_denorm": True}
    assert compiled("add", "gfx942", **hints).object == compiled("add", "gfx942").object


@tilewright.jit
def assembly(x):
    value = tl.load(x)
    text: tl.constexpr = "v_mul_f32 $0, $1, $1"
    value = tl.inline_asm_elementwise(text, "=v,v", [value], tl.float32, is_pure=True, pack=1)
    tl.store(x, value)


def test_what_is_not_supported_is_an_error_with_its_line() -> None:
    with pytest.raises(CompileError, match="inline assembly is not supported on AMD") as error:
        assembly.warmup(SINGLE, target="hip:gfx942")
    assert "tl.inline_asm_elementwise(" in str(error.value)


def test_a_launch_names_the_library_that_it_lacks() -> None:
    x = np.zeros(16, np.float32)
    with pytest.raises(DeviceError, match=r"libamdhip64\.so"):
        add[(1,)](x, x, x, 16, BLOCK=16, target="hip:gfx942")
