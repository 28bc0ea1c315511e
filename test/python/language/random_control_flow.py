"""Random control flow on integers, run by Python and as a kernel.

python test/python/language/random_control_flow.py 0 500
python test/python/language/random_control_flow.py 17 18 --target emulator:cuda:90a --show

A kernel and three helpers, each of which may call the next: branches, chains of `elif`, loops that
are unrolled or not, early exits of all kinds, with constants everywhere. Variables are kept below
64, so that Python's integers and the kernel's agree.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import tilewright

HEADER = "import tilewright\nimport tilewright.language as tl\n\n\n"
NAMES = ("a", "b", "c")
HELPERS = 3
WORDS = 8


@dataclass(frozen=True)
class Place:
    """The position of a statement.

    Attributes:
        helper: The number of the helper, 0 in the kernel.
        runs: Whether a loop around it is not unrolled.
        loop: The variables of the loops around it.
        is_simple: Whether nested statements are not allowed there.
    """

    helper: int = 0
    runs: bool = False
    loop: tuple[str, ...] = ()
    is_simple: bool = False


class Writer:
    """Writes the functions of one module."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self._loops = 0
        for number in range(HELPERS, 0, -1):
            self._helper(number)
        self._kernel()

    def source(self) -> str:
        return "\n".join(self.lines) + "\n"

    def _helper(self, number: int) -> None:
        self.lines += ["@tilewright.jit"]
        self.lines += [f"def helper{number}(x, out, a, b, c, FLAG: tl.constexpr, K: tl.constexpr):"]
        for _ in range(self.random.randint(1, 3)):
            self._statement(1, Place(helper=number))
        self.lines += ["    return (a, b, c)", "", ""]

    def _kernel(self) -> None:
        self.lines += ["@tilewright.jit"]
        self.lines += ["def kernel(x, out, n, FLAG: tl.constexpr, K: tl.constexpr):"]
        self.lines += ["    a = n", "    b = tl.load(x)", "    c = 1"]
        for _ in range(self.random.randint(3, 7)):
            self._statement(1, Place())
        self.lines += [f"    tl.store(out + {at}, {name})" for at, name in enumerate(NAMES)]

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _block(self, depth: int, place: Place, count: int = 0) -> None:
        for _ in range(count or self.random.randint(1, 4)):
            self._statement(depth, place)

    def _statement(self, depth: int, place: Place) -> None:
        kinds = [self._assignment] * 4 + [self._store, self._call]
        if depth < 5 and not place.is_simple:
            kinds += [self._branch] * 3
        if depth < 4 and not place.is_simple:
            kinds += [self._loop] * 2
        if place.loop:
            kinds += [self._jump] * 2
        if not (place.helper and place.runs):
            kinds += [self._return]
        self.random.choice(kinds)(depth, place)

    def _assignment(self, depth: int, place: Place) -> None:
        name = self.random.choice(NAMES)
        before = self.random.choice(["", f"{name} + ", f"{name} - "])
        self._line(depth, f"{name} = ({before}{self._value(place)}) & 63")

    def _store(self, depth: int, place: Place) -> None:
        at = self.random.randrange(len(NAMES), WORDS)
        self._line(depth, f"tl.store(out + {at}, {self._value(place)})")

    def _call(self, depth: int, place: Place) -> None:
        callee = place.helper + 1
        if callee > HELPERS:
            self._assignment(depth, place)
            return
        arguments = ", ".join(self.random.choice([*NAMES, "3"]) for _ in NAMES)
        flag = self.random.choice(["FLAG", "True", "not FLAG"])
        self._line(depth, f"a, b, c = helper{callee}(x, out, {arguments}, {flag}, K)")

    def _return(self, depth: int, place: Place) -> None:
        self._line(depth, f"if {self._condition(place)}:")
        value = f" (a, b & {self.random.randrange(64)}, c)" if place.helper else ""
        self._line(depth + 1, f"return{value}")

    def _jump(self, depth: int, place: Place) -> None:
        self._line(depth, f"if {self._condition(place)}:")
        self._line(depth + 1, self.random.choice(["break", "continue"]))

    def _branch(self, depth: int, place: Place) -> None:
        self._line(depth, f"if {self._condition(place)}:")
        self._block(depth + 1, place)
        for _ in range(self.random.choice([0, 0, 0, 1, 2, 20 if depth < 3 else 1])):
            self._line(depth, f"elif {self._condition(place)}:")
            self._block(depth + 1, replace(place, is_simple=True), 1)
        if self.random.random() < 0.5:
            self._line(depth, "else:")
            self._block(depth + 1, place)

    def _loop(self, depth: int, place: Place) -> None:
        self._loops += 1
        index = f"i{self._loops}"
        is_unrolled = self.random.random() < 0.6
        counts = [2, 3, 20] if is_unrolled and depth == 1 else [1, 2, 3]
        kind = "tl.static_range" if is_unrolled else "range"
        self._line(depth, f"for {index} in {kind}({self.random.choice(counts)}):")
        inside = replace(place, runs=place.runs or not is_unrolled, loop=(*place.loop, index))
        self._block(depth + 1, inside)
        if self.random.random() < 0.25:
            self._line(depth, "else:")
            self._block(depth + 1, place, 1)

    def _condition(self, place: Place) -> str:
        if self.random.random() < 0.12:
            return self.random.choice(["FLAG", "not FLAG", "K == 3", "K > 5"])
        sign = self.random.choice(["<", ">", "==", "!=", "<=", ">="])
        text = f"{self._value(place)} {sign} {self._value(place)}"
        if self.random.random() < 0.2:
            text += f" {self.random.choice(['and', 'or'])} {self._value(place)} > 3"
        return text

    def _value(self, place: Place, depth: int = 0) -> str:
        kind = self.random.randrange(7)
        if kind == 0 or depth > 2:
            return str(self.random.randrange(-4, 9))
        if kind == 1 and place.loop:
            return self.random.choice(place.loop)
        if kind == 2:
            return f"tl.load(x + {self.random.randrange(WORDS)})"
        if kind < 5:
            return self.random.choice(NAMES)
        sign = self.random.choice("+-*")
        return f"({self._value(place, depth + 1)} {sign} {self._value(place, depth + 1)})"


