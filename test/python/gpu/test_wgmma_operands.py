"""Registers from which wgmma reads A are not written before the wait for it, in PTX for an H200."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tilewright
import tilewright.language as tl

sys.path.insert(0, str(Path(__file__).parent.parent / "language"))
from test_widened_operands import matmul_kernel

pytestmark = pytest.mark.cpu_only("compiles for an H200 whatever the targets are")

_LABEL = re.compile(r"(\$L__BB\w+):")
_BRANCH = re.compile(r"(?:@!?%p\d+ )?bra(?:\.uni)? (\$L__BB\w+);")
_OPERANDS = re.compile(r"wgmma\.mma_async\S+ \{[^}]*\}, \{([^}]*)\},")
_RESULTS = re.compile(r"(?:@!?%p\d+ )?[a-z][\w.:]* (\{[^}]*\}|%\w+)")
_WITHOUT_RESULT = ("st.", "bar.", "bra", "wgmma", "stmatrix", "cp.", "fence", "mbarrier", "ret")


def written_too_early(assembly: str) -> list[tuple[str, str]]:
    """Registers of A that are written while a wgmma may read them, and the instructions.

    Every way through the code is followed from each wgmma to the first wait for all.
    """
    lines = [re.sub(r"\s+", " ", line.strip()) for line in assembly.splitlines()]
    labels = {m[1]: at for at, line in enumerate(lines) if (m := _LABEL.match(line))}
    found = []
    for start, line in enumerate(lines):
        if not (m := _OPERANDS.match(line)):
            continue
        registers = set(re.findall(r"%\w+", m[1]))
        todo, seen = [start + 1], set()
        while todo:
            at = todo.pop()
            while at < len(lines) and at not in seen:
                seen.add(at)
                text = lines[at]
                if text.startswith(("wgmma.wait_group.sync.aligned 0", "ret")):
                    break
                if branch := _BRANCH.match(text):
                    todo.append(labels[branch[1]])
                    if not text.startswith("@"):
                        break
                elif not text.removeprefix("@").startswith(_WITHOUT_RESULT):
                    results = _RESULTS.match(text)
                    written = set(re.findall(r"%\w+", results[1])) if results else set()
                    found += [(register, text) for register in written & registers]
                at += 1
    return found


def compile_widened(pair: tuple[Any, Any], along_m: bool, along_k: bool) -> str:
    return matmul_kernel.warmup(
        *pair, np.dtype(np.float32), 256, 256, 256, TILES=16, ALONG_M=along_m, ALONG_K=along_k,
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, STAGES=3, num_warps=4, target="cuda:90a",
    ).assembly()  # fmt: skip


@pytest.mark.parametrize("dtype", [np.dtype(np.int8), np.dtype(np.uint8), torch.float8_e5m2])
def test_operands_read_ahead(dtype) -> None:
    half = np.dtype(np.float16)
    for left, along_m, along_k in itertools.product((False, True), repeat=3):
        assembly = compile_widened((dtype, half) if left else (half, dtype), along_m, along_k)
        assert _OPERANDS.search(assembly.replace("\t", " "))
        assert written_too_early(assembly) == []


@tilewright.jit
def attention_kernel(q, k, v, o, N, D: tl.constexpr, BLOCK: tl.constexpr):
    i, d = tl.arange(0, 64), tl.arange(0, D)
    x = tl.load(q + i[:, None] * D + d[None, :])
    total, high = tl.zeros((64, D), tl.float32), tl.full((64,), float("-inf"), tl.float32)
    weight = tl.zeros((64,), tl.float32)
    for first in range(0, N, BLOCK):
        j = first + tl.arange(0, BLOCK)
        scores = tl.dot(x, tl.load(k + d[:, None] + j[None, :] * D))
        higher = tl.maximum(high, tl.max(scores, 1))
        p, decay = tl.exp2(scores - higher[:, None]), tl.exp2(high - higher)
        weight = weight * decay + tl.sum(p, 1)
        y = tl.load(v + j[:, None] * D + d[None, :])
        total = tl.dot(p.to(tl.float16), y, total * decay[:, None])
        high = higher
    tl.store(o + i[:, None] * D + d[None, :], total / weight[:, None])


@pytest.mark.parametrize("stages", [2, 3])
def test_operands_of_chains(stages) -> None:
    half = np.dtype(np.float16)
    assembly = attention_kernel.warmup(
        half, half, half, np.dtype(np.float32), 1024, D=64, BLOCK=64, num_warps=4,
        num_stages=stages, target="cuda:90a",
    ).assembly()  # fmt: skip
    assert _OPERANDS.search(assembly.replace("\t", " "))
    assert written_too_early(assembly) == []


def test_the_search_finds_a_write_in_the_next_iteration() -> None:
    code = """
        $L__BB0_1:
            mov.b32 \t%r2, %r3;
            wgmma.wait_group.sync.aligned 0;
        $L__BB0_2:
            wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, {%r1, %r2}, %rd1, p;
            @%p1 bra \t$L__BB0_1;
            mov.b32 \t%r1, %r3;
            bra.uni \t$L__BB0_2;
    """
    assert sorted(written_too_early(code)) == [
        ("%r1", "mov.b32 %r1, %r3;"),
        ("%r2", "mov.b32 %r2, %r3;"),
    ]
