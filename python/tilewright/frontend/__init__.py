"""Translates Python's syntax tree to Tile IR; one file per kind of statement.

build.py         translates a kernel's signature to func.func; the state of building a module
functions.py     calls of other @jit functions: binding, specialization, private functions
visitor.py       visits a function's body: dispatch, IR locations, positions of errors
branches.py      `if` and conditional expressions
joins.py         scf.if, and how paths are joined
steps.py         sequences of statements, of which some may exit
loops.py         `for` and `while`: scf.for, scf.while, unrolling
carried.py       loop-carried variables
early_exit.py    `return`, `break`, `continue`, and loops that exit early
assign.py, expressions.py, operators.py, calls.py, python_builtins.py
aggregates.py    methods, operators and fields of classes of the program
names.py         locals, closures, globals, builtins
scope.py         the local variables, and why one may be unavailable
values.py        the values: tensors, constants and structures of these
dispatch.py      the handlers of node types; how statements end
analysis.py      analyses of the syntax tree
"""

from .build import build_module

__all__ = ["build_module"]
