"""A dictionary and a list that call a function before a program changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def _reporting(base: type, name: str) -> Callable[..., Any]:
    """A method that calls `_changed` and then the method of the base class."""
    method = getattr(base, name)

    def report_and_change(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._changed()
        return method(self, *args, **kwargs)

    return report_and_change


class WatchedDict(dict[K, V]):
    """A dictionary that calls `changed` before each change."""

    def __init__(self, changed: Callable[[], None], *items: Mapping[K, V]) -> None:
        super().__init__(*items)
        self._changed = changed

    def __reduce__(self) -> Any:  # a copy is a plain dictionary
        return dict, (dict(self),)

    __setitem__ = _reporting(dict, "__setitem__")
    __delitem__ = _reporting(dict, "__delitem__")
    __ior__ = _reporting(dict, "__ior__")
    clear = _reporting(dict, "clear")
    pop = _reporting(dict, "pop")
    popitem = _reporting(dict, "popitem")
    setdefault = _reporting(dict, "setdefault")
    update = _reporting(dict, "update")


class WatchedList(list[V]):
    """A list that calls `changed` before each change of its elements, other than their order."""

    def __init__(self, changed: Callable[[], None], items: Iterable[V]) -> None:
        super().__init__(items)
        self._changed = changed

    def __reduce__(self) -> Any:  # a copy is a plain list
        return list, (list(self),)

    __setitem__ = _reporting(list, "__setitem__")
    __delitem__ = _reporting(list, "__delitem__")
    __iadd__ = _reporting(list, "__iadd__")
    __imul__ = _reporting(list, "__imul__")
    append = _reporting(list, "append")
    clear = _reporting(list, "clear")
    extend = _reporting(list, "extend")
    insert = _reporting(list, "insert")
    pop = _reporting(list, "pop")
    remove = _reporting(list, "remove")
