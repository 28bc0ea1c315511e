"""Compares results with references."""

from __future__ import annotations

from typing import Any

# Relative and absolute tolerance by dtype, as in torch.testing.assert_close. Values of other dtypes
# must be equal.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}
_EXACT = (0.0, 0.0)


def assert_close(
    x: Any, y: Any, atol: float | None = None, rtol: float | None = None, err_msg: str = ""
) -> None:
    """Checks that |x - y| <= atol + rtol * |y| for all elements.

    NaN is equal to NaN, and an infinity to itself.

    Args:
        x: The result: a PyTorch tensor, a NumPy array or a number.
        y: The reference, of the same shape.
        atol, rtol: The tolerances. By default they depend on the less precise dtype of x and y,
            as in torch.testing.assert_close; a Python number has no tolerance.
        err_msg: A prefix for the error message.

    Raises:
        AssertionError: The shapes or values differ; the message has the largest difference.
    """
    defaults = [_TOLERANCES.get(_dtype_name(value), _EXACT) for value in (x, y)]
    default_rtol, default_atol = max(defaults)
    rtol = default_rtol if rtol is None else rtol
    atol = default_atol if atol is None else atol
    problem = _difference(_as_array(x), _as_array(y), rtol, atol)
    if problem:
        raise AssertionError(f"{err_msg}: {problem}" if err_msg else problem)


def _dtype_name(value: Any) -> str:
    """ "float16" for torch.float16 and numpy.float16."""
    return str(getattr(value, "dtype", "")).removeprefix("torch.")


def _as_array(value: Any) -> Any:
    """Converts to a NumPy array; floats become float64, so that differences are precise."""
    import numpy

    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.double() if value.is_floating_point() else value
        value = value.numpy()
    array = numpy.asarray(value)
    return array.astype(numpy.float64) if array.dtype.kind == "f" else array


def _close(x: Any, y: Any, rtol: float, atol: float) -> Any:
    import numpy

    if rtol == atol == 0:
        # Compares directly, because float64 can't represent all 64-bit integers.
        return (x == y) | ((x != x) & (y != y))
    x, y = x.astype(numpy.float64), y.astype(numpy.float64)
    return numpy.isclose(x, y, rtol=rtol, atol=atol, equal_nan=True)


def _difference(x: Any, y: Any, rtol: float, atol: float) -> str:
    """A description of the difference, or an empty string."""
    import numpy

    if x.shape != y.shape:
        return f"the shapes are {x.shape} and {y.shape}"
    close = _close(x, y, rtol, atol)
    if close.all():
        return ""
    with numpy.errstate(all="ignore"):
        error = numpy.abs(x.astype(numpy.float64) - y.astype(numpy.float64))
    error = numpy.where(close, -1, numpy.where(numpy.isnan(error), numpy.inf, error))
    worst = numpy.unravel_index(int(error.argmax()), error.shape)
    index = ", ".join(str(int(i)) for i in worst)
    return (
        f"{int((~close).sum())} of {close.size} elements differ (rtol={rtol:g}, atol={atol:g}); "
        f"most at [{index}]: {x[worst]} and {y[worst]}"
    )
