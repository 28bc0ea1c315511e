"""The argument `_semantic` of builtins that programs define: Triton's operations on values.

Triton passes its builtins an object with a method for each operation. Programs' own builtins call
these methods, or pass the object on to functions of the language, which ignore it:

    @tl.core.builtin
    def next_multiple(x, y, _semantic=None):
        rounded = _semantic.add(x, _semantic.sub(y, 1, False), False)
        return _semantic.mul(_semantic.floordiv(rounded, y), y, False)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.errors import UnsupportedError
from tilewright.language import _build, operators, registry
from tilewright.language._context import current
from tilewright.language.casts import cast
from tilewright.language.constexpr import constexpr_value
from tilewright.language.tensor import tensor

# Triton's method takes `sanitize_overflow` as well.
_ARITHMETIC = ("add", "sub", "mul")
_OPERATORS = (
    "truediv", "floordiv", "mod", "and_", "or_", "xor_", "shl", "equal", "not_equal", "less_than",
    "less_equal", "greater_than", "greater_equal", "minus", "invert", "logical_and", "logical_or",
)  # fmt: skip


def _without_overflow(name: str) -> Callable[..., tensor]:
    operator: Callable[..., tensor] = getattr(operators, name)
    return lambda lhs, rhs, sanitize_overflow=False: operator(lhs, rhs)


def _splat(value: Any, shape: Any) -> tensor:
    return _build.splat(_build.to_tensor(value), constexpr_value(shape))


_METHODS: dict[str, Callable[..., Any]] = {
    **{name: _without_overflow(name) for name in _ARITHMETIC},
    **{name: getattr(operators, name) for name in _OPERATORS},
    "ashr": operators.shr,
    "lshr": operators.shr,
    "not_": operators.logical_not,
    "plus": lambda x: x,
    "to_tensor": lambda x, check_type=True: _build.to_tensor(x),
    "scalar_constant": _build.to_tensor,
    "make_scalar": _build.to_tensor,
    "bitcast": lambda x, dtype: cast(x, dtype, bitcast=True),
    "splat": _splat,
    "reshape": lambda x, shape, can_reorder=False: _public("reshape")(x, shape),
    "broadcast_impl_shape": lambda x, shape: _public("broadcast_to")(x, shape),
    "broadcast_impl_value": lambda x, y: _public("broadcast")(x, y),
}


def _public(name: str) -> Any:
    """The public function of the language; None if there is none."""
    found = (entry.value for entry in registry.ENTRIES if entry.name == name)
    return next(found, None)


class Semantic:
    """The operations by Triton's names; those of the language's functions have their arguments."""

    tensor = tensor

    @property
    def options(self) -> Any:
        """The options of the compilation."""
        return current().options

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found = _METHODS.get(name) or (None if name.startswith("_") else _public(name))
        if found is None:
            raise AttributeError(f"Tilewright's `_semantic` has no operation `{name}`", name=name)
        return found

    @property
    def builder(self) -> Any:
        raise UnsupportedError(
            "`_semantic.builder` is Triton's; Tilewright builds other operations",
            hint="use functions of tilewright.language",
        )
