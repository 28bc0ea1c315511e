"""The emulator finds faults in loads that threads copy ahead for themselves, without barriers."""

import numpy as np
import pytest
from planting import Planted, Problem, marked_line, replaced

import tilewright
import tilewright.language as tl
from tilewright.errors import EmulationError

pytestmark = pytest.mark.cpu_only("tests emulated GPUs", compiles=False)

ROWS, SIZE = 6, 512


@tilewright.jit
def fold(x, out, rows, n, shift, SIZE: tl.constexpr):
    """Two elements of 16 bits per copy, as a matrix move could read them."""
    i = tl.arange(0, SIZE)
    total = tl.zeros((SIZE,), tl.float32)
    for row in tl.range(rows, num_stages=4):
        place = row * SIZE + i + tl.multiple_of(shift, 2)
        total = total * 2 + tl.load(x + place, mask=i < n, other=1.0)  # <- load
    tl.store(out + i, total)


def problem() -> Problem:
    n, shift = SIZE - 16, 2
    x = np.random.default_rng(1).integers(0, 9, ROWS * SIZE + shift).astype(np.float16)
    total = np.zeros(SIZE, np.float32)
    for row in range(ROWS):
        values = x[row * SIZE + shift :][:SIZE].astype(np.float32)
        total = total * 2 + np.where(np.arange(SIZE) < n, values, 1)
    arguments = {
        "x": x[: ROWS * SIZE + shift - 16], "out": np.zeros(SIZE, np.float32), "rows": ROWS,
        "n": n, "shift": shift, "SIZE": SIZE, "num_warps": 4,
    }  # fmt: skip
    return Problem(fold, (1,), arguments, {"out": total})


READ = r"( *%\S+ = tilegpu\.local_load [^\n]*\n)"
COPY = r"( *%(\S+) = tilegpu\.async_copy [^\n]*\n)"

# The change and the kind of the finding, which is at the line of the load.
FAULTS = {
    "a copy too many in flight": (replaced("pending 2", "pending 3"), "copy"),
    "all copies in flight": (replaced("pending 2", "pending 9"), "copy"),
    "lanes read for each other": (replaced(r"(local_load %\S+) own", r"\1"), "race"),
    "copied over what is not read yet": (
        replaced(rf"{READ}((?:(?!async_copy)[^\n]*\n)*?){COPY}", r"\2\3\1"),
        "copy",
    ),
    "rows beyond the last one": (
        replaced(
            r"(scf\.for(?:.|\n)*?async_copy %\S+, %\S+) mask %\S+ (.*), mask tensor<\S+ #\w+>",
            r"\1 \2",
        ),
        "bounds",
    ),
}


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90a"])
def test_without_faults(target: str) -> None:
    for seed in range(3):
        given = problem()
        assert given.solved_by(given.launch(target=target, seed=seed))


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str) -> None:
    change, kind = FAULTS[name]
    for seed in range(2):
        with pytest.raises(EmulationError) as raised:
            problem().launch(Planted(fold, "tilegpu", change), target="cuda:90a", seed=seed)
        (first, *_) = raised.value.findings
        assert first.kind == kind
        assert marked_line(fold, "load") in (first.line, first.other_line)
