"""Cases of kernels that depend on an aggregate; see cases.py."""

from cases import Case

FIELD = "    a: tl.tensor\n"
JIT = "    @tilewright.jit\n"
KERNEL = "@tilewright.jit\ndef kernel(out):\n    x = A(1)\n    tl.store(out, {read})\n"


def aggregate(body: str, read: str = "x.a") -> str:
    """Stores an expression of an instance `x` that is made of the number 1."""
    return f"N = tl.constexpr({{v}})\n@tilewright.aggregate\nclass A:\n{FIELD}{body}" + (
        KERNEL.replace("{read}", read)
    )


PLAIN = "    def __init__(self, a):\n        self.a = a\n"

AGGREGATE_CASES = [
    Case("global that the constructor of an aggregate reads", aggregate(
        "    def __init__(self, a):\n        self.a = a * N.value\n"), "N = tl.constexpr(2)"),
    Case("global that a jit constructor reads", aggregate(
        JIT + "    def __init__(self, a):\n        self.a = a * N\n"), "N = tl.constexpr(2)"),
    Case("global that a constexpr constructor reads", aggregate(
        "    @tilewright.constexpr_function\n    def __init__(self, a):\n"
        "        self.a = a * N.value\n"), "N = tl.constexpr(2)"),
    Case("text of a jit constructor", aggregate(
        JIT + "    def __init__(self, a):\n        self.a = a * {v}\n"), None),
    Case("global that a jit method reads", aggregate(
        PLAIN + JIT + "    def get(self):\n        return self.a * N\n", "x.get()"),
        "N = tl.constexpr(2)"),
    Case("global that a Python method of an aggregate reads", aggregate(
        PLAIN + "    def get(self):\n        return self.a * N.value\n", "x.get()"),
        "N = tl.constexpr(2)"),
    Case("global that a static method reads", aggregate(
        PLAIN + "    @staticmethod\n    def get(x):\n        return x.a * N.value\n", "A.get(x)"),
        "N = tl.constexpr(2)"),
    Case("global that a constructor called by a method reads", aggregate(
        "    def __init__(self, a):\n        self.a = a * N.value\n"
        "    @staticmethod\n    def make(x):\n        return A(x)\n", "A.make(1).a"),
        "N = tl.constexpr(2)"),
    Case("jit operator of an aggregate", aggregate(
        PLAIN + JIT + "    def __add__(self, b):\n        return self.a * N + b\n", "x + 0"),
        "N = tl.constexpr(2)"),
    Case("method of an aggregate that is exchanged", aggregate(
        PLAIN + "    def get(self):\n        return self.a * {v}\n", "x.get()"),
        "A.get = lambda self: self.a * 2"),
    Case("default of a constructor", aggregate(
        "    def __init__(self, a, factor={v}):\n        self.a = a * factor\n"), None),
]  # fmt: skip
