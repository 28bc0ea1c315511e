"""Compiles a math operation for this machine: expand-math, then LLVM's command-line tools."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]

BUILD = Path(os.environ.get("TILEWRIGHT_BUILD", Path(__file__).parents[3] / "build"))
TILEWRIGHT_OPT = BUILD / "bin" / "tilewright-opt"
LLVM = Path(os.environ.get("TILEWRIGHT_LLVM_BIN", "/usr/lib/llvm-22/bin"))
LANES = 16
LOWERING = [
    "--convert-scf-to-cf",
    "--convert-vector-to-llvm",
    "--convert-math-to-llvm=approximate-log1p=false",
    "--convert-math-to-libm",
    "--convert-vector-to-llvm",
    "--convert-func-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-ub-to-llvm",
    "--reconcile-unrealized-casts",
]


def module(operation: str, operands: int, element: str = "f32", lanes: int = LANES) -> str:
    """A function run(in0, ..., out, n) that applies `operation` to n values, `lanes` at a time."""
    vector = f"vector<{lanes}x{element}>"
    names = [f"%in{i}" for i in range(operands)]
    arguments = ", ".join(f"{name}: !llvm.ptr" for name in [*names, "%out"])

    def address(name: str) -> str:
        return f"llvm.getelementptr {name}[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {element}"

    loads = "\n".join(
        f"    %p{i} = {address(name)}\n"
        f"    %x{i} = llvm.load %p{i} {{alignment = 2 : i64}} : !llvm.ptr -> {vector}"
        for i, name in enumerate(names)
    )
    values = ", ".join(f"%x{i}" for i in range(operands))
    return f"""
func.func @run({arguments}, %n: i64) attributes {{llvm.emit_c_interface}} {{
  %zero = arith.constant 0 : i64
  %step = arith.constant {lanes} : i64
  scf.for %i = %zero to %n step %step : i64 {{
{loads}
    %y = {operation} {values} : {vector}
    %q = {address("%out")}
    llvm.store %y, %q {{alignment = 2 : i64}} : {vector}, !llvm.ptr
  }}
  return
}}
"""


def pipe(commands: list[list[str | Path]], text: str) -> bytes:
    data = text.encode()
    for command in commands:
        data = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def assembly(source: str, cpu: str = "native", expand: list[str | Path] | None = None) -> bytes:
    """The assembly of an MLIR module on vectors; `expand` is the command that expands its math."""
    return pipe(
        [
            expand or [TILEWRIGHT_OPT, "--expand-math"],
            [LLVM / "mlir-opt", *LOWERING],
            [LLVM / "mlir-translate", "--mlir-to-llvmir"],
            [LLVM / "opt", "-O2", f"-mcpu={cpu}", "-mtriple=x86_64-linux-gnu", "-S"],
            [LLVM / "llc", "-O3", f"-mcpu={cpu}", "-relocation-model=pic"],
        ],
        source,
    )


def library(
    folder: Path,
    operation: str,
    operands: int = 1,
    element: str = "f32",
    expand: list[str | Path] | None = None,
) -> Path:
    """A shared library with the operation as run(in0, ..., out, n); n is a multiple of LANES."""
    name = folder / f"{operation.replace('.', '_')}_{element}"
    source = name.with_suffix(".s")
    source.write_bytes(assembly(module(operation, operands, element), expand=expand))
    made = name.with_suffix(".so")
    subprocess.run(["cc", "-shared", "-o", made, source, "-lm"], check=True)
    return made


def function(
    folder: Path,
    operation: str,
    operands: int = 1,
    element: str = "f32",
    expand: list[str | Path] | None = None,
) -> Callable[..., Floats]:
    """The operation as a function of arrays of `element` whose length is a multiple of LANES."""
    run = ctypes.CDLL(str(library(folder, operation, operands, element, expand))).run

    def call(*inputs: Floats, out: Floats | None = None) -> Floats:
        assert len(inputs) == operands and inputs[0].size % LANES == 0
        inputs = tuple(np.ascontiguousarray(array) for array in inputs)
        out = np.full_like(inputs[0], 12345.0) if out is None else out
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*inputs, out)]
        run(*pointers, ctypes.c_int64(out.size))
        return out

    return call
