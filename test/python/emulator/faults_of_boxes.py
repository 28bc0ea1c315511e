"""Faults of kernels that copy boxes with transaction barriers, step by step; see box_kernels.py.

The first thread initializes barriers, arrives, and issues copies. All threads wait, and `use` reads
the box and writes it to `out`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from box_kernels import BOX, BOX_BYTES, BOX_ROWS, OTHER_BOX, SHARED_BYTES, Steps


@dataclass(frozen=True)
class BoxFault:
    """A kernel with a fault, and the step of its finding: that of either access.

    `finds` has the kinds that are right: which of them is found may depend on the order of threads.
    """

    name: str
    steps: str
    finds: str
    at: int  # the number of the step, from 1

    def __str__(self) -> str:
        return self.name


def on_barrier(operation: str, operands: str = "", offset: int = 0) -> Callable[[Steps], None]:
    """An operation of the first thread on a barrier."""

    def do(steps: Steps) -> None:
        steps.add(
            f"thread.transaction_barrier_{operation} {steps.offset(offset)}{operands} "
            f"mask {steps.first} : <3>"
        )

    return do


def expect(bytes: int) -> Callable[[Steps], None]:
    return lambda steps: on_barrier("expect", f", {steps.number(bytes)}")(steps)


def copy(to: int = BOX, map: str = "%mx", at: tuple[int, ...] = (0, 0)) -> Callable[[Steps], None]:
    def do(steps: Steps) -> None:
        coordinates = ", ".join([steps.number(each) for each in at])
        steps.add(
            f"thread.box_copy {steps.offset(to)}, {map}[{coordinates}] completes "
            f"{steps.offset(0)} mask {steps.first} : <3>, <3>"
        )

    return do


def store(source: int = BOX, row: int = 0) -> Callable[[Steps], None]:
    def do(steps: Steps) -> None:
        coordinates = f"{steps.number(0)}, {steps.number(row)}"
        steps.add(
            f"thread.box_store %mo[{coordinates}], {steps.offset(source)} mask {steps.first} : <3>"
        )

    return do


def wait(parity: int) -> Callable[[Steps], None]:
    return lambda steps: steps.add(
        f"thread.transaction_barrier_wait {steps.shared} parity {steps.number(parity)} : <3>"
    )


def wait_first(steps: Steps) -> None:
    zero = steps.number(0)
    steps.on_first(f"thread.transaction_barrier_wait {steps.shared} parity {zero} : <3>")


def use(steps: Steps) -> None:
    box = steps.load(steps.words(steps.offset(BOX), 3), 3)
    steps.store(box, steps.words("%out", 1), 1)


def write(steps: Steps) -> None:
    """Each thread writes its part of the box."""
    ones = steps.value("arith.constant dense<1> : vector<4xi32>")
    steps.store(ones, steps.words(steps.offset(BOX), 3), 3)


def smash(steps: Steps) -> None:
    number = steps.value("arith.constant 7 : i64")
    address = steps.offset(0)
    steps.on_first(f"llvm.store {number}, {address} : i64, !llvm.ptr<3>")


def read_out(steps: Steps) -> None:
    """The first thread reads what a copy from shared memory writes."""
    steps.on_first(
        "%found = llvm.load volatile %out : !llvm.ptr<1> -> i32",
        "llvm.store volatile %found, %out : i32, !llvm.ptr<1>",
    )


def operation(text: str) -> Callable[[Steps], None]:
    return lambda steps: steps.add(text)


STEPS: dict[str, Callable[[Steps], None]] = {
    "init": on_barrier("init", " arrivals 1"),
    "init-2": on_barrier("init", " arrivals 2"),
    "init-misaligned": on_barrier("init", " arrivals 1", offset=4),
    "init-beyond": on_barrier("init", " arrivals 1", offset=SHARED_BYTES),
    "end": on_barrier("end"),
    "fence": operation("thread.transaction_barrier_fence"),
    "proxy": operation("thread.async_fence"),
    "barrier": operation("thread.barrier"),
    "arrive": on_barrier("arrive"),
    "expect": expect(BOX_BYTES),
    "expect-two": expect(2 * BOX_BYTES),
    "expect-less": expect(BOX_BYTES // 2),
    "expect-too-many": expect(1 << 20),
    "copy": copy(),
    "copy-other": copy(OTHER_BOX),
    "copy-misaligned": copy(BOX + 64),
    "copy-between": copy(BOX + 128, "%mz"),
    "copy-beyond": copy(SHARED_BYTES - 128),
    "copy-rows-beyond": copy(map="%mz", at=(0, 12)),
    "copy-garbage": copy(map="%mz"),
    "copy-3d": copy(at=(0, 0, 0)),
    "wait": wait(0),
    "wait-1": wait(1),
    "wait-2": wait(2),
    "wait-first": wait_first,
    "use": use,
    "write": write,
    "smash": smash,
    "store": store(),
    "store-below": store(row=BOX_ROWS),
    "store-misaligned": store(BOX + 64),
    "commit": operation("thread.box_store_commit"),
    "wait-read": operation("thread.box_store_wait 0 read"),
    "wait-stores": operation("thread.box_store_wait 0"),
    "wait-but-one": operation("thread.box_store_wait 1"),
    "read-out": read_out,
}


def kernel(steps: str) -> Steps:
    body = Steps()
    for line, step in enumerate(steps.split(), 1):
        STEPS[step](body.at(line))
    return body


BEGIN = "init fence barrier"

# With what the box of `out` has: "x" for that of x, or the number that all of its elements are;
# with "all", the other box as well.
CORRECT = [
    (f"{BEGIN} expect copy wait use", "x"),
    (f"{BEGIN} copy expect wait use", "x"),
    ("init proxy barrier expect copy wait use", "x"),
    (f"{BEGIN} expect copy wait-first barrier use", "x"),
    (f"{BEGIN} expect-two copy copy-other wait use", "x"),
    ("init-2 fence barrier expect copy arrive wait use", "x"),
    (f"{BEGIN} expect copy wait use barrier expect copy wait-1 use", "x"),
    (f"{BEGIN} wait-1 barrier expect copy wait use", "x"),
    (f"{BEGIN} expect copy wait write proxy barrier expect copy wait-1 use", "x"),
    (f"{BEGIN} expect copy wait use barrier end barrier {BEGIN} expect copy wait use", "x"),
    ("write proxy barrier store commit wait-stores read-out", "1"),
    ("write proxy barrier store commit wait-read barrier write wait-stores", "1"),
    ("write barrier proxy store commit wait-read", "1"),
    ("write proxy barrier store commit store-below commit wait-but-one wait-stores", "all 1"),
    (f"{BEGIN} expect copy wait store commit wait-stores", "x"),
]

FAULTS = [
    BoxFault("no wait", f"{BEGIN} expect copy use wait", "copy race", 6),
    BoxFault("a wait for the other parity", f"{BEGIN} expect copy wait-1 use wait", "copy race", 7),
    BoxFault("a wait of one thread", f"{BEGIN} expect copy wait-first use", "copy race", 7),
    BoxFault("no wait at all", f"{BEGIN} expect copy", "copy", 5),
    BoxFault("written in flight", f"{BEGIN} expect copy write wait", "copy race", 6),
    BoxFault("copied to in flight", f"{BEGIN} expect-two copy copy wait", "copy", 6),
    BoxFault(
        "copied to before all threads have read",
        f"{BEGIN} expect copy wait use expect copy wait-1", "race copy", 9,
    ),
    BoxFault("no barrier is initialized", "expect copy", "barrier", 1),
    BoxFault("no barrier after init", "init fence expect copy wait use", "barrier race", 5),
    BoxFault("no fence after init", "init barrier expect copy wait use", "proxy", 4),
    BoxFault("initialized twice", f"{BEGIN} init expect copy wait use", "barrier", 4),
    BoxFault("a misaligned barrier", "init-misaligned", "alignment", 1),
    BoxFault("a barrier beyond memory", "init-beyond", "bounds", 1),
    BoxFault("a barrier overwritten", "init smash expect", "barrier", 3),
    BoxFault("fewer bytes expected", f"{BEGIN} expect-less copy wait use", "barrier", 5),
    BoxFault("more bytes expected", f"{BEGIN} expect-two copy wait use", "deadlock", 6),
    BoxFault("more bytes than a phase can have", f"{BEGIN} expect-too-many wait", "barrier", 4),
    BoxFault("no arrival", f"{BEGIN} copy wait use", "deadlock", 5),
    BoxFault("an arrival too few", "init-2 fence barrier expect copy wait use", "deadlock", 6),
    BoxFault("an arrival too many", f"{BEGIN} expect arrive copy wait use", "barrier", 5),
    BoxFault("a parity that is none", f"{BEGIN} expect copy wait-2 use", "barrier", 6),
    BoxFault("ended in flight", f"{BEGIN} expect copy end", "barrier", 6),
    BoxFault("used after its end", f"{BEGIN} end expect", "barrier", 5),
    BoxFault(
        "no proxy fence between a write and a copy",
        f"write {BEGIN} expect copy wait use", "proxy", 6,
    ),
    BoxFault("a misaligned box", f"{BEGIN} expect copy-misaligned wait", "alignment", 5),
    BoxFault("a box between patterns", f"{BEGIN} expect copy-between wait", "alignment", 5),
    BoxFault("a box beyond memory", f"{BEGIN} expect copy-beyond wait", "bounds", 5),
    BoxFault("rows beyond the array", f"{BEGIN} expect copy-rows-beyond wait", "bounds", 5),
    BoxFault("no tensor map", f"{BEGIN} expect copy-garbage wait", "fault", 5),
    BoxFault("a coordinate too many", f"{BEGIN} expect copy-3d wait", "fault", 5),
    BoxFault("stored without a proxy fence", "write barrier store commit wait-read", "proxy", 3),
    BoxFault("stored without a barrier", "write proxy store commit wait-read", "race", 3),
    BoxFault(
        "stored with the fence before the writes",
        "proxy write barrier store commit wait-read", "proxy", 4,
    ),
    BoxFault(
        "written while it is stored",
        "write proxy barrier store commit barrier write wait-read", "race", 7,
    ),
    BoxFault(
        "no barrier after the wait for its reads",
        "write proxy barrier store commit wait-read write", "race", 7,
    ),
    BoxFault("a store in no group", "write proxy barrier store wait-stores", "copy", 4),
    BoxFault("no wait for a store", "write proxy barrier store commit", "copy", 4),
    BoxFault(
        "stored to where a store is in flight",
        "write proxy barrier store commit store commit wait-stores", "copy", 6,
    ),
    BoxFault(
        "read before it was stored",
        "write proxy barrier store commit wait-read read-out", "copy race", 7,
    ),
    BoxFault(
        "a wait for one group less",
        "write proxy barrier store commit wait-but-one", "copy", 4,
    ),
    BoxFault(
        "stored from a misaligned box", "write proxy barrier store-misaligned", "alignment", 4,
    ),
]  # fmt: skip
