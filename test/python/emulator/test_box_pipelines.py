"""Loops that copy boxes ahead of their use: right in any order, and faults are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from box_kernels import compile_module, encoded, execute
from box_pipelines import (
    MATMUL,
    MATMUL_SHARED,
    MATMUL_THREADS,
    RING,
    RING_SHARED,
    RING_THREADS,
    SUMS,
    TILE,
    line_of,
    matmul,
    ring,
)

import tilewright
from tilewright.compiler.assembler import find_assemblers
from tilewright.errors import EmulationError, Finding
from tilewright.language.value import ByValue

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

RUNS = [(0, False), (1, False), (2, True), (0, True)]
NONE = ByValue(bytes(128))


def run_ring(body: str, count: int, programs: int = 1, **emulation: Any) -> None:
    """Adds `count` boxes of 8 x 32 numbers."""
    x = np.random.default_rng(count).integers(0, 99, (8 * count, 32), np.int32)
    out = np.zeros((8, 32), np.int32)
    with tilewright.emulate("cuda:90a", **{"checks": True, **emulation}):
        execute(
            ring(body, count), (x, out, encoded(x), NONE, NONE), emulation.get("checks", True),
            RING_THREADS, RING_SHARED, programs,
        )  # fmt: skip
    assert np.array_equal(out, x.reshape(count, 8, 32).sum(axis=0))


def run_matmul(body: str, count: int, **emulation: Any) -> None:
    """Multiplies 64 x K by K x 64 for K of `count` boxes of 64."""
    rng = np.random.default_rng(count)
    a, b = (rng.integers(-4, 5, (TILE, TILE * count)).astype(np.float16) for _ in range(2))
    out = np.zeros((MATMUL_THREADS, SUMS), np.float32)
    maps = [encoded(each, box=(TILE, TILE), swizzle=128) for each in (a, b)]
    with tilewright.emulate("cuda:90a", **{"checks": True, "memory": [b], **emulation}):
        execute(
            matmul(body, count), (a, out, *maps, NONE), emulation.get("checks", True),
            MATMUL_THREADS, MATMUL_SHARED,
        )  # fmt: skip
    # Register 4 j + 2 h + i of a lane is in row lane / 4 + 8 h and column 8 j + 2 (lane % 4) + i.
    found = out.reshape(4, 8, 4, 8, 2, 2).transpose(0, 4, 1, 3, 2, 5).reshape(TILE, TILE)
    assert np.array_equal(found, a.astype(np.float32) @ b.astype(np.float32).T)


@pytest.mark.parametrize("count", [1, 2, 3, 11])
@pytest.mark.parametrize("checks", [False, True])
def test_ring_of_a_producer_and_consumers(count: int, checks: bool) -> None:
    for seed, early in RUNS:
        run_ring(RING, count, checks=checks, seed=seed, early_copies=early)


def test_every_program_begins_without_barriers() -> None:
    run_ring(RING, 3, programs=3, seed=4)


@pytest.mark.parametrize("count", [2, 3, 6])
def test_matmul(count: int) -> None:
    for seed, early in RUNS:
        run_matmul(MATMUL, count, seed=seed, early_copies=early)
    run_matmul(MATMUL, count, checks=False)


def without(body: str, text: str, number: int = 0) -> str:
    """The body with an empty line in place of the n-th one with the text."""
    lines = body.strip("\n").split("\n")
    lines[line_of(body, text, number) - 1] = ""
    return "\n".join(lines)


def exchanged(body: str, first: str, second: str) -> str:
    """The body with two lines exchanged."""
    lines = body.strip("\n").split("\n")
    i, j = line_of(body, first) - 1, line_of(body, second) - 1
    lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


# The change, the kinds of which one is found, and texts of which one is in its line. Which it is
# depends on the order of the threads: one that is ahead may also miss a phase, which is a deadlock.
RING_FAULTS = {
    "the consumers do not wait": (without(RING, "_wait %full"), "copy race uninitialized", "%q ="),
    "they wait for the first phase only": (
        RING.replace("_wait %full parity %odd", "_wait %full parity %c0"),
        "copy race deadlock", "llvm.load|_wait %",
    ),
    "they arrive before they read": (
        exchanged(RING, "%q = llvm.load", "_arrive %empty"), "copy race", "%q =",
    ),
    "they do not arrive": (without(RING, "_arrive %empty"), "deadlock", "_wait %empty"),
    "the producer does not wait": (
        without(RING, "_wait %empty"), "copy race barrier", "thread.box_copy|_expect",
    ),
    "the producer waits for the wrong phase": (
        RING.replace("_wait %empty parity %before", "_wait %empty parity %odd"),
        "deadlock", "_wait %empty",
    ),
    "the producer does not arrive": (without(RING, "_expect %full"), "deadlock", "_wait %"),
}  # fmt: skip

MATMUL_FAULTS = {
    "no wait for the boxes": (
        without(MATMUL, "_wait %full"), "copy race uninitialized", "thread.group_mma ",
    ),
    "the boxes are overwritten in flight": (
        MATMUL.replace("group_mma_wait 0", "group_mma_wait 1"), "race register", "box_copy",
    ),
    "no barrier before boxes are overwritten": (
        without(MATMUL, "thread.barrier", 1), "race copy deadlock", "box_copy %a|_wait %full",
    ),
    "the bytes of one box": (
        MATMUL.replace("%bytes = arith.constant 16384", "%bytes = arith.constant 8192"),
        "barrier copy", "box_copy|thread.group_mma ",
    ),
}  # fmt: skip


def check(found: tuple[Finding, ...], body: str, kinds: str, texts: str) -> None:
    lines = body.strip("\n").split("\n")
    numbers = {
        number
        for number, line in enumerate(lines, 1)
        if any(text in line for text in texts.split("|"))
    }
    at = [each for each in found if {each.line, each.other_line} & numbers]
    assert {each.kind for each in at} & set(kinds.split()), found


@pytest.mark.parametrize("name", RING_FAULTS)
def test_fault_of_the_ring(name: str) -> None:
    body, kinds, texts = RING_FAULTS[name]
    assert body.strip() != RING.strip()
    for seed, early in RUNS:
        with pytest.raises(EmulationError) as raised:
            run_ring(body, 7, seed=seed, early_copies=early)
        check(tuple(raised.value.findings), body, kinds, texts)


@pytest.mark.parametrize("name", MATMUL_FAULTS)
def test_fault_of_the_matmul(name: str) -> None:
    body, kinds, texts = MATMUL_FAULTS[name]
    assert body.strip() != MATMUL.strip()
    for seed, early in RUNS:
        with pytest.raises(EmulationError) as raised:
            run_matmul(body, 5, seed=seed, early_copies=early)
        check(tuple(raised.value.findings), body, kinds, texts)


@pytest.mark.skipif(not any(find_assemblers()), reason="there is no assembler")
def test_the_loops_assemble() -> None:
    ring_code = compile_module(ring(RING, 9), "cuda:90a", RING_THREADS)
    matmul_code = compile_module(matmul(MATMUL, 9), "cuda:90a", MATMUL_THREADS)
    for code in (ring_code, matmul_code):
        assert code.object.startswith(b"\x7fELF")
        assert code.metadata["spill_bytes"] == 0
