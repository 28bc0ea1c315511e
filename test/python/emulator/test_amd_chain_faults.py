"""The emulator finds faults in the lowering of dots of dots for AMD's GPUs: which operand is which,
which row of the table, and what the halves of a wave exchange on RDNA 3.
"""

from __future__ import annotations

import numpy as np
import pytest
from planting import Change, Planted, Problem, replaced

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

ALL = ("hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1201")


@tilewright.jit
def chain(out, peaks, a, b, M: tl.constexpr):
    m = tl.arange(0, M)
    at = m[:, None] * M + m[None, :]
    x = tl.load(a + at)
    y = tl.load(b + at)
    product = tl.dot(x, y)
    tl.store(peaks + m, tl.max(product, 1))
    tl.store(out + at, tl.dot(product.to(x.dtype), y))


def problem() -> Problem:
    random = np.random.default_rng(5)
    a, b = (random.integers(-2, 3, (32, 32)).astype(np.float16) for _ in range(2))
    first = a.astype(np.float64) @ b
    arguments = {
        "out": np.zeros((32, 32), np.float32), "peaks": np.zeros(32, np.float32), "a": a, "b": b,
        "M": 32, "num_warps": 1,
    }  # fmt: skip
    return Problem(chain, (1,), arguments, {"out": first @ b, "peaks": first.max(1)})


OPERANDS = r"(thread\.mma \S+ )(%\w+) by (%\w+) into"
SELECT = r"(arith\.select %\w+), (%\w+), (%\w+) : vector<(8|16|32|64)xf16>"
MAXIMUM = r"(%\w+) = arith\.maxnumf (%\w+), (%\w+) :"
EXCHANGE = r"(%\w+) = thread\.shuffle <xor> (%\w+), %c16_i32 : i32"


def exchanged_with(lane: int) -> Change:
    lines = rf"%other_lane = arith.constant {lane} : i32"
    return replaced(EXCHANGE, rf"{lines}\n\1 = thread.shuffle <xor> \2, %other_lane : i32")


FAULTS: list[tuple[str, Change, tuple[str, ...]]] = [
    ("A and B of the first dot exchanged", replaced(OPERANDS, r"\1\3 by \2 into"), ALL),
    ("A and B of the second dot exchanged", replaced(OPERANDS, r"\1\3 by \2 into", -1), ALL),
    ("the first dot by the plain row", replaced(r"\.swapped", ""), ALL),
    ("the second dot by the plain row", replaced(r"\.swapped", "", -1), ALL),
    ("the maximum of half of a row", replaced(MAXIMUM, r"\1 = arith.maxnumf \2, \2 :", -1), ALL),
    ("the other half's elements for the own ones", replaced(SELECT, r"\1, \3, \2 : vector<\4xf16>"),
     ("hip:gfx1100",)),
    ("the same for the second half", replaced(SELECT, r"\1, \3, \2 : vector<\4xf16>", -1),
     ("hip:gfx1100",)),
    ("an exchange with a lane of the same half", exchanged_with(8), ("hip:gfx1100",)),
    ("no exchange", replaced(EXCHANGE, r"\1 = arith.addi \2, %c0_i32 : i32"), ("hip:gfx1100",)),
]  # fmt: skip

PLANTED = [(name, change, target) for name, change, targets in FAULTS for target in targets]


@pytest.mark.parametrize(
    ("name", "change", "target"), PLANTED, ids=[f"{name}-{target}" for name, _, target in PLANTED]
)
def test_fault_is_found(name: str, change: Change, target: str) -> None:
    planted = Planted(chain, "thread", change)
    assert not problem().solved_by(problem().launch(planted, target=target)), name


@pytest.mark.parametrize("target", (*ALL, "hip:gfx90a"))
def test_the_lowering_is_found_correct(target: str) -> None:
    for seed in (0, 1):
        assert problem().solved_by(problem().launch(target=target, seed=seed))
