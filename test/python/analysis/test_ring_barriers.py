"""Barriers between accesses to the slots of rings are sufficient on all paths."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from random import Random

import pytest
from small_programs import Op, run_passes

SLOTS = 3
PROGRAMS = 80
RING = f"!tilegpu.buffer<64xf32, #shared, {SLOTS}>"
SLOT = "!tilegpu.buffer<64xf32, #shared>"
TILE = "tensor<64xf32, #line>"

Event = tuple[str, int, Op]
"""The kind, the slot, and the operation."""


class Writer:
    """Writes functions with loops that carry two positions in a ring."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.names = (f"%v{number}" for number in itertools.count())
        self.lines: list[str] = []

    def function(self, number: int) -> str:
        self.lines = [
            f"func.func @f{number}(%x: {TILE}, %n: i32) {{",
            *(f"%c{slot} = arith.constant {slot} : i32" for slot in range(SLOTS)),
            "%even = arith.constant false",
            f"%ring = tilegpu.local_alloc at 0 : {RING}",
        ]
        self.block([f"%c{slot}" for slot in range(SLOTS)], depth=0)
        return "\n".join([*self.lines, "return", "}"])

    def advanced(self, position: str, steps: int) -> str:
        for _ in range(steps):
            result = next(self.names)
            self.lines.append(f"{result}:2 = tilegpu.ring_next {position}, %even of {SLOTS}")
            position = f"{result}#0"
        return position

    def access(self, position: str) -> None:
        slot = next(self.names)
        self.lines.append(f"{slot} = tilegpu.local_slot %ring[{position}] : {RING} -> {SLOT}")
        if self.rng.random() < 0.5:
            self.lines.append(f"tilegpu.local_store %x, {slot} : {TILE} -> {SLOT}")
        else:
            self.lines.append(f"{next(self.names)} = tilegpu.local_load {slot} : {SLOT} -> {TILE}")

    def block(self, positions: list[str], depth: int) -> None:
        for _ in range(self.rng.randint(1, 4)):
            if depth < 2 and self.rng.random() < 0.4:
                positions = [*positions, *self.loop(positions, depth)]
            else:
                steps = self.rng.choice([0, 0, 0, 1, 2])
                self.access(self.advanced(self.rng.choice(positions[-4:]), steps))

    def loop(self, positions: list[str], depth: int) -> list[str]:
        result, index, one, other = (next(self.names) for _ in range(4))
        inits = [self.rng.choice(positions[-3:]) for _ in range(2)]
        self.lines.append(
            f"{result}:2 = scf.for {index} = %c0 to %n step %c1 "
            f"iter_args({one} = {inits[0]}, {other} = {inits[1]}) -> (i32, i32) : i32 {{"
        )
        self.block([one, other], depth + 1)
        steps = self.rng.choice([(1, 1), (1, 1), (1, 1), (2, 2), (0, 1), (1, 2), (4, 1)])
        yields = [self.advanced(p, s) for p, s in zip((one, other), steps, strict=True)]
        if self.rng.random() < 0.15:
            yields.reverse()
        self.lines += [f"scf.yield {', '.join(yields)} : i32, i32", "}"]
        return [f"{result}#0", f"{result}#1"]


def run(
    ops: list[Op], values: dict[str, int], events: list[Event], trips: Callable[[], int]
) -> list[int]:
    """Executes operations; returns what they yield."""
    for op in ops:
        kind = op.text.split(" ")[0]
        names = re.findall(r"%\w+(?:#\d+)?", op.text.split(" : ")[0])
        if kind == "arith.constant" and "i32" in op.text:
            values[op.result] = int(op.text.split(" ")[1])
        elif kind == "tilegpu.ring_next":
            values[op.result.split(",")[0]] = (values[names[0]] + 1) % SLOTS
        elif kind == "tilegpu.local_slot":
            values[op.result] = values[names[1]]
        elif kind == "tilegpu.local_store":
            events.append(("write", values[names[1]], op))
        elif kind == "tilegpu.local_load":
            events.append(("read", values[names[0]], op))
        elif kind == "tilegpu.barrier":
            events.append(("barrier", 0, op))
        elif kind == "scf.yield":
            return [values[name] for name in names]
        elif kind == "scf.for":
            carried = re.findall(r"(%\w+) = (%\w+(?:#\d+)?)", op.text.split("iter_args")[1])
            results = [values[init] for _, init in carried]
            for _ in range(trips()):
                values.update(zip((argument for argument, _ in carried), results, strict=True))
                results = run(op.regions[0], values, events, trips)
            name = op.result.split(":")[0]
            values.update({f"{name}#{i}": value for i, value in enumerate(results)})
    return []


def race(events: list[Event]) -> bool:
    recent: list[Event] = []
    for event in events:
        kind, slot, op = event
        if kind == "barrier":
            recent = []
            continue
        for other, place, earlier in recent:
            if "write" in (kind, other) and slot == place and op is not earlier:
                return True
        recent.append(event)
    return False


@pytest.mark.parametrize("seed", range(3))
def test_no_two_accesses_to_a_slot_race(seed: int) -> None:
    writer, rng = Writer(Random(seed)), Random(seed)
    texts = [writer.function(number) for number in range(PROGRAMS)]
    apart = 0
    for number, function in enumerate(run_passes(texts, "--insert-barriers")):
        for _ in range(60):
            events: list[Event] = []
            run(function, {}, events, lambda: rng.randint(0, 4))
            assert not race(events), (seed, number)
            for (kind, slot, _), (other, place, _) in itertools.pairwise(events):
                apart += (
                    slot != place and "write" in (kind, other) and "barrier" not in (kind, other)
                )
    assert apart > 100  # different slots need no barrier
