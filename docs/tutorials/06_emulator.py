"""The emulator: finding a race, an out-of-bounds access and slow accesses without a GPU.

Run it:  .venv/bin/python docs/tutorials/06_emulator.py
"""

import torch

import tilewright
import tilewright.language as tl
from tilewright.errors import EmulationError, Finding

# `tilewright.emulate` runs the code that a GPU would run, thread by thread, on this machine. With
# `checks=True` it checks every memory access. Each kernel below has a bug or a slow access that is
# easily overlooked; the emulator reports its line, and the kernel after it is the fixed version.


def findings(launch) -> tuple[Finding, ...]:
    """The faults that an emulated H100 finds in a launch."""
    try:
        with tilewright.emulate("cuda:90a", checks=True):
            launch()
    except EmulationError as error:
        print(error, end="\n\n")
        return error.findings
    return ()


# A race
#
# The kernel counts how often each value occurs. If a value occurs twice in a tile, two elements
# load the same count, and both store the same next count:
#
#     x      5   2   5        loaded counts   0   0   0        stored   1   1   1     5 came twice
#
# The result is wrong on a CPU, too. But a right result does not prove that there is no race.


@tilewright.jit
def count_racing(x, counts, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0)
    seen = tl.load(counts + value, mask=i < n)
    tl.store(counts + value, seen + 1, mask=i < n)


# An atomic addition reads, adds and writes in one step.


@tilewright.jit
def count(x, counts, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(counts + value, 1, mask=i < n)


def find_the_race() -> None:
    x = torch.randint(0, 10, (1000,), dtype=torch.int32)
    counts = torch.zeros(10, dtype=torch.int32)
    found = findings(lambda: count_racing[(1,)](x, counts, 1000, BLOCK=1024))
    assert [finding.kind for finding in found] == ["race"]
    # The report names both accesses: here the same line, by two threads.
    assert found[0].line == found[0].other_line and found[0].thread != found[0].other_thread

    counts.zero_()
    assert not findings(lambda: count[(1,)](x, counts, 1000, BLOCK=1024))
    assert torch.equal(counts, torch.bincount(x, minlength=10).int())
    print("the fixed count agrees with PyTorch's\n")


# An out-of-bounds access
#
# The last program extends beyond the end, and the store has no mask. On a GPU, as on a CPU, it
# overwrites the memory after `out`, usually without an error. The report names the nearest tensor
# and the distance of the access from it.


@tilewright.jit
def double_unmasked(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n))


@tilewright.jit
def double(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


def find_the_overflow() -> None:
    x, out = torch.rand(1000), torch.empty(1000)
    found = findings(lambda: double_unmasked[(4,)](x, out, 1000, BLOCK=256))
    assert [finding.kind for finding in found] == ["bounds"]
    # The access was not executed. Only the last of the four programs is reported.
    assert found[0].program == (3, 0, 0) and "after the end of out" in found[0].message

    assert not findings(lambda: double[(4,)](x, out, 1000, BLOCK=256))
    assert torch.equal(out, 2 * x)
    print("the fixed double agrees with PyTorch's\n")


# Slow accesses
#
# These kernels are correct. A GPU transfers memory in sectors of 32 bytes, and the 32 lanes of a
# warp access it together: 32 contiguous floats are 4 sectors, while a column of 32 floats is 32
# sectors, of which one float each is used. `kernel.profile` launches the kernel on an emulated GPU
# and counts the sectors.
#
# A transposition has to read or write columns of memory, unless it loads a square tile and
# transposes it on the chip. The first kernel computes one row of the result per program.


@tilewright.jit
def transpose_rows(x, out, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    tl.store(out + row * N + i, tl.load(x + i * N + row))


# This kernel loads a square as a tile with one axis and permutes its elements with `tl.gather`. Its
# global accesses are optimal. But the gather goes through shared memory, which has 32 banks: words
# at a distance of a multiple of 32 are in the same bank, and so is a whole column of the square.
# Lanes that read from one bank are served one after the other.


@tilewright.jit
def transpose_gathered(x, out, N: tl.constexpr, SIDE: tl.constexpr):
    i = tl.arange(0, SIDE * SIDE)
    first_row, first_column = tl.program_id(0) * SIDE, tl.program_id(1) * SIDE
    square = tl.load(x + (first_row + i // SIDE) * N + first_column + i % SIDE)
    picked = tl.gather(square, i % SIDE * SIDE + i // SIDE, axis=0)
    tl.store(out + (first_column + i // SIDE) * N + first_row + i % SIDE, picked)


# This kernel leaves the choice to the compiler: the tile has two axes, and `tl.trans` swaps them.


@tilewright.jit
def transpose(x, out, N: tl.constexpr, SIDE: tl.constexpr):
    i, j = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
    first_row, first_column = tl.program_id(0) * SIDE, tl.program_id(1) * SIDE
    square = tl.load(x + (first_row + i) * N + first_column + j)
    tl.store(out + (first_column + i) * N + first_row + j, tl.trans(square))


def find_the_slow_accesses() -> None:
    n = 64
    x, out = torch.rand(n, n), torch.empty(n, n)

    rows = transpose_rows.profile(x, out, n, grid=(n,), num_warps=1)
    assert torch.equal(out, x.T)
    print(rows, end="\n\n")
    # A warp reads 32 sectors where 4 would suffice, and writes 4.
    loads, stores = rows.totals.global_loads, rows.totals.global_stores
    assert loads.transfers == 8 * loads.ideal and stores.transfers == stores.ideal

    squares = {"SIDE": 32, "grid": (n // 32, n // 32), "num_warps": 1}
    gathered = transpose_gathered.profile(x, out, n, **squares)
    assert torch.equal(out, x.T)
    print(gathered, end="\n\n")
    assert gathered.sector_efficiency == 1
    # Eight lanes in each of four banks: eight wavefronts where one would suffice.
    shared = gathered.totals.shared_loads
    assert shared.transfers == 8 * shared.ideal

    transposed = transpose.profile(x, out, n, **squares)
    assert torch.equal(out, x.T)
    print(transposed, end="\n\n")
    assert transposed.sector_efficiency == 1 and transposed.shared_conflicts == 0
    print("the fixed transposition agrees with PyTorch's, with an ideal number of transfers")


def main() -> None:
    find_the_race()
    find_the_overflow()
    find_the_slow_accesses()


if __name__ == "__main__":
    main()
