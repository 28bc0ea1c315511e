"""gdc_wait and gdc_launch_dependents in the code for GPUs, and what does not move across them."""

from __future__ import annotations

import re

import pytest

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.compiler import Options, resolve_target
from tilewright.language.extra.cuda import gdc_launch_dependents, gdc_wait


def ptx_of(kernel, signature, target: str, noalias: bool = True) -> str:
    made = compiler.compile(
        kernel, signature, resolve_target(f"cuda:{target}"), Options(), noalias=noalias
    )
    return made.assembly()


def accesses(ptx: str) -> list[str]:
    """The lines with accesses to global memory and instructions of dependent launches."""
    pattern = r"\b(ld|st)\.[\w.:]*global|cp\.async\.(c[ag]|bulk\.tensor)|griddepcontrol"
    return [line.strip() for line in ptx.splitlines() if re.search(pattern, line)]


def order(ptx: str) -> list[str]:
    """The same, as "load", "store", "wait" and "launch_dependents"."""
    names = {"ld": "load", "cp": "load", "st": "store"}
    found = []
    for line in accesses(ptx):
        match = re.search(r"\b(ld|st|cp)\.|griddepcontrol\.(\w+)", line)
        assert match
        is_box_store = ".global.shared" in line  # a box from shared to global memory
        found.append("store" if is_box_store else match[2] or names[match[1]])
    return found


@tilewright.jit
def straight(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    before = tl.load(x + i)
    gdc_wait()
    after = tl.load(x + i)
    other = tl.load(y + i)
    tl.store(out + i, before + after + other)
    gdc_launch_dependents()
    tl.store(out + N + i, after)


POINTERS = ["*fp32:D"] * 3


@pytest.mark.parametrize("target", ["90a", "100a", "120a"])
def test_no_access_crosses_them(target) -> None:
    """The pointers do not alias, and nothing writes x and y."""
    found = order(ptx_of(straight, [*POINTERS, 512], target))
    expected = ["load", "wait", "load", "load", "store", "launch_dependents", "store"]
    assert found == expected


@pytest.mark.parametrize("target", ["80", "89"])
def test_earlier_gpus_have_none(target) -> None:
    assert "griddepcontrol" not in ptx_of(straight, [*POINTERS, 512], target)


def test_loads_of_a_loop_stay_behind_the_wait() -> None:
    """The software pipeline starts the first loads before the loop, but after the wait."""

    @tilewright.jit
    def kernel(x, y, out, n, K: tl.constexpr):
        gdc_wait()
        i, j = tl.arange(0, 64)[:, None], tl.arange(0, K)[None, :]
        acc = tl.zeros([64, 64], tl.float32)
        for k in range(0, n, K):
            a = tl.load(x + i * n + k + j)
            b = tl.load(y + i * n + k + j)
            acc = tl.dot(a, tl.trans(b), acc)
        gdc_launch_dependents()
        tl.store(out + i * 64 + tl.arange(0, 64)[None, :], acc)

    signature = ["*fp16:D", "*fp16:D", "*fp32:D", "i32:D", 32]
    found = order(ptx_of(kernel, signature, "90a"))
    assert found[0] == "wait" and set(found[1:-1]) >= {"load", "launch_dependents"}
    launch = found.index("launch_dependents")
    assert set(found[1:launch]) == {"load"} and set(found[launch + 1 :]) == {"store"}


def test_in_a_loop_each_iteration_waits() -> None:
    @tilewright.jit
    def kernel(x, y, out, n, N: tl.constexpr):
        i = tl.arange(0, N)
        total = tl.zeros([N], tl.float32)
        for _ in range(n):
            gdc_wait()
            total += tl.load(x + i)
        tl.store(out + i, total)

    ptx = ptx_of(kernel, [*POINTERS, "i32", 128], "90a")
    found = order(ptx)
    assert found == ["wait", "load"] * (len(found) // 2) + ["store"]


def test_a_load_that_inline_assembly_may_change_is_repeated() -> None:
    @tilewright.jit
    def kernel(x, y, out, N: tl.constexpr):
        i = tl.arange(0, N)
        before = tl.load(x + i)
        tl.inline_asm_elementwise("fence.sc.sys; mov.b32 $0, 0;", "=r", [], tl.int32, False, 1)
        tl.store(out + i, before + tl.load(x + i))

    assert order(ptx_of(kernel, [*POINTERS, 512], "90a")) == ["load", "load", "store"]
