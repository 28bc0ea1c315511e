"""heuristics: arguments of a kernel that are computed from the others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tilewright.compiler.foreign_options import FOREIGN_OPTIONS
from tilewright.compiler.options import Options
from tilewright.errors import ArgumentError
from tilewright.runtime.interface import KernelInterface

Heuristic = Callable[[dict[str, Any]], Any]


class Heuristics(KernelInterface):
    """A kernel some of whose arguments are computed; made by `@tilewright.heuristics`.

    Attributes:
        fn: The kernel whose arguments these are: a @jit function, or an Autotuner.
        arg_names: The names of the kernel's parameters.
        values: For each computed argument, the function that computes it.
    """

    def __init__(self, fn: Any, arg_names: list[str], values: Mapping[str, Heuristic]) -> None:
        if not isinstance(values, Mapping) or not all(map(callable, values.values())):
            raise ArgumentError("heuristics takes a dictionary of functions by argument's name")
        known = {*arg_names, *Options.names(), *FOREIGN_OPTIONS}
        if unknown := [name for name in values if name not in known]:
            raise ArgumentError(
                f"heuristics: '{unknown[0]}' is neither a parameter of the kernel nor an option; "
                f"the parameters are {', '.join(arg_names)}"
            )
        super().__init__(fn, list(arg_names))
        self.values = values

    @property
    def values(self) -> Mapping[str, Heuristic]:
        return self._values

    @values.setter
    def values(self, values: Mapping[str, Heuristic]) -> None:
        # Read-only, because C++ has a copy.
        self._values = MappingProxyType(dict(values))
        self._default_run = _RUN
        self._computed_names = tuple(map(sys.intern, values))
        self._functions = tuple(values.values())

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Launches the kernel; see KernelInterface."""
        return self.fn.run(*args, **self._with_values(args, kwargs))

    def warmup(self, *args: Any, **kwargs: Any) -> Any:
        """Compiles what a launch with these arguments would run, and returns it."""
        return self.fn.warmup(*args, **self._with_values(args, kwargs))

    def _with_values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The keyword arguments with the computed ones; later functions see earlier results."""
        computed: dict[str, Any] = {}
        named = dict(zip(self.arg_names, args, strict=False))
        named.update((name, kwargs[name]) for name in kwargs if name not in ("grid", "warmup"))
        for name, function in self.values.items():
            computed[name] = function({**named, **computed})
        return {**kwargs, **computed}


# What C++ does for a launch, unless a program replaces the method to see launches.
_RUN = Heuristics.run


def heuristics(values: Mapping[str, Heuristic]) -> Callable[[Any], Heuristics]:
    """Computes arguments of a kernel from the others, as in

        @tilewright.heuristics({"BLOCK": lambda args: tilewright.next_power_of_2(args["n"])})
        @tilewright.jit
        def kernel(x, n, BLOCK: tl.constexpr): ...

    Args:
        values: For each computed argument, or option such as num_warps, a function. It takes a
            dictionary of the launch's arguments and options by name, which includes what earlier
            functions returned.

    Raises:
        ArgumentError: A name is neither a parameter nor an option, or a value is not a function.
    """

    def decorate(fn: Any) -> Heuristics:
        return Heuristics(fn, fn.arg_names, values)

    return decorate
