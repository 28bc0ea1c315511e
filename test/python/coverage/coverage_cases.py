"""Runs an operation for a dtype on a target, and compares its results with the reference."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kernel_files
import numpy as np
from kernel_text import batch
from number_formats import (
    BITS_ONLY,
    DTYPES,
    FORMATS,
    Wide,
    array,
    plain_zeros,
    rounded,
    spacing,
    wide,
)
from operands import Shape, generate
from operation import Operation

import tilewright
from tilewright.errors import CompileError

WARPS = (1, 2, 4, 8, 16)


@dataclass
class Part:
    """The operands and expected results of one shape."""

    shape: Shape
    operands: list[Wide]
    results: list[Wide]
    dtypes: list[str]
    magnitude: Wide | None


def part(operation: Operation, dtype: str, shape: Shape) -> Part:
    label = f"{operation.name} {operation.code}"
    operands = generate(operation.operands, label, dtype, shape)
    with np.errstate(all="ignore"):
        results = operation.reference(dtype, *operands)
        size = operation.magnitude(dtype, *operands) if operation.magnitude else None
    listed = list(results) if isinstance(results, tuple) else [results]
    types = operation.result(dtype)
    names = list(types) if isinstance(types, tuple) else [types] * len(listed)
    return Part(shape, operands, [np.asarray(x) for x in listed], names, size)


def loaded(text: str, path: Path) -> Any:
    """The kernel of a module's text."""
    path.write_text(text)
    return kernel_files.load(path).kernel


def warps(operation: Operation, dtype: str, shape: Shape) -> int:
    """The number of warps of a case: a row of the table has all over its dtypes and shapes."""
    return WARPS[(DTYPES.index(dtype) + 2 * operation.shapes.index(shape)) % len(WARPS)]


def run(
    operation: Operation, dtype: str, shapes: tuple[Shape, ...], gpu: bool, folder: Path
) -> str | None:
    """Launches the kernel for one dtype; returns what is wrong, if anything.

    Args:
        shapes: Those that one kernel computes.
        gpu: Whether the target is a GPU, which approximates some functions.
        folder: Where the kernel is written.
    """
    parts = [part(operation, dtype, shape) for shape in shapes]
    layout = [
        (p.shape, [(t, x.shape) for t, x in zip(p.dtypes, p.results, strict=True)]) for p in parts
    ]
    kernel = loaded(batch(operation, dtype, layout), folder / "case.py")
    arguments: list[Any] = []
    outputs = []
    for p in parts:
        for operand, value in zip(operation.operands, p.operands, strict=True):
            arguments.append(array(value, operand.dtype or dtype))
        outputs.append([poisoned(x, t) for x, t in zip(p.results, p.dtypes, strict=True)])
        arguments += outputs[-1]
    kernel[(1,)](*arguments, num_warps=warps(operation, dtype, shapes[0]))
    for p, got in zip(parts, outputs, strict=True):
        for k, memory in enumerate(got):
            if problem := compare(operation, p, k, wide(memory), gpu):
                return problem
    return None


def storage_name(dtype: str) -> str:
    return "uint8" if dtype in BITS_ONLY else dtype


def poisoned(values: Wide, dtype: str) -> Any:
    """Memory for results, with values of which at least half are wrong."""
    return array(np.full(values.shape, 0 if dtype == "int1" else 85), dtype)


def compare(operation: Operation, p: Part, k: int, got: Wide, gpu: bool) -> str | None:
    """Says which elements of a result are wrong."""
    reference, dtype = p.results[k], p.dtypes[k]
    if operation.unordered:
        reference, got = np.sort(reference, axis=None), np.sort(got, axis=None)
    is_rounded = operation.bound(dtype, gpu) > 0 or dtype not in FORMATS
    want = rounded(reference, storage_name(dtype)) if is_rounded else reference
    want = plain_zeros(want, dtype)
    if dtype in FORMATS:
        wrong = wrong_floats(operation, p, reference, want, got, dtype, gpu)
    else:
        wrong = want != got
    if not wrong.any():
        return None
    first = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    inputs = [x[first] for x in p.operands if x.shape == got.shape]
    return (
        f"shape {p.shape}, result {k}: {wrong.sum()} of {wrong.size} wrong, first at {first}: "
        f"{got[first]!r} instead of {want[first]!r} for {inputs}"
    )


def wrong_floats(
    operation: Operation, p: Part, reference: Wide, want: Wide, got: Wide, dtype: str, gpu: bool
) -> Wide:
    bound = operation.bound(dtype, gpu)
    reference = reference.astype(np.longdouble)
    if bound == 0.5 and dtype == "fp64":
        bound = 0.501  # the reference may have been rounded to extended precision
    if bound in (0.0, 0.5):
        wrong = want != got
    else:
        beyond = np.ldexp(np.longdouble(1), np.frexp(np.longdouble(FORMATS[dtype].greatest))[1])
        near, exact = np.clip(got, -beyond, beyond), np.clip(reference, -beyond, beyond)
        step = spacing(exact, dtype)
        if p.magnitude is not None:
            step = np.maximum(step, spacing(np.broadcast_to(p.magnitude, step.shape), dtype))
        with np.errstate(invalid="ignore"):
            wrong = ~(np.abs(near - exact) <= bound * step)
    if operation.signed_zeros:
        wrong = wrong | ((want == 0) & (got == 0) & (np.signbit(want) != np.signbit(got)))
    if gpu and operation.flushes:
        small = np.ldexp(np.longdouble(1), FORMATS[dtype].smallest)
        with np.errstate(invalid="ignore"):
            wrong = wrong & ~(np.abs(got - reference) < 2 * small)  # of two operands, or the result
    return np.where(np.isnan(want) | np.isnan(got), np.isnan(want) != np.isnan(got), wrong)


def refusal(operation: Operation, dtype: str, folder: Path) -> str | None:
    """Compiles for a dtype that the operation does not take; returns what is wrong, if anything."""
    shape = operation.shapes[-1]
    types = operation.result(dtype)
    names = types if isinstance(types, tuple) else (types,)
    text = batch(operation, dtype, [(shape, [(name, shape) for name in names])])
    path = folder / "case.py"
    kernel = loaded(text, path)
    arguments = [
        array(np.zeros(operand.shape(shape)), operand.dtype or dtype)
        for operand in operation.operands
    ]
    try:
        kernel[(1,)](*arguments, *(array(np.zeros(shape), name) for name in names))
    except CompileError as error:
        return _position(error, path)
    except Exception as error:
        return f"{type(error).__name__} in place of a CompileError: {error}"
    return "accepted"


def _position(error: CompileError, path: Path) -> str | None:
    """An error must name the line of the operation, not a check of its result or a store."""
    if error.file != str(path) or error.line is None:
        return f"the error has no position in the kernel: {error}"
    line = path.read_text().splitlines()[error.line - 1]
    if "static_assert" in line or "tl.store(r" in line:
        return f"accepted; only its result is refused: {error.message}"
    return None


@contextmanager
def launching(target: str) -> Iterator[bool]:
    """Launches run on this target; yields whether it is a GPU."""
    if target.startswith("emulator:"):
        name, plus, _ = target.removeprefix("emulator:").partition("+")
        with tilewright.emulate(name, checks=bool(plus)):
            yield True
        return
    context: AbstractContextManager[object] = nullcontext()
    if target.startswith("cuda"):
        import on_cuda

        context = on_cuda.launching("cuda", compare=False)
    with context:
        yield target != "cpu"
