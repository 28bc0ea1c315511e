"""Kernels with inline assembly: random sequences of instructions, packed, with several results.

The function for the CPU is written beside the PTX; both are compared with instructions.py.
"""

from __future__ import annotations

import random
import re

from generate import INTS
from instructions import BITWISE, DTYPES, LANES, NARROWING, NUMBERS, TABLE, Instruction
from operations import any_shape
from with_helpers import WithHelpers, family
from word_functions import HELPERS

THEMES = [
    "r", "r", "rr", "rl", "l", "h", "f", "ff", "fr", "d", "dr", "x", "xx", "y", "b", "bb", "w",
    "rrr", "bbb",
]  # fmt: skip
# Of three different inputs: ptxas 13.0 with -O3 computes `xor` of the result wrongly where operands
# are equal or complementary, also in PTX that was written by hand.
LOP3 = "lop3.b32"
LETTERS = dict.fromkeys("rxywb", "r") | {kind: kind for kind in "lhfd"}


class _Program:
    """Instructions and the same in the language, on registers that are each assigned once.

    Attributes:
        values: The kinds of the registers, by name; a kind of several elements needs `pack` to be a
            multiple of their number.
        steps: (result, name of the instruction, operands).
        cpu: The lines of the function.
    """

    def __init__(self, rng: random.Random, inputs: list[str]) -> None:
        self.rng = rng
        self.values = {f"a{i}": kind for i, kind in enumerate(inputs)}
        self.inputs = list(self.values)
        self.steps: list[tuple[str, str, list[str]]] = []
        self.cpu: list[str] = []

    def extend(self, count: int) -> None:
        for _ in range(count):
            known = set(self.values.values()) | {"n"}
            packed = known & set("bw")
            table = BITWISE if packed else TABLE
            fitting = [
                x
                for x in table
                if (packed or set(x.operands) <= known) and (x.name != LOP3 or self._has_three())
            ]
            self.step(self.rng.choice(fitting), "".join(packed))

    def _has_three(self) -> bool:
        """Whether there are three inputs, which `lop3` needs."""
        return len(self.inputs) >= 3 and len({self.values[name] for name in self.inputs}) == 1

    def step(self, instruction: Instruction, packed: str) -> None:
        name = f"t{len(self.steps)}"
        numbers = iter(instruction.immediates)
        operands = []
        different = iter(self.rng.sample(self.inputs, len(self.inputs)))
        for kind in instruction.operands:
            if kind == "n":
                operands.append(str(self.rng.choice(next(numbers))))
            elif instruction.name == LOP3:
                operands.append(next(different))
            else:
                want = packed or kind
                operands.append(self.rng.choice([n for n, k in self.values.items() if k == want]))
        self.steps.append((name, instruction.name, operands))
        self.cpu.append(f"{name} = {instruction.cpu.format(*operands)}")
        self.values[name] = packed or instruction.result

    def narrow(self) -> str | None:
        """Adds a conversion of a float32 to 16 bits, two at a time."""
        floats = [n for n, kind in self.values.items() if kind == "f"]
        if not floats:
            return None
        kind, source = self.rng.choice("xy"), self.rng.choice(floats)
        name = f"t{len(self.steps)}"
        self.steps.append((name, NARROWING[kind], [source]))
        self.cpu.append(f"{name} = {source}.to(tl.{DTYPES[kind][0]})")
        self.values[name] = kind
        return name

    def text(self, results: list[str], pack: int) -> str:
        """The assembly; the results are stored last, because they may share registers."""
        numbered: dict[tuple[str, int], str] = {}
        at = sum(self._count(name, pack) for name in results)
        for name in self.inputs:
            for unit in range(self._count(name, pack)):
                numbered[name, unit] = f"${at}"
                at += 1
        lines, declared = [], []
        for name, opcode, operands in self.steps:
            for unit in range(self._count(name, pack)):
                numbered[name, unit] = target = f"{name}_{unit}"
                declared.append(f".reg .{NUMBERS[self.values[name]]} {target};")
                if opcode in NARROWING.values():
                    sources = [numbered[operands[0], 2 * unit + i] for i in (1, 0)]
                else:
                    sources = [numbered.get((each, unit), each) for each in operands]
                lines.append(f"{opcode} {', '.join([target, *sources])};")
        at = 0
        for name in results:
            for unit in range(self._count(name, pack)):
                lines.append(f"mov.{NUMBERS[self.values[name]]} ${at}, {numbered[name, unit]};")
                at += 1
        return "\n".join(["{", *declared, *lines, "}"])

    def _count(self, name: str, pack: int) -> int:
        return pack // LANES.get(self.values[name], 1)

    def constraints(self, results: list[str], pack: int) -> str:
        equals = self.rng.choice(["=", "=", "=&"])
        parts = [
            f"{equals}{LETTERS[self.values[n]]}"
            for n in results
            for _ in range(self._count(n, pack))
        ]
        parts += [LETTERS[self.values[n]] for n in self.inputs for _ in range(self._count(n, pack))]
        return ",".join(parts)