class Address:
    """A pointer, for Python."""

    def __init__(self, array: np.ndarray, at: int = 0) -> None:
        self.array, self.at = array, at

    def __add__(self, offset: int) -> Address:
        return Address(self.array, self.at + offset)


def _store(address: Address, value: int) -> None:
    address.array[address.at] = value


# The names of the language when Python runs the source.
_LANGUAGE = SimpleNamespace(
    constexpr=int,
    load=lambda address: int(address.array[address.at]),
    static_range=range,
    store=_store,
)


def run_in_python(source: str, x: np.ndarray, out: np.ndarray, *arguments: Any) -> None:
    names: dict[str, Any] = {}
    code = compile(source.replace(HEADER, ""), "<random>", "exec")
    exec(code, {"tl": _LANGUAGE, "tilewright": SimpleNamespace(jit=lambda fn: fn)} | names, names)
    # The functions call each other through their globals.
    names["kernel"].__globals__.update(names)
    names["kernel"](Address(x), Address(out), *arguments)


def load_kernel(source: str, folder: Path, seed: int) -> Any:
    file = folder / f"random_{seed}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def find_difference(seed: int, folder: Path) -> str | None:
    """The difference between the kernel of a seed and Python, or None."""
    source = HEADER + Writer(seed).source()
    kernel = load_kernel(source, folder, seed)
    numbers = np.random.default_rng(seed)
    for flag, k in ((False, 3), (True, 3), (False, 7), (True, 7)):
        x, n = numbers.integers(-4, 9, WORDS).astype(np.int32), int(numbers.integers(-3, 9))
        out, expected = (np.full(WORDS, -12345, np.int32) for _ in range(2))
        run_in_python(source, x, expected, n, flag, k)
        kernel[(1,)](x, out, n, flag, k)
        if (out != expected).any():
            arguments = f"n = {n}, FLAG = {flag}, K = {k}, x = {x.tolist()}"
            return f"{arguments}: {out.tolist()} instead of {expected.tolist()}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--target", default="cpu", help="cpu, emulator:cuda:90a, ...")
    parser.add_argument("--show", action="store_true", help="print the source")
    arguments = parser.parse_args()
    emulated = arguments.target.removeprefix("emulator:")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first, arguments.end):
            if arguments.show:
                print(Writer(seed).source())
            on_target: AbstractContextManager[Any] = nullcontext()
            if emulated != arguments.target:
                on_target = tilewright.emulate(emulated)
            with on_target:
                difference = find_difference(seed, Path(folder))
            if difference:
                print(f"seed {seed}: {difference}", flush=True)
                wrong += 1
    print(f"{arguments.end - arguments.first} kernels, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
