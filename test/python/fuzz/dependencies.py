"""Kernels that depend on state of the program that changes between launches.

This includes globals, attributes of modules, Python functions with their globals, closures and
defaults, and objects and functions passed as constants. Every launch must use the current state.
"""

from __future__ import annotations

import random
import re

from kernel import Kernel
from writer import Writer

MODULE = """
SIZE = tl.constexpr({0})
LIMIT = {1}
TABLE = [{2}, {3}]
settings = types.ModuleType("settings")
settings.inner = types.ModuleType("inner")
settings.N = tl.constexpr({4})
settings.inner.N = tl.constexpr({5})
settings.inner.K = {6}


class Config:
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return "Config()"

    def __eq__(self, other):
        return isinstance(other, Config) and self.n == other.n

    def __hash__(self):
        return hash(self.n)


def plain(n, m={7}):
    return n * m + LIMIT


def chain(n):
    return plain(n) - TABLE[n % 2]


def make(factor):
    @tl.constexpr_function
    def scaled(n):
        return n * factor + settings.inner.K

    return scaled


def make_plain(offset):
    def shifted(n, m={8}):
        return n + offset + m

    return shifted


shifted = make_plain({9})


@tl.constexpr_function
def by_plain(n):
    return plain(n)


@tl.constexpr_function
def by_chain(n):
    return chain(n) + shifted(n)


scaled = make({10})
config = Config({11})


@tilewright.jit
def inner(v):
    return v * SIZE


@tilewright.jit
def outer(v):
    return inner(v) + settings.inner.N


@tilewright.jit
def other(v):
    return v - settings.N


functions = (outer, other)
"""

# Statements of a kernel that use the module, each with statements that change what it uses.
USES = {
    "v = v + SIZE": ["SIZE = tl.constexpr({n})"],
    "v = v * settings.N": ["settings.N = tl.constexpr({n})"],
    "v = v + settings.inner.N": [
        "settings.inner.N = tl.constexpr({n})",
        "settings.inner = types.ModuleType('inner')\n"
        "settings.inner.N, settings.inner.K = tl.constexpr({n}), {m}",
    ],
    "v = inner(v)": ["SIZE = tl.constexpr({n})"],
    "v = outer(v)": ["SIZE = tl.constexpr({n})", "settings.inner.N = tl.constexpr({n})"],
    "C: tl.constexpr = by_plain(3)\nv = v + C": [
        "LIMIT = {n}", "plain.__defaults__ = ({n},)", "plain = lambda n: n - {n}",
    ],
    "D: tl.constexpr = by_chain(5)\nv = v + D": [
        "LIMIT = {n}", "TABLE[1] = {n}", "TABLE = [{m}, {n}]", "plain.__defaults__ = ({n},)",
        "shifted = make_plain({n})", "shifted.__closure__[0].cell_contents = {n}",
        "shifted.__defaults__ = ({n},)",
    ],
    "E: tl.constexpr = scaled(2)\nv = v * E": [
        "scaled = make({n})", "settings.inner.K = {n}",
    ],
    "v = F(v)": [
        "F = other", "F = outer", "SIZE = tl.constexpr({n})", "settings.N = tl.constexpr({n})",
    ],
    "v = G[0](v) - G[1](v)": [
        "SIZE = tl.constexpr({n})", "settings.N = tl.constexpr({n})", "functions = (other, other)",
    ],
    "v = v + H.n": ["config = Config({n})", "config.n = {n}"],
    "v = v + (I[0] - I[1])": ["pair = ({n}, {m})", "pair = ({m}, 3)"],
}  # fmt: skip


def write(rng: random.Random) -> Kernel:
    w = Writer(rng, (rng.choice([16, 64]),))
    base = w.array("x", "int32", "small")
    w.line(f"v = tl.load({base} + lane)")
    used = rng.sample(list(USES), rng.randint(1, 3))
    for use in used:
        for line in use.splitlines():
            w.line(line)
    w.result("v", "int32")
    changes = [change for use in used for change in USES[use]]
    steps = []
    for _ in range(rng.randint(2, 4)):
        change = rng.choice(changes)
        n, m = rng.sample(range(2, 30), 2)
        steps.append(change.replace("{n}", str(n)).replace("{m}", str(m)))
    numbers = [str(n) for n in rng.sample(range(2, 30), 12)]
    module = MODULE
    for i, number in enumerate(numbers):
        module = module.replace(f"{{{i}}}", number)
    module += f"F = {w.pick('outer', 'other')}\npair = (1, 2)\n"
    w.helpers.append(module)
    names = {"F": "F", "G": "functions", "H": "config", "I": "pair"}
    text = "\n".join(use.split("v = ")[-1] for use in used)
    references = {name: at for name, at in names.items() if re.search(rf"\b{name}\b", text)}
    w.constants.update(dict.fromkeys(references))
    kernel = w.finish(changes=steps, references=references)
    kernel.source = "import types\n\n" + kernel.source
    return kernel
