"""The emulator finds faults in the turns of two warp groups, where a group waits in vain."""

import numpy as np
import pytest
from planting import Planted, Problem, marked_line, replaced, without

import tilewright
import tilewright.language as tl
from tilewright.errors import EmulationError

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

ROWS, DEPTH, BLOCK = 128, 128, 64


@tilewright.jit
def attend(q, k, v, out, length, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    m, n, d = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    queries = tl.load(q + m[:, None] * D + d[None, :])
    total = tl.zeros((M, D), tl.float32)
    for start in range(0, length, N):  # <- loop
        keys = tl.load(k + (start + n)[:, None] * D + d[None, :])
        p = tl.maximum(tl.dot(queries, keys.T), 0.0).to(tl.float16)
        values = tl.load(v + (start + n)[:, None] * D + d[None, :])
        total = tl.dot(p, values, total)  # <- sum
    tl.store(out + m[:, None] * D + d[None, :], total)


def problem() -> Problem:
    rng = np.random.default_rng(1)
    q, k, v = (rng.integers(-1, 2, (rows, DEPTH)).astype(np.float16) for rows in (ROWS, 256, 256))
    p = np.maximum(q.astype(np.float32) @ k.T.astype(np.float32), 0)
    arguments = {
        "q": q, "k": k, "v": v, "out": np.zeros((ROWS, DEPTH), np.float32), "length": 256,
        "M": ROWS, "N": BLOCK, "D": DEPTH, "num_warps": 8, "num_stages": 3,
    }  # fmt: skip
    return Problem(attend, (1,), arguments, {"out": p @ v.astype(np.float32)})


# The change, the kind of the finding, and its line: after the loop, all threads meet.
FAULTS = {
    "no turn is passed": (without("tilegpu.pass_turn", 0), "deadlock", "sum"),
    "the last turn is not passed": (without("tilegpu.pass_turn", 1), "deadlock", "loop"),
    "no turn is taken in the loop": (without("tilegpu.take_turn", 1), "fault", "sum"),
    "the first group takes the first turn": (
        replaced(r"take_turn only 1", "take_turn only 0"),
        "deadlock",
        "sum",
    ),
    "the second group passes the last turn": (
        replaced(r"pass_turn only 0", "pass_turn only 1"),
        "deadlock",
        "loop",
    ),
}


def test_without_faults() -> None:
    for seed in range(3):
        given = problem()
        assert given.solved_by(given.launch(target="cuda:90a", seed=seed))


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str) -> None:
    change, kind, mark = FAULTS[name]
    for seed in range(2):
        with pytest.raises(EmulationError) as raised:
            problem().launch(Planted(attend, "tilegpu", change), target="cuda:90a", seed=seed)
        (first, *_) = raised.value.findings
        assert first.kind == kind
        assert marked_line(attend, mark) in (first.line, first.other_line)
