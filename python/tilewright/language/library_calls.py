"""Calls of functions in libraries of LLVM bitcode, for each element of tiles."""

from __future__ import annotations

import difflib
import functools
import platform
from collections.abc import Sequence

from tilewright.errors import CompileError, TypeMismatchError, UnsupportedError
from tilewright.language._build import same_shape
from tilewright.language._context import current
from tilewright.language.dtypes import dtype
from tilewright.language.inline_asm import is_for_cpu
from tilewright.language.shape import broadcast_all
from tilewright.language.tensor import tensor

_FLOATS = {"fp16": "half", "bf16": "bfloat", "fp32": "float", "fp64": "double"}


def call_library(
    files: Sequence[str], symbol: str, args: Sequence[tensor], result: dtype, pure: bool
) -> tensor:
    """The results of a function that is called for each element.

    Args:
        files: The library that defines the function, and others with functions that it calls.
        symbol: The function. Its parameters and its result have the types of the elements in LLVM:
            "float" for fp32, "i1" for int1, "ptr" in any address space for a pointer.
        args: Tiles and scalars, which are broadcast to a common shape.
        result: The dtype of the result.
        pure: Whether the function only computes its result. Otherwise it is called even if that is
            not used, in order with accesses to memory, and by each thread that holds the element.

    Raises:
        CompileError: The library can't be read, or does not define the function.
        UnsupportedError: The library is for another target.
        TypeMismatchError: The function has other types, or there is none for a dtype.
        ShapeMismatchError: The arguments do not broadcast.
    """
    values = broadcast_all(*args) if args else []
    types = [value.dtype for value in values]
    _check(files[0], symbol, types, result)
    context = current()
    attrs = {
        "symbol": context.ctx.string_attr(symbol),
        "libraries": context.ctx.array_attr([context.ctx.string_attr(file) for file in files]),
        "operandSegmentSizes": context.ctx.i32_array_attr([len(values), 0]),
    }
    if pure:
        attrs["pure"] = context.ctx.unit_attr()
    for file in files:
        context.record.file(file)
    type = same_shape(values[0], result) if values else result
    handles = [value.handle for value in values]
    op = context.builder.create("tile.call_library", handles, [context.ir(type)], attrs)
    return tensor(op.result, result)


def _check(file: str, symbol: str, args: Sequence[dtype], result: dtype) -> None:
    """Raises an error unless the library has the function with these types."""
    try:
        triple, functions = _read(file, current().record.file(file))
    except ValueError as error:
        raise CompileError(f"the library of `{symbol}`: {error}") from None
    _check_target(file, triple)
    if symbol not in functions:
        close = difflib.get_close_matches(symbol, functions, n=1)
        hint = f"did you mean `{close[0]}`?" if close else None
        raise CompileError(f"the library {file} does not define `{symbol}`", hint=hint)
    found_result, found = functions[symbol]
    wanted = [_llvm_type(each) for each in (result, *args)]
    if not _same(wanted, [found_result, *found]):
        raise TypeMismatchError(
            f"`{symbol}` is declared as {wanted[0]} ({', '.join(wanted[1:])}), for the dtypes "
            f"({', '.join(map(str, args))}) and the result {result}, but the library {file} "
            f"defines it as {found_result} ({', '.join(found)})"
        )


@functools.lru_cache(maxsize=64)
def _read(file: str, content: str) -> tuple[str, dict[str, tuple[str, tuple[str, ...]]]]:
    from tilewright import _core

    return _core.read_library(file)


def _check_target(file: str, triple: str) -> None:
    """Raises an error for a library of a GPU on the CPU, or of the CPU on a GPU."""
    architecture = triple.partition("-")[0]
    is_any, is_host = architecture in ("", "unknown"), architecture == platform.machine()
    if not is_any and is_host != is_for_cpu():
        where = "the CPU" if is_for_cpu() else "a GPU"
        raise UnsupportedError(
            f"the library {file} is for {triple}, but the kernel is compiled for {where}",
            hint=f"compile the library for {where}, or without a target",
        )


def _llvm_type(type: dtype) -> str:
    """The type of an element in LLVM."""
    if type.is_ptr():
        return "ptr"
    if type.is_int():
        return f"i{type.int_bitwidth}"
    if type.name in _FLOATS:
        return _FLOATS[type.name]
    raise TypeMismatchError(f"functions of libraries do not take or return elements of type {type}")


def _same(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether types are the same but for address spaces."""
    return len(wanted) == len(found) and all(
        have == want or (want == "ptr" and have.startswith("ptr"))
        for want, have in zip(wanted, found, strict=True)
    )
