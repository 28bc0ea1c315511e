"""Config: one configuration that an autotuner tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tilewright.errors import ArgumentError

# The options that every configuration names, in the order of the constructor's arguments.
_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")


class Config:
    """Values of a kernel's constexpr parameters, and options of its launch.

    Args:
        kwargs: Values by name: of parameters of the kernel, or further options.
        num_warps: Warps per program.
        num_stages: Pipeline stages of loops that do not have their own number.
        num_ctas: Thread blocks per cluster.
        maxnreg: The most registers per thread; None lets the compiler choose.
        pre_hook: Called before each launch with this configuration, with a dictionary of all
            arguments by name.
        ir_override: A file of Tile IR (.ttir, .mlir) in place of what the front end builds.

    Raises:
        ArgumentError: `kwargs` is not a dictionary whose keys are strings.
    """

    def __init__(
        self,
        kwargs: Mapping[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[[dict[str, Any]], object] | None = None,
        ir_override: str | None = None,
    ) -> None:
        if not isinstance(kwargs, Mapping) or not all(isinstance(name, str) for name in kwargs):
            raise ArgumentError(f"Config takes a dictionary of values by name, not {kwargs!r}")
        if pre_hook is not None and not callable(pre_hook):
            raise ArgumentError(f"Config: pre_hook is {pre_hook!r}, not a function")
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self) -> dict[str, Any]:
        """The keyword arguments that a launch gets: the values, and the options that are set."""
        options = {name: getattr(self, name) for name in _OPTIONS}
        set_options = {name: value for name, value in options.items() if value is not None}
        return {**self.kwargs, **set_options}

    def __str__(self) -> str:
        named = {**self.kwargs, **{name: getattr(self, name) for name in _OPTIONS[:-1]}}
        return ", ".join(f"{name}: {value}" for name, value in named.items())

    def __repr__(self) -> str:
        return f"Config({self})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Config):
            return NotImplemented
        return self.all_kwargs() == other.all_kwargs() and self.pre_hook == other.pre_hook

    def __hash__(self) -> int:
        return hash((str(self), self.pre_hook))
