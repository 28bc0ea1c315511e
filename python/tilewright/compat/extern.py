"""`tl.core.extern_elementwise`: functions of NVIDIA's libdevice by their symbols.

Tilewright links no bitcode. A symbol such as `__nv_sinf` stands for Tilewright's own function of
libdevice, `sin`, which runs on every target.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilewright.compat.libdevice_symbols import SYMBOLS
from tilewright.errors import TypeMismatchError, UnsupportedError
from tilewright.language._build import to_tensor
from tilewright.language.casts import cast
from tilewright.language.constexpr import builtin, constexpr_value
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
        lib_name, lib_path: The library; ignored.
        args: The operands, which are broadcast to one shape.
        arg_type_symbol_dict: For each tuple of the operands' dtypes that the function takes, a pair
            of its symbol and the dtype of its result. Operands of other types are converted to
            their common type if that is taken.
        is_pure: Ignored; the functions of libdevice have no side effects.

    Raises:
        TypeMismatchError: The function does not take operands of these types.
        UnsupportedError: The symbol is not a function of libdevice that Tilewright has.
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
    return cast(_function(symbol)(*operands), result)


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
        hint="Tilewright links no libraries; it has functions of libdevice, with the prefix "
        f"{_PREFIX}",
    )
