"""Classifies values: what belongs to Tilewright, to a library or to the user."""

from __future__ import annotations

import enum
import functools
import os
import sys
from types import ModuleType
from typing import Any

from tilewright.dependencies.watches import HEAP_TYPE


class Untrackable(Exception):
    """The value of an object can't be read, or changes to it can't be detected."""


# Small modules of the standard library that read state which a program can change (`os.getenv`).
_FOLLOWED = ("os",)


def is_jit_function(value: Any) -> bool:
    """Whether the value is a function decorated with @jit."""
    return getattr(type(value), "__tilewright_kernel__", False)


def is_constexpr(value: Any) -> bool:
    """Whether the value is a `tl.constexpr`."""
    kind = type(value)
    return kind.__name__ == "constexpr" and is_own(kind.__module__)


def is_own(module: str | None) -> bool:
    """Whether a module is part of Tilewright, which is covered by the identity of the build."""
    return str(module).partition(".")[0] == "tilewright"


def module_of(value: Any) -> str:
    """The name of the module in which a function or a class was defined, or ""."""
    module = getattr(value, "__module__", None)
    return module if isinstance(module, str) else ""


def is_own_thing(value: Any) -> bool:
    """Whether the value is a function, class or module of Tilewright."""
    if isinstance(value, ModuleType):
        # The modules of tilewright.compat have Triton's names, and a class of their own.
        return is_own(value.__name__) or is_own(type(value).__module__)
    if isinstance(value, type):
        return is_own(value.__module__)
    function = getattr(value, "fn", value) if is_jit_function(value) else value
    return callable(value) and not is_own(type(value).__module__) and is_own(module_of(function))


def is_library(module: str, home: str) -> bool:
    """Whether a module is assumed to change only with the version of its package.

    This holds for the standard library and for installed packages, except for the kernel's own.

    Args:
        module: The name of the module.
        home: The name of the kernel's module.
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
        # Frozen into the interpreter, or created by the user's program.
        return top in sys.stdlib_module_names
    import sysconfig

    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {os.path.realpath(sysconfig.get_path(name)) for name in names}
    return any(os.path.realpath(file).startswith(folder + os.sep) for folder in folders)


def version_of(module: str) -> str:
    """The version of a library's package, which represents the library's state."""
    top = sys.modules.get(module.partition(".")[0])
    version = getattr(top, "__version__", "")
    return version if isinstance(version, str) else ""


def is_scalar_of_library(value: Any) -> bool:
    """Whether the value is an immutable number or dtype of NumPy, PyTorch or a similar library.

    Its repr determines its value.
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


# A class that adds no C state to one of these has all its own state in attributes.
_PLAIN_BASES = (int, float, complex, str, bytes, tuple, list, dict, set, frozenset, object)
_POINTER = tuple.__itemsize__


def _has_python_state(kind: type) -> bool:
    base = next(base for base in _PLAIN_BASES if issubclass(kind, base))
    size = kind.__basicsize__
    # The pointers to __dict__ and to weak references are in the object, or before it, where
    # __basicsize__ does not count them.
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
