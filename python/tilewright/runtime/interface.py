"""KernelInterface: what can be launched with `kernel[grid](...)`."""

from __future__ import annotations

import abc
import sys
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from tilewright import _core
from tilewright.runtime.function import JITFunction


class KernelInterface(_core.WrappedKernel, metaclass=abc.ABCMeta):
    """Base class of kernels that wrap another one. @jit functions count as instances, too.

    `kernel[grid](*arguments)` calls `run`, unless the subclass lets C++ find out what it would do;
    see lib/Launcher/Wrapped.cpp.

    Attributes:
        fn: The kernel that is wrapped.
        arg_names: The names of its parameters.
        base_fn: The Python function at the bottom.
    """

    __name__: str
    __qualname__: str
    _default_run: Any

    def __init__(self, fn: Any = None, arg_names: Sequence[str] = ()) -> None:
        if fn is None:  # a class of a program sets the attributes itself, as with Triton's
            return
        self.fn = fn
        self.arg_names = list(arg_names)
        self._names = tuple(map(sys.intern, arg_names))
        self.base_fn = python_function(fn)
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(self, name, getattr(self.base_fn, name, None))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "run":
            self._default_run = None  # C++ must call the method that this kernel has now

    @abc.abstractmethod
    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Launches on the keyword argument `grid`, or only compiles if `warmup` is true."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **kwargs)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # `fn` is a member of the base class in C++, which the state of an object lacks.
        made = super().__reduce_ex__(max(protocol, 2))
        return _restore, (type(self), self.fn), *made[2:]


def _restore(kind: type[KernelInterface], fn: Any) -> KernelInterface:
    """A kernel from a pickle, before its state is restored."""
    kernel = kind.__new__(kind)
    kernel.fn = fn
    return kernel


KernelInterface.register(JITFunction)


def python_function(kernel: Any) -> Any:
    """The Python function of a kernel that may wrap others; None if there is none."""
    while kernel is not None and not isinstance(kernel, FunctionType):
        kernel = getattr(kernel, "fn", None)
    return kernel


def jit_function(kernel: Any) -> JITFunction | None:
    """The @jit function of a kernel that may wrap others; None if there is none."""
    while kernel is not None and not isinstance(kernel, JITFunction):
        kernel = getattr(kernel, "fn", None)
    return kernel
