"""Kernels that call the functions of libdevice: exact ones, or those with errors, on their domains.

A kernel whose floats are approximate calls the latter.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import libdevice_approximate as approximate
import libdevice_exact as exact
import numpy as np
from operations import any_shape
from tiles import DType, Tile, lift
from with_helpers import WithHelpers, family

from tilewright.compat.table import MODULES

MOST = 128  # elements, each of which the oracle computes on its own
SOURCES = MODULES["triton.language.extra.libdevice"].sources
_DTYPES = {
    "f": ["float32"], "d": ["float64"], "g": ["float32", "float64"], "i": ["int32"],
    "u": ["uint32"], "w": ["int32", "uint32"], "l": ["int64"], "v": ["uint64"],
    "z": ["int32", "uint32", "int64", "uint64"], "p": ["int1"], "s": ["int32"], "j": ["int32"],
    "k": ["int64"], "n": ["int32"],
}  # fmt: skip


def call(g: WithHelpers) -> None:
    shape = any_shape(g)
    if not shape or math.prod(shape) > MOST:
        return
    (_approximate if g.floating else _exact)(g, shape)


def _exact(g: WithHelpers, shape: tuple[int, ...]) -> None:
    name = g.rng.choice(list(exact.TABLE))
    function = exact.TABLE[name]
    types = {kind: g.rng.choice(listed) for kind, listed in _DTYPES.items()}
    operands = [_operand(g, shape, kind, types) for kind in function.operands]
    text = f"{_qualified(g, name)}({', '.join(operands)})"
    g.assign(text, types[function.result], shape)


def _operand(g: WithHelpers, shape: tuple[int, ...], kind: str, types: dict[str, str]) -> str:
    dtype = types[kind.lower()]
    text = f"({g.tile(shape, dtype)}).to(tl.{dtype})"
    if DType(dtype).is_float:
        factor = g.rng.choice(["1.0", "1.0", "0.37", "1e-5", "3e7", "-0.7"])
        text = f"({text} * {factor})"
        return f"(tl.abs({text}) + 0.25)" if kind.isupper() else text
    limits = {"s": "({} & 63) - 31", "j": "{} & 0x3FFFFFFF", "k": "{} & 0x3FFFFFFFFFFFFFFF"}
    limits["u"] = "{} & 0x3FFFFFFF"  # uint_as_float takes it, too
    return f"({limits.get(kind, '{}').format(text)})"


def _approximate(g: WithHelpers, shape: tuple[int, ...]) -> None:
    name = g.rng.choice(list(approximate.TABLE))
    function = approximate.TABLE[name]
    kind = g.rng.choice(["float32", "float64"]) if "g" in function.kinds else "float32"
    operands = []
    for index, (low, high) in enumerate(function.domains):
        if function.kinds[min(index, len(function.kinds) - 1)] == "n":
            operands.append(f"(({g.tile(shape, 'int32')}) & 3).to(tl.int32)")
        else:
            text = f"({g.tile(shape, kind)}).to(tl.{kind})"
            operands.append(f"tl.minimum(tl.maximum({text}, {low}), {high})")
    g.assign(f"{_qualified(g, name)}({', '.join(operands)})", kind, shape)


def _qualified(g: WithHelpers, name: str) -> str:
    """The function in its module, which the kernel imports."""
    module = find_module(name)
    short = module.rsplit(".", 1)[1]
    g.need(f"import {module} as {short}")
    return f"{short}.{name}"


def find_module(name: str) -> str:
    found = [s for s in SOURCES if s.startswith("tilewright.compat")]
    return next(s for s in found if name in import_module(s).__all__)


class _Library:
    """Replaces the modules of libdevice while the oracle runs."""

    def __getattr__(self, name: str) -> Any:
        if name in approximate.TABLE:
            function = approximate.TABLE[name]
            return lambda *operands: approximate.apply(function, *operands)
        return lambda *operands: _called(exact.TABLE[name], *operands)


def _called(function: exact.Function, *operands: Any) -> Tile:
    values = [lift(x) for x in operands]
    shape = np.broadcast_shapes(*(x.shape for x in values))
    flat = [np.ascontiguousarray(np.broadcast_to(x.exact(), shape)).reshape(-1) for x in values]
    with np.errstate(all="ignore"):
        result = function.numpy(*flat)
    dtype = "int1" if function.result == "p" else result.dtype.name
    return Tile(dtype, result.reshape(shape))


def modules() -> dict[str, Any]:
    """The global names of the modules in kernels."""
    return {source.rsplit(".", 1)[1]: _Library() for source in SOURCES}


write = family({"call": (120, call)}, size=7)