def assembled(g: WithHelpers) -> None:
    """Inline assembly on tiles of one shape, or on tiles and a scalar."""
    theme = g.rng.choice([t for t in THEMES if not g.floating or not set(t) & set("fdxy")])
    shape = any_shape(g)
    program = _Program(g.rng, list(theme))
    program.extend(g.rng.randint(1, 6))
    names = list(program.values)
    lanes = max((LANES.get(kind, 1) for kind in theme), default=1)
    packs = [1] if "h" in theme else [p for p in (1, 2, 4) if p % lanes == 0]
    pack = g.rng.choice(packs)
    narrow = program.narrow() if pack > 1 and g.chance(0.6) else None
    results = [n for n in names if program.values[n] != "p" and n not in program.inputs][-3:]
    results = g.rng.sample(results, g.rng.randint(1, len(results))) if results else []
    results += [narrow] if narrow else []
    if results:
        _emit(g, program, results, pack, shape)


def _emit(
    g: WithHelpers, program: _Program, results: list[str], pack: int, shape: tuple[int, ...]
) -> None:
    types = {kind: g.rng.choice(listed) for kind, listed in DTYPES.items()}
    args = []
    for index, name in enumerate(program.inputs):
        dtype = types[program.values[name]]
        if index and dtype in INTS and g.chance(0.2):
            args.append(f"{g.rng.choice(g.scalars)}.to(tl.{dtype})")
        else:  # a zero has no sign, so that minima and maxima are unique
            different = f" + {index}" if len(program.inputs) == 3 else ""
            plus = different if dtype in INTS else " + 0.0"
            args.append(f"({g.tile(shape, dtype)}{plus}).to(tl.{dtype})")
    function = _function(g, program, results, types)
    out = [types[program.values[n]] for n in results]
    listed = ", ".join(f"tl.{t}" for t in out)
    dtype = f"({listed},)" if len(out) > 1 else listed
    text, constraints = program.text(results, pack), program.constraints(results, pack)
    call = (
        f"tl.inline_asm_elementwise({text!r}, {constraints!r}, [{', '.join(args)}], {dtype}, "
        f"is_pure={g.rng.choice([True, True, False])}, pack={pack}, cpu={function})"
    )
    if len(out) > 1:
        g.several([(t, shape) for t in out], call)
    else:
        g.assign(call, out[0], shape)


def _function(g: WithHelpers, program: _Program, results: list[str], types: dict[str, str]) -> str:
    """Writes the function for the CPU, in which integers of 16 and more bits are signed."""
    for name, text in HELPERS.items():
        if any(re.search(rf"\b{name}\(", line) for line in program.cpu):
            g.add(f"@tilewright.jit\n{text.strip()}")
    name = f"on_cpu{len(g.helpers)}"

    def signed(kind: str) -> str:
        return f".to(tl.{types[kind].removeprefix('u')})" if kind in "rlh" else ""

    lines = [f"{n} = {n}{signed(program.values[n])}" for n in program.inputs]
    kinds = [program.values[n] for n in results]
    returned = [f"{n}.to(tl.{types[k]})" for n, k in zip(results, kinds, strict=True)]
    body = "\n".join(
        f"    {line}" for line in [*lines, *program.cpu, f"return {', '.join(returned)}"]
    )
    g.add(f"@tilewright.jit\ndef {name}({', '.join(program.inputs)}):\n{body}")
    return name


write = family({"assembled": (90, assembled)}, size=7)
