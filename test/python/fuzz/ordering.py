"""Kernels whose programs synchronize with each other by atomic operations.

Stores of a program before its release must be visible to every thread of the program that acquires.
The results do not depend on the order in which programs run.
"""

from __future__ import annotations

import random

from kernel import Buffer, Kernel
from tiles import DType
from writer import Writer

LAUNCHES = 6  # failures are nondeterministic


def write(rng: random.Random) -> Kernel:
    w = Writer(rng, rng.choice([(64,), (256,), (512,), (1024,), (2048,), (16, 32), (8, 128)]))
    w.programs = (rng.choice([2, 2, 3, 4, 5]), 1, 1)
    w.constants["P"] = w.programs[0]
    dtype = rng.choice(["int32", "int32", "int64", "float32", "int16"])
    size = 1
    for side in w.shape:
        size *= side
    source = w.array("x", dtype, "small")
    w.line(f"v = tl.load({source} + pid * {size} + lane)")
    rng.choice([last_one, last_one, last_one, lock, begin, update, chain])(w, dtype, size)
    kernel = w.finish(ordered=True, launches=LAUNCHES)
    kernel.options["num_warps"] = rng.choice([1, 2, 4, 8, 16, 16])
    return kernel


def shared(w: Writer, name: str, dtype: str, count: int) -> str:
    """An array of zeros that several programs access."""
    w.buffers.append(Buffer(name, DType(dtype), "zero", count))
    return name


def arrive(w: Writer, counter: str) -> None:
    """Counts this program; `last` is whether it is the last one of this launch."""
    sem = w.pick("", "", ', sem="acq_rel"')
    if w.chance(0.3):
        w.line(f"old = {w.pick('0', 'pid * 0')}")
        w.line(f"old = tl.atomic_add({counter}, 1{sem})")
    else:
        w.line(f"old = tl.atomic_add({counter}, {w.pick('1', 'tl.cast(1, tl.int32)')}{sem})")
    w.line("last = old % P == P - 1")


def last_one(w: Writer, dtype: str, size: int) -> None:
    """Each program stores a part, and the last one combines them."""
    parts = shared(w, "parts", dtype, size * w.programs[0])
    total = shared(w, "total", dtype, size)
    counter = shared(w, "counter", "int32", 1)
    order = w.pick("lane", "lane", f"({size - 1} - lane)", f"(lane * 5 + 3) % {size}")
    w.line(f"tl.store({parts} + pid * {size} + {order}, v * 2 + 1)")
    if w.chance(0.3):
        w.line(f"tl.store({parts} + pid * {size} + {order}, v + pid)")
    arrive(w, counter)
    with w.block(w.pick("if last:", "if old % P == P - 1:")):
        back = w.pick("lane", "lane", f"(lane ^ {w.rng.randrange(size)})", f"({size - 1} - lane)")
        if w.chance(0.3):
            w.line("rows = tl.arange(0, 8)[:, None]")
            w.line(f"columns = tl.arange(0, {min(size, 64)})[None, :]")
            mask = "mask=rows < P, other=0"
            w.line(f"all = tl.load({parts} + rows * {size} + columns, {mask})")
            w.line(f"tl.store({total} + tl.arange(0, {min(size, 64)}), tl.sum(all, 0))")
        else:
            w.line(f"sum = tl.zeros({w.shape}, tl.{dtype})")
            with w.block("for p in range(P):"):
                w.line(f"sum += tl.load({parts} + p * {size} + {back})")
            w.line(f"tl.store({total} + lane, sum)")


def take(w: Writer, mutex: str) -> None:
    """Waits for a lock, in ways of which some let the loop release once and some do not."""
    sem = w.pick("", "", ', sem="acq_rel"', ', sem="acquire"')
    scope = w.pick("", "", "", ', scope="sys"')
    get = w.pick(
        f"tl.atomic_cas({mutex}, 0, 1{sem}{scope})", f"tl.atomic_xchg({mutex}, 1{sem}{scope})"
    )
    with w.block(f"while {get} {w.pick('== 1', '!= 0')}:"):
        w.line(w.pick("pass", "pass", "pass", "tl.debug_barrier()"))


