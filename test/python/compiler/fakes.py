"""Fakes with the interfaces of the core and the front end, for tests of the code around them."""

import ast
import inspect
import os
import sys
import textwrap
import time
import types

from tilewright import _core


class IRError(RuntimeError):
    diagnostics = ()


class Context:
    pass


class Module:
    def __init__(self, text):
        self.text = text
        self.op = types.SimpleNamespace(get_attr=lambda name: None)

    @staticmethod
    def parse(context, text):
        return Module(text)

    def print(self, debug_info=False, generic=False):
        return self.text + (" loc(1)" if debug_info else "")


class CompiledObject:
    def __init__(self, text):
        self.object = b"\x7fELF" + text.encode()
        self.symbol = "kernel"
        self.launch_conditions = []
        self.written_slots = []
        self.accesses = []
        self.metadata = {"scratch_bytes": 64, "asserts": []}
        self.texts = {}
        self.phases = [("tile", 0.001), ("vector", 0.002), ("llvm", 0.003)]
        self.warnings = []


def compile(module, target, options, dump):
    """Takes a moment, and logs the call in the file named by FAKE_CORE_LOG."""
    if "pass-fails" in module.text:
        error = IRError("pass failed")
        frames = [("/x/language/math.py", 7, 1), ("k.py", 3, 5), ("k.py", 9, 2)]
        error.phase = "vector"
        error.diagnostics = [("cannot vectorize", frames, [("operand here", [("k.py", 2, 1)], [])])]
        raise error
    if log := os.environ.get("FAKE_CORE_LOG"):
        with open(log, "a") as stream:
            stream.write(f"{os.getpid()} {target} {options}\n")
        time.sleep(0.05)
    if dump:
        for phase in ("source", "tile", "vector", "llvm", "asm"):
            dump(phase, f"{phase} of {module.text}")
    return CompiledObject(module.text)


def load(target, kernel, data, symbol, ordinal, metadata):
    return types.SimpleNamespace(data=data, symbol=symbol, scratch_bytes=metadata["scratch_bytes"])


def build_module(context, fn, signature, noalias, options, record, target=None, name=""):
    record.use(fn)
    if fn.name == "malformed":
        error = IRError("op is malformed")
        error.diagnostics = [("op is malformed", [("k.py", 3, 5)], [])]
        raise error
    return Module(f"{fn.name} {signature} {noalias}")


def install(set_item=sys.modules.__setitem__):
    """Replaces the real modules by the fakes."""
    core = types.ModuleType("tilewright._core")
    names = ("IRError", "Context", "Module", "compile", "load")
    core.__dict__.update({name: globals()[name] for name in names})
    core.target_kinds = _core.target_kinds
    core.devices = lambda kind: {"problem": "none here", "devices": []}
    core.current_device = lambda kind: 0
    set_item("tilewright._core", core)
    frontend = types.ModuleType("tilewright.frontend")
    frontend.build_module = build_module
    set_item("tilewright.frontend", frontend)


class Jit:
    """A @jit function with the attributes that the compiler reads."""

    __tilewright_kernel__ = True

    def __init__(self, fn):
        self.fn = fn
        self.name = fn.__name__
        self.source_file = fn.__code__.co_filename
        self.first_line = fn.__code__.co_firstlineno
        self.globals = fn.__globals__
        self.params = [
            types.SimpleNamespace(
                name=p.name, default=p.default, is_constexpr="constexpr" in str(p.annotation)
            )
            for p in inspect.signature(fn).parameters.values()
        ]

    def tree(self):
        return ast.parse(textwrap.dedent(inspect.getsource(self.fn))).body[0]
