"""Compares what the configurations compute: with `verify=` one whose result differs is dropped.

All arrays that are passed directly are compared, and get their values back afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tilewright.errors import ArgumentError
from tilewright.testing.closeness import assert_close
from tilewright.tuning import checking
from tilewright.tuning.restoring import copy_into, copy_of


class Tolerance(NamedTuple):
    """How far results may differ; None stands for the default of `assert_close`."""

    atol: float | None = None
    rtol: float | None = None


def tolerance_of(verify: Any) -> Tolerance | None:
    """The meaning of the argument `verify`: None if nothing is to be compared.

    Raises:
        ArgumentError: It is neither a boolean nor a dictionary of `atol` and `rtol`, or one of
            these is not a number of at least 0.
    """
    if verify is None or verify is False:
        return None
    if verify is True:
        return Tolerance()
    if isinstance(verify, Mapping) and verify.keys() <= {"atol", "rtol"}:
        return Tolerance(
            *(checking.at_least_zero(verify.get(name), name) for name in Tolerance._fields)
        )
    raise ArgumentError(
        f"autotune: verify must be True or a dictionary of atol and rtol, not {verify!r}"
    )


class Verifier:
    """Holds the first configuration's results. Each check runs the kernel once on the same input.

    Args:
        arrays: All arrays among the arguments, by name.
        tolerance: How far results may differ.
    """

    def __init__(self, arrays: Mapping[str, Any], tolerance: Tolerance) -> None:
        self._arrays = dict(arrays)
        self._tolerance = tolerance
        self._inputs = {name: copy_of(array) for name, array in self._arrays.items()}
        self._expected: dict[str, Any] | None = None

    def check(self, launch: Callable[[], object], before: Callable[[], object]) -> str:
        """Launches and compares; returns the difference as text for the user, or an empty one.

        Args:
            launch: Launches the kernel.
            before: Prepares the arrays for it.
        """
        try:
            before()
            launch()
            results = {name: copy_of(array) for name, array in self._arrays.items()}
        finally:
            self.restore()
        if self._expected is None:
            self._expected = results
            return ""
        for name, expected in self._expected.items():
            try:
                assert_close(results[name], expected, self._tolerance.atol, self._tolerance.rtol)
            except AssertionError as difference:
                return f"'{name}' differs from the first configuration's: {difference}"
        return ""

    def restore(self) -> None:
        """Gives all arrays the values that they had at the beginning."""
        for name, array in self._arrays.items():
            copy_into(array, self._inputs[name])
