"""The PTX of libdevice's special functions: straight code that ptxas may not contract."""

import re
from collections import Counter

import pytest

import tilewright
import tilewright.language as tl
from tilewright import compiler
from tilewright.compat.facade import find
from tilewright.compat.table import MODULES
from tilewright.compiler import Options, resolve_target

TABLE = MODULES["triton.language.extra.libdevice"]
# The largest number of instructions, with the loads, the store and the computation of addresses.
# It may grow by improvements, but not by accident.
SIZES = {
    "exp10": 70, "pow": 210, "sinpi": 55, "erfc": 115, "erfcx": 110, "erfinv": 180, "lgamma": 360,
    "tgamma": 320, "j0": 380, "y1": 500, "cyl_bessel_i0": 130, "rcbrt": 145, "add_rd": 55,
    "mul_rd": 90, "div_rd": 95, "sqrt_rd": 75,
}  # fmt: skip
BINARY = ("pow", "add_rd", "mul_rd", "div_rd")


@tilewright.jit
def unary(x, out, FUNCTION: tl.constexpr):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.store(out + i, FUNCTION(tl.load(x + i)))


@tilewright.jit
def binary(x, y, out, FUNCTION: tl.constexpr):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.store(out + i, FUNCTION(tl.load(x + i), tl.load(y + i)))


def opcodes(name: str) -> Counter[str]:
    """The instructions, but for register moves."""
    kernel, count = (binary, 3) if name in BINARY else (unary, 2)
    signature = (*["*fp64"] * count, find(TABLE, name))
    made = compiler.compile(kernel, signature, resolve_target("cuda:90a"), Options.make({}))
    names = re.findall(r"^\t(?:@!?%p\d+ )?([a-z][\w.]*)[ \t]", made.assembly(), re.M)
    return Counter(name for name in names if not name.startswith("mov"))


@pytest.mark.parametrize("name", SIZES)
def test_instructions(name) -> None:
    counts = opcodes(name)
    for opcode in counts:
        assert not opcode.startswith("call") and ".local" not in opcode, opcode
        # Without .rn, ptxas may contract a product and a sum.
        assert not re.fullmatch(r"(add|sub|mul)\.f(32|64)", opcode), opcode
    assert any(opcode.endswith(".rn.f64") for opcode in counts)
    assert counts.total() <= SIZES[name], counts
