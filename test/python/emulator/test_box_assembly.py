"""mbarriers and copies of boxes in inline assembly: the spellings that the emulator takes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from box_kernels import BOX, BOX_BYTES, BOX_ROWS, COLUMNS, ROWS, Steps, compile_steps, run
from faults_of_boxes import use

import tilewright
from tilewright.compiler.assembler import find_assemblers
from tilewright.errors import CompilationError
from tilewright.language.value import ByValue

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

# In the texts, B is the barrier, M the map, D the box, N its bytes, Z zero, and F the first thread.
_REGISTERS = dict(zip("BMDNZF", range(6), strict=True))
INIT = "@F mbarrier.init.shared.b64 [B], 1;"
FENCE = "fence.mbarrier_init.release.cluster;"
EXPECT = "@F mbarrier.arrive.expect_tx.shared.b64 _, [B], N;"
COPY = (
    "@F cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
    "[D], [M, {Z, Z}], [B];"
)
REDUCE = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [M, {Z, Z}], [D];"
LOOP = "{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [B], Z; @!p bra again; }"
PARTS = (INIT, FENCE, "barrier", EXPECT, COPY, LOOP)


def kernel(parts: tuple[str, ...]) -> Steps:
    steps = Steps()
    pointers = [(steps.shared, 3, 32), ("%mx", 0, 64), (steps.offset(BOX), 3, 32)]
    values = []
    for value, space, bits in pointers:
        pointer = f"!llvm.ptr<{space}>" if space else "!llvm.ptr"
        values.append((steps.value(f"llvm.ptrtoint {value} : {pointer} to i{bits}"), f"i{bits}"))
    values += [(steps.number(each), "i32") for each in (BOX_BYTES, 0)] + [(steps.first, "i1")]
    names, types = ", ".join(name for name, _ in values), ", ".join(type for _, type in values)
    for line, part in enumerate(parts, 1):
        steps.at(line)
        if part == "barrier":
            steps.add("thread.barrier")
            continue
        text = re.sub(r"(?<![\w.:])[BMDNZF](?![\w:])", lambda m: f"${_REGISTERS[m[0]]}", part)
        steps.add(
            f'llvm.inline_asm has_side_effects "{text}", "r,l,r,r,r,b,~{{memory}}" {names} : '
            f"({types}) -> ()"
        )
    use(steps)
    return steps


def replaced(part: str, other: str) -> tuple[str, ...]:
    return tuple(other if each == part else each for each in PARTS)


SPELLINGS = [
    PARTS,
    replaced(INIT, "@F mbarrier.init.b64 [B], 1;"),
    replaced(INIT, "@F mbarrier.init.shared::cta.b64 [B + 0], 1;"),
    replaced(FENCE, "fence.proxy.async;"),
    replaced(EXPECT, "@F mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [B], N;"),
    replaced(
        EXPECT,
        "@F mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [B], N; "
        "@F mbarrier.arrive.release.cta.shared::cta.b64 _, [B];",
    ),
    replaced(
        EXPECT,
        "{ .reg .b64 s; @F mbarrier.arrive.expect_tx.shared.b64 s, [B], N; }",
    ),
    replaced(COPY, COPY.replace(".tile", "")),
    replaced(COPY, COPY.replace("shared::cluster", "shared::cta")),
    replaced(COPY, COPY.replace("[D], [M, {Z, Z}], [B]", "[D],[M,{Z, Z}],[B]")),
    replaced(LOOP, LOOP.replace("bra", "bra.uni")),
    replaced(LOOP, LOOP.replace("try", "test")),
    replaced(LOOP, LOOP.replace("@!p bra again;", "@p bra done; bra.uni again; done:\\0A")),
    replaced(LOOP, LOOP.replace("parity.shared", "parity.acquire.cta.shared::cta")),
    replaced(LOOP, LOOP.replace("[B], Z;", "[B], Z, 1000;")),
]


@pytest.mark.parametrize("parts", SPELLINGS, ids=range(len(SPELLINGS)))
def test_spelling(parts: tuple[str, ...]) -> None:
    x = np.arange(ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS)
    for checks in (True, False):
        with tilewright.emulate("cuda:90a", checks=checks, seed=3):
            out = run(kernel(parts), x, ByValue(bytes(128)), checks)
        assert np.array_equal(out[:BOX_ROWS], x[:BOX_ROWS])


@pytest.mark.skipif(not any(find_assemblers()), reason="there is no assembler")
@pytest.mark.parametrize("parts", SPELLINGS[:1] + SPELLINGS[3:], ids=str)
def test_spelling_assembles(parts: tuple[str, ...]) -> None:
    if any("[D], [M" in part and "shared::cta.global" in part for part in parts):
        pytest.skip("needs PTX 8.6")
    compile_steps(kernel(parts), "cuda:90a")


@pytest.mark.parametrize(
    ("part", "other", "message"),
    [
        (COPY, COPY.replace(".tile", ".im2col"), r"the instruction '\S*im2col\S*'"),
        (COPY, COPY.replace("tx::bytes", "tx::bytes.multicast::cluster"), "multicast::cluster'"),
        (COPY, COPY.replace("tx::bytes", "tx::bytes.L2::cache_hint"), "cache_hint'"),
        (COPY, COPY.replace(".2d", ".6d"), r"tensor\.6d"),
        (COPY, COPY.replace(".2d", ".3d"), "the operands of"),
        (COPY, COPY.replace(", [B]", ""), "the operands of"),
        (COPY, COPY.replace("[M, {Z, Z}]", "[M]"), "the operands of"),
        (COPY, COPY.replace("[M, {Z, Z}]", "[M, Z]"), "cannot parse"),
        (COPY, "@F " + REDUCE.replace(".add", ".min"), r"\.min\.tile"),
        (COPY, "@F " + REDUCE.replace("shared::cta.add", "add.shared::cta"), r"add\.shared"),
        (COPY, "@F " + REDUCE.replace(", [D]", ""), "the operands of"),
        (INIT, "@F mbarrier.init.shared::cluster.b64 [B], 1;", "shared::cluster"),
        (INIT, "@F mbarrier.init.shared.b64 [B];", "the operands of"),
        (INIT, "@F mbarrier.init.shared.b64 B, 1;", "the operands of"),
        (EXPECT, EXPECT.replace("arrive", "arrive_drop"), "arrive_drop"),
        (EXPECT, EXPECT.replace("arrive.expect_tx", "arrive.relaxed"), "relaxed"),
        (LOOP, LOOP.replace("@!p bra", "@p bra"), "'bra'"),
        (LOOP, LOOP.replace("bra again", "bra other"), "'bra'"),
    ],
)
def test_what_is_not_supported(part: str, other: str, message: str) -> None:
    with pytest.raises((CompilationError, RuntimeError), match=message):
        run(kernel(replaced(part, other)), np.zeros((ROWS, COLUMNS), np.int32), ByValue(bytes(128)))
