"""One small program for each kind of thing that a kernel can depend on.

A program is a module with `launch(out)`, whose kernel stores a number. In its source, `{v}` is the
value that changes. Within one process a statement makes the same change.
"""

from __future__ import annotations

import textwrap
from typing import NamedTuple

HEAD = """
import dataclasses, enum, functools, os, types
from typing import NamedTuple
import numpy as np
import tilewright
import tilewright.language as tl
"""
LAUNCH = """
def launch(out):
    return kernel[(1,)](out)
"""


class Case(NamedTuple):
    """
    Attributes:
        name: What the kernel depends on.
        source: The module; `{v}` is 1, and then 2, which is also what the kernel stores.
        change: A statement with the same effect within a process; None if there is none.
        extra: The text of a second module, imported as `extra`.
    """

    name: str
    source: str
    change: str | None
    extra: str = ""

    def text(self, value: int) -> str:
        extra = f"import {self.module}_extra as extra\n" if self.extra else ""
        launch = "" if "def launch(" in self.source else LAUNCH
        body = textwrap.dedent(self.source).replace("{v}", str(value))
        return HEAD + extra + body + launch

    def extra_text(self, value: int) -> str:
        return HEAD + textwrap.dedent(self.extra).replace("{v}", str(value))

    @property
    def module(self) -> str:
        return "case_" + "".join(c if c.isalnum() else "_" for c in self.name)


def structure(result: str) -> str:
    """A class with the value protocol; its method `get` returns `result`."""
    return (
        "from tilewright.language.value import value_class\n@value_class\nclass P:\n"
        "    def __init__(self, a, n):\n        self.a, self.n = a, n\n"
        "    def flatten(self):\n        return (self.a,), self.n\n"
        "    @classmethod\n    def unflatten(cls, parts, key):\n        return cls(*parts, key)\n"
        f"    def get(self):\n        return {result}\n"
    )


def taking(expression: str, argument: str) -> str:
    """Stores an expression of the parameter `p`."""
    return (
        f"@tilewright.jit\ndef kernel(out, p):\n    tl.store(out, {expression})\n"
        f"def launch(out):\n    return kernel[(1,)](out, {argument})\n"
    )


# What the kernel stores is `EXPRESSION`.
def simple(expression: str) -> str:
    return f"\n@tilewright.jit\ndef kernel(out):\n    tl.store(out, {expression})\n"


def called(expression: str) -> str:
    """Stores the result of a constexpr_function `f`, which is defined before."""
    return (
        "\n@tilewright.jit\ndef kernel(out):\n"
        f"    F: tl.constexpr = {expression}\n    tl.store(out, F)\n"
    )


def passed(value: str) -> str:
    """Passes a constant `C` to the kernel, which stores `READ` of it."""
    return (
        f"\ndef launch(out):\n    return kernel[(1,)](out, {value})\n"
        "\n@tilewright.jit\ndef kernel(out, C: tl.constexpr):\n    tl.store(out, READ)\n"
    )


CFG = """
class Config:
    def __init__(self, n):
        self.n = n
    def __repr__(self):
        return "Config()"
"""
FUNCTION = "@tilewright.jit\ndef add(x):\n    return x + N\n"
WITH_ADD = "@tilewright.jit\ndef kernel(out, F: tl.constexpr):\n    tl.store(out, F(0))\n"

