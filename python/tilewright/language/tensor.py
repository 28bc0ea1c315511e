"""The run-time value in a kernel: a scalar or a tile."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from tilewright.errors import ConstantError, UnsupportedError
from tilewright.language._context import current
from tilewright.language.constexpr import constexpr
from tilewright.language.dtypes import dtype

if TYPE_CHECKING:
    from tilewright import _core

_Function = TypeVar("_Function", bound=Callable[..., Any])


@functools.cache
def _operator(name: str) -> Callable[..., tensor]:
    # Imported here because operators.py imports this module.
    from tilewright.language import operators

    function: Callable[..., tensor] = getattr(operators, name)
    return function


def _apply(name: str, *operands: Any) -> tensor:
    return _operator(name)(*operands)


class tensor:
    """A scalar or tile whose value is known only at run time.

    Operators follow Triton's promotion rules (see promotion.py) and take Python numbers and
    constants on either side. Functions of the language such as `tl.sum` are methods as well.

    Like the functions of the language, operators that are called by name (`x.__add__(y)`) accept
    the argument `_semantic`, which programs' own builtins pass on.

    The type of the handle in the IR determines the shape, the layout and the width of an element.
    The type of an element adds what the IR does not have, such as whether integers are signed.

    Attributes:
        handle: The value in the IR.
        dtype: The type of one element.
        type: A scalar `dtype`, `pointer_type` or `block_type`.
        shape: The sizes, as constants; empty for a scalar.
        numel: The number of elements, a constant.
        known: The value of an integer argument that is compiled in, or of a scalar computed from
            such arguments and numbers; else None. Arithmetic treats it like other scalars of its
            dtype, but it can be used as a constant.
    """

    known: int | None = None

    __tilewright_tensor__ = True

    # Makes NumPy scalars and arrays defer to the operators of this class.
    __array_priority__ = 1000

    def __init__(self, handle: _core.Value, element: dtype, type: dtype | None = None) -> None:
        self.handle = handle
        self.dtype = element
        self._type = type  # None: follows from the handle's, when it is needed

    @property
    def type(self) -> dtype:
        if self._type is None:
            self._type = current().type_of(self.handle, self.dtype)
        return self._type

    @property
    def shape(self) -> tuple[constexpr, ...]:
        return tuple(constexpr(size) for size in self.type.shape)

    @property
    def numel(self) -> constexpr:
        return constexpr(self.type.numel)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __repr__(self) -> str:
        return f"tensor({self.type})"

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        if self.known is not None:
            return bool(self.known)
        raise ConstantError(
            f"a condition of type {self.type} is known only at run time, "
            "but a compile-time constant is needed here"
        )

    def __index__(self) -> int:
        if self.known is None:
            raise TypeError(f"a value of type {self.type} is known only at run time")
        return int(self.known)

    def __iter__(self) -> Any:
        raise UnsupportedError(f"a value of type {self.type} cannot be unpacked or iterated over")

    def __add__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("add", self, other)

    def __radd__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("add", other, self)

    def __sub__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("sub", self, other)

    def __rsub__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("sub", other, self)

    def __mul__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("mul", self, other)

    def __rmul__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("mul", other, self)

    def __truediv__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("truediv", self, other)

    def __rtruediv__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("truediv", other, self)

    def __floordiv__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("floordiv", self, other)

    def __rfloordiv__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("floordiv", other, self)

    def __mod__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("mod", self, other)

    def __rmod__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("mod", other, self)

    def __and__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("and_", self, other)

    def __rand__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("and_", other, self)

    def __or__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("or_", self, other)

    def __ror__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("or_", other, self)

    def __xor__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("xor_", self, other)

    def __rxor__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("xor_", other, self)

    def __lshift__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("shl", self, other)

    def __rlshift__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("shl", other, self)

    def __rshift__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("shr", self, other)

    def __rrshift__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("shr", other, self)

    def __eq__(self, other: object, _semantic: Any = None) -> tensor:  # type: ignore[override]
        return _apply("equal", self, other)

    def __ne__(self, other: object, _semantic: Any = None) -> tensor:  # type: ignore[override]
        return _apply("not_equal", self, other)

    def __lt__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("less_than", self, other)

    def __le__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("less_equal", self, other)

    def __gt__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("greater_than", self, other)

    def __ge__(self, other: Any, _semantic: Any = None) -> tensor:
        return _apply("greater_equal", self, other)

    def __neg__(self, _semantic: Any = None) -> tensor:
        return _apply("minus", self)

    def __pos__(self, _semantic: Any = None) -> tensor:
        return self

    def __abs__(self, _semantic: Any = None) -> tensor:
        from tilewright.language.math import abs

        return abs(self)

    def __invert__(self, _semantic: Any = None) -> tensor:
        return _apply("invert", self)

    def __not__(self, _semantic: Any = None) -> tensor:
        return _apply("logical_not", self)

    def __getitem__(self, index: Any, _semantic: Any = None) -> tensor:
        """`x[:, None]`, `x[0:16]`, `x[i]`: see `indexing.index`."""
        from tilewright.language.indexing import index as take

        return take(self, index if isinstance(index, tuple) else (index,))

    @property
    def T(self) -> tensor:
        """The transpose: the last two dimensions are swapped."""
        from tilewright.language.shape import trans

        return trans(self)


def member(fn: _Function) -> _Function:
    """Makes a function of the language a method of its first argument, a tensor, as well."""
    setattr(tensor, fn.__name__, fn)
    return fn
