"""Compile-time constants."""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable, Hashable
from types import MethodType
from typing import Any, TypeVar, overload

from tilewright.errors import ConstantError
from tilewright.language._context import is_building

_Function = TypeVar("_Function", bound=Callable[..., Any])


def constexpr_value(x: Any) -> Any:
    """The Python object that a constexpr holds; any other object unchanged."""
    while isinstance(x, constexpr):
        x = x.value
    kind: Any = type(x)
    return python_scalar(x) if _is_numpy_scalar(kind) else x


def python_scalar(x: Any) -> Any:
    """Converts a NumPy integer, float, boolean or string to Python's; returns others unchanged."""
    kind: Any = type(x)
    if not _is_numpy_scalar(kind):
        return x
    plain = x.item()
    return plain if isinstance(plain, (bool, int, float, str)) else x


@functools.cache
def _is_numpy_scalar(kind: Hashable) -> bool:
    # Compares names because NumPy may not be installed.
    classes = getattr(kind, "__mro__", ())
    return any(c.__module__ == "numpy" and c.__name__ == "generic" for c in classes)


def known_value(x: Any) -> Any:
    """The Python object that a constexpr or a scalar with a known value holds; others unchanged."""
    plain = constexpr_value(x)
    if getattr(type(plain), "__tilewright_tensor__", False) and plain.known is not None:
        return plain.known
    return plain


def constant_int(x: Any, what: str) -> int:
    """`x` as a Python int; `what` names it in the error.

    Raises:
        ConstantError: `x` is not an integer known at compile time.
    """
    value = known_value(x)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConstantError(
            f"{what} must be an integer known at compile time, found {describe(value)}",
            hint="annotate the kernel's parameter with tl.constexpr",
        )
    return value


def constant_bool(x: Any, what: str) -> bool:
    """`x` as a Python bool; `what` names it in the error.

    Raises:
        ConstantError: `x` is not known at compile time.
    """
    value = known_value(x)
    if not isinstance(value, (bool, int)):
        raise ConstantError(f"{what} must be known at compile time, found {describe(value)}")
    return bool(value)


def describe(x: Any) -> str:
    """Describes a value for an error message."""
    x = constexpr_value(x)
    kind = getattr(x, "type", None)
    if kind is not None and hasattr(x, "handle"):
        return f"a value of type {kind}"
    if x is None or isinstance(x, (bool, int, float, str)):
        return repr(x)
    known: str | None = getattr(x, "__tilewright_description__", None)
    return known or f"a Python {type(x).__name__}"


def builtin(fn: _Function) -> _Function:
    """Marks a function of the language; the front end calls it with evaluated arguments."""
    fn.__tilewright_builtin__ = True  # type: ignore[attr-defined]
    return fn


class constexpr:
    """A value known at compile time; also the annotation for such parameters.

    An operation on constants yields a constant. In an operation on a constant and a tensor, the
    tensor's operator is called with the constant as a Python number.
    """

    __slots__ = ("value",)
    value: Any

    def __init__(self, value: Any) -> None:
        object.__setattr__(self, "value", known_value(value))

    def __setattr__(self, name: str, value: Any) -> None:
        # Compiled kernels assume that the value does not change.
        raise AttributeError("a tl.constexpr is immutable; create a new one instead")

    def __reduce__(self) -> Any:
        return constexpr, (self.value,)

    def __repr__(self) -> str:
        return f"constexpr[{self.value!r}]"

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Any:
        return iter(self.value)

    def __contains__(self, item: Any) -> bool:
        return constexpr_value(item) in self.value

    def __getitem__(self, index: Any) -> Any:
        return constexpr(self.value[constexpr_value(index)])

    def __getattr__(self, name: str) -> Any:
        # Called only for attributes that constexpr lacks. It lets a constexpr that holds a dtype be
        # used like the dtype.
        if name.startswith("_") or name == "value":
            raise AttributeError(name)
        return getattr(self.value, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*map(known_value, args), **kwargs)

    def __neg__(self) -> constexpr:
        return constexpr(-self.value)

    def __pos__(self) -> constexpr:
        return constexpr(+self.value)

    def __invert__(self) -> constexpr:
        return constexpr(~self.value)

    def __abs__(self) -> constexpr:
        return constexpr(abs(self.value))

    def __eq__(self, other: object) -> Any:
        return _fold(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _fold(operator.ne, self, other)

    def logical_and(self, other: Any) -> constexpr:
        return constexpr(self.value and constexpr_value(other))

    def logical_or(self, other: Any) -> constexpr:
        return constexpr(self.value or constexpr_value(other))

    def __not__(self) -> constexpr:
        return constexpr(not self.value)


def _fold(function: Callable[[Any, Any], Any], lhs: Any, rhs: Any) -> Any:
    if hasattr(lhs, "handle") or hasattr(rhs, "handle"):
        return NotImplemented
    return constexpr(function(constexpr_value(lhs), constexpr_value(rhs)))


def _define(name: str, function: Callable[[Any, Any], Any], reflected: bool) -> None:
    def forward(self: constexpr, other: Any) -> Any:
        return _fold(function, self, other)

    def backward(self: constexpr, other: Any) -> Any:
        return _fold(function, other, self)

    setattr(constexpr, f"__{name}__", forward)
    if reflected:
        setattr(constexpr, f"__r{name}__", backward)


for _name in [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
]:
    _operator = getattr(operator, f"__{_name}__")
    _define(_name, _operator, reflected=True)
for _name in ["lt", "le", "gt", "ge"]:
    _define(_name, getattr(operator, f"__{_name}__"), reflected=False)


class ConstexprFunction:
    """A Python function that runs at compile time on constants; see constexpr_function.

    A kernel gets a constant. Outside of kernels, and in another such function, the result is a
    plain value.

    Attributes:
        fn: The Python function.
    """

    __tilewright_builtin__ = True
    __name__: str
    __qualname__: str

    def __init__(self, fn: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn

    @property
    def src(self) -> str:
        """The text of the function with its decorators.

        Raises:
            OSError: It can't be found.
        """
        import inspect

        return inspect.getsource(self.fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_for_kernel = is_building() and not _host.depth
        result = self.on_host(known_value, *args, **kwargs)
        return constexpr(result) if is_for_kernel else result

    def on_host(self, plain: Callable[[Any], Any], *args: Any, **kwargs: Any) -> Any:
        """Runs the function on `plain` of each argument; functions that it calls do the same."""
        _host.depth += 1
        try:
            named = {name: plain(value) for name, value in kwargs.items()}
            return self.fn(*map(plain, args), **named)
        finally:
            _host.depth -= 1

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<constexpr_function {self.__qualname__}>"


class _Host(threading.local):
    """How many functions of this class the thread is in."""

    depth = 0


_host = _Host()


def constexpr_function(fn: Callable[..., Any]) -> ConstexprFunction:
    """Decorator for a Python function that runs at compile time on constants.

    In a kernel the result is a constant. Elsewhere it is what the function returns.
    """
    return ConstexprFunction(fn)


@overload
def must_use_result(fn: _Function, s: bool = True) -> _Function: ...


@overload
def must_use_result(fn: str) -> Callable[[_Function], _Function]: ...


def must_use_result(fn: Any, s: Any = True) -> Any:
    """Decorator for a function whose call in a kernel is an error if its result is dropped.

    Args:
        fn: A `@jit` function or a function that runs at compile time; or a text that explains the
            mistake, as in `@must_use_result("assign the result")`.
    """

    def mark(function: Any) -> Any:
        function._must_use_result = fn if isinstance(fn, str) else s
        return function

    return mark if isinstance(fn, str) else mark(fn)