def lock(w: Writer, dtype: str, size: int) -> None:
    """Each program adds its part to the same memory, under a lock."""
    total = shared(w, "total", dtype, size)
    mutex = shared(w, "mutex", "int32", 1)
    take(w, mutex)
    for _ in range(w.rng.randint(1, 2)):
        order = w.pick("lane", "lane", f"({size - 1} - lane)")
        w.line(f"tl.store({total} + {order}, tl.load({total} + {order}) + v)")
    w.line(w.pick(f"tl.atomic_xchg({mutex}, 0)", f'tl.atomic_xchg({mutex}, 0, sem="release")'))


def begin(w: Writer, dtype: str, size: int) -> None:
    """Under a lock, the first program stores its part, and each later one adds to what is there."""
    w.buffers.append(Buffer("total", DType(dtype), "small", size))
    mutex, begun = shared(w, "mutex", "int32", 1), shared(w, "begun", "int32", 1)
    w.line(f"at = total + {w.pick('lane', 'lane', f'({size - 1} - lane)')}")
    mask = w.pick("", "", f", mask=lane < {w.rng.randrange(1, size)}")
    take(w, mutex)
    w.line("sum = v")
    is_first = f"tl.load({begun}) == 0"
    mark = w.pick(f"tl.atomic_xchg({begun}, 1)", f"tl.store({begun}, 1)")
    add = f"sum = {w.pick('v', 'sum')} + tl.load(at{mask})"
    if w.chance(0.7):
        with w.block(f"if {is_first}:"):
            w.line(mark)
        with w.block("else:"):
            w.line(add)
    else:
        with w.block(f"if not ({is_first}):"):
            w.line(add)
        w.line(mark)
    w.line(f"tl.store(at, sum{mask})")
    w.line(w.pick(f"tl.atomic_xchg({mutex}, 0)", f'tl.atomic_xchg({mutex}, 0, sem="release")'))


def update(w: Writer, dtype: str, size: int) -> None:
    """Each program changes its own part: a branch loads what the code after it stores."""
    w.buffers.append(Buffer("own", DType(dtype), "small", size * w.programs[0] + 8))
    w.line(f"at = own + pid * {size} + {w.pick('lane', f'({size - 1} - lane)')}")
    mask = w.pick("", f", mask=lane < {w.rng.randrange(1, size)}")
    condition = w.pick("pid % 2 == 0", "pid > 0", "pid == 1")
    w.line("sum = v")
    with w.block(f"if {condition}:"):
        if w.chance(0.3):
            w.line(
                f"tl.store(own + pid * {size} + lane, v + v)"
            )  # before the load, and maybe of its memory
        w.line(f"sum += tl.load(at{mask}{w.pick('', ', volatile=True')})")
    if w.chance(0.6):
        with w.block("else:"):
            w.line(
                w.pick("sum = sum * 2", f"tl.store(at, v * 3{mask})", f"sum -= tl.load(at{mask})")
            )
    if w.chance(0.2):
        w.line("tl.debug_barrier()")
    w.line(f"tl.store(at, sum{mask})")


def chain(w: Writer, dtype: str, size: int) -> None:
    """Each program waits for the previous one and continues from its result."""
    total = shared(w, "total", dtype, size)
    turn = shared(w, "turn", "int32", 1)
    get = w.pick(f"tl.atomic_add({turn}, 0)", f'tl.atomic_add({turn}, 0, sem="acquire")')
    with w.block(f"while {get} % P != pid:"):
        w.line("pass")
    w.line(f"tl.store({total} + lane, tl.load({total} + lane) * 3 + v)")
    w.line(w.pick(f"tl.atomic_add({turn}, 1)", f'tl.atomic_add({turn}, 1, sem="release")'))
