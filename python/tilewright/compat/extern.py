"""`tl.core.extern_elementwise`: functions of libraries of LLVM bitcode, by their symbols.

A symbol of NVIDIA's libdevice, such as `__nv_sinf`, stands for Tilewright's own function, `sin`,
which runs on every target. Other functions are those of the program's libraries.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tilewright.compat.libdevice_symbols import SYMBOLS
from tilewright.compiler.extern_libs import parse
from tilewright.errors import TypeMismatchError, UnsupportedError
from tilewright.language._build import to_tensor
from tilewright.language._context import current
from tilewright.language.casts import cast, element_type
from tilewright.language.constexpr import builtin, constant_bool, constexpr_value
from tilewright.language.library_calls import call_library
from tilewright.language.promotion import promoted
from tilewright.language.tensor import tensor

_PREFIX = "__nv_"


@builtin
def extern_elementwise(
    lib_name: Any,
    lib_path: Any,
    args: Any,
    arg_type_symbol_dict: Mapping[Any, Any],
    is_pure: Any,
    _semantic: Any = None,
) -> tensor:
    """Applies a function of a library to each element.

    Args:
        lib_name: The name of a library of the launch's option `extern_libs`.
        lib_path: The file of the library; empty for that of the option.
        args: The operands, which are broadcast to one shape.
        arg_type_symbol_dict: For each tuple of the operands' dtypes that the function takes, a pair
            of its symbol and the dtype of its result. Operands of other types are converted to
            their common type if that is taken.
        is_pure: Whether the function only computes its result. Otherwise it is called in order with
            accesses to memory, by each thread that holds the element.

    Raises:
        TypeMismatchError: The function does not take operands of these types, or has other types in
            the library.
        UnsupportedError: There is no such library, and the symbol is not a function of libdevice
            that Tilewright has; or the library is for another target.
        CompileError: The library can't be read, or does not define the function.
    """
    operands = [to_tensor(value) for value in args]
    table = _table(arg_type_symbol_dict)
    types = tuple(operand.dtype for operand in operands)
    if types not in table and len(operands) > 1:
        operands = _common(operands)
        types = tuple(operand.dtype for operand in operands)
    if types not in table:
        known = "; ".join(", ".join(map(str, key)) for key in table)
        found = ", ".join(map(str, types))
        raise TypeMismatchError(f"the function takes ({known}), found ({found})")
    symbol, result = (constexpr_value(value) for value in table[types])
    files = _files(lib_name, lib_path)
    if not files or (symbol in SYMBOLS and _is_libdevice(files[0])):
        return cast(_function(symbol)(*operands), result)
    return call_library(
        files, symbol, operands, _result_type(result), constant_bool(is_pure, "is_pure")
    )


def _files(lib_name: Any, lib_path: Any) -> list[str]:
    """The file of a library, and then the other files of the launch; empty if there is none."""
    given, name = constexpr_value(lib_path), constexpr_value(lib_name)
    libraries = dict(parse(current().option("extern_libs", "")))
    file = os.path.abspath(os.fspath(given)) if given else libraries.get(name)
    if file is None:
        return []
    return list(dict.fromkeys([file, *libraries.values()]))


def _is_libdevice(file: str) -> bool:
    return os.path.basename(file).startswith("libdevice")


def _result_type(type: Any) -> Any:
    """The dtype of a result, which may be a pointer."""
    pointer = getattr(type, "is_ptr", None)
    return type if pointer is not None and pointer() else element_type(type)


def _table(given: Any) -> dict[Any, Any]:
    """The symbols and results by the operands' dtypes."""
    plain = constexpr_value(given)
    if not isinstance(plain, Mapping):
        raise TypeMismatchError(f"arg_type_symbol_dict is a dictionary, found {plain!r}")
    return {tuple(map(constexpr_value, types)): value for types, value in plain.items()}


def _common(operands: list[tensor]) -> list[tensor]:
    """The operands in the common type and shape of all."""
    first = operands[0]
    for other in operands[1:]:
        first, _ = promoted(first, other, "extern_elementwise")
    return [promoted(first, operand, "extern_elementwise")[1] for operand in operands]


def _function(symbol: str) -> Any:
    """Tilewright's function for a symbol of libdevice."""
    from tilewright.compat import facade
    from tilewright.compat.table import MODULES

    name = SYMBOLS.get(symbol)
    found = facade.find(MODULES["triton.language.extra.libdevice"], name) if name else None
    if callable(found):
        return found
    raise UnsupportedError(
        f"the external function `{symbol}` is not available",
        hint="pass its library as lib_path, or kernel[grid](..., extern_libs={'name': 'file.bc'}); "
        f"without one there are the functions of libdevice, with the prefix {_PREFIX}",
    )
