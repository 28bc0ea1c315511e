"""Checks of what users pass to `autotune`, and of what their functions return."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

from tilewright.errors import ArgumentError, TuningError
from tilewright.tuning.config import Config

_PRUNES = ("early_config_prune", "perf_model", "top_k")


def configurations(value: Any) -> list[Config]:
    """The configurations; one with the defaults if there is none.

    Raises:
        ArgumentError: The value is not a list of Config.
    """
    if value is not None and not isinstance(value, Iterable):
        raise ArgumentError(f"autotune: configs is {value!r}, not a list of Config")
    found = list(value or ()) or [Config({})]
    if wrong := [each for each in found if not isinstance(each, Config)]:
        raise ArgumentError(f"autotune: a configuration is {wrong[0]!r}, not a Config")
    return found


def names(value: Any, what: str) -> list[str]:
    """The names in a list; none if it is None.

    Raises:
        ArgumentError: The value is not a list of strings.
    """
    # A string is a list of its letters; of one letter that is what the user means.
    is_word = isinstance(value, str) and len(value) > 1
    if value is None or (isinstance(value, Iterable) and not is_word):
        found = list(value or ())
        if all(isinstance(name, str) for name in found):
            return found
    raise ArgumentError(f"autotune: {what} is {value!r}, not a list of parameters' names")


def prunes(value: Any) -> dict[str, Any]:
    """The members of `prune_configs_by`.

    Raises:
        ArgumentError: It is not a dictionary, has an unknown member, or one that is not a function.
    """
    if value is not None and not isinstance(value, Mapping):
        raise ArgumentError(f"autotune: prune_configs_by is {value!r}, not a dictionary")
    found = dict(value or {})
    if unknown := [name for name in found if name not in _PRUNES]:
        raise ArgumentError(
            f"autotune: prune_configs_by has {unknown[0]!r}; it takes {', '.join(_PRUNES)}"
        )
    for name in _PRUNES[:2]:
        function(found.get(name), name)
    return found


def function(value: Any, what: str) -> Any:
    """A function, or None.

    Raises:
        ArgumentError: It is neither.
    """
    if value is not None and not callable(value):
        raise ArgumentError(f"autotune: {what} is {value!r}, not a function")
    return value


def at_least_zero(value: Any, what: str) -> Any:
    """A number that is not negative, or None.

    Raises:
        ArgumentError: It is neither.
    """
    if value is not None and not (isinstance(value, numbers.Real) and float(value) >= 0):
        raise ArgumentError(f"autotune: {what} is {value!r}, not a number of at least 0")
    return value


def times(value: Any) -> list[float]:
    """The times that a benchmark function has returned: one, or several quantiles, in ms.

    NaN counts as a failure.

    Raises:
        TuningError: It returned something else.
    """
    found = list(value) if isinstance(value, (list, tuple)) else [value] * 3
    if not found or not all(isinstance(time, numbers.Real) for time in found):
        raise TuningError(f"do_bench returned {value!r}, not a time or a list of quantiles")
    return [math.inf if math.isnan(time) else float(time) for time in found]


def pruned(value: Any, kernel: str) -> list[Config]:
    """The configurations that `early_config_prune` has returned.

    Raises:
        TuningError: It returned none, or something else.
    """
    found = list(value) if isinstance(value, Iterable) else [value]
    if wrong := [each for each in found if not isinstance(each, Config)]:
        raise TuningError(f"{kernel}: early_config_prune returned {wrong[0]!r}, not a Config")
    if not found:
        raise TuningError(f"{kernel}: early_config_prune left no configuration")
    return found
