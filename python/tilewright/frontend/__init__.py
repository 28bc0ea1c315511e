"""From Python's syntax tree to Tile IR: one file per kind of statement.

build.py         a kernel's signature becomes func.func; what a module remembers while it is built
functions.py     calls of other @jit functions: binding, specialisation, private functions
visitor.py       dispatch, locations, positions on errors
scope.py         the local variables, and why one is not to be had
names.py         locals, closures, globals, builtins
assign.py, expressions.py, operators.py, calls.py, python_builtins.py
conditionals.py, loops.py, while_loops.py, unrolled.py, returns.py, asserts.py
branches.py, joins.py  scf.if, and how its branches end
sequences.py     what follows statements that control may have left
early_exit.py       loops that end early
analysis.py, carried.py, values.py, dispatch.py
unsupported.py   what kernels do not have
"""

from .build import build_module

__all__ = ["build_module"]