CASES = [
    # Variables
    Case("global", "N = tl.constexpr({v})" + simple("N"), "N = tl.constexpr(2)"),
    Case("annotated global", "N: tl.constexpr = {v}" + simple("N"), "N = 2"),
    Case(
        "global of a called function",
        "N = tl.constexpr({v})\n" + FUNCTION + simple("add(0)"),
        "N = tl.constexpr(2)",
    ),
    Case(
        "called function",
        "@tilewright.jit\ndef one():\n    return {v}\n"
        "@tilewright.jit\ndef two():\n    return 2\n" + simple("one()"),
        "one = two",
    ),
    Case(
        "closure",
        """
        def make():
            n = tl.constexpr({v})
            @tilewright.jit
            def kernel(out):
                tl.store(out, n)
            def change():
                nonlocal n
                n = tl.constexpr(2)
            return kernel, change
        kernel, change = make()
        """,
        "change()",
    ),
    Case(
        "default of a called function",
        "N = tl.constexpr({v})\nM = tl.constexpr(2)\n"
        "@tilewright.jit\ndef f(x=N):\n    return x\n"
        "@tilewright.jit\ndef g(x=M):\n    return x\n" + simple("f()"),
        "f = g",
    ),
    Case(
        "default that is an object",
        CFG + "CFG = Config({v})\n@tilewright.jit\ndef f(c: tl.constexpr = CFG):\n    return c.n\n"
        + simple("f()"),
        "CFG.n = 2",
    ),
    Case("builtin that a global hides", "if {v} == 2:\n    max = tl.minimum"
         + simple("3 - max(1, 2)"), "max = tl.minimum"),
    Case("attribute of a module", simple("extra.N"), "extra.N = 2", "N = {v}"),
    Case(
        "chain of attributes",
        simple("extra.ns.inner.N"),
        "extra.ns.inner.N = 2",
        "ns = types.SimpleNamespace(inner=types.SimpleNamespace(N={v}))",
    ),
    Case("attribute of a class", "class A:\n    class B:\n        N = {v}\n"
         "A_ = tl.constexpr(A)" + simple("A_.B.N"), "A.B.N = 2"),
    Case("attribute that appears", CFG + "C = tl.constexpr(Config(0))\n"
         "if {v} == 2:\n    C.value.m = 2" + simple("C.m if hasattr(C, 'm') else 1"),
         "C.value.m = 2"),
    Case("getattr with a default", CFG + "C = tl.constexpr(Config(0))\n"
         "if {v} == 2:\n    C.value.m = 2" + simple("getattr(C, 'm', 1)"), "C.value.m = 2"),
    # Python code that runs at compile time
    Case("body of a constexpr_function", "@tl.constexpr_function\ndef f():\n    return {v}\n"
         + called("f()"), "@tl.constexpr_function\ndef f():\n    return 2"),
    Case("code object replaced", "def g():\n    return {v}\nf = tl.constexpr_function(g)\n"
         + called("f()"), "g.__code__ = (lambda: 2).__code__"),
    Case("global of a constexpr_function", "N = {v}\n@tl.constexpr_function\ndef f():\n"
         "    return N\n" + called("f()"), "N = 2"),
    Case("default of a constexpr_function", "def g(n={v}):\n    return n\n"
         "f = tl.constexpr_function(g)\n" + called("f()"), "g.__defaults__ = (2,)"),
    Case("keyword default", "def g(*, n={v}):\n    return n\nf = tl.constexpr_function(g)\n"
         + called("f()"), "g.__kwdefaults__['n'] = 2"),
    Case(
        "closure of a constexpr_function",
        """
        def make():
            n = {v}
            @tl.constexpr_function
            def f():
                return n
            def change():
                nonlocal n
                n = 2
            return f, change
        f, change = make()
        """ + textwrap.indent(called("f()"), " " * 8),
        "change()",
    ),
    Case("wrapped function", "def deco(fn):\n    @functools.wraps(fn)\n    def run(*a):\n"
         "        return fn(*a)\n    return run\n"
         "def inner():\n    return {v}\nf = tl.constexpr_function(deco(inner))\n" + called("f()"),
         "inner.__code__ = (lambda: 2).__code__"),
    Case("function that a function calls", "def g():\n    return {v}\n@tl.constexpr_function\n"
         "def f():\n    return g()\n" + called("f()"), "g = lambda: 2"),
    Case("lambda among others on a line", "fs = [lambda: 0, lambda: {v}]\n"
         "f = tl.constexpr_function(fs[1])\n" + called("f()"),
         "fs[1].__code__ = (lambda: 2).__code__"),
    Case("function of a module", called("extra.f()"), "extra.f = lambda: 2",
         "def f():\n    return {v}\n"),
    Case("global of a function of a module", called("extra.f()"), "extra.N = 2",
         "N = {v}\ndef f():\n    return N\n"),
    Case("module that a function imports", "@tl.constexpr_function\ndef f():\n"
         "    import case_module_that_a_function_imports_extra as e\n    return e.N\n"
         + called("f()"), "extra.N = 2", "N = {v}"),
    Case("module passed on", "@tl.constexpr_function\ndef f(m):\n    return getattr(m, 'N')\n"
         "M = tl.constexpr(extra)\n" + called("f(M)"), "extra.N = 2", "N = {v}"),
    Case("object that a function reads", CFG + "C = Config({v})\n@tl.constexpr_function\n"
         "def f():\n    return C.n\n" + called("f()"), "C.n = 2"),
    Case("list that a function reads", "L = [0, {v}]\n@tl.constexpr_function\ndef f():\n"
         "    return L[-1]\n" + called("f()"), "L[1] = 2"),
    Case("dictionary that a function reads", "D = {'a': {v}}\n@tl.constexpr_function\ndef f():\n"
         "    return D['a']\n" + called("f()"), "D['a'] = 2"),
    Case("class that a function reads", "class A:\n    N = {v}\n@tl.constexpr_function\ndef f():\n"
         "    return A.N\n" + called("f()"), "A.N = 2"),
    Case("base of a class", "class A:\n    N = {v}\nclass B(A):\n    pass\n"
         "@tl.constexpr_function\ndef f():\n    return B().N\n" + called("f()"), "A.N = 2"),
    Case("method that a function calls", "class A:\n    def get(self):\n        return {v}\n"
         "C = A()\n@tl.constexpr_function\ndef f():\n    return C.get()\n" + called("f()"),
         "A.get = lambda self: 2"),
    Case("partial", "def g(n):\n    return n\nP = functools.partial(g, {v})\n"
         "@tl.constexpr_function\ndef f():\n    return P()\n" + called("f()"),
         "P = functools.partial(g, 2)"),
    Case("variable of the environment", "os.environ['TILEWRIGHT_TEST_N'] = '{v}'\n"
         "@tl.constexpr_function\ndef f():\n    return int(os.environ['TILEWRIGHT_TEST_N'])\n"
         + called("f()"), "os.environ['TILEWRIGHT_TEST_N'] = '2'"),
    Case("os.getenv", "os.environ['TILEWRIGHT_TEST_M'] = '{v}'\n@tl.constexpr_function\n"
         "def f():\n    return int(os.getenv('TILEWRIGHT_TEST_M'))\n" + called("f()"),
         "os.environ['TILEWRIGHT_TEST_M'] = '2'"),
    # Objects
    Case("object", CFG + "C = tl.constexpr(Config({v}))" + simple("C.n"), "C.value.n = 2"),
    Case("object replaced", CFG + "C = tl.constexpr(Config({v}))" + simple("C.n"),
         "C = tl.constexpr(Config(2))"),
    Case("dataclass", "@dataclasses.dataclass\nclass D:\n    n: int\nC = tl.constexpr(D({v}))"
         + simple("C.n"), "C.value.n = 2"),
    Case("named tuple", "class P(NamedTuple):\n    n: int\nC = tl.constexpr(P({v}))"
         + simple("C.n"), "C = tl.constexpr(P(2))"),
    Case("object in a named tuple", CFG + "class P(NamedTuple):\n    c: object\n"
         "C = tl.constexpr(P(Config({v})))" + simple("C.c.n"), "C.value.c.n = 2"),
    Case("slots", "class S:\n    __slots__ = ('n',)\nC = tl.constexpr(S())\nC.value.n = {v}"
         + simple("C.n"), "C.value.n = 2"),
    Case("property", "N = {v}\nclass A:\n    @property\n    def n(self):\n        return N\n"
         "C = tl.constexpr(A())" + simple("C.n"), "N = 2"),
    Case("__getattr__", "N = {v}\nclass A:\n    def __getattr__(self, name):\n"
         "        if name == 'n':\n            return N\n        raise AttributeError(name)\n"
         "C = tl.constexpr(A())" + simple("C.n"), "N = 2"),
    Case("__getattr__ that answers every name", "N = {v}\nclass A:\n"
         "    def __getattr__(self, name):\n        if name.startswith('__'):\n"
         "            raise AttributeError(name)\n        return N\n"
         "C = tl.constexpr(A())" + simple("C.n"), "N = 2"),
    Case("method of an object", CFG + "class A(Config):\n    def get(self):\n"
         "        return self.n\nC = tl.constexpr(A({v}))\n" + called("C.get()"), "C.value.n = 2"),
    Case("body of a method", "class A:\n    def get(self):\n        return {v}\n"
         "C = tl.constexpr(A())\n" + called("C.get()"), "A.get = lambda self: 2"),
    Case("class method", "class A:\n    N = {v}\n    @classmethod\n    def get(cls):\n"
         "        return cls.N\nC = tl.constexpr(A)\n" + called("C.get()"), "A.N = 2"),
    Case("static method", "class A:\n    @staticmethod\n    def get():\n        return {v}\n"
         "C = tl.constexpr(A)\n" + called("C.get()"), "A.get = staticmethod(lambda: 2)"),
    Case("class of an object", CFG + "class A:\n    n = 1\nclass B:\n    n = 2\n"
         "C = tl.constexpr(A())\nif {v} == 2:\n    C.value.__class__ = B" + simple("C.n"),
         "C.value.__class__ = B"),
    Case("operator", CFG + "class A(Config):\n    def __add__(self, other):\n"
         "        return self.n\nC = tl.constexpr(A({v}))" + simple("C + 1"), "C.value.n = 2"),
    Case("comparison", CFG + "class A(Config):\n    __hash__ = None\n"
         "    def __eq__(self, other):\n        return self.n == 2\n"
         "C = tl.constexpr(A({v}))" + simple("2 if C == 0 else 1"), "C.value.n = 2"),
    Case("truth", CFG + "class A(Config):\n    def __bool__(self):\n        return self.n == 2\n"
         "C = tl.constexpr(A({v}))" + simple("2 if C else 1"), "C.value.n = 2"),
    Case("item of an object", CFG + "class A(Config):\n    def __getitem__(self, key):\n"
         "        return self.n\nC = tl.constexpr(A({v}))" + simple("C[0]"), "C.value.n = 2"),
    Case("text of an object", CFG + "class A(Config):\n    def __str__(self):\n"
         "        return str(self.n)\nC = tl.constexpr(A({v}))" + simple("int(f'{C}')"),
         "C.value.n = 2"),
    Case("identity of objects", "A = object()\nB = object()\nC = tl.constexpr(A)\n"
         "D = tl.constexpr(A if {v} == 2 else B)" + simple("2 if C is D else 1"),
         "D = tl.constexpr(A)"),
    Case("two names of one object", CFG + "A = Config(1)\nC = tl.constexpr(A)\n"
         "D = tl.constexpr(A if {v} == 1 else Config(2))" + simple("C.n * D.n"),
         "D = tl.constexpr(Config(2))"),
    # Containers and values
    Case("item of a list", "C = tl.constexpr([0, {v}])" + simple("C[1]"), "C.value[1] = 2"),
    Case("length of a list", "C = tl.constexpr([0] * {v})" + simple("len(C)"), "C.value.append(0)"),
    Case("item of a dictionary", "C = tl.constexpr({'a': {v}})" + simple("C['a']"),
         "C.value['a'] = 2"),
    Case("object in a list in a tuple", CFG + "C = tl.constexpr(([Config({v})],))"
         + simple("C[0][0].n"), "C.value[0][0].n = 2"),
    Case("tuple of functions", "N = tl.constexpr({v})\n" + FUNCTION + "FS = tl.constexpr((add,))"
         + simple("FS[0](0)"), "N = tl.constexpr(2)"),
    Case("dictionary of functions", "N = tl.constexpr({v})\n" + FUNCTION
         + "FS = tl.constexpr({'f': add})" + simple("FS['f'](0)"), "N = tl.constexpr(2)"),
    Case("member of an enumeration", "class E(enum.Enum):\n    A = 1\n    B = 2\n"
         "C = tl.constexpr(E({v}))" + simple("C.value.value"), "C = tl.constexpr(E.B)"),
    Case("attribute of a member", "class E(enum.Enum):\n    A = 1\nE.A.n = {v}\n"
         "C = tl.constexpr(E.A)" + simple("C.n"), "E.A.n = 2"),
    Case("dtype", "T = tl.int8 if {v} == 1 else tl.int16" + simple("T.primitive_bitwidth // 8"),
         "T = tl.int16"),
    Case("sign of zero", "Z = tl.constexpr(-0.0 if {v} == 2 else 0.0)"
         + simple("1 if str(Z) == '0.0' else 2"), "Z = tl.constexpr(-0.0)"),
    Case("type of a number", "Z = tl.constexpr(1 if {v} == 1 else True)"
         + simple("2 if isinstance(Z, bool) else 1"), "Z = tl.constexpr(True)"),
    # Arguments
    Case("global of a function that is passed", "N = tl.constexpr({v})\n" + FUNCTION + WITH_ADD
         + "def launch(out):\n    return kernel[(1,)](out, add)\n", "N = tl.constexpr(2)"),
    Case("global of a function in a tuple that is passed", "N = tl.constexpr({v})\n" + FUNCTION
         + WITH_ADD.replace("F(0)", "F[0](0)")
         + "def launch(out):\n    return kernel[(1,)](out, (add,))\n", "N = tl.constexpr(2)"),
    # The object gets the number that a function had before.
    Case("fewer functions before an object", CFG + "M = tl.constexpr(1)\nN = tl.constexpr(2)\n"
         + FUNCTION + FUNCTION.replace("add", "other").replace("N", "M")
         + "FS = (add, other if {v} == 1 else add)\nC = Config(0)\n"
         "@tilewright.jit\ndef kernel(out, F: tl.constexpr, C: tl.constexpr):\n"
         "    tl.store(out, F[1](C.n) + F[0](0) - N)\n"
         "def launch(out):\n    return kernel[(1,)](out, FS, C)\n", "FS = (add, add)"),
    Case("object that is passed", CFG + "C = Config({v})" + passed("C").replace("READ", "C.n"),
         "C.n = 2"),
    Case("another object that is passed", CFG + "V = {v}"
         + passed("Config(V)").replace("READ", "C.n"), "V = 2"),
    Case("equal objects that are passed", "@dataclasses.dataclass(frozen=True)\nclass D:\n"
         "    n: int = dataclasses.field(compare=False)\nV = {v}"
         + passed("D(V)").replace("READ", "C.n"), "V = 2"),
    Case("objects in a kernel that are equal", "@dataclasses.dataclass(frozen=True)\nclass D:\n"
         "    n: int = dataclasses.field(compare=False)\nA = tl.constexpr(D(0))\n"
         "B = tl.constexpr(D({v}))\n@tilewright.jit\ndef get(c: tl.constexpr):\n    return c.n\n"
         + simple("get(A) + get(B)"), "B = tl.constexpr(D(2))"),
    Case("named tuple that is passed", CFG + "class P(NamedTuple):\n    c: object\nC = Config({v})"
         + passed("P(C)").replace("READ", "C.c.n"), "C.n = 2"),
    Case("objects of one repr in a call", CFG + "A = tl.constexpr(Config(0))\n"
         "B = tl.constexpr(Config({v}))\nConfig.__hash__ = None\n"
         "Config.__eq__ = lambda a, b: True\n"
         "@tilewright.jit\ndef get(c: tl.constexpr):\n    return c.n\n" + simple("get(A) + get(B)"),
         "B.value.n = 2"),
    # Only between processes
    Case("source", simple("{v}"), None),
    Case("another function of that name", "def a():\n    @tilewright.jit\n    def kernel(out):\n"
         "        tl.store(out, 1)\n    return kernel\ndef b():\n    @tilewright.jit\n"
         "    def kernel(out):\n        tl.store(out, 2)\n    return kernel\n"
         "kernel = (a, b)[{v} - 1]()\n",
         None),
    Case("kind of a parameter", "KIND = tl.constexpr if {v} == 2 else None\n@tilewright.jit\n"
         "def f(n: KIND):\n    if n is None:\n        n = 0\n"
         "    return 2 if isinstance(n, tl.constexpr) else 1\n" + simple("f(5)"), None),
    Case("name of a parameter's type", "N = tl.int16 if {v} == 2 else tl.int8\n@tilewright.jit\n"
         "def kernel(out, n: N):\n    tl.store(out, n.type.primitive_bitwidth // 8)\n"
         "def launch(out):\n    return kernel[(1,)](out, 5)\n", None),
]  # fmt: skip

