"""Faults in the use of shared memory: barriers, asynchronous copies, buffers.

All are changes of TileGPU IR, in which buffers, barriers and waits are operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from planting import Change, Fault, after, replaced, with_value, without

BARRIER = "tilegpu.barrier"
TOKENS = r"((?:%\w+(?:#\d+)?(?:, )?)+)"


def every(problem: str, operation: str, finds: str, *marks: str) -> Iterator[Fault]:
    """Removes each operation of a name, one per fault."""
    for number, mark in enumerate(marks):
        name = f"without {operation.partition('.')[2]} {number + 1}"
        yield Fault(problem, name, without(operation, number), finds, mark)


# All barriers of the kernels. Those of the last five kernels order accesses to global memory.
BARRIERS = [
    *every("softmax", BARRIER, "race", "max", "sum"),
    *every("layer norm", BARRIER, "race", "mean", "variance"),
    *every("column sums", BARRIER, "race", "sum"),
    *every("row sums", BARRIER, "race", "sum", "sum"),
    *every("running sum", BARRIER, "race", "scan"),
    *every("transpose", BARRIER, "race", "trans"),
    *every("gather", BARRIER, "race", "gather"),
    *every("argmax", BARRIER, "race", "argmax", "argmax"),
    *every("ticket", BARRIER, "race", "ticket"),
    *every("matmul fp16", BARRIER, "race", "left", "left"),
    *every("matmul fp16, 2 stages", BARRIER, "race", "left", "left"),
    *every("matmul fp16, 4 stages", BARRIER, "race", "left", "left"),
    *every("matmul tf32", BARRIER, "race", "left", "left"),
    *every("matmul int8", BARRIER, "race", "left"),
    *every("matmul fp64", BARRIER, "race", "left"),
    *every("smooth in place", BARRIER, "race", "load", "store"),
    *every("reverse twice", BARRIER, "race", "second"),
    *every("count and read", BARRIER, "race", "load"),
    *every("last program", BARRIER, "race", "part", "last"),
    *every("message", BARRIER, "race", "data", "acquire"),
]


def without_waits(problem: str, *marks: str) -> Iterator[Fault]:
    """Lets each wait leave all groups in flight, one per fault."""
    for number, mark in enumerate(marks):
        change = replaced(rf"async_wait {TOKENS} pending \d+", r"async_wait \1 pending 99", number)
        yield Fault(problem, f"without async_wait {number + 1}", change, "copy", mark)


def without_commits(problem: str, *marks: str) -> Iterator[Fault]:
    """Replaces each commit with a wait that leaves all groups in flight, one per fault."""
    for number, mark in enumerate(marks):
        change = replaced(rf"async_commit of {TOKENS}", r"async_wait \1 pending 99", number)
        yield Fault(problem, f"without async_commit {number + 1}", change, "copy", mark)


def waits_for_less(problem: str, groups: int, number: int = 0, mark: str = "left") -> Fault:
    change = replaced(
        rf"async_wait {TOKENS} pending {groups}\b",
        rf"async_wait \1 pending {groups + 1}",
        number,
    )
    return Fault(problem, f"wait {number + 1} for one group less", change, "copy", mark)


# All waits but the last of each kernel, which is after the loop: nothing reads what it waits for.
COPIES = [
    *without_waits("matmul fp16", "left", "left"),
    *without_waits("matmul fp16, 2 stages", "left", "left"),
    *without_waits("matmul fp16, 4 stages", "left", "left"),
    *without_waits("matmul tf32", "left", "left"),
    *without_waits("matmul int8", "left"),
    *without_waits("matmul fp64", "left"),
    waits_for_less("matmul fp16", 1),
    waits_for_less("matmul fp16", 1, number=1),
    waits_for_less("matmul fp16, 2 stages", 0),
    waits_for_less("matmul fp16, 2 stages", 0, number=1),
    waits_for_less("matmul fp16, 4 stages", 2),
    waits_for_less("matmul fp16, 4 stages", 2, number=1),
    waits_for_less("matmul tf32", 1),
    waits_for_less("matmul tf32", 1, number=1),
    waits_for_less("matmul int8", 1),
    *without_commits("matmul fp16", "left", "left", "left", "left"),
    *without_commits("matmul tf32", "left", "left", "left"),
]


def slot(correct: str, index: str) -> Change:
    """Copies to or reads another slot in a loop."""
    return replaced(rf"\[{correct} phase", f"[{index} phase")


def slots(count: int, turned_at: int) -> Change:
    """Wraps slot indices at another number than the number of slots."""
    return lambda text: re.sub(rf"(ring_next .*) of {count}\b", rf"\1 of {turned_at}", text)


# The loop with three stages carries three slots: %arg6 is copied to, %arg8 is read, %arg10 is read
# next. The loop with int8 reads none ahead.
SLOTS = [
    Fault("matmul fp16", "copies to the slot read next", slot("%arg6", "%arg10"), "copy", "left"),
    Fault("matmul fp16", "reads a slot too far", slot("%arg8", "%arg10"), "copy", "left"),
    Fault(
        "matmul fp16", "reads the slot that is copied to", slot("%arg10", "%arg6"), "race", "left"
    ),
    Fault("matmul fp16", "the first slot twice", slot("%c1_i32", "%c0_i32"), "copy", "left"),
    Fault("matmul fp16", "a fourth slot", slots(3, 4), "bounds", "right"),
    Fault("matmul fp16, 2 stages", "one slot only", slots(2, 1), "copy", "left"),
    Fault("matmul fp16, 4 stages", "a fifth slot", slots(4, 5), "bounds", "right"),
    Fault("matmul tf32", "copies to the slot read next", slot("%arg6", "%arg10"), "copy", "left"),
    Fault("matmul int8", "copies to the slot that is read", slot("%arg6", "%arg8"), "copy", "left"),
]


def shared_bytes(size: int) -> Change:
    return replaced(r"shared_bytes = \d+", f"shared_bytes = {size}")


def moved(at: int, to: int) -> Change:
    return replaced(f"local_alloc at {at} ", f"local_alloc at {to} ")


ALLOCATIONS = [
    Fault("softmax", "two buffers at one offset", moved(16, 0), "race", "sum"),
    Fault("layer norm", "two buffers at one offset", moved(16, 0), "race", "variance"),
    Fault("argmax", "two buffers at one offset", moved(16, 0), "race", "argmax"),
    Fault("matmul fp16", "operands overlap", moved(6144, 4096), "copy", "right"),
    Fault("softmax", "a buffer beyond memory", moved(16, 32), "bounds", "sum"),
    Fault("gather", "half the memory", shared_bytes(512), "bounds", "gather"),
    Fault("transpose", "16 bytes too few", shared_bytes(16384 - 16), "bounds", "trans"),
    Fault("matmul fp16", "memory for a stage less", shared_bytes(10240), "bounds", "right"),
]


def layout(*bases: list[int], shape: str) -> str:
    return f"#tilegpu.layout<offset = {list(bases)} : {shape}>"


def row_major(rows: int, columns: int) -> str:
    """The layout of a buffer without a swizzle."""
    in_row = [[0, 1 << bit] for bit in range(columns.bit_length() - 1)]
    of_rows = [[1 << bit, 0] for bit in range(rows.bit_length() - 1)]
    return layout(*in_row, *of_rows, shape=f"{rows}x{columns}")


# The layout of the results of four warps, but column-major instead of row-major.
COLUMN_MAJOR = layout([1, 0], [2, 0], *([0, 1 << bit] for bit in range(5)), shape="4x32")
EXCHANGED = layout([2], [1], shape="4")


def reads_as(buffer: str, other: str) -> Change:
    """The first load reads its buffer with another layout."""
    alloc = f"tilegpu.local_alloc at 0 : <{buffer}, {other}>"
    return after(
        with_value("local_load", r"(?<=local_load )%\d+", alloc),
        replaced(r"(local_load %planted.*)#shared\d*", rf"\1{other}"),
    )


def copies_as(buffer: str, other: str) -> Change:
    """The first operand's copies in the loop write with another layout."""
    slot = "[%arg6 phase %arg7] "
    of = re.escape(slot)
    alloc = f"tilegpu.local_alloc at 0 : <{buffer}, {other}, 3>"
    slot_type = f"<{buffer}, {other}, 3> -> <{buffer}, {other}>"
    copy = rf"({of}[^$]*?async_copy[^$]*?-> )<{buffer}, #shared>"
    return after(
        with_value(of, r"(?<=local_slot )%\d+", alloc),
        replaced(rf"{of}: .*>( loc.*)", rf"{slot}: {slot_type}\1"),
        replaced(copy, rf"\1<{buffer}, {other}>"),
    )


SWIZZLES = [
    Fault("transpose", "reads rows", reads_as("64x128xf16", row_major(64, 128)), "numbers"),
    Fault("column sums", "reads columns", reads_as("4x32xf32", COLUMN_MAJOR), "numbers"),
    Fault("running sum", "adjacent parts swapped", reads_as("4xi32", EXCHANGED), "numbers"),
    Fault("matmul fp16", "copies rows", copies_as("32x32xf16", row_major(32, 32)), "numbers"),
    Fault("matmul tf32", "copies rows", copies_as("32x32xf32", row_major(32, 32)), "numbers"),
]

FAULTS = [*BARRIERS, *COPIES, *SLOTS, *ALLOCATIONS, *SWIZZLES]
