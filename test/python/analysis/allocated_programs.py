"""Random programs with buffers in shared memory, and what their executions need of an allocation.

An execution is a list of events on the slots of buffers. An allocation is right for it if no access
to one buffer damages the data of another one: data live from a write to the reads that follow it,
and a copy may write from its start to the wait for it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from small_programs import Op, Path

SIZES = (16, 32, 128, 512, 4096, 8192, 16384)
ALWAYS = 10**9
Token = list[tuple["Buffer", int, int, int]]
"""The copies: their buffers, slots and instances, and their numbers."""


def header() -> str:
    """The layouts of buffers and tiles of float32, by the number of elements."""
    lines = []
    for size in SIZES:
        bits = [1 << bit for bit in range((size // 4).bit_length() - 1)]
        text = [f"[{bit}]" for bit in bits]
        lane = [*text[:5], *["[0]"] * (5 - len(text[:5]))]
        lines.append(
            f"#line{size} = #tilegpu.layout<register = [{', '.join(text[5:])}], "
            f"lane = [{', '.join(lane)}], warp = [], block = [] : {size // 4}>\n"
            f"#shared{size} = #tilegpu.layout<offset = [{', '.join(text)}] : {size // 4}>"
        )
    target = 'module attributes {tilegpu.num_warps = 1 : i32, tilegpu.target = "sm_90a"} {'
    return "\n".join([*lines, target]) + "\n"


@dataclass
class Storage:
    """A buffer of the program that is written, by its name in the text."""

    name: str
    size: int
    slots: int
    partitions: list[int]

    def type(self, slots: int) -> str:
        suffix = f", {slots}" if slots > 1 else ""
        return f"!tilegpu.buffer<{self.size // 4}xf32, #shared{self.size}{suffix}>"

    @property
    def tile(self) -> str:
        return f"tensor<{self.size // 4}xf32, #line{self.size}>"


@dataclass
class Writer:
    """Writes random functions.

    Attributes:
        partitions: The warp groups that execute operations.
        copies: The probability that a write is an asynchronous copy.
    """

    rng: Random
    partitions: tuple[int, ...] = (0,)
    copies: float = 0.4
    lines: list[str] = field(default_factory=list)
    names: Iterator[int] = field(default_factory=itertools.count)
    buffers: int = 0

    def function(self, number: int) -> str:
        arguments = [f"%x{size}: {Storage('', size, 1, []).tile}" for size in SIZES]
        arguments += [
            f"%p{size}: tensor<{size // 4}x!tile.ptr<f32>, #line{size}>" for size in SIZES
        ]
        self.lines = [
            f"func.func @f{number}({', '.join(arguments)}, %n: i32, %c: i1) {{",
            *(f"%c{i} = arith.constant {i} : i32" for i in range(4)),
            "%t = tilegpu.async_commit",
        ]
        self.buffers = 0
        self.block(["%t"], [], [], depth=0, length=self.rng.randint(4, 11))
        return "\n".join([*self.lines, "return", "}"])

    def name(self) -> str:
        return f"%v{next(self.names)}"

    def block(
        self, tokens: list[str], buffers: list[Storage], indices: list[str], depth: int, length: int
    ) -> list[str]:
        """Writes operations; returns the tokens that these may use and have defined."""
        tokens, buffers = list(tokens), list(buffers)
        for _ in range(length):
            if self.buffers < 5 and (not buffers or self.rng.random() < 0.3):
                buffers.append(self.alloc())
            kind = self.rng.choice(["write", "write", "read", "read", "wait", "if", "for"])
            if kind in ("write", "read") and buffers:
                self.access(kind, self.rng.choice(buffers), tokens, indices)
            elif kind == "wait":
                some = self.rng.sample(tokens, min(len(tokens), self.rng.choice([1, 1, 2])))
                self.lines.append(f"{self.name()} = tilegpu.async_wait {', '.join(some)}")
            elif kind in ("if", "for") and depth < 2:
                tokens.append(self.branch(kind, tokens, buffers, indices, depth))
        return tokens

    def alloc(self) -> Storage:
        self.buffers += 1
        slots = self.rng.choice([1, 1, 1, 2, 3])
        partitions = self.rng.sample(
            self.partitions, self.rng.randint(1, min(2, len(self.partitions)))
        )
        buffer = Storage(self.name(), self.rng.choice(SIZES), slots, partitions)
        self.lines.append(f"{buffer.name} = tilegpu.local_alloc : {buffer.type(slots)}")
        return buffer

    def access(self, kind: str, buffer: Storage, tokens: list[str], indices: list[str]) -> None:
        place = buffer.name
        if buffer.slots > 1:
            place, index = self.name(), self.rng.choice([*indices, "%c0", "%c1"])
            if index in indices:
                rest = self.name()
                self.lines.append(f"{rest} = arith.remui {index}, %c{buffer.slots} : i32")
                index = rest
            self.lines.append(
                f"{place} = tilegpu.local_slot {buffer.name}[{index}] "
                f": {buffer.type(buffer.slots)} -> {buffer.type(1)}"
            )
        partition = self.rng.choice(buffer.partitions)
        by = f" {{tilegpu.partition = {partition} : i64}}" if partition else ""
        if kind == "read":
            self.lines.append(
                f"{self.name()} = tilegpu.local_load {place}{by} "
                f": {buffer.type(1)} -> {buffer.tile}"
            )
        elif self.rng.random() < self.copies:
            copy, token = self.name(), self.name()
            self.lines.append(
                f"{copy} = tilegpu.async_copy %p{buffer.size}, {place}{by} : "
                f"tensor<{buffer.size // 4}x!tile.ptr<f32>, #line{buffer.size}> -> {buffer.type(1)}"
            )
            self.lines.append(f"{token} = tilegpu.async_commit of {copy}")
            tokens.append(token)
        else:
            self.lines.append(
                f"tilegpu.local_store %x{buffer.size}, {place}{by} "
                f": {buffer.tile} -> {buffer.type(1)}"
            )

    def branch(
        self, kind: str, tokens: list[str], buffers: list[Storage], indices: list[str], depth: int
    ) -> str:
        name, length = self.name(), self.rng.randint(1, 5)
        if kind == "for":
            index, argument = self.name(), self.name()
            self.lines.append(
                f"{name} = scf.for {index} = %c0 to %n step %c1 "
                f"iter_args({argument} = {self.rng.choice(tokens)}) -> !tilegpu.token : i32 {{"
            )
            inside = self.block([*tokens, argument], buffers, [*indices, index], depth + 1, length)
            self.lines += [f"scf.yield {self.rng.choice(inside[-3:])} : !tilegpu.token", "}"]
            return name
        self.lines.append(f"{name} = scf.if %c -> !tilegpu.token {{")
        inside = self.block(tokens, buffers, indices, depth + 1, length)
        self.lines += [f"scf.yield {self.rng.choice(inside[-3:])} : !tilegpu.token", "} else {"]
        inside = self.block(tokens, buffers, indices, depth + 1, self.rng.randint(0, 3))
        self.lines += [f"scf.yield {self.rng.choice(inside[-3:])} : !tilegpu.token", "}"]
        return name


@dataclass(eq=False)
class Buffer:
    """An operation that allocates, with what the pass decided."""

    op: Op
    offset: int
    slot_bytes: int
    slots: int
    partitions: set[int] = field(default_factory=set)

    @property
    def bytes(self) -> int:
        return self.slots * self.slot_bytes

    @property
    def alignment(self) -> int:
        """For 16-byte accesses; large buffers begin at the first bank, as swizzles assume."""
        return 128 if self.bytes >= 128 else 16


def buffer_of(op: Op) -> Buffer:
    found = re.search(r"local_alloc at (\d+) : <(\d+)xf32, #\w+(?:, (\d+))?>", op.text)
    assert found, op.text
    return Buffer(op, int(found[1]), 4 * int(found[2]), int(found[3] or 1))


def allocations(ops: list[Op]) -> list[Buffer]:
    found = [buffer_of(op) for op in ops if op.text.startswith("tilegpu.local_alloc")]
    return found + [b for op in ops for region in op.regions for b in allocations(region)]


@dataclass
class Use:
    """An event of an execution.

    Attributes:
        kind: "write", "read", or "start" and "end" of a copy.
        extent: The time of the event, or those at which the outermost loop begins and ends that is
            around the access but not around the allocation.
        instance: Which execution of the allocation it belongs to.
        copy: The number of a copy.
    """

    kind: str
    buffer: Buffer
    slot: int
    extent: list[int]
    instance: int = 0
    copy: int = 0


class Execution(Path):
    """Executes a function along a path, on the buffers of `allocations`."""

    def __init__(self, choices: list[int], buffers: list[Buffer]) -> None:
        super().__init__(choices)
        self.uses: list[Use] = []
        self.now = itertools.count(1)
        self.loops: list[list[int]] = []  # when the loops around the operation begin and end
        self.found = {id(b.op): b for b in buffers}
        self.places: dict[str, tuple[Buffer, int]] = {}
        self.depths: dict[Buffer, int] = {}  # of the allocation, in loops
        self.instances: dict[Buffer, int] = {}
        self.numbers: dict[str, int] = {}
        self.tokens: dict[str, Token] = {}
        self.copies = 0

    def _token(self, name: str) -> Token:
        return self.tokens.get(name, [])

    def run(self, ops: list[Op]) -> list[str]:  # type: ignore[override]
        for op in ops:
            name = op.text.split(" ")[0]
            if name == "scf.yield":
                return op.operands
            if name == "scf.for":
                self._loop(op)
            elif name == "scf.if":
                results = self.run(op.regions[self.choose(2)])
                self.tokens[op.result] = self._token(results[0])
            elif name == "arith.constant":
                self.numbers[op.result] = int(op.text.split(" ")[1])
            elif name == "arith.remui":
                left, right = (self.numbers[operand] for operand in op.operands)
                self.numbers[op.result] = left % right
            elif name.startswith("tilegpu."):
                self._execute(name.removeprefix("tilegpu."), op)
        return []

    def _loop(self, op: Op) -> None:
        argument, init = re.findall(r"iter_args\((%\w+) = (%\w+)\)", op.text)[0]
        token = self._token(init)
        extent = [next(self.now), 0]
        self.loops.append(extent)
        for iteration in range(self.choose(3)):
            self.numbers[op.operands[0]] = iteration
            self.tokens[argument] = token
            token = self._token(self.run(op.regions[0])[0])
        self.loops.pop()
        extent[1] = next(self.now)
        self.tokens[op.result] = token

    def _execute(self, name: str, op: Op) -> None:
        if name == "local_alloc":
            buffer = self.found[id(op)]
            self.places[op.result] = (buffer, 0)
            self.depths[buffer] = len(self.loops)
            self.instances[buffer] = next(self.now)
        elif name == "local_slot":
            buffer, _ = self.places[op.operands[0]]
            self.places[op.result] = (buffer, self.numbers[op.operands[1]])
        elif name == "local_store":
            self._use("write", op.operands[1], op)
        elif name == "local_load":
            self._use("read", op.operands[0], op)
        elif name == "async_copy":
            self.copies += 1
            buffer, slot = self._use("start", op.operands[1], op, self.copies)
            instance = self.instances[buffer]
            self.tokens[op.result] = [(buffer, slot, instance, self.copies)]
        elif name == "async_commit":
            self.tokens[op.result] = [c for o in op.operands for c in self._token(o)]
        elif name == "async_wait":
            now = next(self.now)
            for buffer, slot, instance, copy in (c for o in op.operands for c in self._token(o)):
                self.uses.append(Use("end", buffer, slot, [now, now], instance, copy))
            self.tokens[op.result] = []

    def _use(self, kind: str, place: str, op: Op, copy: int = 0) -> tuple[Buffer, int]:
        buffer, slot = self.places[place]
        partition = re.search(r"tilegpu.partition = (\d+)", op.text)
        buffer.partitions.add(int(partition[1]) if partition else 0)
        now = next(self.now)
        depth = self.depths[buffer]
        extent = self.loops[depth] if depth < len(self.loops) else [now, now]
        self.uses.append(Use(kind, buffer, slot, extent, self.instances[buffer], copy))
        return buffer, slot


def executions(ops: list[Op], buffers: list[Buffer], most: int) -> list[list[Use]] | None:
    """The executions along all paths; None if there are more than `most`."""
    found: list[list[Use]] = []
    choices: list[int] | None = []
    while choices is not None:
        execution = Execution(choices, buffers)
        execution.run(ops)
        found.append(execution.uses)
        if len(found) > most:
            return None
        choices = None
        for index in reversed(range(len(execution.taken))):
            choice, count = execution.taken[index]
            if choice + 1 < count:
                choices = [c for c, _ in execution.taken[:index]] + [choice + 1]
                break
    return found


# what an execution needs


def damage(uses: list[Use], offsets: Mapping[Buffer, int]) -> str | None:
    """Describes a write to a buffer that changes the data of another one; None if none does."""
    damaged: dict[tuple[Buffer, int], str] = {}
    written: set[tuple[Buffer, int]] = set()
    in_flight: dict[int, tuple[Buffer, int]] = {}

    def overlaps(left: tuple[Buffer, int], right: tuple[Buffer, int]) -> bool:
        begins = [offsets[b] + slot * b.slot_bytes for b, slot in (left, right)]
        ends = [begin + b.slot_bytes for begin, (b, _) in zip(begins, (left, right), strict=True)]
        return left[0] is not right[0] and begins[0] < ends[1] and begins[1] < ends[0]

    for use in uses:
        here = (use.buffer, use.slot)
        if use.kind == "end":
            in_flight.pop(use.copy, None)
            continue
        if use.kind == "read":
            if here in damaged:
                return damaged[here]
            continue
        for place in in_flight.values():
            if overlaps(here, place):
                return f"{use.kind} of {here[0].op.result} and a copy to {place[0].op.result}"
        for place in written:
            if overlaps(here, place):
                damaged[place] = f"{use.kind} of {here[0].op.result} to {place[0].op.result}"
        written.add(here)
        damaged.pop(here, None)
        if use.kind == "start":
            in_flight[use.copy] = here
    return None


def lifetimes(uses: list[Use]) -> dict[tuple[Buffer, int], tuple[int, int]]:
    """From the first to the last access, for each execution of an allocation. A loop around
    accesses, but not around the allocation, counts as a whole."""
    found: dict[tuple[Buffer, int], tuple[int, int]] = {}
    in_flight: dict[int, tuple[Buffer, int]] = {}
    for use in uses:
        which = (use.buffer, use.instance)
        begin, end = found.get(which, (ALWAYS, 0))
        if use.kind == "end":
            in_flight.pop(use.copy, None)
        elif use.kind == "start":
            in_flight[use.copy] = which
        found[which] = (min(begin, use.extent[0]), max(end, use.extent[1]))
    for which in in_flight.values():
        found[which] = (found[which][0], ALWAYS)
    return found


Pairs = set[frozenset[Buffer]]


def simultaneous(execution: list[list[Use]], buffers: list[Buffer]) -> Pairs:
    """The pairs of buffers that are alive at the same time in one of the executions."""
    pairs: Pairs = set()
    for uses in execution:
        lives = lifetimes(uses)
        for (one, life), (other, later) in itertools.combinations(lives.items(), 2):
            if life[0] <= later[1] and later[0] <= life[1] and one[0] is not other[0]:
                pairs.add(frozenset((one[0], other[0])))
    for one, other in itertools.combinations(buffers, 2):
        if len(one.partitions | other.partitions) > 1:
            pairs.add(frozenset((one, other)))
    return pairs


def optimum(buffers: list[Buffer], pairs: Pairs) -> int:
    """The least total size: in the order of their offsets in a best allocation, each buffer fits
    at the lowest free offset."""
    best = ALWAYS
    for order in itertools.permutations(buffers):
        placed: list[tuple[int, Buffer]] = []
        for buffer in order:
            offset = 0
            for begin, other in sorted(placed, key=lambda entry: entry[0]):
                if frozenset((buffer, other)) not in pairs or begin + other.bytes <= offset:
                    continue
                if offset + buffer.bytes <= begin:
                    break
                offset = -(-(begin + other.bytes) // buffer.alignment) * buffer.alignment
            placed.append((offset, buffer))
            if offset + buffer.bytes >= best:
                break
        else:
            best = max(offset + buffer.bytes for offset, buffer in placed)
    return best
