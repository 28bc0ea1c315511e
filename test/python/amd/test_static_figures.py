"""test/benchmark/amd_static.py reads registers and the instructions of loops from assembly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmark"))

import amd_static
from kernel_packages import load_kernels

# An outer loop, an inner one whose second half stands behind the kernel's end, and a branch in it.
LOOPS = """
kernel:
\ts_mov_b32 s0, 0
.LBB0_1:
\tv_mov_b32 v0, v1
.LBB0_2:
\tv_mfma_f32_32x32x8_f16 v[0:15], v[2:3], v[4:5], v[0:15]
\ts_and_saveexec_b64 s[0:1], vcc
\ts_cbranch_execnz .LBB0_5
.LBB0_3:
\ts_cbranch_scc1 .LBB0_2
\ts_cbranch_scc0 .LBB0_1
\ts_endpgm
.LBB0_5:
\tglobal_load_dwordx4 v[0:3], v[4:5], off ; a comment
\ts_branch .LBB0_3
\t.section\t.rodata
"""


@pytest.mark.parametrize(
    ("instruction", "kind"),
    [
        ("v_mfma_f32_32x32x8_f16", "matrix"),
        ("v_wmma_f32_16x16x16_f16", "matrix"),
        ("global_load_dwordx4", "global read, 16 B"),
        ("buffer_load_b64", "global read, 8 B"),
        ("buffer_store_short", "global write, 2 B"),
        ("global_load_ushort", "global read, 2 B"),
        ("ds_read2st64_b64", "LDS read, 2 x 8 B"),
        ("ds_load_u16_d16_hi", "LDS read, 2 B"),
        ("ds_store_2addr_b32", "LDS write, 2 x 4 B"),
        ("ds_load_2addr_b64", "LDS read, 2 x 8 B"),
        ("ds_write_b128", "LDS write, 16 B"),
        ("ds_bpermute_b32", "LDS, between lanes"),
        ("scratch_load_b32", "scratch read, 4 B"),
        ("s_waitcnt", "wait"),
        ("s_wait_loadcnt", "wait"),
        ("s_barrier_signal", "barrier"),
        ("s_cbranch_scc1", "branch"),
        ("s_load_dwordx2", "scalar load"),
        ("s_add_i32", "SALU"),
        ("v_dual_mov_b32", "VALU"),
        ("buffer_gl0_inv", "cache invalidation"),
        ("s_delay_alu", ""),
    ],
)
def test_kinds_of_instructions(instruction: str, kind: str) -> None:
    assert amd_static.kind_of(instruction) == kind


def test_the_innermost_loop_has_its_blocks_wherever_they_stand() -> None:
    (inner,) = amd_static.loops_of(amd_static.instructions_of(LOOPS))
    assert [line.split()[0] for line in inner] == [
        "v_mfma_f32_32x32x8_f16", "s_and_saveexec_b64", "s_cbranch_execnz", "s_cbranch_scc1",
        "global_load_dwordx4", "s_branch",
    ]  # fmt: skip
    assert amd_static.products_of(inner) == 32 * 32 * 8


@pytest.mark.parametrize("arch", amd_static.ARCHITECTURES)
def test_figures_of_a_matmul(arch: str) -> None:
    case = amd_static.CASES["matmul fp16, 64x64x32"]
    kernels = load_kernels("tilewright")
    code = amd_static.compile_case("tilewright", kernels, case, arch)
    found = amd_static.figures_of(code, case, arch)
    # Each of four waves multiplies a quarter of the tile.
    matrix = {"gfx942": "4 v_mfma_f32_32x32x8_f16", "gfx1100": "8 v_wmma_f32_16x16x16_f16"}
    assert found.matrix == matrix[arch]
    assert found.where == "loop"
    assert found.spills == 0
    assert 0 < found.vgprs < 256
    # The loads of both operands: 64 x 32 + 32 x 64 halves by 4 x 64 or 4 x 32 lanes.
    widths = {"global read, 16 B": 8, "global read, 8 B": 4, "global read, 4 B": 2}
    widths["global read, 2 B"] = 1
    loaded = sum(found.counts.get(kind, 0) * elements for kind, elements in widths.items())
    assert loaded * 4 * amd_static.ARCHITECTURES[arch] >= 2 * 64 * 32


def test_a_row_major_operand_goes_through_shared_memory() -> None:
    """Loads of 2 bytes straight to the operand would be 64, each with an offset of its own."""
    case = amd_static.CASES["matmul fp16, 128x128x64"]
    code = amd_static.compile_case("tilewright", load_kernels("tilewright"), case, "gfx942")
    loops = amd_static.loops_of(amd_static.instructions_of(code["text"]))
    kinds = [amd_static.kind_of(line) for line in max(loops, key=amd_static.products_of)]
    assert [kind for kind in set(kinds) if kind.startswith("global")] == ["global read, 16 B"]
    # Packing the transposed halves, a selection for each of eight masked loads, little else.
    assert kinds.count("VALU") <= 32


def loop_of(name: str, arch: str) -> amd_static.Figures:
    case = amd_static.CASES[name]
    code = amd_static.compile_case("tilewright", load_kernels("tilewright"), case, arch)
    return amd_static.figures_of(code, case, arch)


# Triton 3.9.0 has 260 and 728 instructions, and 146 spilled registers on gfx1100.
@pytest.mark.parametrize(("arch", "most", "spills"), [("gfx942", 273, 0), ("gfx1100", 764, 40)])
def test_attention_moves_nothing_between_lanes(arch: str, most: int, spills: int) -> None:
    """But the maximum and the sum of a row, which two lanes hold."""
    loop = loop_of("attention fp16, 128x64, depth 64", arch)
    assert sum(loop.counts.values()) <= most
    assert loop.spills <= spills
    assert loop.counts.get("LDS, between lanes", 0) <= 2
    assert "LDS read, 2 B" not in loop.counts


# Triton 3.9.0 has 133 and 329 instructions.
@pytest.mark.parametrize(("arch", "most"), [("gfx942", 133), ("gfx1100", 329)])
def test_a_matmul_reads_no_single_elements(arch: str, most: int) -> None:
    loop = loop_of("matmul fp16, 128x128x64", arch)
    assert sum(loop.counts.values()) <= most
    assert loop.spills == 0
    assert "LDS read, 2 B" not in loop.counts
