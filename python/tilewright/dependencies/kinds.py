"""What belongs to Tilewright, to a library, to the user; what kind of object a value is."""

from __future__ import annotations

import enum
import functools
import os
import sys
from types import ModuleType
from typing import Any

from tilewright.dependencies.watches import HEAP_TYPE


class Untrackable(Exception):
    """The value of an object can't be seen, or not whether it changes."""


# Short modules of the standard library that read what a program can change (`os.getenv`).
_FOLLOWED = ("os",)


def is_jit_function(value: Any) -> bool:
    """Whether the value is a function of the language with a source of its own."""
    return hasattr(type(value), "tree") and hasattr(value, "params")


def is_constexpr(value: Any) -> bool:
    """Whether the value is a `tl.constexpr`."""
    kind = type(value)
    return kind.__name__ == "constexpr" and is_own(kind.__module__)


def is_own(module: str | None) -> bool:
    """Whether a module is part of Tilewright, which the build's identity stands for."""
    return str(module).partition(".")[0] == "tilewright"


def module_of(value: Any) -> str:
    """The name of the module that a function or a class was defined in; "" where it has none."""
    module = getattr(value, "__module__", None)
    return module if isinstance(module, str) else ""


def is_own_thing(value: Any) -> bool:
    """Whether the value is a function, class or module of Tilewright."""
    if isinstance(value, ModuleType):
        return is_own(value.__name__)
    if isinstance(value, type):
        return is_own(value.__module__)
    function = getattr(value, "fn", value) if is_jit_function(value) else value
    return callable(value) and not is_own(type(value).__module__) and is_own(module_of(function))


def is_library(module: str, home: str) -> bool:
    """Whether a module is trusted not to change but by another version of its package.

    These are the standard library and what is installed, but not the kernel's own package.

    Args:
        home: The module of the kernel.
    """
    top = module.partition(".")[0]
    if top in _FOLLOWED or (top == home.partition(".")[0] and top not in sys.builtin_module_names):
        return False
    return _is_installed(top)


@functools.cache
def _is_installed(top: str) -> bool:
    if top in sys.builtin_module_names:
        return True
    module = sys.modules.get(top)
    if module is None or top == "__main__":
        return False
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if file is None:
        # Frozen into the interpreter; or made by the user's program.
        return top in sys.stdlib_module_names
    import sysconfig

    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {os.path.realpath(sysconfig.get_path(name)) for name in names}
    return any(os.path.realpath(file).startswith(folder + os.sep) for folder in folders)


def version_of(module: str) -> str:
    """What stands for a library's state: the version of its package."""
    top = sys.modules.get(module.partition(".")[0])
    version = getattr(top, "__version__", "")
    return version if isinstance(version, str) else ""


def is_scalar_of_library(value: Any) -> bool:
    """Whether the value is an immutable number or dtype of NumPy's, PyTorch's or the like.

    Its repr is complete.
    """
    kind = type(value)
    if kind.__name__.lower().endswith("dtype") and not is_user_class(kind):
        return True
    return any(base.__module__ == "numpy" and base.__name__ == "generic" for base in kind.__mro__)


def is_user_class(kind: type) -> bool:
    """Whether a class was written in Python, rather than in C."""
    return (
        bool(kind.__flags__ & HEAP_TYPE) and "__module__" in vars(kind) and _has_python_state(kind)
    )


# Classes that add nothing in C to what these hold have all their state in attributes.
_PLAIN_BASES = (int, float, complex, str, bytes, tuple, list, dict, set, frozenset, object)
_POINTER = tuple.__itemsize__


def _has_python_state(kind: type) -> bool:
    base = next(base for base in _PLAIN_BASES if issubclass(kind, base))
    size = kind.__basicsize__
    # Dictionary and weak references are in the object, or before it, where their size isn't told.
    size -= _POINTER * (kind.__dictoffset__ > 0 or kind.__dictoffset__ == -_POINTER)
    size -= _POINTER * (kind.__weakrefoffset__ > 0)
    return size - _POINTER * len(slots_of(kind)) <= base.__basicsize__


def slots_of(kind: type) -> tuple[str, ...]:
    """The attributes of the class that are kept in slots."""
    found: list[str] = []
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                private = name.startswith("__") and not name.endswith("__")
                found.append(f"_{base.__name__.lstrip('_')}{name}" if private else name)
    return tuple(found)


def is_enum_member(value: Any) -> bool:
    return isinstance(value, enum.Enum)
