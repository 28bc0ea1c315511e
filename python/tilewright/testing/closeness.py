"""Compares results with references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.errors import BenchmarkError

Tolerance = float | Callable[[Any], float] | None


def assert_close(
    x: Any, y: Any, atol: Tolerance = None, rtol: Tolerance = None, err_msg: str = ""
) -> None:
    """Checks that |x - y| <= atol + rtol * |y| for all elements, as Triton's `assert_close` does.

    NaN is equal to NaN, and an infinity to itself. Integers are compared exactly, not as floats.

    Args:
        x: The result: a PyTorch tensor, a NumPy array, a list or a number.
        y: The reference, of the same shape or a scalar.
        atol: The absolute tolerance; 0.01 by default. A function is called with x's dtype.
        rtol: The relative tolerance; 0 by default. A function is called with x's dtype.
        err_msg: A prefix for the error message.

    Raises:
        AssertionError: The shapes or values differ; the message has the largest difference.
        BenchmarkError: A tolerance is negative or no number, or x or y has no numbers.
    """
    left, right = _as_array(x), _as_array(y)
    dtype = getattr(x, "dtype", left.dtype)
    absolute = _tolerance("atol", atol, 1e-2, dtype)
    relative = _tolerance("rtol", rtol, 0.0, dtype)
    problem = _difference(left, right, relative, absolute)
    if problem:
        raise AssertionError(f"{err_msg}: {problem}" if err_msg else problem)


def _tolerance(name: str, given: Tolerance, default: float, dtype: Any) -> float:
    value = given(dtype) if callable(given) else default if given is None else given
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BenchmarkError(f"{name} must be a number, not {value!r}") from None
    if not number >= 0:
        raise BenchmarkError(f"{name} must be at least 0, not {number}")
    return number


def _as_array(value: Any) -> Any:
    """Converts to a NumPy array of int, bool, complex or float64."""
    import numpy

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.double() if value.is_floating_point() else value
        value = value.numpy()
    array = numpy.asarray(value)
    if array.dtype.kind in "fV":  # V: bfloat16 and fp8 of the package ml_dtypes
        return array.astype(numpy.float64)
    if array.dtype.kind not in "iubc":
        raise BenchmarkError(f"arrays of dtype {array.dtype} can't be compared")
    return array


def _comparable(x: Any, y: Any) -> tuple[Any, Any]:
    """Both arrays with a dtype in which differences have no wrap-around and little rounding."""
    import numpy

    if "c" in (x.dtype.kind, y.dtype.kind):
        return x.astype(numpy.complex128), y.astype(numpy.complex128)
    if "f" not in (x.dtype.kind, y.dtype.kind) and 8 in (x.dtype.itemsize, y.dtype.itemsize):
        # float64 can't represent all 64-bit integers, but Python's integers can.
        return x.astype(object), y.astype(object)
    return x.astype(numpy.float64), y.astype(numpy.float64)


def _close(x: Any, y: Any, error: Any, rtol: float, atol: float) -> Any:
    import numpy

    equal = (x == y) | ((x != x) & (y != y))
    if x.dtype == object:
        return (equal | (error <= atol + rtol * abs(y))).astype(bool)
    # An infinity is close to nothing else, although rtol * inf = inf.
    finite = numpy.isfinite(x) & numpy.isfinite(y)
    return equal | (finite & (error <= atol + rtol * abs(y)))


def _difference(x: Any, y: Any, rtol: float, atol: float) -> str:
    """A description of the difference, or an empty string."""
    import numpy

    if x.shape != y.shape and () not in (x.shape, y.shape):
        return f"the shapes are {x.shape} and {y.shape}"
    shape = numpy.broadcast_shapes(x.shape, y.shape)
    x, y = (numpy.broadcast_to(value, shape) for value in (x, y))
    a, b = _comparable(x, y)
    with numpy.errstate(all="ignore"):
        error = abs(a - b)
        close = _close(a, b, error, rtol, atol)
    if numpy.all(close):
        return ""
    error = numpy.asarray(error, numpy.float64)
    error = numpy.where(close, -1, numpy.where(numpy.isnan(error), numpy.inf, error))
    worst = numpy.unravel_index(int(error.argmax()), error.shape)
    index = ", ".join(str(int(i)) for i in worst)
    return (
        f"{int((~close).sum())} of {close.size} elements differ (rtol={rtol:g}, atol={atol:g}); "
        f"most at [{index}]: {x[worst]} and {y[worst]}"
    )
