"""Translates Python's syntax tree to Tile IR; one file per kind of statement.

build.py         translates a kernel's signature to func.func; the state of building a module
functions.py     calls of other @jit functions: binding, specialization, private functions
visitor.py       dispatch, IR locations, positions of errors
scope.py         the local variables, and why one may be unavailable
names.py         locals, closures, globals, builtins
assign.py, expressions.py, operators.py, calls.py, python_builtins.py
conditionals.py, loops.py, while_loops.py, unrolled.py, returns.py, asserts.py
branches.py, joins.py  scf.if, and how its branches are joined
sequences.py     statements after one that may exit early
early_exit.py    loops that may exit early
analysis.py, carried.py, values.py, dispatch.py
unsupported.py   Python features that kernels do not support
"""

from .build import build_module

__all__ = ["build_module"]