CASES += [
    # More of each kind
    Case("name that code makes", "class A:\n    n1 = {v}\n@tl.constexpr_function\ndef f(i):\n"
         "    return getattr(A, 'n' + str(i))\n" + called("f(1)"), "A.n1 = 2"),
    Case("name that code makes in a module", "@tl.constexpr_function\ndef f(m, i):\n"
         "    return getattr(m, 'n' + str(i))\nM = tl.constexpr(extra)\n" + called("f(M, 1)"),
         "extra.n1 = 2", "n1 = {v}"),
    Case("member that a class gets", "class A:\n    pass\nif {v} == 2:\n    A.m = 2\n"
         "@tl.constexpr_function\ndef f():\n    return getattr(A, 'm', 1)\n" + called("f()"),
         "A.m = 2"),
    Case("attribute that an object gets from its class", CFG + "C = tl.constexpr(Config(0))\n"
         "if {v} == 2:\n    Config.m = 2" + simple("C.m if hasattr(C, 'm') else 1"),
         "Config.m = 2"),
    Case("property that hides an attribute", CFG + "C = tl.constexpr(Config(1))\n"
         "if {v} == 2:\n    Config.n = property(lambda self: 2)" + simple("C.n"),
         "Config.n = property(lambda self: 2)"),
    Case("method of a base", "class A:\n    def get(self):\n        return {v}\nclass B(A):\n"
         "    def get(self):\n        return super().get()\nC = tl.constexpr(B())\n"
         + called("C.get()"), "A.get = lambda self: 2"),
    Case("class that is called", "class A:\n    def __init__(self):\n        self.n = {v}\n"
         "K = tl.constexpr(A)" + simple("K().n"),
         "A.__init__ = lambda self: setattr(self, 'n', 2)"),
    Case("object that is called", CFG + "class A(Config):\n    def __call__(self):\n"
         "        return self.n\nC = tl.constexpr(A({v}))\n" + called("C()"), "C.value.n = 2"),
    Case("what a cached function calls", "def g():\n    return {v}\n"
         "@functools.lru_cache\ndef c():\n    return g()\n@tl.constexpr_function\ndef f():\n"
         "    return c()\n" + called("f()"), "g = lambda: 2\nc.cache_clear()"),
    Case("function handed to one of a library", "def g(a, b):\n    return {v}\n"
         "@tl.constexpr_function\ndef f():\n    return functools.reduce(g, (0, 0))\n"
         + called("f()"), "g = lambda a, b: 2"),
    Case("recursive functions", "N = {v}\ndef g(i):\n    return h(i - 1) if i else N\n"
         "def h(i):\n    return g(i)\n@tl.constexpr_function\ndef f():\n    return g(3)\n"
         + called("f()"), "N = 2"),
    Case("comprehension", "N = {v}\n@tl.constexpr_function\ndef f():\n"
         "    return sum([N for _ in range(1)])\n" + called("f()"), "N = 2"),
    Case("function defined in a function", "N = {v}\n@tl.constexpr_function\ndef f():\n"
         "    class A:\n        def get(self):\n            return N\n    return A().get()\n"
         + called("f()"), "N = 2"),
    Case("function that a function makes", "N = tl.constexpr({v})\n" + FUNCTION
         + "@tl.constexpr_function\ndef pick():\n    return add\n" + simple("pick()(0)"),
         "N = tl.constexpr(2)"),
    Case("alias of an alias", "A = extra\nB = A\n" + simple("B.M.N"), "extra.M.N = 2",
         "class M:\n    N = {v}\n"),
    Case("combination of a reduction", "N = tl.constexpr({v})\n@tilewright.jit\n"
         "def combine(a, b):\n    return a + b * 0 + (N - 1)\n@tilewright.jit\ndef kernel(out):\n"
         "    tl.store(out, tl.reduce(tl.full((2,), 1, tl.int32), 0, combine))\n",
         "N = tl.constexpr(2)"),
    Case("set", "S = {1, {v}}\n@tl.constexpr_function\ndef f():\n    return len(S)\n"
         + called("f()"), "S.add(2)"),
    Case("dictionary of a class derived from dict", "class D(dict):\n    pass\n"
         "C = tl.constexpr(D(a={v}))" + simple("C['a']"), "C.value['a'] = 2"),
    Case("tuple that is exchanged in an object", CFG + "C = tl.constexpr(Config((0, {v})))"
         + simple("C.n[1]"), "C.value.n = (0, 2)"),
    Case("unpacked tuple of objects", CFG + "C = tl.constexpr((Config(0), Config({v})))\n"
         "@tilewright.jit\ndef kernel(out):\n    a, b = C\n    tl.store(out, b.n)\n",
         "C.value[1].n = 2"),
    Case("loop over objects", CFG + "C = tl.constexpr((Config(0), Config({v})))\n"
         "@tilewright.jit\ndef kernel(out):\n    s = 0\n    for c in C:\n        s += c.n\n"
         "    tl.store(out, s)\n", "C.value[1].n = 2"),
    Case("objects handed to a function in a tuple", CFG + "C = tl.constexpr(Config({v}))\n"
         "@tilewright.jit\ndef get(t):\n    return t[0].n\n" + simple("get((C, 1))"),
         "C.value.n = 2"),
    Case("static assertion's text", "N = tl.constexpr({v})\n@tilewright.jit\ndef kernel(out):\n"
         "    tl.static_assert(N > 0, f'{N}')\n    tl.store(out, N)\n", "N = tl.constexpr(2)"),
    Case("method of a structure that a kernel makes", structure("{v}")
         + simple("P(out, 1).get()"), "P.get = lambda self: 2"),
    Case("method of a structure that is passed", structure("{v}")
         + taking("p.get()", "P(out, 1)"), "P.get = lambda self: 2"),
    Case("global that a method of a structure reads", "N = {v}\n" + structure("N")
         + taking("p.get()", "(1, P(out, 1))").replace("p.get", "p[1].get"), "N = 2"),
    Case("key of a structure", "N = {v}\n" + structure("self.n")
         + taking("p.get()", "P(out, N)"), "N = 2"),
]  # fmt: skip
