"""No packed 16-bit arithmetic, because the assembler of CUDA 13.0 loses constants in it."""

import pytest

import tilewright
import tilewright.language as tl
from tilewright.compiler import compile


@tilewright.jit
def packed(x, out, N: tl.constexpr):
    lane = tl.arange(0, N)
    narrow = (lane + 65535).to(tl.uint16)
    small = tl.maximum((lane - 1).to(tl.int8), tl.load(x + lane))
    tl.store(out + lane, (narrow // 16).to(tl.int32) + small)


@pytest.mark.parametrize("arch", ["90a", "100a"])
def test_16_bit_sums_are_not_packed(arch: str) -> None:
    ptx = compile(packed, ("*i8:D", "*i32:D", 256), f"cuda:{arch}").ir("ptx")
    assert "add.s16 " in ptx
    assert "16x2" not in ptx
