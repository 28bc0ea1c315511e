"""The decorator that turns a function into a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

from tilewright.runtime.function import JITFunction


@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...


@overload
def jit(
    *,
    version: Any = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable[..., Any] | None = None,
    do_not_specialize: Iterable[int | str] | None = None,
    do_not_specialize_on_alignment: Iterable[int | str] | None = None,
    debug: bool | None = None,
    checks: str | None = None,
    noinline: bool | None = None,
) -> Callable[[Callable[..., Any]], JITFunction]: ...


def jit(
    fn: Callable[..., Any] | None = None,
    *,
    version: Any = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable[..., Any] | None = None,
    do_not_specialize: Iterable[int | str] | None = None,
    do_not_specialize_on_alignment: Iterable[int | str] | None = None,
    debug: bool | None = None,
    checks: str | None = None,
    noinline: bool | None = None,
) -> JITFunction | Callable[[Callable[..., Any]], JITFunction]:
    """Turns a function into a kernel, or into a function that kernels call.

    Can be used with or without arguments.

    Args:
        fn: The function. It is not executed by Python. Its source is compiled at a launch, unless
            it has been compiled for arguments of the same types before.
        do_not_specialize: Parameters, by name or position, that are not specialized on being equal
            to 1 or divisible by 16.
        do_not_specialize_on_alignment: Parameters that are not specialized on divisibility by 16.
        debug: Whether `tl.device_assert` is compiled; an option of the launch takes precedence.
        checks: "bounds" checks every memory access against the arrays that are passed; an option
            of the launch takes precedence.
        noinline: Whether other kernels' calls of the function stay calls in the code, as far as
            possible (docs/language.md says where it is not). By default each call is a copy of the
            function's code.
        repr: Names kernels, as profilers show them: a function of an object with `signature` (the
            types of parameters by name) and `constants` (their values by name). Characters that C
            does not have in names become underscores.
        launch_metadata: Describes launches to the hooks of `tilewright.knobs.runtime`: a function
            of the grid, the compiled kernel's metadata and the arguments by name that returns a
            dictionary. It is called when a hook asks for it.
        version: Accepted for compatibility and ignored.

    Raises:
        CompileError: The function's source can't be found, or it has a parameter `**kwargs`.
        ArgumentError: `fn` is not a Python function.

    Warns:
        CompileWarning: A parameter not to be specialized does not exist.
    """

    def decorate(function: Callable[..., Any]) -> JITFunction:
        return JITFunction(
            function,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            checks=checks,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
        )

    return decorate if fn is None else decorate(fn)
