"""Launches of one compiled kernel: `compiled[grid](*arguments)`.

A launcher of its own binds and classifies the arguments as for the @jit function, and what it finds
is compared with what the kernel was compiled for, once per key of the launcher's table. Parameters
are described so that an argument which the code can take has the entry of the kernel's signature:

    entry of the kernel    how its argument is classified
    "*fp32", "i32"         neither on being 1 nor on alignment; a number has this type
    "*fp32:D", "i32:D"     on alignment
    1024, None             as a constant
    (..., ...)             as for the @jit function
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tilewright import _core, knobs
from tilewright.compiler.relaxed import relax
from tilewright.compiler.request import describe_leaf
from tilewright.compiler.sources import plain_constant
from tilewright.compiler.streams import is_current, on_stream
from tilewright.errors import ArgumentError

if TYPE_CHECKING:
    from tilewright.compiler.kernel import CompiledKernel


class DirectLauncher(_core.Launcher):
    """Launches a CompiledKernel, and refuses arguments for which it was not compiled."""

    def __init__(self, kernel: CompiledKernel) -> None:
        self._kernel = kernel
        self._fn = kernel.source.fn
        self._entries = kernel.source.entries
        pairs = zip(self._fn.params, self._entries, strict=True)
        super().__init__(self._label, [_spec(parameter, entry) for parameter, entry in pairs])

    @property
    def _label(self) -> str:
        return f"{self._kernel.name}, compiled for {self._kernel.target}"

    def start(self, grid: Any, args: Sequence[Any]) -> None:
        """Launches the kernel with all arguments, or with all but the constants.

        Raises:
            ArgumentError: There are too few or too many, or the kernel can't take one of them.
        """
        self[grid](*self._complete(args), target=self._kernel.target)

    def _complete(self, args: Sequence[Any]) -> Sequence[Any]:
        constants = [parameter.is_constexpr for parameter in self._fn.params]
        if len(args) == len(constants):
            return args
        if len(args) != len(constants) - sum(constants):
            raise ArgumentError(
                f"{self._label}: takes {len(constants)} arguments, or "
                f"{len(constants) - sum(constants)} without the constants, not {len(args)}"
            )
        given = iter(args)
        pairs = zip(constants, self._entries, strict=True)
        return [
            plain_constant(entry) if is_constant else next(given) for is_constant, entry in pairs
        ]

    # Called by the launcher in C++

    def _compile(
        self, signature: tuple[Any, ...], options: dict[str, Any], noalias: bool, device: str
    ) -> tuple[CompiledKernel, None]:
        """The kernel, if it can be launched with arguments of this signature.

        It is a variant of the kernel if arrays share memory, or if the launch is beyond the ranges
        that the code assumes or has arrays that its tensor maps can't describe.
        """
        for parameter, entry, found in zip(self._fn.params, self._entries, signature, strict=True):
            same = _same_constant if _is_constant(parameter, entry) else _same
            if not same(entry, found):
                raise ArgumentError(
                    f"{self._label}: argument '{parameter.name}' is {describe_leaf(found)}, but "
                    f"the kernel was compiled for {describe_leaf(entry)}"
                )
        shares_memory = self._kernel.source.noalias and not noalias
        is_beyond = options.get("specialize_ranges") is False and bool(
            self._kernel.launch_conditions or self._kernel.tensor_maps
        )
        lacks_maps = options.get("tensor_maps") is False and bool(self._kernel.tensor_maps)
        if shares_memory or is_beyond or lacks_maps:
            return relax(self._kernel, noalias, not is_beyond, not lacks_maps), None
        return self._kernel, None

    def _explain_binding(self, *args: Any, **kwargs: Any) -> None:
        raise ArgumentError(f"{self._label}: the arguments do not match the parameters")

    def _emulation(self, checked: bool) -> Any:
        return self._fn._emulation(checked)

    def _emulated(self, *args: Any) -> None:
        self._fn._emulated(*args)

    def _explain_failure(self, *args: Any) -> None:
        self._fn._explain_failure(*args)


def _spec(parameter: Any, entry: Any) -> tuple[Any, ...]:
    """The description of a parameter for the launcher in C++; see JITParam.launcher_spec."""
    specialize = aligned = False
    scalar: str | None = None
    is_constant = _is_constant(parameter, entry)
    if isinstance(entry, str) and not is_constant and not entry.startswith("bytes"):
        specialize = aligned = entry.endswith(":D")
        scalar = None if entry.startswith("*") else entry.removesuffix(":D")
    elif not is_constant:
        *_, specialize, aligned, scalar = parameter.launcher_spec()
    return (parameter.name, False, None, is_constant, False, False, specialize, aligned, scalar)


def _is_constant(parameter: Any, entry: Any) -> bool:
    return parameter.is_constexpr or not isinstance(entry, (str, tuple))


def _same(entry: Any, found: Any) -> bool:
    """Whether an entry of the kernel's signature admits what a launch has found."""
    if isinstance(entry, str):
        return _admits(entry, found)
    if isinstance(entry, tuple) and type(entry) is type(found):
        return len(entry) == len(found) and all(map(_same, entry, found))
    return _same_constant(entry, found)


def _admits(entry: str, found: Any) -> bool:
    """Whether code for a descriptor can take an argument; only in tuples may they differ.

    An argument that is 1, and an integer of 32 bits for one of 64, have all 64 bits in their slot.
    """
    if found == 1 and type(found) is int:
        return entry[:1] in ("i", "u") and entry not in ("i1", "u1") and ":" not in entry
    if not isinstance(found, str):
        return False
    # Whether the kernel writes through a pointer does not matter to the caller.
    entry = entry.replace("*k", "*")
    return entry in (found, found.removesuffix(":D")) or (
        entry.startswith("i64") and _admits(entry.replace("i64", "i32"), found)
    )


def _same_constant(entry: Any, found: Any) -> bool:
    entry, found = plain_constant(entry), plain_constant(found)
    if type(entry) is not type(found):
        return False
    if isinstance(entry, tuple):
        return len(entry) == len(found) and all(map(_same_constant, entry, found))
    if isinstance(entry, float):
        return repr(entry) == repr(found)  # distinguishes zeros, and finds that nan is nan
    return entry is found or (entry == found) is True


def runner(kernel: CompiledKernel) -> Callable[..., None]:
    """The function that launches a kernel with the arguments of Triton's launchers.

    See CompiledKernel.run. What all launches have in common is determined once.
    """
    launcher = kernel._launcher()
    launch, target, on_host = launcher._launch, kernel.target, kernel.runs_on_host
    count = len(kernel.source.fn.params)
    own = knobs.runtime  # whose chains a program may replace later

    def run(
        x: int,
        y: int,
        z: int,
        stream: int | None,
        function: Any,
        packed_metadata: Any,
        launch_metadata: Any,
        enter_hook: Callable[[Any], Any] | None,
        exit_hook: Callable[[Any], Any] | None,
        *args: Any,
    ) -> None:
        if enter_hook is not None and enter_hook is not own.launch_enter_hook:
            enter_hook(launch_metadata)
        if len(args) != count:
            args = tuple(launcher._complete(args))
        if on_host or is_current(stream):
            launch((x, y, z), *args, target=target)
        else:
            with on_stream(stream):
                launch((x, y, z), *args, target=target)
        if exit_hook is not None and exit_hook is not own.launch_exit_hook:
            exit_hook(launch_metadata)

    return run
