"""Block pointers compile to the accesses of pointer arithmetic: wide, and copied ahead in loops."""

import re

import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler.pipeline import compile


@tilewright.jit
def with_blocks(a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    pa = tl.make_block_ptr(a, (M, K), (sa, 1), (m, 0), (BM, BK), (1, 0))
    pb = tl.make_block_ptr(b, (K, N), (sb, 1), (0, n), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        x, y = tl.load(pa, boundary_check=(0, 1)), tl.load(pb, boundary_check=(0, 1))
        acc = tl.dot(x, y, acc)
        pa, pb = tl.advance(pa, (0, BK)), tl.advance(pb, (BK, 0))
    pc = tl.make_block_ptr(c, (M, N), (sc, 1), (m, n), (BM, BN), (1, 0))
    tl.store(pc, acc.to(tl.float16), boundary_check=(0, 1))


@tilewright.jit
def with_pointers(
    a, b, c, M, N, K, sa, sb, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    m = (tl.program_id(0) * BM + tl.arange(0, BM))[:, None]
    n = (tl.program_id(1) * BN + tl.arange(0, BN))[None, :]
    k = tl.arange(0, BK)
    pa, pb = a + m * sa + k[None, :], b + k[:, None] * sb + n
    acc = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        x = tl.load(pa, mask=(m < M) & (k[None, :] < K - first), other=0.0)
        y = tl.load(pb, mask=(k[:, None] < K - first) & (n < N), other=0.0)
        acc = tl.dot(x, y, acc)
        pa += BK
        pb += BK * sb
    tl.store(c + m * sc + n, acc.to(tl.float16), mask=(m < M) & (n < N))


SIGNATURE = [*["*fp16:D"] * 3, *["i32:D"] * 6, 64, 64, 32]
# Of the two, only pointers become copies of boxes so far.
OPTIONS = {"num_stages": 3, "tensor_maps": False}
ACCESSES = re.compile(
    r"cp\.async\.[a-z.]*global|cp\.async\.commit_group|(?:ld|st)\.global[.\w]*|mma\.sync[.\w]*"
)


def accesses(kernel, target="cuda:90a", signature=SIGNATURE):
    """The instructions that access memory and multiply, in order."""
    made = compile(kernel, signature, target, {**OPTIONS, "num_warps": 4})
    return ACCESSES.findall(made.asm["ptx"])


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90a"])
def test_a_matmul_has_the_accesses_of_pointer_arithmetic(target):
    found = accesses(with_blocks, target)
    assert found.count("cp.async.cg.shared.global") >= 8
    assert any(name.startswith("st.global.v4.b32") for name in found)
    assert sorted(found) == sorted(accesses(with_pointers, target))


def copies(kernel):
    """The numbers of asynchronous copies before and in the loop; there are no other loads."""
    text = compile(kernel, SIGNATURE, "cuda:90a", OPTIONS).ir("tilegpu")
    assert "tile.load" not in text
    before, _, loop = text.partition("scf.for")
    return before.count("tilegpu.async_copy"), loop.count("tilegpu.async_copy")


def test_loads_are_copied_ahead():
    assert copies(with_blocks) == copies(with_pointers)
    assert copies(with_blocks)[1] == 2


def test_the_loop_carries_one_scalar_for_each_offset_that_changes():
    text = compile(with_blocks, SIGNATURE, "cuda:90a").ir("tile")
    carried = re.search(r"scf\.for .* -> \((.*)\)", text)
    assert carried and carried[1].split(", ") == ["tensor<64x64xf32>", "i64", "i64"]


@tilewright.jit
def row(x, out, n, start, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (n,), (1,), (start,), (BLOCK,), (0,))
    target = tl.make_block_ptr(out, (n,), (1,), (start,), (BLOCK,), (0,))
    tl.store(target, tl.load(source, boundary_check=(0,)), boundary_check=(0,))


def test_a_stride_of_one_gives_vector_accesses_on_the_cpu():
    text = compile(row, ["*fp32", "*fp32", "i32", "i32", 256], "cpu").ir("vector")
    assert "masked.load" in text and "masked.store" in text
    assert "gather" not in text and "scatter" not in text


def test_a_boundary_that_is_not_checked_needs_no_mask():
    @tilewright.jit
    def unchecked(x, out):
        p = tl.make_block_ptr(x, (5, 5), (16, 1), (0, 0), (16, 16), (1, 0))
        tl.store(tl.make_block_ptr(out, (5, 5), (16, 1), (0, 0), (16, 16), (1, 0)), tl.load(p))

    text = compile(unchecked, ["*fp32", "*fp32"], "cpu").ir("tile")
    assert " mask " not in text and "cmpi" not in text
